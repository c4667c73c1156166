"""The search index: sections of the pages on each space's main line, kept in the transaction of the change.

Sections of reusable contents are kept once; `search_inclusions` has the pages on which they are found.

`search_section` holds what is shown. Beside it each engine keeps what is looked up, folded by
`formats.folding`: an FTS5 table without content (so removing a row needs its text again), or a tsvector.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Integer, delete, func, select, text

from app.access.context import Context
from app.formats.markdown.passages import Passage, passage, passages_of
from app.formats.text.search_text import indexable
from app.kit.database.sql import among
from app.kit.database.statements import command, given, query, rows, table
from app.models.searches import SearchSection
from app.models.spaces import Space

x_ = table(SearchSection)
_BETWEEN = "CAST('|\\:1' AS tsvector)"  # a word that nobody can ask for, so that no phrase leads across
_COLUMNS = ("space_id", "page_id", "position", "title", "heading", "anchor", "body", "condition", "kind")
_FOLDED = ("folded_title", "folded_heading", "folded_description", "folded_body")
TEXT, DESCRIPTION, REUSABLE = "text", "description", "reusable"


_NEXT = rows(lambda: select((func.coalesce(func.max(x_.c.id), 0) + 1).label("id")))
_ADD = command(
    {
        "sqlite": lambda: x_.insert().values(
            {c: given(c, x_.c[c].type) for c in ("id", *_COLUMNS)},
        ),
        "postgresql": lambda: text(
            f"INSERT INTO search_section ({', '.join(_COLUMNS)}, terms)"
            f" VALUES ({', '.join(f':{name}' for name in _COLUMNS)},"
            f" setweight(to_tsvector('simple', :folded_title), 'A') || {_BETWEEN}"
            f" || setweight(to_tsvector('simple', :folded_heading), 'B') || {_BETWEEN}"
            f" || setweight(to_tsvector('simple', :folded_description), 'C') || {_BETWEEN}"
            " || to_tsvector('simple', :folded_body))"
        ).bindparams(
            *(given(c, x_.c[c].type) for c in _COLUMNS),
            *(given(c) for c in _FOLDED),
        ),
    }
)
_LOOK_UP = command(
    lambda: text(
        "INSERT INTO search_index (rowid, scope, title, heading, description, body)"
        " VALUES (:id, :scope, :folded_title, :folded_heading, :folded_description, :folded_body)"
    ).bindparams(*_index_values())
)
_FORGET = command(
    lambda: text(
        "INSERT INTO search_index (search_index, rowid, scope, title, heading, description, body) VALUES"
        " ('delete', :id, :scope, :folded_title, :folded_heading, :folded_description, :folded_body)"
    ).bindparams(*_index_values())
)
_OF_PAGES = query(
    SearchSection,
    lambda: select(*x_.c).where(x_.c.space_id == given("space"), among(x_.c.page_id, "pages")),
)
_OF_SPACE = query(SearchSection, lambda: select(*x_.c).where(x_.c.space_id == given("space")))
_REMOVE = command(lambda: delete(x_).where(x_.c.space_id == given("space"), among(x_.c.page_id, "pages")))
_REMOVE_ALL = command(lambda: delete(x_).where(x_.c.space_id == given("space")))


def _index_values() -> list[Any]:
    return [given("id", Integer()), *(given(name) for name in ("scope", *_FOLDED))]


def scope(space: Space) -> str:
    """Return the words by which the index keeps spaces and organizations apart."""
    return f"s{space.id} o{space.organization_id}"


def sections(space: Space, page: Any, passages: Sequence[Passage]) -> list[dict[str, Any]]:
    """The rows by which a page is found: one for each passage, and one at least without a condition; those
    of its description follow."""
    if all(found.condition is not None for found in passages):
        passages = (passage(None, None, ""), *passages)
    titled = _titled(space, page.page_id, page.title)
    described = enumerate(passages_of(page.description or ""), len(passages))
    return [
        *(_row(titled, n, found, TEXT) for n, found in enumerate(passages)),
        *(_row(titled, n, found, DESCRIPTION) for n, found in described),
    ]


def reusable_sections(space: Space, reusable_id: str, passages: Sequence[Passage]) -> list[dict[str, Any]]:
    """The rows by which the pages are found that show a reusable content; its title is not shown there."""
    titled = _titled(space, reusable_id, "")
    return [_row(titled, n, found, REUSABLE) for n, found in enumerate(passages)]


async def add(cx: Context, found: list[dict[str, Any]]) -> None:
    """Index pages by their `sections`."""
    await _add(cx, found, await _next(cx) if found else 0)


async def replace(cx: Context, space: Space, page_ids: Sequence[str], found: list[dict[str, Any]]) -> None:
    """Take pages and reusable contents out of the index and put `sections` in. What is read is read first,
    so that all that is written can wait together."""
    values = {"space": space.id, "pages": page_ids}
    looks_up = cx.tx.dialect == "sqlite"
    first = await _next(cx) if found else 0
    held = await cx.tx.all(_OF_PAGES, **values) if page_ids and looks_up else []
    await _forget(cx, space, held)
    if held or (page_ids and not looks_up):
        await cx.tx.run(_REMOVE, **values)
    await _add(cx, found, first)


async def _next(cx: Context) -> int:
    """Return the number of the next section, where numbers tie it to the table that looks up."""
    return int((await cx.tx.all(_NEXT))[0].id) if cx.tx.dialect == "sqlite" else 0


async def _add(cx: Context, found: list[dict[str, Any]], first: int) -> None:
    if not found:
        return
    if cx.tx.dialect == "sqlite":
        for rowid, row in enumerate(found, first):
            row["id"] = rowid
        await cx.tx.run_many(_LOOK_UP, found)
    await cx.tx.run_many(_ADD, found)


async def remove_space(cx: Context, space: Space) -> None:
    """Take a whole space out of the index."""
    await _forget(cx, space, await cx.tx.all(_OF_SPACE, space=space.id) if cx.tx.dialect == "sqlite" else [])
    await cx.tx.run(_REMOVE_ALL, space=space.id)


async def copy(cx: Context, source: Space, target: Space) -> None:
    """Index the copy of a space like the space itself."""
    sections = await cx.tx.all(_OF_SPACE, space=source.id)
    await add(cx, [_again(target, section) for section in sections])


async def hand_over(cx: Context, before: Space, after: Space) -> None:
    """Keep the index right when a space goes to another organization."""
    sections = await cx.tx.all(_OF_SPACE, space=before.id)
    await remove_space(cx, before)
    await add(cx, [_again(after, section) for section in sections])


async def _forget(cx: Context, space: Space, sections: Sequence[SearchSection]) -> None:
    if sections:
        await cx.tx.run_many(_FORGET, [{"id": s.id, **_again(space, s)} for s in sections])


def _again(space: Space, section: SearchSection) -> dict[str, Any]:
    stored = passage(section.heading, section.anchor, section.body, section.condition)
    return _row(_titled(space, section.page_id, section.title), section.position, stored, section.kind)


def _titled(space: Space, page_id: str, title: str) -> dict[str, Any]:
    """Return what all rows of a page say."""
    return {
        "space_id": space.id,
        "page_id": page_id,
        "title": title,
        "scope": scope(space),
        "folded_title": indexable(title),
    }


def _row(titled: dict[str, Any], position: int, found: Passage, kind: str) -> dict[str, Any]:
    row = {**titled, "position": position, "kind": kind, "folded_description": "", **found._asdict()}
    if kind == DESCRIPTION:
        row |= {"folded_description": found.folded_body, "folded_body": ""}
    return row
