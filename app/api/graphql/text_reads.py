"""Resolvers of texts: the bodies of pages and reusable contents, and what people wrote, in each form."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from inspect import isawaitable
from typing import Any, Literal, TypeVar

from app.access.context import Context
from app.api.graphql.addresses import values_of
from app.api.graphql.content_reads import row_of, where_of, within
from app.api.graphql.nodes import AT, Node, Source, nodes
from app.api.graphql.queries import renamed
from app.api.graphql.state import Info, RequestState
from app.domain.content import page_editors
from app.domain.content.page_links import (
    PageLinks,
    ReusableTexts,
    links_of_pages,
    texts_of_reusables,
)
from app.domain.content.pages import PageRead
from app.domain.content.views import Where
from app.kit import workers
from app.kit.errors import Invalid
from app.models.queries import BodyQuery
from app.present.blocks import blocks
from app.present.link_targets import Follow, as_written, follower
from app.present.people import user

T = TypeVar("T")
Form = Literal["markdown", "document"]
_HTML = "app.api.graphql.html_reads"
BLOCK = 200  # characters that a block of a document counts for
_PAGE = {
    "": "content.getPageById",
    "changeRequestId": "content.getPageInChangeRequestById",
    "revisionId": "content.getPageInRevisionById",
}
_REUSABLE = {
    "": "content.getReusableContentById",
    "changeRequestId": "content.getReusableContentInChangeRequestById",
    "revisionId": "content.getReusableContentInRevisionById",
}


async def body(form: Form, source: Source, info: Info, evaluated: bool = False) -> Any:
    """Resolve the body of a page in one of its forms."""
    if form == "markdown" and not evaluated and "markdown" in source:
        return source["markdown"]
    if source["type"] != "document":
        return None
    values = values_of(source, nodes()["Page"])
    return await _body(info, values, BodyQuery(format=form, evaluated=evaluated))


async def _body(info: Info, values: dict[str, str], query: BodyQuery) -> Any:
    with _named_by(info):
        return (await read_page(info.context, values, query)).body.get(query.format)


@contextmanager
def _named_by(info: Info) -> Iterator[None]:
    """Let what is refused of the form of a text name the field that has the form."""
    try:
        yield
    except Invalid as invalid:
        raise renamed(invalid, {"format": info.field_name}) from None


async def read_page(state: RequestState, values: dict[str, str], query: BodyQuery) -> PageRead:
    """Read a page with its body."""
    row = row_of(_PAGE, values)
    state.permit(row)
    cx = await state.context()
    found: PageRead = await state.limit.hold(row.call, cx, where_of(values), values["pageId"], query)
    return found


async def page_blocks(source: Source, info: Info, evaluated: bool = False) -> Any:
    """Resolve the blocks of a page; its links are read while the body is, for all pages of a list at once."""
    if source["type"] != "document":
        return None
    state: RequestState = info.context
    values = values_of(source, nodes()["Page"])
    query = BodyQuery(format="document", evaluated=evaluated)
    document, (cx, links) = await asyncio.gather(_body(info, values, query), read_links(state, values))
    if document is None:
        return None
    return await _blocks(document, follower(cx, links, values["pageId"]), within(values))


async def read_links(state: RequestState, values: dict[str, str]) -> tuple[Context, PageLinks]:
    """Read the links of a page, in one statement with all pages of the place that are asked in this turn."""
    return await gathered(state, links_of_pages, where_of(values), values["pageId"])


async def gathered(
    state: RequestState, read: Callable[[Context, Where, list[str]], Awaitable[T]], where: Where, id: str
) -> tuple[Context, T]:
    """Read something of a place, in one statement with all others that are asked for in this turn."""
    key = (read, where)
    if key not in state.gathering:
        ids: set[str] = set()

        async def read_all() -> tuple[Context, T]:
            await asyncio.sleep(0)  # whoever is about to ask for another one does so now
            del state.gathering[key]
            cx = await state.context()
            return cx, await state.limit.hold(read, cx, where, sorted(ids))

        state.gathering[key] = ids, asyncio.ensure_future(read_all())
    asked, task = state.gathering[key]
    asked.add(id)
    found: tuple[Context, T] = await asyncio.shield(task)
    return found


async def editor(source: Source, info: Info) -> Any:
    """Resolve who last edited a page, in one statement for all pages of a list."""
    if "lastEditedBy" in source:
        return source["lastEditedBy"]
    state: RequestState = info.context
    values = values_of(source, nodes()["Page"])
    state.permit(row_of(_PAGE, values))
    cx, editors = await gathered(state, page_editors.of_pages, where_of(values), values["pageId"])
    person = editors.get(values["pageId"])
    return None if person is None else user(cx, person)


async def reusable(form: Form, source: Source, info: Info, evaluated: bool = False) -> Any:
    """Resolve the text of a reusable content in one of its forms."""
    values = values_of(source, nodes()["ReusableContent"])
    own = values["reusableContentId"]
    _, found = await read_reusable(info.context, values, own)
    with _named_by(info):
        body = await found.body(own, BodyQuery(format=form, evaluated=evaluated))
    return body.get(form)


async def reusable_blocks(source: Source, info: Info, evaluated: bool = False) -> Any:
    """Resolve the blocks of a reusable content."""
    values = values_of(source, nodes()["ReusableContent"])
    own = values["reusableContentId"]
    cx, found = await read_reusable(info.context, values, own)
    with _named_by(info):
        body = await found.body(own, BodyQuery(format="document", evaluated=evaluated))
    if "document" not in body:
        return None
    return await _blocks(body["document"], follower(cx, found.links, own), within(values))


async def read_reusable(
    state: RequestState, values: dict[str, str], own: str
) -> tuple[Context, ReusableTexts]:
    """Read a reusable content of a place, once in a request, together with others."""
    state.permit(row_of(_REUSABLE, values))
    where = where_of(values)
    key = ("reusable", where, own)
    found: tuple[Context, ReusableTexts] = await state.once(
        key, lambda: gathered(state, texts_of_reusables, where, own)
    )
    return found


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


def text(owner: Node, field: str, source: Source, _info: Info) -> Any:
    """Resolve a text that people wrote, a field of a type; it knows where it was read."""
    found = source.get(field)
    if found is None:
        return None
    text = {"document": found} if found.get("object") == "document" else found
    return {**text, AT: within(values_of(source, owner))}


def text_markdown(source: Source, info: Info) -> Any:
    """Resolve a text as Markdown."""
    if "markdown" in source:
        return source["markdown"]
    state: RequestState = info.context
    return state.limit.hold(state.conversions.markdown, source["document"])


def text_document(source: Source, info: Info) -> Any:
    """Resolve a text as a structured document."""
    return document_of(source, info.context)


def document_of(source: Source, state: RequestState) -> Any:
    """Return a text that people wrote as a structured document; to be awaited where it is converted."""
    if "document" in source:
        return source["document"]
    return state.limit.hold(state.conversions.document, source["markdown"])


async def text_blocks(source: Source, info: Info) -> Any:
    """Resolve a text as typed blocks, whose links are judged by their writing."""
    document = document_of(source, info.context)
    return await _blocks(await document if isawaitable(document) else document, as_written, {})


async def html(name: str, source: Source, info: Info) -> Any:
    """Resolve a text as HTML, by a function of a module that few requests need."""
    await workers.load(_HTML)
    return await getattr(import_module(_HTML), name)(source, info.context)


async def preview(node: Node, source: Source, info: Info, markdown: str, page: str | None = None) -> Any:
    """Resolve a text that is not saved as HTML, by the module that renders all others."""
    await workers.load(_HTML)
    return await import_module(_HTML).preview_html(node, source, info.context, markdown, page)
