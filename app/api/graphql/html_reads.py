"""Resolves texts as HTML: of pages, reusable contents, and what people wrote."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from inspect import isawaitable
from typing import Any, cast
from urllib.parse import quote

import orjson

from app.access.context import Context
from app.access.fetch import may_in
from app.api.graphql.addresses import values_of
from app.api.graphql.content_reads import row_of, where_of, within
from app.api.graphql.nodes import AT, Node, Source, nodes
from app.api.graphql.reading import load, place
from app.api.graphql.state import RequestState
from app.api.graphql.text_reads import document_of, read_links, read_page, read_reusable
from app.domain.content import pages
from app.domain.content.page_links import PageLinks
from app.domain.openapi import openapi_versions
from app.domain.revisions import previews
from app.domain.site_addresses import addresses
from app.domain.sites import site_integrations
from app.formats.markdown import dialects, hrefs
from app.formats.markdown.hrefs import Named
from app.formats.markdown.passages import DEEPEST_INCLUDED, BodyText
from app.kit import workers
from app.kit.errors import Forbidden, Invalid, NotFound, OverBudget, Unauthenticated
from app.models.queries import BodyQuery
from app.present.html_links import (
    ContentLinks,
    HtmlSource,
    Inclusions,
    KnownLinks,
    LinkTarget,
    addresses_in,
    apis_asked,
    may_hold_blocks,
)

AS_WRITTEN = BodyQuery()
API = 4_000  # characters that a block about an API counts for
MOST_INCLUDED = 500  # reusable contents that one text may include
MOST_LINKED = 100  # pages, files and spaces that the links of a comment are looked up for
_CHANGING = {"": "content.changeContent", "changeRequestId": "content.changeContentInChangeRequest"}
_LOCATED = {"page": "Page", "anchor": "Page", "file": "File", "space": "Space"}


async def page_html(source: Source, state: RequestState) -> str | None:
    """Return the body of a page as HTML; raises Invalid where it is too large."""
    if source["type"] != "document":
        return None
    values = values_of(source, nodes()["Page"])
    try:
        read, (cx, links) = await asyncio.gather(
            read_page(state, values, AS_WRITTEN), read_links(state, values)
        )
    except Invalid as invalid:
        raise _too_large() from invalid
    own, page = values["pageId"], cast("Any", read.page)
    if page.markdown is None:
        return None
    inside = await _nodes(state, page, cast("Any", read.space).variables)
    inclusions = await _inclusions(state, values, links, own)
    resolver = ContentLinks(cx, links, own, inclusions)
    made = HtmlSource(inside, resolver, page.title, page.computed is not None)
    return await _of_content(state, cx, made, len(page.markdown) + inclusions.length, links)


async def reusable_html(source: Source, state: RequestState) -> str | None:
    """Return the text of a reusable content as HTML; raises Invalid where it is too large."""
    values = values_of(source, nodes()["ReusableContent"])
    own = values["reusableContentId"]
    cx, found = await read_reusable(state, values, own)
    row = found.row(own)
    if row.markdown is None:
        return None
    inside = await _nodes(state, row, found.variables)
    inclusions = await _inclusions(state, values, found.links, own)
    resolver = ContentLinks(cx, found.links, own, inclusions, (own,))
    made = HtmlSource(inside, resolver)
    size = len(row.markdown) + inclusions.length
    return await _of_content(state, cx, made, size, found.links)


async def _nodes(state: RequestState, row: Any, variables: Mapping[str, Any] | None) -> list[Any]:
    """Return the blocks that are shown of the text of a row; raises Invalid where it is too large."""
    text, scope = BodyText(row.markdown, bool(row.conditional)), pages.scope_of(row, dict(variables or {}))
    if len(text.body) > pages.LARGEST:
        raise _too_large()
    try:
        document = await state.limit.hold(workers.run, len(text.body), pages.document_for, text, scope)
    except OverBudget:
        raise _too_large() from None
    inside: list[Any] = document["nodes"]
    return inside


async def preview_html(
    node: Node, source: Source, state: RequestState, markdown: str, page: str | None
) -> str | None:
    """Return a text that is not saved as HTML, as a page of content would have it."""
    values = values_of(source, node)
    if page is not None:
        place(values, "pageId", page, "page")
    values, own = within(values), values.get("pageId", "")
    state.permit(row_of(_CHANGING, values))
    cx = await state.context()
    read = await state.limit.hold(previews.read, cx, where_of(values), own, markdown)
    inclusions = await _inclusions(state, values, read.links, own)
    made = HtmlSource(list(read.nodes), ContentLinks(cx, read.links, own, inclusions), read.title)
    return await _of_content(state, cx, made, len(markdown) + inclusions.length, read.links)


async def text_html(source: Source, state: RequestState) -> str:
    """Return a text that people wrote as HTML."""
    markdown = source.get("markdown")
    shown = source if markdown is None else {**source, "markdown": dialects.understood(markdown)}
    found = document_of(shown, state)
    document = await found if isawaitable(found) else found
    size = len(orjson.dumps(document))
    named = await workers.run(size, addresses_in, document)
    resolver = KnownLinks(await _located(state, source[AT], named))
    return await _rendered(state, HtmlSource(document["nodes"], resolver), size)


async def _inclusions(
    state: RequestState, values: dict[str, str], links: PageLinks, holder: str
) -> Inclusions:
    """Read what a text includes, and what that includes, in one statement for each level of these."""
    texts: dict[str, BodyText] = {}
    rows: dict[str, Any] = {}
    wanted = _included(links, [holder])
    variables: Mapping[str, Any] = {}
    for _ in range(DEEPEST_INCLUDED):
        wanted = [each for each in wanted if each not in rows][: MOST_INCLUDED - len(rows)]
        if not wanted:
            break
        found = await asyncio.gather(*(read_reusable(state, values, each) for each in wanted))
        for own, (_, read) in zip(wanted, found, strict=True):
            rows[own] = read.links.rows.get(own, ())
            variables = read.variables
            if own in read.rows and read.rows[own].markdown is not None:
                texts[own] = BodyText(read.rows[own].markdown, bool(read.rows[own].conditional))
        wanted = _included(replace(links, rows=rows), wanted)
    return Inclusions(texts, replace(links, rows=rows), variables)


def _included(links: PageLinks, holders: Iterable[str]) -> list[str]:
    """Return the reusable contents that texts include, each once."""
    found = (row for holder in holders for row in links.rows.get(holder, ()))
    return list(dict.fromkeys(row.target_id for row in found if _is_inclusion(row)))


def _is_inclusion(row: Any) -> bool:
    return row.target_kind == "reusable-content" and bool(row.target_id) and not row.target_space


async def _of_content(state: RequestState, cx: Context, made: HtmlSource, size: int, links: PageLinks) -> str:
    """Render a text of content of `size` characters, with what its blocks about APIs show."""
    try:
        asked = await workers.run(size, apis_asked, made.nodes, made.links)
        if await workers.run(size, may_hold_blocks, made.nodes, made.links):
            offer = await site_integrations.offered_in(cx, links.space.id)
            made = replace(made, offer=offer, frames=partial(addresses.of_own_endpoints, cx.settings))
    except OverBudget:
        raise _too_large() from None
    organization = links.space.organization_id
    if asked and may_in(cx, organization, can="listTeams"):  # who may read its specifications
        found = await openapi_versions.shown(cx, organization, asked)
        shown = {each: view for each, view in zip(asked, found, strict=True) if view is not None}
        made = replace(made, apis=shown)
    return await _rendered(state, made, size + API * len(made.apis))


async def _rendered(state: RequestState, made: HtmlSource, size: int) -> str:
    render = await state.runtime.html()
    try:
        return await state.limit.hold(workers.run, size, render, made)
    except OverBudget:
        raise _too_large() from None


async def _located(
    state: RequestState, here: dict[str, str], addresses: Iterable[str]
) -> dict[str, LinkTarget]:
    """Return what addresses made of ids lead to, of those that the caller may see."""
    named = {href: found for href in addresses if (found := hrefs.named(href)) is not None}
    several = [(href, found) for href, found in named.items() if found.kind in _LOCATED][:MOST_LINKED]
    targets = await asyncio.gather(*(_target(state, here, found) for _, found in several))
    return {href: each for (href, _), each in zip(several, targets, strict=True) if each is not None}


async def _target(state: RequestState, here: dict[str, str], named: Named) -> LinkTarget | None:
    node = nodes()[_LOCATED[named.kind]]
    at = here if named.space in (None, here.get("spaceId")) else {"spaceId": named.space}
    address = node.address({**at, node.own: named.id})
    if address is None:
        return None
    try:
        found = await load(state, node, address)
    except (NotFound, Forbidden, Unauthenticated):
        return None
    if node.type == "File":
        size = found.get("dimensions") or {}
        return LinkTarget("file", found["downloadURL"], found["name"], size=found["size"], **size)
    anchor = f"#{quote(named.anchor)}" if named.anchor else ""
    href = (found.get("urls") or {}).get("app")
    return LinkTarget("page", f"{href}{anchor}", found["title"]) if href else None


def _too_large() -> Invalid:
    return Invalid("This text is too large to be shown as HTML; read it as Markdown.")
