"""Blocks of integrations on the pages of a site: what is offered in its spaces, and how a page asks for it.

A page asks by the block's own tag, by a code block of the language that the block is written in, or by an
embedded address that the block unfurls.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import orjson
from sqlalchemy import ColumnElement, FromClause, and_, or_, select, true

from app.domain.content.views import s_
from app.domain.integrations.installations import p_
from app.domain.integrations.integration_rows import i_, n_
from app.domain.site_addresses.site_rows import i_ as item_
from app.domain.site_addresses.site_rows import t_
from app.formats.markdown import nodes
from app.kit.database.sql import nested


@dataclass(slots=True, frozen=True)
class Block:
    """A block that an integration offers."""

    integration: str
    id: str
    title: str
    codeblock: str = ""
    body: str = ""
    unfurls: tuple[str, ...] = ()


@dataclass(slots=True, frozen=True)
class BlockRequest:
    """A block as a page asks for it: with properties, or with an address to be unfurled into some."""

    block: Block
    props: Mapping[str, Any]
    unfurled: str = ""
    key: str = field(init=False)  # names it on its page

    def __post_init__(self) -> None:
        told = orjson.dumps(
            [self.block.integration, self.block.id, self.props, self.unfurled], option=orjson.OPT_SORT_KEYS
        )
        object.__setattr__(self, "key", blake2b(told, digest_size=12).hexdigest())


class OfferedBlocks:
    """What the integrations that are active in a space offer to its pages."""

    def __init__(self, blocks: list[Block]) -> None:
        self._named = {(block.integration, block.id): block for block in blocks}
        self._written = {block.codeblock: block for block in reversed(blocks) if block.codeblock}
        self._unfurls = [(start, block) for block in blocks for start in block.unfurls]

    def asked_by(self, node: nodes.Node) -> BlockRequest | None:
        """Return the block that a node of a page asks for, where there is one."""
        data = node["data"]
        match node.get("type"):
            case "integration":
                block = self._named.get((str(data.get("integration")), str(data.get("block"))))
                return BlockRequest(block, data.get("props") or {}) if block else None
            case "code":
                block = self._written.get(str(data.get("syntax") or ""))
                return BlockRequest(block, {block.body: _lines(node)}) if block else None
            case "embed":
                url = str(data.get("url") or "")
                block = self.unfurling(url)
                return BlockRequest(block, {}, url) if block else None
        return None

    def unfurling(self, url: str) -> Block | None:
        """Return the block that shows an address, where there is one."""
        return next((block for start, block in self._unfurls if _begins(url, start)), None)


NOTHING = OfferedBlocks([])


def of_site() -> Any:
    """Return the active installations with blocks in the organization of the site `t_`, each as it is on
    each of the site's spaces that it was put on, as a column of the site."""
    spaces = select(item_.c.space_id).where(item_.c.site_id == t_.c.id, item_.c.kind == "site-space")
    return _blocks_of(t_, p_.c.object_id.in_(spaces.correlate(t_)))


def of_space() -> Any:
    """Return the active installations with blocks in the organization of the space `s_`, each as it is on
    the space, as a column of that."""
    return _blocks_of(s_, p_.c.object_id == s_.c.id)


def _blocks_of(owner: FromClause, is_on: ColumnElement[bool]) -> Any:
    placed = and_(p_.c.installation_id == n_.c.id, is_on)
    found = (
        select(i_.c.name, i_.c.version, i_.c.manifest, n_.c.space_selection, p_.c.object_id, p_.c.status)
        .select_from(n_.join(i_, i_.c.id == n_.c.integration_id).outerjoin(p_, placed))
        .where(
            n_.c.organization_id == owner.c.organization_id,
            n_.c.status == "active",
            i_.c.has_blocks == true(),
            or_(p_.c.status.is_not(None), n_.c.space_selection == "all"),
        )
        .order_by(n_.c.id, p_.c.object_id)
        .correlate(owner)
    )
    return nested(found, "blocks_")


def offered(owner: Any, space_id: str) -> OfferedBlocks:
    """Return what is offered in a space, told by the column of the space or of a site that shows it."""
    if not owner.blocks_:
        return NOTHING
    standing = {row.name: row.status for row in owner.blocks_ if row.object_id == space_id}
    manifests = {
        row.name: row.manifest
        for row in owner.blocks_
        if standing.get(row.name, "active" if row.space_selection == "all" else "") == "active"
    }
    return OfferedBlocks(
        [_block(name, each) for name, manifest in manifests.items() for each in manifest["blocks"]]
    )


def state_of(site: Any) -> tuple[Any, ...]:
    """Return what of this a page depends on."""
    return tuple((r.name, r.version, r.space_selection, r.object_id, r.status) for r in site.blocks_)


def _block(name: str, given: Mapping[str, Any]) -> Block:
    written = given.get("markdown") or {}
    return Block(
        name,
        given["id"],
        given["title"],
        written.get("codeblock", ""),
        written.get("body", ""),
        tuple(given.get("urlUnfurl") or ()),
    )


def _begins(url: str, start: str) -> bool:
    """Return whether an address begins with another; the name of a host is not cut."""
    return url.startswith(start) and (
        start[-1] in "/?#=&" or url[len(start) : len(start) + 1] in ("", *"/?#&")
    )


def _lines(node: nodes.Node) -> str:
    return "\n".join(nodes.plain_text(line["nodes"]) for line in node["nodes"])
