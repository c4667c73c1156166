"""A draft, about to be written on a line: pages, files, blocks and variables as they shall be.

Only what a change touches is read: the pages it names, their siblings where their order or slugs matter, and
what is under them where their paths change; an import reads all. Nothing is written here; `paths` and `links`
work out what follows from the changes, and `commit` writes it as one revision.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Collection, Iterable, Set
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from sqlalchemy import select

from app.access.context import Context
from app.domain.revisions.branch import Branch, on_branch
from app.domain.revisions.documents import PreparedText, document_id
from app.domain.revisions.link_targets import BranchLinks, LinkMeanings, LinkTargets
from app.domain.revisions.records import FileRecord, PageRecord, ReusableRecord, free_rank, free_slug
from app.kit.database.sql import among
from app.kit.database.statements import given, rows, table
from app.kit.ids import rank_after, rank_between
from app.models.files import FileVersion
from app.models.pages import Document, PageVersion
from app.models.revisions import ReusableVersion

FEW = 8  # pages; what is below them is read by their paths
PAGE_VERSIONS, FILE_VERSIONS, REUSABLE_VERSIONS = (
    table(PageVersion),
    table(FileVersion),
    table(ReusableVersion),
)
_PAGES = on_branch(
    lambda view: select(*PAGE_VERSIONS.c).where(
        view.valid(PAGE_VERSIONS, keyed=True), among(PAGE_VERSIONS.c.page_id, "ids")
    )
)
_FILES = on_branch(
    lambda view: select(*FILE_VERSIONS.c).where(
        view.valid(FILE_VERSIONS, keyed=True), among(FILE_VERSIONS.c.file_id, "ids")
    )
)
_BLOCKS = on_branch(
    lambda view: select(*REUSABLE_VERSIONS.c).where(
        view.valid(REUSABLE_VERSIONS, keyed=True), among(REUSABLE_VERSIONS.c.reusable_id, "ids")
    )
)
_CHILDREN = on_branch(
    lambda view: select(*PAGE_VERSIONS.c).where(
        view.valid(PAGE_VERSIONS), among(PAGE_VERSIONS.c.parent_id, "parents")
    )
)
_ROOTS = on_branch(
    lambda view: select(*PAGE_VERSIONS.c).where(
        view.valid(PAGE_VERSIONS), PAGE_VERSIONS.c.parent_id.is_(None)
    )
)
_UNDER = on_branch(
    lambda view: select(*PAGE_VERSIONS.c).where(
        view.valid(PAGE_VERSIONS), PAGE_VERSIONS.c.path > given("low"), PAGE_VERSIONS.c.path < given("high")
    )
)
DOCUMENTS = table(Document)
_TEXT = rows(lambda: select(DOCUMENTS.c.markdown).where(DOCUMENTS.c.id == given("id")))


class IncomingText(NamedTuple):
    """A text that comes from outside with all that is derived from it, for a page or reusable content."""

    holder_id: str
    text: PreparedText


class IncomingTexts(Protocol):
    """Texts that come from outside, too many to be held at once."""

    @property
    def targets(self) -> LinkTargets:
        """Return what links lead to once all of them are written."""

    @property
    def holders(self) -> Set[str]:
        """Return the pages and reusable contents that the texts are of."""

    @property
    def one_by_one(self) -> bool:
        """Tell whether texts and their links are written one at a time, to tell which of them is refused."""

    def chunks(self) -> AsyncIterator[list[IncomingText]]:
        """Yield the texts, some at a time; each has its record in the draft filled before."""


@dataclass(slots=True)
class Draft:
    """The changes of one revision.

    `held` has every page that was read, as it was; `pages` as they shall be (None: gone). `bodies` are new
    texts by page, `blocks` those of reusable contents, with the `meanings` of their links and the `documents`
    that they are where they were kept elsewhere; `files` and `reusable` by id (None: they go); `properties`
    what the line says otherwise as a whole; `editors` who wrote the pages of another line; `refs` the ids of
    what has a name here. What comes from outside is `incoming`: it has its place already, and the texts of
    what it is in, `verbatim`, are never rewritten. `links` is what became of links when it was written.

    Of a change request that gets another main content below it (`rebased`), `below` is what that has of the
    pages, files and reusable contents that the change request has too: what comes to the same need not lie
    over it, and links lead elsewhere where the two differ.
    """

    cx: Context
    line: Branch
    held: dict[str, PageVersion] = field(default_factory=dict)
    pages: dict[str, PageRecord | None] = field(default_factory=dict)
    bodies: dict[str, str] = field(default_factory=dict)
    blocks: dict[str, str] = field(default_factory=dict)
    meanings: dict[str, LinkMeanings] = field(default_factory=dict)
    documents: dict[str, str] = field(default_factory=dict)
    files: dict[str, FileRecord | None] = field(default_factory=dict)
    held_files: dict[str, FileVersion] = field(default_factory=dict)
    reusable: dict[str, ReusableRecord | None] = field(default_factory=dict)
    held_reusable: dict[str, ReusableVersion] = field(default_factory=dict)
    properties: dict[str, Any] | None = None
    editors: dict[str, str | None] = field(default_factory=dict)
    refs: dict[str, str] = field(default_factory=dict)
    incoming: IncomingTexts | None = None
    verbatim: set[str] = field(default_factory=set)
    links: BranchLinks = field(default_factory=BranchLinks)
    rebased: bool = False
    below: NewBase = field(default_factory=lambda: NewBase({}, {}, {}))
    _known: dict[str | None, bool] = field(default_factory=dict)

    async def page(self, page_id: str) -> PageRecord | None:
        """Return a page as it shall be; None where there is none, or none any more."""
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

    def learn(self, rows: Iterable[PageVersion]) -> None:
        """Know these pages as they are."""
        for row in rows:
            if row.page_id not in self.held:
                self.held[row.page_id] = row
                if row.page_id not in self.pages:
                    self.pages[row.page_id] = PageRecord.of(row)

    async def text_of(self, holder: PageRecord | ReusableRecord) -> str:
        """Return what a page or a reusable content says: as it shall be, or as it is kept."""
        texts = self.bodies if isinstance(holder, PageRecord) else self.blocks
        key = holder.page_id if isinstance(holder, PageRecord) else holder.reusable_id
        return texts[key] if key in texts else await self._read_text(holder.document_id)

    async def stored_text(self, holder_id: str) -> str:
        """Return what a page or a reusable content said before the draft; nothing where it was not there."""
        held = self.held.get(holder_id) or self.held_reusable.get(holder_id)
        return await self._read_text(held.document_id if held else None)

    async def _read_text(self, document: str | None) -> str:
        found = await self.cx.db.first(_TEXT, id=document) if document is not None else None
        return str(found.markdown) if found else ""

    def write(
        self, page_id: str, text: str, meanings: LinkMeanings | None = None, document: str | None = None
    ) -> None:
        """Give a page another text.

        Of one that was kept elsewhere `meanings` tells what its links led to, and `document` which it is.
        """
        self.bodies[page_id] = text
        self._note(page_id, meanings, document)

    def write_block(
        self, reusable_id: str, text: str, meanings: LinkMeanings | None = None, document: str | None = None
    ) -> str:
        """Give a reusable content another text, as `write` does; returns the id of that."""
        self.blocks[reusable_id] = text
        self._note(reusable_id, meanings, document)
        return document or document_id(text)

    def _note(self, holder_id: str, meanings: LinkMeanings | None, document: str | None) -> None:
        for known, said in ((self.meanings, meanings), (self.documents, document)):
            known.pop(holder_id, None)
            if said is not None:
                known[holder_id] = said  # type: ignore[assignment]

    async def family(self, parent_id: str | None) -> list[PageRecord]:
        """Return the pages directly under a parent (None: at the root) in their order, as they shall be."""
        await self._read_children([parent_id])
        return sorted(self._by_parent()[parent_id], key=lambda page: (page.rank, page.page_id))

    def knows_under(self, parent_id: str | None) -> bool:
        """Tell whether pages under a parent were read or put there: then `family` alone tells which are."""
        return parent_id in self._known or any(p and p.parent_id == parent_id for p in self.pages.values())

    async def families(self, parent_ids: Collection[str | None]) -> dict[str | None, list[PageRecord]]:
        """Return the pages directly under each of these parents, in any order."""
        await self._read_children(parent_ids)
        found = self._by_parent()
        return {parent_id: found[parent_id] for parent_id in parent_ids}

    def _by_parent(self) -> defaultdict[str | None, list[PageRecord]]:
        found: defaultdict[str | None, list[PageRecord]] = defaultdict(list)
        for page in self.pages.values():
            if page:
                found[page.parent_id].append(page)
        return found

    async def _read_children(self, parent_ids: Iterable[str | None]) -> list[str]:
        """Read the pages directly under these parents, as far as they are not known; returns their ids."""
        wanted = [parent_id for parent_id in parent_ids if parent_id not in self._known]
        self._known.update(dict.fromkeys(wanted, True))
        rows: list[Any] = await self.line.all(self.cx, _ROOTS) if None in wanted else []
        stored = [parent_id for parent_id in wanted if parent_id is not None and self._stored(parent_id)]
        if stored:
            rows = [*rows, *await self.line.all(self.cx, _CHILDREN, parents=stored)]
        self.learn(rows)
        return [row.page_id for row in rows]

    async def under(self, page_id: str) -> list[PageRecord]:
        """Return every page below this one, however deep, as they shall be; parents before their children."""
        held = self.held.get(page_id)
        if held is not None:
            await self.read_under(held.path)
        children = self._by_parent()
        found, waiting = [], [page_id]
        while waiting:
            for page in children[waiting.pop()]:
                found.append(page)
                waiting.append(page.page_id)
        return found

    async def read_below(self, page_ids: Collection[str]) -> None:
        """Read every page below these, however deep; of many pages one level at a time."""
        waiting: Collection[str] = [page_id for page_id in page_ids if page_id not in self._known]
        if len(waiting) <= FEW:
            for page_id in waiting:
                if stored := self._stored(page_id):
                    await self.read_under(stored.path)
            return
        while waiting:
            waiting = await self._read_children(waiting)

    def _stored(self, page_id: str) -> PageVersion | None:
        """Return a page as it is stored; one that a change request has deleted as the main content has it."""
        return self.held.get(page_id) or self.below.pages.get(page_id)

    async def read_under(self, path: str) -> None:
        """Read every page whose path is below this one."""
        low, high = path + "/", path + "0"  # "0" follows "/"
        self.learn(await self.line.all(self.cx, _UNDER, low=low, high=high))

    async def ancestors(self, page_id: str | None) -> list[str]:
        """Return the page and everything above it, as it shall be."""
        found: list[str] = []
        while page_id is not None:
            found.append(page_id)
            page = await self.page(page_id)
            page_id = page.parent_id if page else None
        return found

    async def rank_at(self, parent_id: str | None, at: int | None, moving: str) -> str:
        """Return a rank for a page at an index among the others under a parent;
        None, or too high: the last.
        """
        others = [page.rank for page in await self.family(parent_id) if page.page_id != moving]
        if at is None or at >= len(others):
            return rank_after(others[-1] if others else None)
        return rank_between(others[at - 1] if at else None, others[at])

    async def free_rank(self, parent_id: str | None, rank: str, page_id: str) -> str:
        """Return the rank, or one right after it where a sibling has it."""
        others = [page.rank for page in await self.family(parent_id) if page.page_id != page_id]
        return free_rank(rank, others)

    async def free_slug(self, parent_id: str | None, slug: str, page_id: str) -> str:
        """Return the slug, with a number where a sibling has it."""
        taken = {page.slug for page in await self.family(parent_id) if page.page_id != page_id}
        return free_slug(slug, taken)

    async def delete(self, page_id: str) -> list[str]:
        """Take a page and all below it away; their ids."""
        gone = [page_id, *(page.page_id for page in await self.under(page_id))]
        for each in gone:
            self.pages[each] = None
            self.bodies.pop(each, None)
        return gone

    @property
    def changed(self) -> list[PageRecord]:
        """Return the pages that shall be and were not, or not so."""
        return [page for page in self.pages.values() if page and self.is_changed(page)]

    @property
    def gone(self) -> list[PageVersion]:
        """Return the pages that were and shall not be."""
        return [
            self.held[page_id]
            for page_id, page in self.pages.items()
            if page is None and page_id in self.held
        ]

    def keep_git_ids(self) -> None:
        """Keep the Git object ids of pages whose text has not changed."""
        for page_id, page in self.pages.items():
            held = self.held.get(page_id)
            if page is None or held is None or page.git_oid is not None or held.git_oid is None:
                continue
            page.git_oid = held.git_oid
            if page.differs(held):
                page.git_oid = None

    def is_changed(self, page: PageRecord) -> bool:
        """Tell whether a page is new, or says anything that it did not."""
        held = self.held.get(page.page_id)
        return held is None or page.differs(held)

    def file(self, file_id: str) -> FileRecord | FileVersion | None:
        """Return a file as it shall be, as far as it was read."""
        return self.files[file_id] if file_id in self.files else self.held_files.get(file_id)

    def block(self, reusable_id: str) -> ReusableRecord | ReusableVersion | None:
        """Return a reusable content as it shall be, as far as it was read."""
        if reusable_id in self.reusable:
            return self.reusable[reusable_id]
        return self.held_reusable.get(reusable_id)


@dataclass(slots=True)
class NewBase:
    """The main content's versions of what a change request has too, by id."""

    pages: dict[str, PageVersion]
    files: dict[str, FileVersion]
    reusable: dict[str, ReusableVersion]
