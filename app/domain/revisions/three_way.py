"""Putting together what two sides made of the same content: page by page, field by field, line by line.

(decisions, Three-way unit.) Where both changed the same, that is told as data, and settled by the side that
is favoured.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from sqlalchemy import select

from app.access.context import Context
from app.domain.revisions.computed_pages import is_below_placed, is_of_integration
from app.domain.revisions.documents import document_id
from app.domain.revisions.drafts import Draft
from app.domain.revisions.link_targets import LinkMeanings
from app.domain.revisions.merge_states import (
    NAMES,
    LinkStates,
    MergeConflict,
    MergeRows,
    Name,
    States,
    meaning,
)
from app.domain.revisions.records import PageRecord
from app.domain.revisions.winners import Winners
from app.formats.markdown.hrefs import rewritten
from app.formats.text.three_way_merge import Absent, merge_map, merge_text, merge_value
from app.kit import workers
from app.kit.database.sql import among
from app.kit.database.statements import rows, table
from app.models.pages import Document

FIELDS = {
    "title": "title",
    "link_title": "linkTitle",
    "slug": "slug",
    "description": "description",
    "emoji": "emoji",
    "icon": "icon",
    "hidden": "hidden",
    "no_index": "noIndex",
    "no_robots_index": "noRobotsIndex",
    "condition": "condition",
    "layout": "layout",
    "cover": "cover",
    "href": "href",
}
_QUIET = ("kind", "front_matter", "computed", "computed_seed")  # main's, where both differ
DOCUMENTS = table(Document)
_TEXTS = rows(lambda: select(DOCUMENTS.c.id, DOCUMENTS.c.markdown).where(among(DOCUMENTS.c.id, "ids")))
T = TypeVar("T")


@dataclass(slots=True)
class ThreeWay:
    """A merge under way: its draft, who wins conflicts, and the conflicts so far.

    `frames` know what the links of texts led to in each state.
    """

    draft: Draft
    winners: Winners
    frames: LinkStates
    conflicts: list[MergeConflict] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)

    @property
    def _cx(self) -> Context:
        return self.draft.cx

    async def read_texts(self, states: Iterable[Any]) -> None:
        """Read the bodies of these pages or reusable contents."""
        wanted = sorted({d for row in states if row and (d := row.document_id) and d not in self.texts})
        if wanted:
            self.texts |= {row.id: row.markdown for row in await self._cx.db.all(_TEXTS, ids=wanted)}

    async def page(self, sides: MergeRows, page_id: str) -> PageRecord | None:
        """Return a page as it shall be, without its place; None where it shall not be there."""
        states = sides.of(page_id)
        if states.ours is None or states.main is None:
            return await self._one_sided(sides, page_id)
        held = self.draft.held.get(page_id, states.main)
        page = PageRecord.of(states.main)
        page.path = held.path
        if is_below_placed(page):
            return await self._computed(sides, page)
        for name, wire in FIELDS.items():
            setattr(page, name, self.value(page_id, wire, _each(states, name)))
        for name in _QUIET:
            said = _each(states, name)
            setattr(page, name, merge_value(said.base, said.ours, said.main, "theirs").value)
        self._ask_again(page, _each(states, "computed"))
        page.source = self._file(page_id, _each(states, "source"))
        page.variables = self._variables(page_id, _each(states, "variables"))
        await self._document(sides, page)
        page.parent_id, page.rank = self._place(page_id, states)
        return page

    async def _computed(self, sides: MergeRows, page: PageRecord) -> PageRecord:
        """Return a page that was computed as the main content has it, unless only the other side computed it
        anew: nobody is asked about what nobody wrote.
        """
        base, main, ours = sides.of(page.page_id)
        if not same(base, main) or same(ours, main):
            await self._keep_main(sides, page.page_id)
            return page
        if ours.document_id and ours.document_id != main.document_id:
            await self.read_texts([ours])
            await self.frames.read(sides, [page.page_id], ["ours"])
            meant = self.frames.meanings_in("ours", page.page_id)
            self.draft.write(page.page_id, self.texts[ours.document_id], meant, ours.document_id)
        found = PageRecord.of(ours)
        found.path = page.path
        return found

    def _ask_again(self, page: PageRecord, computed: States[dict[str, Any] | None]) -> None:
        """Have a page computed again that a source computed on both sides."""
        if is_of_integration(page) and computed.base not in (computed.ours, computed.main):
            page.computed = {k: v for k, v in (page.computed or {}).items() if k != "computedAt"}

    def _place(self, page_id: str, states: States[Any]) -> tuple[str | None, str]:
        """Merge parent and rank as one value; a conflict names the parent alone, since ranks are internal."""
        places = states.map(lambda row: row and (row.parent_id, row.rank))
        merged = merge_value(places.base, places.ours, places.main, self.winners.of(page_id, "position"))
        if merged.conflict is not None:
            self._conflict(page_id, "position", places.map(lambda place: place and {"parent": place[0]}))
        placed: tuple[str | None, str] = merged.value or places.main
        return placed

    def _file(self, page_id: str, sources: States[str | None]) -> str | None:
        """Return the file of a page; where both moved it, the one that it is in:
        from there it follows its place.
        """
        merged = merge_value(sources.base, sources.ours, sources.main, "theirs")
        held = self.draft.held.get(page_id)
        return held.source if merged.conflict and held else merged.value

    async def _one_sided(self, sides: MergeRows, page_id: str) -> PageRecord | None:
        states = sides.of(page_id)
        there = states.ours if states.main is None else states.main
        if there is None or (states.base is not None and not await self._goes_on(sides, page_id)):
            return None
        is_ours = there is states.ours
        if there.document_id and (is_ours or self.draft.rebased):
            await self.read_texts([there])
            side: Name = "ours" if is_ours else "main"
            await self.frames.read(sides, [page_id], [side])
            text, meant = self.texts[there.document_id], self.frames.meanings_in(side, page_id)
            self.draft.write(page_id, text, meant, there.document_id)
        page = PageRecord.of(there)
        if states.main is None and page.source == f"{page.path}.md":
            page.source = None  # it lay where the tree put it, and shall again
        return page

    async def _goes_on(self, sides: MergeRows, page_id: str) -> bool:
        """Tell whether a page that one side deleted stays: not if the other left it as it was, or a source
        computes it.
        """
        states = sides.of(page_id)
        if is_below_placed(states.main or states.ours) or await self._is_left(sides, page_id):
            return False
        self._conflict(page_id, "page", states.map(lambda row: row and row.title))
        is_ours, winner = states.main is None, self.winners.of(page_id, "page")
        return (winner == "ours") == is_ours if winner else not is_ours

    async def _is_left(self, sides: MergeRows, page_id: str) -> bool:
        """Return whether the side that has a page left it as it was, its links aside,
        which follow what moves.
        """
        base, main, ours = sides.of(page_id)
        there, name = (ours, "ours") if main is None else (main, "main")
        if same(base, there) or (there.computed and same(base, there, but="document_id")):
            return True
        if not same(base, there, but="document_id") or not (base.document_id and there.document_id):
            return False
        await self.read_texts([base, there])
        meant = await self._meanings(sides, page_id)
        return bool(meant.base == getattr(meant, name))

    def value(self, page_id: str, wire: str, states: States[T]) -> T:
        """Return what comes of a field; a conflict where both sides changed it."""
        merged = merge_value(states.base, states.ours, states.main, self.winners.of(page_id, wire))
        if merged.conflict is not None:
            self._conflict(page_id, wire, states)
        return merged.value

    def _variables(self, page_id: str, states: States[dict[str, Any] | None]) -> dict[str, Any] | None:
        merged = merge_map(
            states.base or {},
            states.ours or {},
            states.main or {},
            lambda name: self.winners.of(page_id, f"variables.{name}"),
        )
        for name, each in merged.conflicts.items():
            told = States(each.base, each.theirs, each.ours).map(_plain)
            self._conflict(page_id, f"variables.{name}", told)
        return merged.values or None

    async def _document(self, sides: MergeRows, page: PageRecord) -> None:
        """Merge the three texts of a page, and the targets of its links."""
        page_id, states = page.page_id, sides.of(page.page_id)
        documents = _each(states, "document_id")
        if documents.ours in (documents.base, documents.main):  # main has it, or nothing came
            await self._keep_main(sides, page_id)
            return
        self.draft.write(page_id, *await self.text(sides, page_id))
        is_ours = documents.main == documents.base
        page.git_oid = states.ours.git_oid if is_ours else None

    async def _keep_main(self, sides: MergeRows, page_id: str) -> None:
        """Keep the main content's text. Where links of it lead nowhere in what comes, they mean nothing."""
        main = sides.of(page_id).main
        await self.frames.read(sides, [page_id], ["ours"])
        meanings = None
        if any(link.target_id is None for link in self.frames.links("ours", page_id)):
            await self.frames.read(sides, [page_id])
            meanings = self.frames.meanings(page_id) if self.frames.loses(page_id) else None
        held = self.draft.held.get(page_id)
        if main.document_id and (held is None or held.document_id != main.document_id):
            await self.read_texts([main])
            await self.frames.read(sides, [page_id], ["main"])
            text, meant = self.texts[main.document_id], self.frames.meanings_in("main", page_id)
            self.draft.write(page_id, text, meanings or meant, main.document_id)
        elif meanings is not None:
            self.draft.meanings[page_id] = meanings

    async def text(self, sides: MergeRows, key: str) -> tuple[str, LinkMeanings, str | None]:
        """Return the text that comes of three, line by line, with the meanings of its links.

        Where one is no text they are merged as one piece; then the document is told that it is.
        """
        states = sides.of(key)
        await self.read_texts(states)
        await self.frames.read(sides, [key])
        if any(row and row.document_id and self._is_raw(row.document_id) for row in states):
            return self._whole_text(key, states)
        base, main, ours = states.map(lambda row: self.texts.get(_get(row, "document_id") or "", ""))
        size, winner = len(base) + len(ours) + len(main), self.winners.of_text(key)
        won = self.winners.passages.get(key)
        merged = await workers.run(size, merge_text, base, ours, main, winner, None, won)
        if merged.conflicts:
            meant = await self._meanings(sides, key)
            order = (meant.base, meant.ours, meant.main)
            merged = await workers.run(2 * size, merge_text, base, ours, main, winner, order, won)
        for each in merged.conflicts:
            texts = States(each.base.text, each.theirs.text, each.ours.text)
            self._conflict(key, "document", texts, each.passage)
        return merged.text, self.frames.meanings(key, merged), None

    def _is_raw(self, document: str) -> bool:
        """Tell whether a body that was read is no text: then its id is not that of what is shown of it."""
        return document_id(self.texts[document]) != document

    def _whole_text(self, key: str, states: States[Any]) -> tuple[str, LinkMeanings, str]:
        document = self.value(key, "document", _each(states, "document_id"))
        name = next(name for name in NAMES if _get(getattr(states, name), "document_id") == document)
        return self.texts[document], self.frames.meanings_in(name, key), document

    async def _meanings(self, sides: MergeRows, key: str) -> States[str]:
        """Return the texts in their three states, with links by what they lead to instead of
        where that is.
        """
        await self.frames.read(sides, [key])
        states = sides.of(key)
        return States(*[await self._meaning(key, name, getattr(states, name)) for name in NAMES])

    async def _meaning(self, key: str, name: Name, row: object) -> str:
        text = self.texts.get(_get(row, "document_id") or "", "")
        meant = dict(meaning(self.frames.links(name, key)))
        if not meant:
            return text
        return await workers.run(len(text), rewritten, text, lambda link: meant.get(link.href))

    def _conflict(self, key: str, wire: str, states: States[Any], passage: str = "") -> None:
        self.conflicts.append(MergeConflict(key, wire, states.base, states.main, states.ours, passage))

    def whole(self, key: str, wire: str, states: States[Any], names: Iterable[str]) -> Any:
        """Return a row that is merged as one piece, by these columns; None where it shall not be there."""
        names = tuple(names)
        said = states.map(lambda row: tuple(_get(row, name) for name in names) if row else None)
        if said.ours in (said.base, said.main):
            return states.main
        if said.main != said.base:
            self._conflict(
                key, wire, states.map(lambda row: row and (_get(row, "name") or _get(row, "title")))
            )
            if self.winners.of(key, wire) != "ours":
                return states.main
        return states.ours


def same(one: Any, other: Any, *, but: str = "") -> bool:
    """Return whether two states of a page say the same and stand at the same place;
    one column may be left out.
    """
    if one is None or other is None:
        return one is other
    names = (*FIELDS, "variables", "document_id", "parent_id", "rank")
    return all(getattr(one, name) == getattr(other, name) for name in names if name != but)


def _each(states: States[Any], name: str) -> States[Any]:
    return states.map(lambda row: _get(row, name))


def _get(row: object, name: str) -> Any:
    return getattr(row, name, None) if row is not None else None


def _plain(value: Any) -> Any:
    return None if isinstance(value, Absent) else value
