"""Putting together what two sides made of the same content: page by page, field by field, line by line.

(decisions, Three-way unit.) `main` is what is written on, `ours` what comes to it, `base` what both began
with. Where both changed the same, that is told as data, and settled by the side that is favoured.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Integer, Select, func, or_, select

from app.access.context import Context
from app.content.convert.rewrite import rewritten
from app.content.merging import Absent, Side, merge_map, merge_text, merge_value
from app.domain.merging.outcomes import Conflict
from app.domain.writing.drafts import Draft, Row
from app.kit.predicates import among
from app.kit.statements import given, rows, table
from app.models.links import Link
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
FILE_FIELDS = ("name", "source", "content_type", "size", "width", "height", "blob_id", "git_oid")
_QUIET = ("kind", "front_matter", "computed", "computed_seed")  # ours, where both differ
LATEST = (1 << 31) - 1
_d, _l = table(Document), table(Link)
_TEXTS = rows(lambda: select(_d.c.id, _d.c.markdown).where(among(_d.c.id, "ids")))


def _links() -> Select[Any]:
    number = given("number", Integer())
    target = func.coalesce(_l.c.target_page, _l.c.target_file, _l.c.target_reusable)
    here = (_l.c.line_id == given("line"), _l.c.page_id == given("page"), _l.c.valid_from <= number)
    return select(
        _l.c.href,
        _l.c.target_kind.label("kind"),
        target.label("target"),
        func.coalesce(_l.c.target_anchor, "").label("anchor"),
    ).where(*here, or_(_l.c.valid_to.is_(None), _l.c.valid_to > number))


_LINKS = rows(_links)


@dataclass(slots=True, frozen=True)
class Sides:
    """Three states of the same things by id; what is not there is left out."""

    base: Mapping[str, Any]
    main: Mapping[str, Any]
    ours: Mapping[str, Any]

    def of(self, key: str) -> tuple[Any, Any, Any]:
        """The three states of one thing."""
        return self.base.get(key), self.main.get(key), self.ours.get(key)

    @property
    def keys(self) -> list[str]:
        """Everything that comes."""
        return list(dict.fromkeys([*self.base, *self.ours, *self.main]))


@dataclass(slots=True)
class ThreeWay:
    """A merge under way: its draft, whom conflicts are settled for, and the conflicts so far.

    `numbers` are those of the main line at which the base, `main` and `ours` show it.
    """

    draft: Draft
    favour: Side | None
    numbers: tuple[int, int, int]
    conflicts: list[Conflict] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)

    @property
    def _cx(self) -> Context:
        return self.draft.cx

    async def read_texts(self, states: Iterable[Any]) -> None:
        """Read the bodies of these pages or reusable contents."""
        wanted = sorted({row.document_id for row in states if row and row.document_id} - self.texts.keys())
        if wanted:
            self.texts |= {row.id: row.markdown for row in await self._cx.db.all(_TEXTS, ids=wanted)}

    async def page(self, page_id: str, base: Any, main: Any, ours: Any) -> Row | None:
        """A page as it shall be, without its place; None where it shall not be there."""
        if ours is None or main is None:
            return await self._one_sided(page_id, base, main, ours)
        held = self.draft.held.get(page_id, main)
        page = {**main._asdict(), "path": held.path}
        for name, wire in FIELDS.items():
            page[name] = self.value(page_id, wire, *(_get(row, name) for row in (base, main, ours)))
        for name in _QUIET:
            states = [_get(row, name) for row in (base, ours, main)]
            page[name] = merge_value(states[0], states[1], states[2], "ours").value
        page["source"] = self._file(page_id, *(_get(row, "source") for row in (base, main, ours)))
        page["variables"] = self._variables(page_id, *(_get(row, "variables") for row in (base, main, ours)))
        await self._document(page_id, page, base, main, ours)
        page["parent_id"], page["rank"] = self._place(page_id, base, main, ours)
        return page

    def _place(self, page_id: str, base: Any, main: Any, ours: Any) -> tuple[str | None, str]:
        """Parent and rank, which are one; a rank means nothing to others, so only the parent is told."""
        states = [row and (row.parent_id, row.rank) for row in (base, main, ours)]
        merged = merge_value(states[0], states[2], states[1], self.favour)
        if merged.conflict is not None:
            self._conflict(page_id, "position", *(state and {"parent": state[0]} for state in states))
        placed: tuple[str | None, str] = merged.value or states[1]
        return placed

    def _file(self, page_id: str, base: Any, main: Any, ours: Any) -> Any:
        """The file of a page; where both moved it, the one that it is in: from there it follows its place."""
        merged = merge_value(base, ours, main, "theirs")
        held = self.draft.held.get(page_id)
        return held.source if merged.conflict and held else merged.value

    async def _one_sided(self, page_id: str, base: Any, main: Any, ours: Any) -> Row | None:
        there = ours if main is None else main
        if there is None:
            return None
        stays = base is None or await self._goes_on(page_id, base, main, ours)
        if not stays:
            return None
        if there is ours and ours.document_id:
            await self.read_texts([ours])
            self.draft.bodies[page_id] = self.texts[ours.document_id]
        page = {**there._asdict()}
        if main is None and page["source"] == f"{page['path']}.md":
            page["source"] = None  # it lay where the tree put it, and shall again
        return page

    async def _goes_on(self, page_id: str, base: Any, main: Any, ours: Any) -> bool:
        """Whether a page that one side deleted stays: not if the other left it as it was."""
        if await self._is_left(base, main, ours):
            return False
        self._conflict(page_id, "page", base.title, main and main.title, ours and ours.title)
        return (self.favour == "ours") == (main is None) if self.favour else main is not None

    async def _is_left(self, base: Any, main: Any, ours: Any) -> bool:
        """Whether the side that has a page left it as it was, its links aside, which follow what moves."""
        there = ours if main is None else main
        if same(base, there):
            return True
        if not same(base, there, but="document_id") or not (base.document_id and there.document_id):
            return False
        await self.read_texts([base, there])
        meant = await self._meanings(base, main, ours)
        return meant[0] == meant[2 if main is None else 1]

    def value(self, page_id: str, wire: str, base: Any, main: Any, ours: Any) -> Any:
        """What comes of a field; a conflict where both sides changed it."""
        merged = merge_value(base, ours, main, self.favour)
        if merged.conflict is not None:
            self._conflict(page_id, wire, base, main, ours)
        return merged.value

    def _variables(self, page_id: str, base: Any, main: Any, ours: Any) -> dict[str, Any]:
        merged = merge_map(base or {}, ours or {}, main or {}, self.favour)
        for name, each in merged.conflicts.items():
            self._conflict(page_id, f"variables.{name}", *map(_plain, (each.base, each.theirs, each.ours)))
        return merged.values or None  # type: ignore[return-value]

    async def _document(self, page_id: str, page: Row, base: Any, main: Any, ours: Any) -> None:
        documents = [_get(row, "document_id") for row in (base, main, ours)]
        if documents[2] in documents[:2]:  # main has it, or nothing came
            held = self.draft.held.get(page_id)
            if main.document_id and (held is None or held.document_id != main.document_id):
                await self.read_texts([main])
                self.draft.bodies[page_id] = self.texts[main.document_id]
            return
        text = await self.text(page_id, base, main, ours)
        self.draft.bodies[page_id] = text
        if documents[1] != documents[0]:
            page["git_oid"] = None
        else:
            page["git_oid"] = ours.git_oid

    async def text(self, page_id: str, base: Any, main: Any, ours: Any) -> str:
        """The text that comes of three, line by line."""
        await self.read_texts([base, main, ours])
        was, there, came = (self.texts.get(_get(row, "document_id") or "", "") for row in (base, main, ours))
        merged = await asyncio.to_thread(merge_text, was, came, there, self.favour)
        if merged.conflicts and hasattr(main, "page_id"):
            meant = await self._meanings(base, main, ours)
            merged = await asyncio.to_thread(
                merge_text, was, came, there, self.favour, (meant[0], meant[2], meant[1])
            )
        for each in merged.conflicts:
            self._conflict(page_id, "document", each.base.text, each.theirs.text, each.ours.text)
        return merged.text

    async def _meanings(self, *states: Any) -> tuple[str, ...]:
        """A page's texts in its three states, with links by what they lead to instead of where that is."""
        return tuple([await self._meaning(*each) for each in zip(states, self.numbers, strict=True)])

    async def _meaning(self, row: Any, number: int) -> str:
        text = self.texts.get(_get(row, "document_id") or "", "")
        if not text:
            return text
        if row.line_id != self.draft.line.space.id:
            number = LATEST if row.valid_to is None else row.valid_from
        links = await self._cx.db.all(_LINKS, line=row.line_id, page=row.page_id, number=number)
        meant = {link.href: f"/{link.kind}/{link.target}#{link.anchor}" for link in links if link.target}
        return await asyncio.to_thread(rewritten, text, lambda link: meant.get(link.href))

    def _conflict(self, page_id: str, wire: str, base: Any, main: Any, ours: Any) -> None:
        self.conflicts.append(Conflict(page_id, wire, base, main, ours))

    def whole(self, key: str, wire: str, base: Any, main: Any, ours: Any, names: Iterable[str]) -> Row | None:
        """A row that is merged as one piece, by these columns; None where it shall not be there."""
        said = [tuple(_get(row, n) for n in names) if row else None for row in (base, main, ours)]
        if said[2] in (said[0], said[1]):
            return main and {**main._asdict()}
        if said[1] != said[0]:
            titles = [row and (_get(row, "name") or _get(row, "title")) for row in (base, main, ours)]
            self._conflict(key, wire, *titles)
            if self.favour != "ours":
                return main and {**main._asdict()}
        return ours and {**ours._asdict()}


def same(one: Any, other: Any, *, but: str = "") -> bool:
    """Whether two states of a page say the same and stand at the same place; one column may be left out."""
    names = (*FIELDS, "variables", "document_id", "parent_id", "rank")
    return all(getattr(one, name) == getattr(other, name) for name in names if name != but)


def _get(row: Any, name: str) -> Any:
    return getattr(row, name, None) if row is not None else None


def _plain(value: Any) -> Any:
    return None if isinstance(value, Absent) else value
