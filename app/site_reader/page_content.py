"""The content of a page for a visitor: its document or its Markdown, with resolved links."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from app.domain.content import pages, snapshots
from app.domain.openapi import openapi_versions
from app.domain.openapi.openapi_versions import BlockReference, Shown
from app.domain.publishing import visits
from app.formats.markdown import evaluation
from app.formats.markdown.hrefs import replace_hrefs
from app.formats.markdown.parser import split_front_matter
from app.formats.markdown.passages import NO_TEXT, BodyText
from app.formats.markdown.scanner import scan
from app.formats.markdown.tags import INCLUDE
from app.formats.openapi.views import OperationView, ServerView
from app.kit import workers
from app.kit.errors import OverBudget
from app.models.pages import PageVersion
from app.present.html_links import apis_asked
from app.site_reader import site_navigation
from app.site_reader.link_resolution import BodyLinkResolver, LinkContext
from app.site_reader.state import ReaderState
from app.site_reader.visit import VisibleSpace, Visit

_OTHERS = re.compile(r"/spaces/(\w{1,40})/pages/", re.ASCII)
MOST_OTHERS = 10
MOST_INCLUDED = 500  # reusable contents that a page's may be among
TOO_LARGE = BodyText("This page is too large to be shown here.", conditional=False)


async def text_of(visit: Visit, row: PageVersion) -> BodyText:
    """Return the body of a page as it was written."""
    if row.document_id is None:
        return NO_TEXT
    return (await snapshots.texts(visit.cx, [row.document_id])).get(row.document_id, NO_TEXT)


async def document_of(
    state: ReaderState, visit: Visit, space: VisibleSpace, row: PageVersion
) -> tuple[Any, LinkContext]:
    """Return what a page says as the visitor may read it, and what its addresses lead to."""
    text = await text_of(visit, row)
    context = await link_context(state, visit, space, text.body)
    return await read_document(visit, space, row, text), context


async def read_document(visit: Visit, space: VisibleSpace, row: PageVersion, text: BodyText) -> Any:
    """Return the document of a page with this text, evaluated for the visitor; None where it has no body."""
    if row.document_id is None:
        return None
    try:
        if len(text.body) <= pages.LARGEST:
            scope = scope_of(visit, space, row)
            return await workers.run(len(text.body), pages.document_for, text, scope)
    except OverBudget:
        pass
    return too_large()


async def markdown_of(
    state: ReaderState, visit: Visit, space: VisibleSpace, row: PageVersion, text: BodyText
) -> str:
    """Return a page with this text as Markdown, evaluated for the visitor, its links as whole addresses."""
    context = await link_context(state, visit, space, text.body)
    scope = scope_of(visit, space, row)
    try:
        if len(text.body) <= pages.LARGEST:
            size = len(text.body) + context.length
            return await workers.run(size, _markdown, text, scope, context, row, visit.origin)
    except OverBudget:
        pass
    return _markdown(TOO_LARGE, scope, context, row, visit.origin)


async def link_context(state: ReaderState, visit: Visit, space: VisibleSpace, text: str) -> LinkContext:
    """Return what the links in a text of a space lead to, and what it may include."""
    texts: dict[str, BodyText] = {}
    if INCLUDE.search(text):
        wanted = [each.document_id for each in space.snapshot.reusable[:MOST_INCLUDED]]
        texts = await snapshots.texts(visit.cx, wanted)
    spaces = {
        node.row.space_id: visit.base + visits.below(visit.site, node.row) or "/"
        for node in reversed(site_navigation.spaces_of(visit.tree))
    }
    scope = {
        "space": {"vars": dict(space.snapshot.variables)},
        "visitor": {"claims": dict(visit.claims)},
        "page": {"vars": {}},
    }
    others = await _others(state, visit, space, text)
    return LinkContext(space.snapshot, space.tree, visit.signing.address, scope, spaces, texts, others)


async def _others(
    state: ReaderState, visit: Visit, space: VisibleSpace, text: str
) -> dict[str, VisibleSpace]:
    """Return the other spaces of the site with pages that a text links to."""
    named = dict.fromkeys(_OTHERS.findall(text))
    nodes = (
        {node.row.space_id: node for node in reversed(site_navigation.spaces_of(visit.tree))} if named else {}
    )
    found = {}
    for space_id in list(named)[:MOST_OTHERS]:
        if space_id in nodes and space_id != space.snapshot.space_id:
            other = await state.spaces.at(visit, nodes[space_id])
            if other is not None:
                found[space_id] = other
    return found


def scope_of(visit: Visit, space: VisibleSpace, row: PageVersion) -> dict[str, Any]:
    """Return what expressions on a page may refer to."""
    return {
        "space": {"vars": dict(space.snapshot.variables)},
        "page": {"vars": row.variables or {}, "title": row.title},
        "visitor": {"claims": dict(visit.claims)},
    }


def too_large() -> Any:
    """Return the document that is shown in place of one that takes too long."""
    return pages.structured(TOO_LARGE.body)


def _markdown(
    text: BodyText, scope: dict[str, Any], context: LinkContext, row: PageVersion, origin: str
) -> str:
    written = written_out(text, scope, BodyLinkResolver(context, row.source or ""), origin)
    if not written.startswith("# "):
        about = f"{row.description}\n\n" if row.description else ""
        written = f"# {row.title}\n\n{about}{written}"
    return written.rstrip() + "\n"


MOST_INCLUDED = 200_000  # characters of all that a page includes
LONGEST_TAG = 2000


def written_out(text: BodyText, scope: dict[str, Any], links: BodyLinkResolver, origin: str) -> str:
    """Return a text for a visitor, with reusable contents in their places and whole addresses of the site."""
    return _IncludedWriting(origin).text(text, scope, links)


class _IncludedWriting:
    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.room = MOST_INCLUDED

    def text(self, text: BodyText, scope: dict[str, Any], links: BodyLinkResolver) -> str:
        """Return one text, evaluated, without its front matter."""
        _, body = split_front_matter(evaluation.markdown_of(text, scope))
        edits: list[tuple[int, int, str]] = []
        done = 0
        for found in scan(body).links:
            if found.start < done:
                continue
            edit = self._included(body, found, links) if found.kind == "include" else self._href(found, links)
            if edit is not None and edit[0] >= done:
                edits.append(edit)
                done = edit[1]
        return replace_hrefs(body, edits).strip()

    def _href(self, found: Any, links: BodyLinkResolver) -> tuple[int, int, str] | None:
        target = links.target(found.href)
        if target.kind not in ("page", "file") or not target.href:
            return None
        href = target.href if urlsplit(target.href).scheme else self.origin + target.href
        return found.start, found.end, href

    def _included(self, body: str, found: Any, links: BodyLinkResolver) -> tuple[int, int, str] | None:
        begin = body.rfind("{%", max(0, found.start - LONGEST_TAG), found.start)
        end = body.find("%}", found.end, found.end + LONGEST_TAG) + 2
        if begin < 0 or end < 2:
            return None
        inside = links.text_of(found.href)
        if inside is None or len(inside[0].body) > self.room:
            return begin, end, ""
        self.room -= len(inside[0].body)
        return begin, end, self.text(inside[0], links.context.scope, inside[1])


async def openapi_views(
    visit: Visit, document: Any, links: BodyLinkResolver
) -> Mapping[BlockReference, Shown]:
    """Return what each block about an API on a page shows, read in one statement at most."""
    if document is None or not visit.site.specs:
        return {}
    try:
        asked = await workers.run(links.context.size(document), apis_asked, document["nodes"], links)
    except OverBudget:  # so is the page
        return {}
    if not asked:
        return {}
    found = await openapi_versions.shown(visit.cx, visit.site.organization_id, asked)
    return {each: shown for each, shown in zip(asked, found, strict=True) if shown is not None}


def servers_of(apis: Mapping[BlockReference, Shown]) -> list[ServerView]:
    """Return the servers of the operations on a page."""
    operations = (shown for shown in apis.values() if isinstance(shown, OperationView))
    return [server for operation in operations for server in operation.servers]
