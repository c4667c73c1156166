"""The titles of each space's pages in an index of their own, kept in the transaction of the change.

A search reads it first: however many sections say a word, few titles do. A page has one row here, whatever
the number of its sections, and a change that leaves its title leaves the row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Select, column, delete, insert, select
from sqlalchemy import table as bare_table

from app.access.context import Context
from app.formats.text.search_text import indexable
from app.kit.database.columns import Key
from app.kit.database.sql import among
from app.kit.database.statements import command, given, table
from app.models.searches import SearchTitle

LONGEST = 200  # characters of a title that are kept
TITLES = table(SearchTitle)
# SQLite alone has a table of the words, where PostgreSQL has an index.
WORDS = bare_table("search_index_titles", column("rowid"), column("scope"), column("title"))
_IN_SPACE = TITLES.c.space_id == given("space")
_OF_PAGES = (_IN_SPACE, among(TITLES.c.page_id, "pages"))
_REMOVE = command(lambda: delete(TITLES).where(*_OF_PAGES), within=(TITLES.name,))
_REMOVE_ALL = command(lambda: delete(TITLES).where(_IN_SPACE))
_COPY = command(
    lambda: insert(TITLES).from_select(
        ["space_id", "page_id", "title"],
        select(given("to", Key), TITLES.c.page_id, TITLES.c.title).where(_IN_SPACE),
    )
)


def _added_words(titles: Select[Any]) -> Any:
    found = titles.add_columns(given("scope"), TITLES.c.title)
    return insert(WORDS).from_select(["rowid", "scope", "title"], found)


_ADD_WORDS = command(lambda: _added_words(select(TITLES.c.id).where(*_OF_PAGES)))
_ADD_ALL_WORDS = command(lambda: _added_words(select(TITLES.c.id).where(_IN_SPACE)))
_REMOVE_WORDS = command(lambda: delete(WORDS).where(WORDS.c.rowid.in_(select(TITLES.c.id).where(*_OF_PAGES))))
_REMOVE_ALL_WORDS = command(
    lambda: delete(WORDS).where(WORDS.c.rowid.in_(select(TITLES.c.id).where(_IN_SPACE)))
)


def comparable(folded: str) -> str:
    """Return folded text as titles are compared: both engines read an underscore as a gap."""
    return " ".join(folded.replace("_", " ").split())[:LONGEST]


async def follow(
    cx: Context,
    space_id: str,
    scope: str,
    held: Sequence[Any],
    found: Sequence[Mapping[str, Any]],
) -> None:
    """Follow a change of pages, by all of their sections as they are held and all rows that are found."""
    titles = {section.page_id: section.title for section in held if section.kind != "reusable"}
    had = {page_id: comparable(indexable(title)) for page_id, title in titles.items()}
    folded = {row["page_id"]: row["folded_title"] for row in found if row["kind"] != "reusable"}
    has = {page_id: comparable(title) for page_id, title in folded.items()}
    gone = [page_id for page_id, title in had.items() if has.get(page_id) != title]
    new = [page_id for page_id, title in has.items() if had.get(page_id) != title]
    on_sqlite = cx.tx.dialect == "sqlite"
    if gone:
        if on_sqlite:
            await cx.tx.run(_REMOVE_WORDS, space=space_id, pages=gone)
        await cx.tx.run(_REMOVE, space=space_id, pages=gone)
    if new:
        rows = [{"space_id": space_id, "page_id": page_id, "title": has[page_id]} for page_id in new]
        await cx.tx.add_many(SearchTitle, rows)
        if on_sqlite:
            await cx.tx.run(_ADD_WORDS, space=space_id, scope=scope, pages=new)


async def remove_space(cx: Context, space_id: str) -> None:
    """Forget the titles of a whole space."""
    if cx.tx.dialect == "sqlite":
        await cx.tx.run(_REMOVE_ALL_WORDS, space=space_id)
    await cx.tx.run(_REMOVE_ALL, space=space_id)


async def copy(cx: Context, source_id: str, target_id: str, scope: str) -> None:
    """Keep of the copy of a space what is kept of the space itself."""
    await cx.tx.run(_COPY, space=source_id, to=target_id)
    await index(cx, target_id, scope)


async def hand_over(cx: Context, space_id: str, scope: str) -> None:
    """Keep the index right when a space goes to another organization."""
    if cx.tx.dialect == "sqlite":
        await cx.tx.run(_REMOVE_ALL_WORDS, space=space_id)
    await index(cx, space_id, scope)


async def index(cx: Context, space_id: str, scope: str) -> None:
    """Index the titles of a space whose rows are there, and whose words the engine does not know."""
    if cx.tx.dialect == "sqlite":
        await cx.tx.run(_ADD_ALL_WORDS, space=space_id, scope=scope)
