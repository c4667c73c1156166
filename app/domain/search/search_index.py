"""The search index: sections of the pages on each space's main line, kept in the transaction of the change.

Sections of reusable contents are kept once; the table `search_inclusion` has the pages that show them.

`search_section` holds what is shown. Beside it each engine keeps what is looked up, folded by
`formats.folding`: an FTS5 table without content (so removing a row needs its text again), or the column
`terms` (see `full_text`).

Which pages show which reusable contents, so that a search finds the text of these on those pages.

It follows from the links by which texts include reusable contents, and is kept where these change: an edit of
a reusable content alone changes nothing here, however many pages show it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import Integer, delete, func, insert, select, text, union

from app.access.context import Context
from app.domain.content.content import PAGE_VERSIONS
from app.domain.search import full_text_engines, search_titles, vocabulary
from app.domain.search.vocabulary import FOLDED
from app.formats.markdown.passages import DEEPEST_INCLUDED, Include, Passage, included, passage, passages_of
from app.formats.text.search_queries import BEGIN, END
from app.formats.text.search_text import indexable
from app.kit import deadlines, workers
from app.kit.database.columns import Key
from app.kit.database.sql import among
from app.kit.database.statements import EachEngine, Statement, command, given, query, rows, table
from app.models.links import Link
from app.models.searches import SearchInclusion, SearchSection
from app.models.spaces import Space

SEARCH_SECTIONS = table(SearchSection)
_COLUMNS = ("space_id", "page_id", "position", "title", "heading", "anchor", "body", "condition", "kind")
_FOLDED = ("framed_title", *FOLDED[1:])
TEXT, DESCRIPTION, REUSABLE = "text", "description", "reusable"


_NEXT = rows(lambda: select((func.coalesce(func.max(SEARCH_SECTIONS.c.id), 0) + 1).label("id")))


def _adding(name: str) -> Statement[Any]:
    terms = full_text_engines.named(name).terms
    if not terms:
        return command(
            lambda: SEARCH_SECTIONS.insert().values(
                {c: given(c, SEARCH_SECTIONS.c[c].type) for c in ("id", *_COLUMNS)}
            ),
            within=(SEARCH_SECTIONS.name,),
        )
    return command(
        lambda: text(
            f"INSERT INTO search_section ({', '.join(_COLUMNS)}, terms)"
            f" VALUES ({', '.join(f':{name}' for name in _COLUMNS)}, {terms})"
        ).bindparams(
            *(given(c, SEARCH_SECTIONS.c[c].type) for c in _COLUMNS),
            *(given(c) for c in FOLDED),
        ),
        within=(SEARCH_SECTIONS.name,),
    )


_ADD = EachEngine(_adding)
LOOK_UP = command(
    lambda: text(
        "INSERT INTO search_index (rowid, scope, title, heading, description, body)"
        " VALUES (:id, :scope, :framed_title, :folded_heading, :folded_description, :folded_body)"
    ).bindparams(*_index_values())
)
FORGET = command(
    lambda: text(
        "INSERT INTO search_index (search_index, rowid, scope, title, heading, description, body) VALUES"
        " ('delete', :id, :scope, :framed_title, :folded_heading, :folded_description, :folded_body)"
    ).bindparams(*_index_values())
)
OF_SPACE = query(
    SearchSection, lambda: select(*SEARCH_SECTIONS.c).where(SEARCH_SECTIONS.c.space_id == given("space"))
)
_REMOVE_ALL = command(lambda: delete(SEARCH_SECTIONS).where(SEARCH_SECTIONS.c.space_id == given("space")))


def _index_values() -> list[Any]:
    return [given("id", Integer()), *(given(name) for name in ("scope", *_FOLDED))]


def scope(space: Space) -> str:
    """Return the words by which the index keeps spaces and organizations apart."""
    return f"s{space.id} o{space.organization_id}"


def sections(space: Space, page: Any, passages: Sequence[Passage]) -> list[dict[str, Any]]:
    """Return the rows by which a page is found: one for each passage, and one at least without a condition;
    those of its description follow.
    """
    if all(found.condition is not None for found in passages):
        passages = (passage(None, None, ""), *passages)
    titled = _titled(space, page.page_id, page.title)
    described = enumerate(passages_of(page.description or ""), len(passages))
    return [
        *(_row(titled, n, found, TEXT) for n, found in enumerate(passages)),
        *(_row(titled, n, found, DESCRIPTION) for n, found in described),
    ]


def reusable_sections(space: Space, reusable_id: str, passages: Sequence[Passage]) -> list[dict[str, Any]]:
    """Return the rows by which the pages are found that show a reusable content;
    its title is not shown there.
    """
    titled = _titled(space, reusable_id, "")
    return [_row(titled, n, found, REUSABLE) for n, found in enumerate(passages)]


async def next_id(cx: Context) -> int:
    """Return the number of the next section, where numbers tie it to the table that looks up."""
    return int((await cx.tx.all(_NEXT))[0].id) if cx.tx.dialect == "sqlite" else 0


async def add(cx: Context, found: Sequence[dict[str, Any]], first: int) -> None:
    """Index sections that are not there yet; their numbers begin with `first`."""
    if not found:
        return
    if cx.tx.dialect == "sqlite":
        for rowid, row in enumerate(found, first):
            row["id"] = rowid
        await cx.tx.run_many(LOOK_UP, found)
    statement = _ADD(full_text_engines.name(cx))
    if len(found) == 1:
        await cx.tx.run(statement, **found[0])
    else:
        await cx.tx.run_many(statement, found)


async def remove_space(cx: Context, space: Space) -> None:
    """Take a whole space out of the index."""
    await _remove_sections(cx, space)
    await vocabulary.remove_space(cx, space.id)
    await search_titles.remove_space(cx, space.id)


async def _remove_sections(cx: Context, space: Space) -> None:
    if cx.tx.dialect == "sqlite":
        await _forget_texts(cx, all_again(space, await cx.tx.all(OF_SPACE, space=space.id)))
    await cx.tx.run(_REMOVE_ALL, space=space.id)


async def copy(cx: Context, source: Space, target: Space) -> None:
    """Index the copy of a space like the space itself."""
    await _put(cx, target, await cx.tx.all(OF_SPACE, space=source.id))
    await vocabulary.copy(cx, source.id, target.id)
    await search_titles.copy(cx, source.id, target.id, scope(target))


async def hand_over(cx: Context, before: Space, after: Space) -> None:
    """Keep the index right when a space goes to another organization."""
    sections = await cx.tx.all(OF_SPACE, space=before.id)
    await _remove_sections(cx, before)
    await _put(cx, after, sections)
    await search_titles.hand_over(cx, after.id, scope(after))


async def _put(cx: Context, space: Space, sections: Sequence[SearchSection]) -> None:
    await add(cx, all_again(space, sections), await next_id(cx) if sections else 0)


async def _forget_texts(cx: Context, sections: Sequence[dict[str, Any]]) -> None:
    if sections and cx.tx.dialect == "sqlite":
        await cx.tx.run_many(FORGET, sections)


def all_again(space: Space, sections: Sequence[SearchSection]) -> list[dict[str, Any]]:
    """Return the rows that sections were indexed by."""
    made = []
    for section in sections:
        deadlines.check()
        stored = passage(section.heading, section.anchor, section.body, section.condition)
        titled = _titled(space, section.page_id, section.title)
        made.append({"id": section.id, **_row(titled, section.position, stored, section.kind)})
    return made


def _titled(space: Space, page_id: str, title: str) -> dict[str, Any]:
    """Return what all rows of a page say."""
    folded = indexable(title)
    return {
        "space_id": space.id,
        "page_id": page_id,
        "title": title,
        "scope": scope(space),
        "folded_title": folded,
        "framed_title": f"{BEGIN} {folded} {END}",
    }


def _row(titled: dict[str, Any], position: int, found: Passage, kind: str) -> dict[str, Any]:
    row = {**titled, "position": position, "kind": kind, "folded_description": "", **found._asdict()}
    if kind == DESCRIPTION:
        row |= {"folded_description": found.folded_body, "folded_body": ""}
    return row


SEARCH_INCLUSIONS, LINKS = table(SearchInclusion), table(Link)
INCLUDE = 20  # characters that an inclusion counts for
_INCLUDES = rows(
    lambda: (
        select(LINKS.c.holder_id, LINKS.c.target_id, LINKS.c.shown_if)
        .where(
            LINKS.c.line_id == given("space"),
            LINKS.c.valid_to.is_(None),
            among(LINKS.c.holder_id, "ids"),
            LINKS.c.shown_if.is_not(None),
            LINKS.c.target_kind == "reusable-content",
            LINKS.c.status == "ok",
        )
        .distinct()
    )
)
_AFFECTED = rows(
    lambda: union(
        select(PAGE_VERSIONS.c.page_id).where(
            PAGE_VERSIONS.c.line_id == given("space"),
            PAGE_VERSIONS.c.valid_to.is_(None),
            among(PAGE_VERSIONS.c.page_id, "ids"),
        ),
        select(SEARCH_INCLUSIONS.c.page_id).where(
            SEARCH_INCLUSIONS.c.space_id == given("space"), among(SEARCH_INCLUSIONS.c.reusable_id, "ids")
        ),
    )
)
_INCLUDED = rows(
    lambda: (
        select(LINKS.c.holder_id)
        .where(
            LINKS.c.line_id == given("space"),
            among(LINKS.c.holder_id, "ids"),
            LINKS.c.valid_to == given("number", Integer()),
            LINKS.c.shown_if.is_not(None),
        )
        .distinct()
    )
)
_REMOVE_INCLUSIONS = command(
    lambda: delete(SEARCH_INCLUSIONS).where(
        SEARCH_INCLUSIONS.c.space_id == given("space"), among(SEARCH_INCLUSIONS.c.page_id, "pages")
    ),
    within=(SEARCH_INCLUSIONS.name,),
)
_REMOVE_ALL_INCLUSIONS = command(
    lambda: delete(SEARCH_INCLUSIONS).where(SEARCH_INCLUSIONS.c.space_id == given("space"))
)
_COPIED = ("page_id", "reusable_id", "condition")
_COPY = command(
    lambda: insert(SEARCH_INCLUSIONS).from_select(
        ["space_id", *_COPIED],
        select(given("to", Key), *(SEARCH_INCLUSIONS.c[name] for name in _COPIED)).where(
            SEARCH_INCLUSIONS.c.space_id == given("space")
        ),
    )
)


async def follow(cx: Context, space: Space, including: Collection[str]) -> None:
    """Follow pages and reusable contents that may include something else than they did, by their ids."""
    if not including:
        return
    affected = await cx.tx.all(_AFFECTED, space=space.id, ids=sorted(including))
    pages = {row.page_id for row in affected}
    if not pages:
        return
    includes = await _includes(cx, space, pages)
    size = INCLUDE * sum(map(len, includes.values()))
    made = await workers.run(size, _shown, space.id, pages, includes) if includes else []
    await forget(cx, space, pages)
    await cx.tx.add_many(SearchInclusion, made)


async def included_something(cx: Context, space: Space, ids: Collection[str], number: int) -> set[str]:
    """Return those of these holders of links whose links closed at a revision's number included something."""
    closed = await cx.tx.all(_INCLUDED, space=space.id, ids=sorted(ids), number=number) if ids else []
    return {row.holder_id for row in closed}


async def forget(cx: Context, space: Space, pages: Collection[str]) -> None:
    """Forget what these pages show, which include nothing any more."""
    if pages:
        await cx.tx.run(_REMOVE_INCLUSIONS, space=space.id, pages=sorted(pages))


async def remove_inclusions(cx: Context, space: Space) -> None:
    """Forget what is kept of a whole space."""
    await cx.tx.run(_REMOVE_ALL_INCLUSIONS, space=space.id)


async def copy_inclusions(cx: Context, source: Space, target: Space) -> None:
    """Keep of the copy of a space what is kept of the space itself."""
    await cx.tx.run(_COPY, space=source.id, to=target.id)


async def _includes(cx: Context, space: Space, pages: Collection[str]) -> dict[str, list[Include]]:
    """Return what these pages include, and what is included there, by the ids of what includes it."""
    found: defaultdict[str, list[Include]] = defaultdict(list)
    asked: set[str] = set()
    level = {*pages}
    for _ in range(DEEPEST_INCLUDED):
        asked |= level
        for row in await cx.tx.all(_INCLUDES, space=space.id, ids=sorted(level)):
            found[row.holder_id].append(Include(row.target_id, row.shown_if))
        level = {each.target_id for holder_id in level for each in found.get(holder_id, ())} - asked
        if not level:
            break
    return found


def _shown(space_id: str, pages: Collection[str], includes: dict[str, list[Include]]) -> list[dict[str, Any]]:
    return [
        {
            "space_id": space_id,
            "page_id": page_id,
            "reusable_id": each.target_id,
            "condition": each.condition or None,
        }
        for page_id in sorted(pages)
        if page_id in includes
        for each in included(page_id, includes)
    ]
