"""Changes of the search index: the sections by which some pages were found become those of now.

Most edits change one section of a page, and an index is dear to write: what stays is left alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Integer, delete, select, text, update

from app.access.context import Context
from app.domain.search import full_text_engines, search_titles, vocabulary
from app.domain.search.search_index import (
    FORGET,
    LOOK_UP,
    SEARCH_SECTIONS,
    add,
    all_again,
    next_id,
    scope,
)
from app.domain.search.vocabulary import FOLDED, WordChanges
from app.kit import deadlines, workers
from app.kit.database.sql import among
from app.kit.database.statements import EachEngine, Statement, command, given, query
from app.models.searches import SearchSection
from app.models.spaces import Space

FEW = 5  # rows that are handed over one by one, which takes less than preparing them together
_SAID = ("page_id", "kind", "title", "heading", "anchor", "body", "condition")
_REWRITTEN = ("title", "heading", "anchor", "body", "condition", "kind")
_WITHIN = (SEARCH_SECTIONS.name,)
_THIS = SEARCH_SECTIONS.c.id == given("id", Integer())
_OF_PAGES = query(
    SearchSection,
    lambda: select(*SEARCH_SECTIONS.c).where(
        SEARCH_SECTIONS.c.space_id == given("space"), among(SEARCH_SECTIONS.c.page_id, "pages")
    ),
)


def _rewriting(name: str) -> Statement[Any]:
    terms = full_text_engines.named(name).terms
    if not terms:
        return command(
            lambda: (
                update(SEARCH_SECTIONS)
                .values({name: given(name, SEARCH_SECTIONS.c[name].type) for name in _REWRITTEN})
                .where(_THIS)
            ),
            within=_WITHIN,
        )
    return command(
        lambda: text(
            f"UPDATE search_section SET {', '.join(f'{name} = :{name}' for name in _REWRITTEN)},"
            f" terms = {terms} WHERE id = :id"
        ).bindparams(
            given("id", Integer()),
            *(given(name, SEARCH_SECTIONS.c[name].type) for name in _REWRITTEN),
            *(given(name) for name in FOLDED),
        ),
        within=_WITHIN,
    )


_REWRITE = EachEngine(_rewriting)
_MOVE = command(
    lambda: update(SEARCH_SECTIONS).values(position=given("position", Integer())).where(_THIS),
    within=_WITHIN,
)
_REMOVE = command(lambda: delete(SEARCH_SECTIONS).where(_THIS), within=_WITHIN)


@dataclass(slots=True)
class SectionChanges:
    """The sections that change: those `before` that say something else now or are no more, and the rows that
    come.

    Each row of `rewritten` has the id of one of `before`, that of the same page; `removed` are the ids of the
    others, `added` the other rows. `moved` are ids with the places in the page where sections are now.
    """

    before: list[Any] = field(default_factory=list)
    rewritten: list[dict[str, Any]] = field(default_factory=list)
    removed: list[dict[str, Any]] = field(default_factory=list)
    added: list[dict[str, Any]] = field(default_factory=list)
    moved: list[dict[str, Any]] = field(default_factory=list)

    @property
    def after(self) -> list[dict[str, Any]]:
        """Return all rows that say what no section said."""
        return [*self.rewritten, *self.added]

    def _place(self, section: Any, row: dict[str, Any]) -> None:
        if section.position != row["position"]:
            self.moved.append({"id": section.id, "position": row["position"]})


def changes(held: Iterable[Any], found: Iterable[dict[str, Any]]) -> SectionChanges:
    """Return what has to change for the sections of some pages to become these rows."""
    made = SectionChanges()
    same: defaultdict[tuple[Any, ...], list[Any]] = defaultdict(list)
    for section in held:
        same[tuple(getattr(section, name) for name in _SAID)].append(section)
    new: list[dict[str, Any]] = []
    for row in found:
        deadlines.check()
        if known := same.get(tuple(row[name] for name in _SAID)):
            made._place(known.pop(), row)
        else:
            new.append(row)
    made.before = [section for left in same.values() for section in left]
    free: defaultdict[str, list[Any]] = defaultdict(list)
    for section in reversed(made.before):
        free[section.page_id].append(section)
    for row in new:
        if free[row["page_id"]]:
            section = free[row["page_id"]].pop()
            made._place(section, row)
            made.rewritten.append({**row, "id": section.id})
        else:
            made.added.append(row)
    made.removed = [{"id": section.id} for left in free.values() for section in left]
    return made


async def replace(
    cx: Context,
    space: Space,
    page_ids: Sequence[str],
    found: Sequence[dict[str, Any]],
    words: WordChanges | None = None,
) -> None:
    """Make `sections` those by which these pages and reusable contents are found. What is read is read first,
    so that all that is written can wait together. With `words`, the caller writes these later."""
    held = await cx.tx.all(_OF_PAGES, space=space.id, pages=page_ids) if page_ids else []
    if not held and not found:
        return
    size = sum(len(section.body) for section in held) + sum(len(row["folded_body"]) for row in found)
    made, again, uses, new = await workers.run(size, _made, space, held, found)
    first = await next_id(cx) if made.added else 0
    followed = words or WordChanges(cx, space.id)
    await followed.follow(uses, new)
    if words is None:
        await followed.write()
    await search_titles.follow(cx, space.id, scope(space), held, found)
    is_sqlite = cx.tx.dialect == "sqlite"
    if is_sqlite:
        await _run(cx, FORGET, again)
    rewrite = _REWRITE(full_text_engines.name(cx))
    for statement, rows in ((_REMOVE, made.removed), (_MOVE, made.moved), (rewrite, made.rewritten)):
        await _run(cx, statement, rows)
    if is_sqlite:
        await _run(cx, LOOK_UP, made.rewritten)
    await add(cx, made.added, first)


def _made(
    space: Space, held: Sequence[Any], found: Sequence[dict[str, Any]]
) -> tuple[SectionChanges, list[dict[str, Any]], dict[str, int], list[set[str]]]:
    """Return what has to change, the rows by which what goes was indexed, and the changes of words.

    Where nothing goes, these are the words of each row that comes: an import has most words in all its parts.
    """
    made = changes(held, found) if held else SectionChanges(added=[*found])
    again = all_again(space, made.before)
    if again:
        return made, again, vocabulary.changes(again, made.after), []
    return made, again, {}, vocabulary.words_of_each(made.after)


async def _run(cx: Context, statement: Statement[Any], rows: Sequence[dict[str, Any]]) -> None:
    """Run a statement for each of these rows."""
    if len(rows) > FEW:
        await cx.tx.run_many(statement, rows)
        return
    for row in rows:
        await cx.tx.run(statement, **row)
