"""What is about to be written on a line: pages, files, blocks and variables as they shall be.

Only what a change touches is read: the pages it names, their siblings where their order or slugs matter, and
what is under them where their paths change. Nothing is written here; `settling` works out what follows from
the changes, and `committing` writes it as one revision.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlalchemy import select

from app.access.context import Context
from app.content.repository.names import MAX_SLUG
from app.domain.writing.line import Line, on_line
from app.kit.predicates import among
from app.kit.ranks import after, between
from app.kit.statements import given, table
from app.models.files import FileVersion
from app.models.pages import PageVersion
from app.models.revisions import ReusableVersion

Row = dict[str, Any]
BLANK: Row = {
    "link_title": None,
    "source": None,
    "front_matter": "",
    "document_id": None,
    "description": None,
    "emoji": None,
    "icon": None,
    "hidden": False,
    "no_index": False,
    "no_robots_index": False,
    "layout": None,
    "cover": None,
    "variables": None,
    "condition": None,
    "href": None,
    "computed": None,
    "computed_seed": None,
    "git_oid": None,
    "deleted": False,
}
p_, f_, u_ = table(PageVersion), table(FileVersion), table(ReusableVersion)
_PAGES = on_line(lambda view: select(*p_.c).where(view.valid(p_, keyed=True), among(p_.c.page_id, "ids")))
_FILES = on_line(lambda view: select(*f_.c).where(view.valid(f_, keyed=True), among(f_.c.file_id, "ids")))
_BLOCKS = on_line(
    lambda view: select(*u_.c).where(view.valid(u_, keyed=True), among(u_.c.reusable_id, "ids"))
)
_CHILDREN = on_line(lambda view: select(*p_.c).where(view.valid(p_), p_.c.parent_id == given("parent")))
_ROOTS = on_line(lambda view: select(*p_.c).where(view.valid(p_), p_.c.parent_id.is_(None)))
_UNDER = on_line(
    lambda view: select(*p_.c).where(view.valid(p_), p_.c.path > given("low"), p_.c.path < given("high"))
)


class Moved(NamedTuple):
    """A page or file that was kept at the source `was`; `now` at another, or none."""

    page_id: str
    was: str
    now: str | None


@dataclass(slots=True)
class Draft:
    """The changes of one revision.

    `held` has every page that was read, as it was; `pages` as they shall be (None: gone). `bodies` are new
    texts by page; `files` and `reusable` rows by id (None: they go), with `blocks` the new texts of reusable
    contents; `properties` what the line says otherwise as a whole; `refs` the ids of what has a name here.
    `elsewhere` are pages that were kept elsewhere when texts of the draft were written, and `below` pages of
    the main line: what comes to the same need not lie over it. `resettle`: paths may differ without a move.
    """

    cx: Context
    line: Line
    held: dict[str, PageVersion] = field(default_factory=dict)
    pages: dict[str, Row | None] = field(default_factory=dict)
    bodies: dict[str, str] = field(default_factory=dict)
    files: dict[str, Row | None] = field(default_factory=dict)
    held_files: dict[str, FileVersion] = field(default_factory=dict)
    reusable: dict[str, Row | None] = field(default_factory=dict)
    held_reusable: dict[str, ReusableVersion] = field(default_factory=dict)
    blocks: dict[str, str] = field(default_factory=dict)
    properties: Row | None = None
    refs: dict[str, str] = field(default_factory=dict)
    elsewhere: list[Moved] = field(default_factory=list)
    below: dict[str, PageVersion] = field(default_factory=dict)
    resettle: bool = False
    _known: dict[str | None, bool] = field(default_factory=dict)

    async def page(self, page_id: str) -> Row | None:
        """A page as it shall be; None where there is none, or none any more."""
        if page_id not in self.pages:
            await self.read([page_id])
        return self.pages.get(page_id)

    async def read(self, page_ids: Iterable[str]) -> None:
        """Read these pages at once, as far as they are not known."""
        missing = [page_id for page_id in page_ids if page_id not in self.pages]
        if missing:
            self.learn(await self.line.all(self.cx, _PAGES, ids=missing))

    async def read_files(self, file_ids: Iterable[str]) -> None:
        """Read these files at once."""
        for row in await self.line.all(self.cx, _FILES, ids=list(file_ids)):
            self.held_files[row.file_id] = row

    async def read_reusable(self, reusable_ids: Iterable[str]) -> None:
        """Read these reusable contents at once."""
        for row in await self.line.all(self.cx, _BLOCKS, ids=list(reusable_ids)):
            self.held_reusable[row.reusable_id] = row

    def learn(self, rows: Sequence[PageVersion]) -> None:
        """Know these pages as they are."""
        for row in rows:
            if row.page_id not in self.held:
                self.held[row.page_id] = row
                self.pages.setdefault(row.page_id, row._asdict())  # type: ignore[attr-defined]

    async def family(self, parent_id: str | None) -> list[Row]:
        """The pages directly under a parent (None: at the root) in their order, as they shall be."""
        if parent_id not in self._known:
            self._known[parent_id] = True
            if parent_id is None:
                self.learn(await self.line.all(self.cx, _ROOTS))
            elif parent_id in self.held:
                self.learn(await self.line.all(self.cx, _CHILDREN, parent=parent_id))
        family = [page for page in self.pages.values() if page and page["parent_id"] == parent_id]
        return sorted(family, key=lambda page: (page["rank"], page["page_id"]))

    async def under(self, page_id: str) -> list[Row]:
        """Every page below this one, however deep, as they shall be; parents before their children."""
        held = self.held.get(page_id)
        if held is not None:
            await self.read_under(held.path)
        children: dict[str | None, list[Row]] = {}
        for page in self.pages.values():
            if page:
                children.setdefault(page["parent_id"], []).append(page)
        found, waiting = [], [page_id]
        while waiting:
            for page in children.get(waiting.pop(), []):
                found.append(page)
                waiting.append(page["page_id"])
        return found

    async def read_under(self, path: str) -> None:
        """Read every page whose path is below this one."""
        low, high = path + "/", path + "0"  # "0" follows "/"
        self.learn(await self.line.all(self.cx, _UNDER, low=low, high=high))

    async def ancestors(self, page_id: str | None) -> list[str]:
        """The page and everything above it, as it shall be."""
        found: list[str] = []
        while page_id is not None:
            found.append(page_id)
            page = await self.page(page_id)
            page_id = page["parent_id"] if page else None
        return found

    async def rank_at(self, parent_id: str | None, at: int | None, moving: str) -> str:
        """A rank for a page at an index among the others under a parent; None, or too high: the last."""
        others = [page["rank"] for page in await self.family(parent_id) if page["page_id"] != moving]
        if at is None or at >= len(others):
            return after(others[-1] if others else None)
        return between(others[at - 1] if at else None, others[at])

    async def free_rank(self, parent_id: str | None, rank: str, page_id: str) -> str:
        """The rank, or one right after it where a sibling has it."""
        others = [page["rank"] for page in await self.family(parent_id) if page["page_id"] != page_id]
        if rank not in others:
            return rank
        return between(rank, next((other for other in others if other > rank), None))

    async def free_slug(self, parent_id: str | None, slug: str, page_id: str) -> str:
        """The slug, with a number where a sibling has it."""
        taken = {page["slug"] for page in await self.family(parent_id) if page["page_id"] != page_id}
        number, free = 0, slug
        while free in taken:
            number += 1
            free = f"{slug[: MAX_SLUG - 5]}-{number}"
        return free

    async def delete(self, page_id: str) -> list[str]:
        """Take a page and all below it away; their ids."""
        gone = [page_id, *(page["page_id"] for page in await self.under(page_id))]
        for each in gone:
            self.pages[each] = None
            self.bodies.pop(each, None)
        return gone

    @property
    def changed(self) -> list[Row]:
        """The pages that shall be and were not, or not so."""
        return [page for page in self.pages.values() if page and self.is_changed(page)]

    @property
    def gone(self) -> list[PageVersion]:
        """The pages that were and shall not be."""
        return [
            self.held[page_id]
            for page_id, page in self.pages.items()
            if page is None and page_id in self.held
        ]

    def is_changed(self, page: Row) -> bool:
        """Whether a page is new, or says anything that it did not."""
        held = self.held.get(page["page_id"])
        return held is None or any(
            getattr(held, name) != value for name, value in page.items() if name not in VALIDITY
        )


VALIDITY = {"line_id", "valid_from", "valid_to", "updated_at"}
