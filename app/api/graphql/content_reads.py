"""Resolves the fields of content and of pages."""

from __future__ import annotations

from typing import Any

from app.api.graphql.addresses import stamp_of, values_of
from app.api.graphql.connections import page_source
from app.api.graphql.nodes import Node, Source, nodes
from app.api.graphql.queries import DEFAULT, is_backward, without_default
from app.api.graphql.reading import if_there, load, place, read
from app.api.graphql.references import Referring
from app.api.graphql.state import Info, RequestState
from app.api.operation import PLACE, Operation
from app.api.operations import operation
from app.domain.content import content, history
from app.domain.content.views import Where
from app.kit.database.paging import MAX_LIMIT, Page
from app.kit.errors import Invalid
from app.models.revisions import HistoryEntryOut, ReusableContentOut
from app.present.changes import history_entry
from app.present.changes import reusable_contents as show_reusable_contents

_PAGES = {
    "": "content.listPages",
    "changeRequestId": "content.listPagesInChangeRequest",
    "revisionId": "content.listPagesInRevisionById",
}


def where_of(values: dict[str, str]) -> Where:
    """Return the place of content that parameters name."""
    return Where(*(values.get(name) for name in PLACE))  # type: ignore[arg-type]


def row_of(rows: dict[str, str], values: dict[str, str]) -> Operation:
    """Return the row that reads something at the place that parameters name."""
    return operation(rows[next((each for each in PLACE[1:] if values.get(each)), "")])


def within(values: dict[str, str]) -> dict[str, str]:
    """Return those parameters that name a place of content."""
    return {name: values[name] for name in PLACE if values.get(name)}


async def part(owner: Node, target: Node, source: Source, info: Info) -> Any:
    """Resolve the space, change request or revision that an object was read in."""
    values = values_of(source, owner)
    if not values.get(target.own):
        return None
    address = target.address(values)
    return None if address is None else await load(info.context, target, address)


async def _tree(state: RequestState, values: dict[str, str]) -> list[Source]:
    values = within(values)
    row = row_of(_PAGES, values)
    pages: list[Source] = await state.once(("tree", *values.values()), lambda: read(state, row, values, {}))
    return pages


async def root_pages(node: Node, source: Source, info: Info, computed: bool | None = True) -> list[Source]:
    """Resolve the outermost pages of content."""
    return _shown(await _tree(info.context, values_of(source, node)), computed)


def _shown(pages: list[Source], computed: bool | None) -> list[Source]:
    """Return pages, without computed ones and thus what is below them, if those are not asked for."""
    return [page for page in pages if page.get("computed") is None] if computed is False else pages


def flat(pages: list[Source]) -> list[Source]:
    """Return the pages of a tree, each after the page that it is in."""
    found, waiting = [], pages[::-1]
    while waiting:
        page = waiting.pop()
        found.append(page)
        waiting.extend((page.get("pages") or ())[::-1])
    return found


async def page_list(
    node: Node,
    source: Source,
    info: Info,
    /,
    **given: Any,
) -> Any:
    """Resolve all pages of content as one list."""
    pages = flat(await _tree(info.context, values_of(source, node)))
    return sliced(pages, **without_default(given, info))


def sliced(
    items: list[Source],
    first: int | None = None,
    after: str | None = None,
    last: int | None = None,
    before: str | None = None,
) -> dict[str, Any]:
    """Return one page of a list that is at hand; a cursor is the id of an item."""
    backward = is_backward({"first": first, "after": after, "last": last, "before": before})
    ids = [item["id"] for item in items]
    for name, cursor in (("after", after), ("before", before)):
        if cursor is not None and cursor not in ids:
            raise Invalid(f"{name}: This cursor does not belong to this list.", path=name)
    for name, number in (("first", first), ("last", last)):
        if number is not None and not 0 <= number <= MAX_LIMIT:
            raise Invalid(f"{name}: Input should be between 0 and {MAX_LIMIT}", path=name)
    begin = ids.index(after) + 1 if after is not None else 0
    end = ids.index(before) if before is not None else len(ids)
    if backward:
        begin = max(begin, end - (DEFAULT if last is None else last))
    else:
        end = min(end, begin + (DEFAULT if first is None else first))
    kept = items[begin:end]
    cursors = ids[begin:end]
    more = end < len(items)
    page = Page(kept, len(items), cursor=cursors.__getitem__, has_previous=begin > 0, has_next=more)
    return page_source(kept, page)


async def reusable_contents(node: Node, source: Source, info: Info) -> Any:
    """Resolve the reusable contents of content."""
    state: RequestState = info.context
    values = within(values_of(source, node))
    state.permit(row_of(_PAGES, values))
    cx = await state.context()
    found = await state.limit.hold(content.list_reusable_contents, cx, where_of(values))
    shown = show_reusable_contents(cx, found)
    stamp = stamp_of(ReusableContentOut)
    assert stamp is not None
    for each in shown:
        stamp(each, values)
    return shown


async def variables(node: Node, source: Source, info: Info) -> Any:
    """Resolve the variables of content."""
    state: RequestState = info.context
    values = values_of(source, node)
    state.permit(row_of(_PAGES, within(values)))
    cx = await state.context()
    return (await state.limit.hold(content.get_variables, cx, where_of(values))).variables


async def revision(node: Node, source: Source, info: Info, id: str | None = None) -> Any:
    """Resolve a revision of a space or a change request: that with an id, or the current one."""
    values = values_of(source, node)
    if id is not None:
        place(values, "revisionId", id, "id")
    return await read_revision(info.context, values)


async def read_revision(state: RequestState, values: dict[str, str]) -> Source:
    """Read the revision that content is at, without the content."""
    state.permit(operation("content.getRevisionById"))
    cx = await state.context()
    entry = await state.limit.hold(history.get_entry, cx, where_of(values))
    shown: Source = history_entry(cx, entry)
    stamp = stamp_of(HistoryEntryOut)
    assert stamp is not None
    stamp(shown, {"spaceId": values["spaceId"]})
    return shown


async def source_revision(source: Source, info: Info) -> Any:
    """Resolve the revision that the computed pages of a revision were made from."""
    if source["type"] != "computed" or not source["parents"]:
        return None
    values = {**values_of(source, nodes()["Revision"]), "revisionId": source["parents"][0]}
    return await read_revision(info.context, values)


async def parent(source: Source, info: Info) -> Any:
    """Resolve the page that a page is in."""
    found = await ancestors(source, info)
    return found[-1] if found else None


def children(source: Source, info: Info, computed: bool | None = True) -> Any:
    """Resolve the pages in a page, also of one that was read by itself."""
    if "pages" in source or source["type"] == "link":
        found = source.get("pages")
        return found and _shown(found, computed)
    return _children(info.context, source, computed)


async def _children(state: RequestState, source: Source, computed: bool | None) -> Any:
    values = values_of(source, nodes()["Page"])

    async def by_id() -> dict[str, Source]:
        return {page["id"]: page for page in flat(await _tree(state, values))}

    found = (await state.once(("by id", *within(values).values()), by_id)).get(source["id"])
    pages = found.get("pages") if found is not None else None
    return pages and _shown(pages, computed)


class PageOfComment(Referring):
    """Resolves the page that a comment is about."""

    async def __call__(self, source: Source, info: Info) -> Any:
        page = source["target"].get("page")
        if page is None:
            return None
        return await if_there(self._one(info.context, values_of(source, self.owner), page["id"]))


class ReadPage(Referring):
    """Resolves the page of a space that visitors read, where what they said is about one."""

    async def __call__(self, source: Source, info: Info) -> Any:
        if source.get("page") is None:
            return None
        return await if_there(self._one(info.context, {"spaceId": source["space"]}, source["page"]))


class PageOfRedirect(Referring):
    """Resolves the page that a redirect leads to, in the space that its space of the site shows."""

    async def __call__(self, source: Source, info: Info) -> Any:
        return await if_there(self._in_space(source, info.context))

    async def _in_space(self, source: Source, state: RequestState) -> Any:
        values, shown = values_of(source, None), nodes()["SiteSpace"]
        address = shown.address({**values, shown.own: source["siteSpace"]})
        if address is None:
            return None
        site_space = await load(state, shown, address)
        return await self._one(state, {"spaceId": site_space["space"]["id"]}, source["page"])


async def ancestors(source: Source, info: Info) -> list[Source]:
    """Resolve the pages that a page is in, from the outermost."""
    values = values_of(source, nodes()["Page"])
    state: RequestState = info.context

    async def above() -> dict[str, list[Source]]:
        found: dict[str, list[Source]] = {}
        waiting: list[tuple[Source, list[Source]]] = [(page, []) for page in await _tree(state, values)]
        while waiting:
            page, over = waiting.pop()
            found[page["id"]] = over
            waiting += [(each, [*over, page]) for each in page.get("pages") or ()]
        return found

    found = await state.once(("ancestors", *within(values).values()), above)
    return found.get(source["id"], [])
