"""A space with a little of everything in it, written row by row, and what is left of such rows."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from sqlalchemy import Boolean, Column, Integer, select

from app.access.context import Context
from app.domain.search import search_index, section_changes
from app.formats.markdown.passages import passage
from app.kit.database.columns import Instant, Json
from app.kit.database.statements import given, query, rows, table
from app.kit.ids import new_id
from app.models.files import Blob, FileVersion
from app.models.links import FormerSource, Link
from app.models.pages import Document, PageVersion
from app.models.revisions import LineProperties, ReusableVersion, Revision
from app.models.searches import SearchInclusion, SearchSection
from app.models.spaces import Space
from tests.instance import Instance

BY_VALIDITY = (PageVersion, FileVersion, Link, ReusableVersion, LineProperties)
SPACES, SEARCH_SECTIONS, SEARCH_INCLUSIONS = table(Space), table(SearchSection), table(SearchInclusion)
SPACE = query(Space, lambda: select(*SPACES.c).where(SPACES.c.id == given("id")))


def fill(instance: Instance, space_id: str, word: str) -> None:
    """Two pages (one of them changed since), a file, a link, a reusable block, variables, search rows."""

    async def write(cx: Context) -> None:
        space = await cx.db.first(SPACE, id=space_id)
        assert space is not None
        for text in ("old", "new", "other", "block"):
            await cx.tx.add(Document, id=f"{word}-{text}", markdown=f"# {text} {word}\n")
        await cx.tx.add(Blob, id=f"{word}-bytes", data=word.encode())
        guide, other = new_id(), new_id()
        await _page(cx, space_id, guide, f"{word}-old", "guide", valid_from=1, valid_to=2)
        await _page(cx, space_id, guide, f"{word}-new", "guide", valid_from=2)
        await _page(cx, space_id, other, f"{word}-other", "other", valid_from=1)
        file = {"name": "a.png", "content_type": "image/png", "size": 3, "blob_id": f"{word}-bytes"}
        await _row(cx, FileVersion, line_id=space_id, file_id=new_id(), valid_from=1, **file)
        await _row(cx, Link, line_id=space_id, holder_id=guide, valid_from=2, href="b.md", target_id=other)
        await cx.tx.add(FormerSource, line_id=space_id, source="b.md", until=2, target_id=other)
        block = {"title": "Block", "source": "block.md", "document_id": f"{word}-block"}
        block_id = new_id()
        await _row(cx, ReusableVersion, line_id=space_id, reusable_id=block_id, valid_from=2, **block)
        await cx.tx.add(SearchInclusion, space_id=space_id, page_id=guide, reusable_id=block_id)
        await cx.tx.change(LineProperties, {"variables": {"product": word}}, line_id=space_id, valid_from=1)
        await cx.tx.change(Space, {"revision_number": 2}, id=space_id)
        passages = [passage("Heading", "heading", f"All about {word}")]
        for page_id, title in ((guide, "Guide"), (other, "Other")):
            page = SimpleNamespace(page_id=page_id, title=title, description=None)
            await section_changes.replace(cx, space, [], search_index.sections(space, page, passages))

    instance.inside(write)


def held(instance: Instance, space_id: str, *, only_open: bool = True) -> dict[str, list[dict[str, Any]]]:
    """Return what is on a space's line by table, without what says which line and since when."""

    async def read(cx: Context) -> dict[str, list[dict[str, Any]]]:
        found = {}
        for model in BY_VALIDITY:
            t = table(model)
            statement = rows(lambda t=t: select(*t.c).where(t.c.line_id == given("line")))  # type: ignore[misc]
            stored = [row._asdict() for row in await cx.db.all(statement, line=space_id)]
            kept = [row for row in stored if row["valid_to"] is None or not only_open]
            found[t.name] = sorted((_told(row) for row in kept), key=str)
        return found

    return instance.inside(read)


def count(instance: Instance, model: Any, **where: Any) -> int:
    """Return how many rows of a table have these values."""
    t = table(model)
    statement = rows(
        lambda: select(t.c[next(iter(where))]).where(*(t.c[name] == given(name) for name in where))
    )
    return len(instance.inside(lambda cx: cx.db.all(statement, **where)))


def searchable(instance: Instance, space_id: str) -> list[tuple[Any, ...]]:
    """The search rows of a space: its sections, and what its pages include."""
    found = []
    for t, names in (
        (SEARCH_SECTIONS, ("page_id", "position", "title", "heading", "anchor", "body", "kind")),
        (SEARCH_INCLUSIONS, ("page_id", "reusable_id", "condition")),
    ):
        columns = [t.c[name] for name in names]
        statement = rows(lambda t=t, columns=columns: select(*columns).where(t.c.space_id == given("space")))  # type: ignore[misc]
        stored = instance.inside(lambda cx, statement=statement: cx.db.all(statement, space=space_id))  # type: ignore[misc]
        found += sorted(tuple(row) for row in stored)
    return found


def revisions(instance: Instance, space_id: str) -> int:
    """Return how many revisions a space has."""
    return count(instance, Revision, space_id=space_id)


def _told(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in ("line_id", "valid_from", "valid_to")}


async def _page(cx: Context, line: str, page: str, document: str, path: str, **valid: Any) -> None:
    told = {
        "title": path,
        "slug": path,
        "path": path,
        "rank": "V",
        "kind": "document",
        "layout": {"cover": True},
    }
    await _row(cx, PageVersion, line_id=line, page_id=page, document_id=document, **told, **valid)


async def _row(cx: Context, model: Any, **values: Any) -> None:
    await cx.tx.add(model, **{column.name: _least(cx, column) for column in table(model).c} | values)


def _least(cx: Context, column: Column[Any]) -> Any:
    if column.nullable:
        return None
    least = {Boolean: False, Integer: 0, Instant: cx.now, Json: {}}
    return next((value for kind, value in least.items() if isinstance(column.type, kind)), "")
