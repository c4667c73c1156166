"""Installed integrations on a site: they put scripts into its pages, hear of its views, sign visitors in.

An integration answers `fetch_published_script` events when something changes; what it answered last is kept
and served from an address that holds its hash, under the policy that the manifest declares.

Blocks of integrations on the pages of a site: what is offered in its spaces, and how a page asks for it.

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

from app.access.context import Context
from app.access.scopes import in_force
from app.domain.content.views import SPACES
from app.domain.integrations.installations import PLACEMENTS
from app.domain.integrations.integration_rows import INSTALLATIONS, INTEGRATIONS
from app.domain.integrations.outbox import NEEDS
from app.domain.site_addresses import addresses
from app.domain.site_addresses.site_rows import SITE_ITEMS, SITES, find, reading
from app.domain.sites.page_visits import VIEWS
from app.formats.markdown import nodes
from app.formats.text import url_patterns
from app.kit.database.columns import Key
from app.kit.database.sql import nested
from app.kit.database.statements import Statement, given, query, rows
from app.kit.errors import NotFound
from app.models.sites import Site

INJECT, COOKIES = "site:script:inject", "site:script:cookies"


def scripts_column() -> Any:
    """Return the integrations with a script for the site `SITES`, as a column of it."""
    found = (
        select(
            INSTALLATIONS.c.id,
            INTEGRATIONS.c.name,
            INTEGRATIONS.c.scopes,
            INSTALLATIONS.c.agreed,
            INTEGRATIONS.c.manifest,
            PLACEMENTS.c.script_hash,
        )
        .select_from(
            PLACEMENTS.join(INSTALLATIONS, INSTALLATIONS.c.id == PLACEMENTS.c.installation_id).join(
                INTEGRATIONS, INTEGRATIONS.c.id == INSTALLATIONS.c.integration_id
            )
        )
        .where(
            PLACEMENTS.c.object_id == SITES.c.id,
            PLACEMENTS.c.status == "active",
            INSTALLATIONS.c.status == "active",
            PLACEMENTS.c.script_hash.is_not(None),
        )
        .order_by(INSTALLATIONS.c.id)
        .correlate(SITES)
    )
    return nested(found, "scripts_")


_OF_SITE: Statement[Any] = query(Site, lambda: reading(scripts_column()))
_OF_PUBLISHED = rows(lambda: select(SITES.c.id, scripts_column()).where(SITES.c.id == given("site", Key)))
_SERVED = rows(
    lambda: (
        select(PLACEMENTS.c.script, PLACEMENTS.c.script_hash, INTEGRATIONS.c.scopes, INSTALLATIONS.c.agreed)
        .join(INSTALLATIONS, INSTALLATIONS.c.id == PLACEMENTS.c.installation_id)
        .join(INTEGRATIONS, INTEGRATIONS.c.id == INSTALLATIONS.c.integration_id)
        .where(
            PLACEMENTS.c.installation_id == given("installation", Key),
            PLACEMENTS.c.object_id == given("site", Key),
            PLACEMENTS.c.script_hash == given("hash", Key),
            PLACEMENTS.c.status == "active",
            INSTALLATIONS.c.status == "active",
        )
    )
)


async def list_in_site(cx: Context, organization_id: str, site_id: str) -> list[dict[str, Any]]:
    """List the scripts that integrations put into the pages of a site."""
    site = await find(cx, organization_id, site_id, using=_OF_SITE)
    return shown(cx, site_id, site.scripts_)


async def published_scripts(cx: Context, site_id: str) -> list[dict[str, Any]]:
    """Return the scripts for the pages of a site as `list_in_site` has them, for whoever may read the
    pages."""
    found = await cx.db.get_by_key(_OF_PUBLISHED, site=site_id)
    return shown(cx, site_id, found[0].scripts_) if found else []


def shown(cx: Context, site_id: str, found: Any) -> list[dict[str, Any]]:
    """Return each script by its address, with the policy it needs and whether it may set cookies."""
    listed = []
    for row in found:
        given_ = in_force(row.scopes, row.agreed)
        if INJECT not in given_:
            continue
        address = addresses.of_script(cx.settings, row.id, site_id, row.script_hash)
        script: dict[str, Any] = {"script": address, "cookies": COOKIES in given_}
        if row.manifest.get("contentSecurityPolicy"):
            script["contentSecurityPolicy"] = row.manifest["contentSecurityPolicy"]
        listed.append(script)
    return listed


async def get(cx: Context, installation_id: str, site_id: str, name: str) -> str:
    """Return a script by the name in its address; raises NotFound where it is not current any more."""
    values = {"installation": installation_id, "site": site_id, "hash": name.removesuffix(".js")}
    found = await cx.db.get_by_key(_SERVED, **values)
    if not found or not name.endswith(".js") or INJECT not in in_force(found[0].scopes, found[0].agreed):
        raise NotFound("There is no such script.")
    return str(found[0].script)


def installed_column() -> Any:
    """Return the active installations that have the site `SITES`, as a column of it."""
    placed = and_(PLACEMENTS.c.installation_id == INSTALLATIONS.c.id, PLACEMENTS.c.object_id == SITES.c.id)
    found = (
        select(
            INSTALLATIONS.c.id,
            INTEGRATIONS.c.name,
            INTEGRATIONS.c.scopes,
            INSTALLATIONS.c.agreed,
            PLACEMENTS.c.status,
        )
        .select_from(
            INSTALLATIONS.join(INTEGRATIONS, INTEGRATIONS.c.id == INSTALLATIONS.c.integration_id).outerjoin(
                PLACEMENTS, placed
            )
        )
        .where(
            INSTALLATIONS.c.organization_id == SITES.c.organization_id,
            INSTALLATIONS.c.status == "active",
            or_(
                PLACEMENTS.c.status == "active",
                and_(PLACEMENTS.c.status.is_(None), INSTALLATIONS.c.site_selection == "all"),
            ),
        )
        .order_by(INSTALLATIONS.c.id)
        .correlate(SITES)
    )
    return nested(found, "installed_")


def is_watched(site: Any) -> bool:
    """Return whether anybody is told of the views of a site with that column."""
    agreed = [set(in_force(row.scopes, row.agreed)) for row in site.installed_]
    return any(set(NEEDS[view]) <= held for view in VIEWS for held in agreed)


def signs_in(site: Any) -> Any | None:
    """Return the installation that signs visitors in at a site with that column, where one does."""
    backend = site.visitor_backend or {}
    if backend.get("backend") != "integration":
        return None
    named = backend.get("integration")
    placed = (row for row in site.installed_ if row.status == "active" and row.name == named)
    return next(placed, None)


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


ASKING = ("integration", "code", "embed")  # nodes that may ask for a block


class OfferedBlocks:
    """The offers to a space's pages of the integrations that are active there."""

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
        return next((block for start, block in self._unfurls if url_patterns.matches(start, url)), None)


NOTHING = OfferedBlocks([])


def blocks_of_site() -> Any:
    """Return the active installations with blocks in the organization of the site `SITES`, each as it is on
    each of the site's spaces that it was put on, as a column of the site."""
    spaces = select(SITE_ITEMS.c.space_id).where(
        SITE_ITEMS.c.site_id == SITES.c.id, SITE_ITEMS.c.kind == "site-space"
    )
    return _blocks_of(SITES, PLACEMENTS.c.object_id.in_(spaces.correlate(SITES)))


def blocks_of_space() -> Any:
    """Return the active installations with blocks in the organization of the space `SPACES`, each as it is on
    the space, as a column of that."""
    return _blocks_of(SPACES, PLACEMENTS.c.object_id == SPACES.c.id)


_OF_SPACE = rows(lambda: select(SPACES.c.id, blocks_of_space()).where(SPACES.c.id == given("id", Key)))


def _blocks_of(owner: FromClause, is_on: ColumnElement[bool]) -> Any:
    placed = and_(PLACEMENTS.c.installation_id == INSTALLATIONS.c.id, is_on)
    found = (
        select(
            INTEGRATIONS.c.name,
            INTEGRATIONS.c.version,
            INTEGRATIONS.c.manifest,
            INSTALLATIONS.c.space_selection,
            PLACEMENTS.c.object_id,
            PLACEMENTS.c.status,
        )
        .select_from(
            INSTALLATIONS.join(INTEGRATIONS, INTEGRATIONS.c.id == INSTALLATIONS.c.integration_id).outerjoin(
                PLACEMENTS, placed
            )
        )
        .where(
            INSTALLATIONS.c.organization_id == owner.c.organization_id,
            INSTALLATIONS.c.status == "active",
            INTEGRATIONS.c.has_blocks == true(),
            or_(PLACEMENTS.c.status.is_not(None), INSTALLATIONS.c.space_selection == "all"),
        )
        .order_by(INSTALLATIONS.c.id, PLACEMENTS.c.object_id)
        .correlate(owner)
    )
    return nested(found, "blocks_")


def offered(owner: Any, space_id: str) -> OfferedBlocks:
    """Return what is offered in a space, told by the column of the space or of a site that shows it."""
    if not owner.blocks_:
        return NOTHING
    statuses = {row.name: row.status for row in owner.blocks_ if row.object_id == space_id}
    manifests = {
        row.name: row.manifest
        for row in owner.blocks_
        if statuses.get(row.name, "active" if row.space_selection == "all" else "") == "active"
    }
    return OfferedBlocks(
        [_block(name, each) for name, manifest in manifests.items() for each in manifest["blocks"]]
    )


async def offered_in(cx: Context, space_id: str) -> OfferedBlocks:
    """Return what is offered in a space, for whoever may read something there."""
    found = await cx.db.get_by_key(_OF_SPACE, id=space_id)
    return offered(found[0], space_id) if found else NOTHING


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


def _lines(node: nodes.Node) -> str:
    return "\n".join(nodes.plain_text(line["nodes"]) for line in node["nodes"])
