"""What resolves texts: the bodies of pages and reusable contents, and what people wrote, in each form."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from inspect import isawaitable
from typing import Any, Literal

from app.access.context import Context
from app.api.graphql.addresses import values_of
from app.api.graphql.content_reads import row_of, where_of, within
from app.api.graphql.nodes import AT, Source, nodes
from app.api.graphql.state import Info, RequestState
from app.domain.content.page_links import PageLinks, ReusableRead, links_of_pages, read_reusable
from app.kit import workers
from app.models.queries import BodyQuery
from app.present.blocks import blocks
from app.present.link_targets import Follow, as_written, follower

Resolver = Callable[..., Awaitable[Any]]
Form = Literal["markdown", "document"]
BLOCK = 200  # characters that a block of a document counts for
_PAGE = {
    "": "getPageById",
    "changeRequestId": "getPageInChangeRequestById",
    "revisionId": "getPageInRevisionById",
}
_REUSABLE = {
    "": "getReusableContentById",
    "changeRequestId": "getReusableContentInChangeRequestById",
    "revisionId": "getReusableContentInRevisionById",
}


def body(form: Form) -> Resolver:
    """Return what resolves the body of a page in one of its forms."""

    async def resolve(source: Source, info: Info, evaluated: bool = False) -> Any:
        if form == "markdown" and not evaluated and "markdown" in source:
            return source["markdown"]
        if source["type"] != "document":
            return None
        values = values_of(source, nodes()["Page"])
        return await _body(info.context, values, BodyQuery(format=form, evaluated=evaluated))

    return resolve


async def _body(state: RequestState, values: dict[str, str], query: BodyQuery) -> Any:
    row = row_of(_PAGE, values)
    state.permit(row)
    cx = await state.context()
    found = await state.limit.hold(row.call, cx, where_of(values), values["pageId"], query)
    return found.body.get(query.format)


async def page_blocks(source: Source, info: Info, evaluated: bool = False) -> Any:
    """Resolve the blocks of a page; its links are read while the body is, for all pages of a list at once."""
    if source["type"] != "document":
        return None
    state: RequestState = info.context
    values = values_of(source, nodes()["Page"])
    query = BodyQuery(format="document", evaluated=evaluated)
    document, (cx, links) = await asyncio.gather(_body(state, values, query), _links(state, values))
    if document is None:
        return None
    return await _blocks(document, follower(cx, links, values["pageId"]), within(values))


async def _links(state: RequestState, values: dict[str, str]) -> tuple[Context, PageLinks]:
    """Read the links of a page, in one statement with all pages of the place that are asked in this turn."""
    where = where_of(values)
    if where not in state.links:
        ids: set[str] = set()

        async def read() -> tuple[Context, PageLinks]:
            await asyncio.sleep(0)  # whoever is about to ask for those of another page does so now
            del state.links[where]
            cx = await state.context()
            return cx, await state.limit.hold(links_of_pages, cx, where, sorted(ids))

        state.links[where] = ids, asyncio.ensure_future(read())
    asked, task = state.links[where]
    asked.add(values["pageId"])
    return await asyncio.shield(task)


def reusable(form: Form) -> Resolver:
    """Return what resolves the text of a reusable content in one of its forms."""

    async def resolve(source: Source, info: Info, evaluated: bool = False) -> Any:
        values = values_of(source, nodes()["ReusableContent"])
        _, found = await _reusable(info.context, values, BodyQuery(format=form, evaluated=evaluated))
        return found.body.get(form)

    return resolve


async def reusable_blocks(source: Source, info: Info, evaluated: bool = False) -> Any:
    """Resolve the blocks of a reusable content."""
    values = values_of(source, nodes()["ReusableContent"])
    query = BodyQuery(format="document", evaluated=evaluated)
    cx, found = await _reusable(info.context, values, query)
    if "document" not in found.body:
        return None
    follow = follower(cx, found.links, values["reusableContentId"])
    return await _blocks(found.body["document"], follow, within(values))


async def _reusable(
    state: RequestState, values: dict[str, str], query: BodyQuery
) -> tuple[Context, ReusableRead]:
    state.permit(row_of(_REUSABLE, values))
    cx = await state.context()
    own = values["reusableContentId"]
    key = ("reusable", *within(values).items(), own, query.format, query.evaluated)

    async def read() -> ReusableRead:
        return await state.limit.hold(read_reusable, cx, where_of(values), own, query)

    return cx, await state.once(key, read)


async def _blocks(document: Any, follow: Follow, here: dict[str, str]) -> Any:
    """Return the blocks of a document that was read at a place."""
    return await workers.run(len(document["nodes"]) * BLOCK, _placed, document, follow, here)


def _placed(document: Any, follow: Follow, here: dict[str, str]) -> list[Source]:
    """Return blocks in which everything that names objects knows where those are."""
    made = blocks(document, _placing(follow, here))
    waiting: list[Any] = [made]
    while waiting:
        for each in waiting.pop():
            if type(each) is dict:
                if "specification" in each:
                    each[AT] = here
                waiting.append(each.values())
            elif type(each) is list:
                waiting.append(each)
    return made


def _placing(follow: Follow, here: dict[str, str]) -> Follow:
    """Return what tells where addresses lead, with the place of that: the other space, or where we are."""

    def placed(href: str) -> Source:
        target = follow(href)
        space = target.get("space")
        target[AT] = here if space in (None, here.get("spaceId")) else {"spaceId": space}
        return target

    return placed


def text(field: str) -> Callable[..., Any]:
    """Return what resolves a text that people wrote."""

    def resolve(source: Source, _info: Info) -> Any:
        found = source.get(field)
        if found is None:
            return None
        return {"document": found} if found.get("object") == "document" else found

    return resolve


def text_markdown(source: Source, info: Info) -> Any:
    """Resolve a text as Markdown."""
    if "markdown" in source:
        return source["markdown"]
    state: RequestState = info.context
    return state.limit.hold(state.conversions.markdown, source["document"])


def text_document(source: Source, info: Info) -> Any:
    """Resolve a text as a structured document."""
    if "document" in source:
        return source["document"]
    state: RequestState = info.context
    return state.limit.hold(state.conversions.document, source["markdown"])


async def text_blocks(source: Source, info: Info) -> Any:
    """Resolve a text as typed blocks, whose links are judged by their writing."""
    document = text_document(source, info)
    return await _blocks(await document if isawaitable(document) else document, as_written, {})
