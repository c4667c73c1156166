"""The words of each space's search index, and what was meant by one that it does not have.

A word is kept with the number of sections that have it, so a change touches only the words of what it
changed, and a word goes with the last section that has it. Beside the words are the keys under which
misspelled ones find them (see `formats.text.spellings`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import orjson
from sqlalchemy import Delete, Insert, Table, TextClause, TextualSelect, delete, select, text

from app.access.context import Context
from app.formats.text.search_queries import Alternative, Places, around_slips
from app.formats.text.search_text import is_unspaced
from app.formats.text.spellings import is_correctable, keys, nearest, words_of
from app.kit import deadlines, workers
from app.kit.database.columns import Key
from app.kit.database.sql import among
from app.kit.database.statements import Statement, by_engine, command, given, query, rows, table
from app.models.searches import SearchSpelling, SearchWord
from app.models.spaces import Space


def _removed(t: Table) -> Delete:
    return delete(t).where(t.c.space_id == given("space"))


def _copied(t: Table) -> Insert:
    kept = [column for column in t.c if column.name != "space_id"]
    found = select(given("to", Key), *kept).where(t.c.space_id == given("space"))
    return t.insert().from_select(["space_id", *(column.name for column in kept)], found)


MOST_GATHERED = 50_000  # words whose changes are held before they are written
MEANT = 5  # words that may have been meant by one
FOLDED = ("folded_title", "folded_heading", "folded_description", "folded_body")
_WORDS, _SPELLINGS, SPACES = table(SearchWord), table(SearchSpelling), table(Space)

_HELD = query(
    SearchWord,
    lambda: select(_WORDS.c.word, _WORDS.c.uses).where(
        _WORDS.c.space_id == given("space"), among(_WORDS.c.word, "words")
    ),
)
_COUNTING = {
    "sqlite": (
        "INSERT INTO search_word (space_id, word, uses)"
        " SELECT :space, key, value FROM json_each(:changes) WHERE true"
        " ON CONFLICT (space_id, word) DO UPDATE SET uses = uses + excluded.uses"
    ),
    "postgresql": (
        "INSERT INTO search_word (space_id, word, uses)"
        " SELECT :space, key, CAST(value AS integer)"
        " FROM json_each_text(CAST(CAST(:changes AS text) AS json)) ORDER BY key"
        " ON CONFLICT (space_id, word) DO UPDATE SET uses = search_word.uses + excluded.uses"
    ),
}


def _counting(engine: str) -> TextClause:
    return text(_COUNTING[engine]).bindparams(given("space"), given("changes"))


def _counted(engine: str) -> TextualSelect:
    told = text(f"{_COUNTING[engine]} RETURNING word, uses").bindparams(given("space"), given("changes"))
    return told.columns(_WORDS.c.word, _WORDS.c.uses)


_COUNT = command(by_engine(_counting))
_COUNTED = query(SearchWord, by_engine(_counted), within=(_WORDS.name,))
_SPELL = command(
    {
        "sqlite": lambda: text(
            "INSERT INTO search_spelling (space_id, key, word) SELECT :space, wrong.value, word.key"
            " FROM json_each(:spelled) AS word, json_each(word.value) AS wrong WHERE true"
            " ON CONFLICT DO NOTHING"
        ).bindparams(given("space"), given("spelled")),
        "postgresql": lambda: text(
            "INSERT INTO search_spelling (space_id, key, word) SELECT :space, wrong.value, word.key"
            " FROM json_each(CAST(CAST(:spelled AS text) AS json)) AS word,"
            " json_array_elements_text(word.value) AS wrong (value) ON CONFLICT DO NOTHING"
        ).bindparams(given("space"), given("spelled")),
    },
    within=(_SPELLINGS.name,),
)
_FORGET = command(
    lambda: delete(_WORDS).where(_WORDS.c.space_id == given("space"), among(_WORDS.c.word, "words")),
    within=(_WORDS.name,),
)
_UNSPELL = command(
    lambda: delete(_SPELLINGS).where(
        _SPELLINGS.c.space_id == given("space"), among(_SPELLINGS.c.key, "keys"),
        among(_SPELLINGS.c.word, "words"),
    ),
    within=(_SPELLINGS.name,),
)  # fmt: skip
_REMOVE = [command(partial(_removed, t)) for t in (_SPELLINGS, _WORDS)]
_COPY = [command(partial(_copied, t)) for t in (_WORDS, _SPELLINGS)]


def words_of_each(found: Iterable[Mapping[str, Any]]) -> list[set[str]]:
    """Return the words of each of these sections, by their rows."""
    words = []
    for row in found:
        deadlines.check()
        words.append(words_of(row[name] for name in FOLDED))
    return words


def counted(found: Iterable[Mapping[str, Any]]) -> Counter[str]:
    """Return in how many sections each word is, by the rows of these sections."""
    uses: Counter[str] = Counter()
    for words in words_of_each(found):
        uses.update(words)
    return uses


class WordChanges:
    """Changes of the sections of a space, gathered: a large import has most words in each of its parts."""

    def __init__(self, cx: Context, space_id: str) -> None:
        self._cx, self._space_id = cx, space_id
        self._changes: Counter[str] = Counter()

    async def follow(self, changes: Mapping[str, int], new: Iterable[set[str]] = ()) -> None:
        """Follow a change of sections (see `changes`), and the words of each `new` one."""
        for word, change in changes.items():
            self._changes[word] += change
        for words in new:
            self._changes.update(words)
        if len(self._changes) > MOST_GATHERED:
            await self.write()

    async def write(self) -> None:
        """Write what was gathered so far."""
        changes = {word: change for word, change in self._changes.items() if change and is_correctable(word)}
        self._changes.clear()
        await _write(self._cx, self._space_id, changes)


async def _write(cx: Context, space_id: str, changes: dict[str, int]) -> None:
    if not changes:
        return
    if cx.tx.dialect == "postgresql":
        new, gone = await _count_at_once(cx, space_id, changes)
    else:
        new, gone = await _count(cx, space_id, changes)
    if gone:
        every = {key for word in gone for key in keys(word)}
        await cx.tx.run(_UNSPELL, space=space_id, keys=sorted(every), words=gone)
        await cx.tx.run(_FORGET, space=space_id, words=gone)
    if new:
        spelled = await workers.run(10 * len(new), _spelled, new)
        await cx.tx.run(_SPELL, space=space_id, spelled=spelled)


async def _count_at_once(
    cx: Context, space_id: str, changes: Mapping[str, int]
) -> tuple[list[str], list[str]]:
    """Count the uses of words; returns which are new, and which nothing uses any more."""
    counted = await cx.tx.all(_COUNTED, space=space_id, changes=orjson.dumps(changes).decode())
    new = [row.word for row in counted if 0 < row.uses == changes[row.word]]
    return new, [row.word for row in counted if row.uses <= 0]


async def _count(cx: Context, space_id: str, changes: Mapping[str, int]) -> tuple[list[str], list[str]]:
    """Do as `_count_at_once`: what is read is read before anything is written."""
    held = {row.word: row.uses for row in await cx.tx.all(_HELD, space=space_id, words=sorted(changes))}
    gone = {word for word in changes if word in held and held[word] + changes[word] <= 0}
    kept = {word: change for word, change in changes.items() if word not in gone}
    if kept:
        await cx.tx.run(_COUNT, space=space_id, changes=orjson.dumps(kept).decode())
    return [word for word in changes if word not in held], sorted(gone)


def changes(before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Return by how many sections more, or fewer, each word that may be misspelled is used, by the rows of
    sections as they were and as they are.
    """
    now, was = counted(after), counted(before)
    changed = {word for word, _ in now.items() ^ was.items()} if was else now.keys()
    return {word: now[word] - was[word] for word in changed if is_correctable(word)}


def _spelled(words: Sequence[str]) -> str:
    return orjson.dumps({word: list(keys(word)) for word in words}).decode()


async def remove_space(cx: Context, space_id: str) -> None:
    """Forget the words of a whole space."""
    for statement in _REMOVE:
        await cx.tx.run(statement, space=space_id)


async def copy(cx: Context, source_id: str, target_id: str) -> None:
    """Keep of the copy of a space what is kept of the space itself."""
    for statement in _COPY:
        await cx.tx.run(statement, space=source_id, to=target_id)


def _meant(within: Any) -> Statement[Any]:
    return rows(
        lambda: (
            select(_SPELLINGS.c.key, _WORDS.c.word, _WORDS.c.uses)
            .join(
                _WORDS,
                (_WORDS.c.space_id == _SPELLINGS.c.space_id) & (_WORDS.c.word == _SPELLINGS.c.word),
            )
            .where(within(), among(_SPELLINGS.c.key, "keys"))
        )
    )


_IN_ORGANIZATION = _meant(
    lambda: _SPELLINGS.c.space_id.in_(
        select(SPACES.c.id).where(SPACES.c.organization_id == given("organization"))
    )
)
_IN_SPACES = _meant(lambda: among(_SPELLINGS.c.space_id, "spaces"))


@dataclass(slots=True, frozen=True)
class Vocabulary:
    """The scope of a lookup of words: these spaces, or all of an organization."""

    organization_id: str
    space_ids: Sequence[str] | None = None

    async def look_up(self, cx: Context, asked: Iterable[str]) -> Sequence[Any]:
        """Return the words that have one of these keys, for each time that they do."""
        if self.space_ids is None:
            values = {"organization": self.organization_id, "keys": sorted(asked)}
            return await cx.db.read_inline(_IN_ORGANIZATION, **values)
        return await cx.db.read_inline(_IN_SPACES, spaces=list(self.space_ids), keys=sorted(asked))


async def corrected(cx: Context, within: Vocabulary, terms: list[list[str]]) -> Places | None:
    """Return a search with the words that may have been meant; None where there are none.

    Where some words are unknown, only these are corrected. Phrases in quotation marks are left as they are.
    """
    single = [words[0] for words in terms if len(words) == 1 and is_correctable(words[0])]
    found: dict[str, dict[str, int]] = {word: {} for word in single if not is_unspaced([word])}
    by_key: dict[str, list[str]] = {}
    for word in found:
        for key in keys(word):
            by_key.setdefault(key, []).append(word)
    for row in await within.look_up(cx, by_key) if by_key else ():
        for word in by_key[row.key]:
            found[word][row.word] = found[word].get(row.word, 0) + row.uses
    unknown = {word for word, words in found.items() if word not in words}
    places = [_alternatives(words, found, unknown or set(found)) for words in terms]
    return places if any(len(place) > 1 for place in places) else None


def _alternatives(words: list[str], found: dict[str, dict[str, int]], doubted: set[str]) -> list[Alternative]:
    if is_unspaced(words):
        return [words, *around_slips(words)]
    if words[0] not in doubted or len(words) > 1:
        return [words]
    meant = nearest(words[0], found[words[0]], MEANT)
    return [*([word] for word in meant), words]
