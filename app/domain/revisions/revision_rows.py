"""The rows of one revision: the one place where pages, reusable contents, files and links are written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from sqlalchemy import Integer, select, update

from app.access.context import Context
from app.domain.revisions import branch
from app.domain.revisions.documents import REFUSED, blamed
from app.domain.revisions.drafts import Draft
from app.domain.revisions.link_targets import BranchLinks, LinkedText, ResolvedLink
from app.domain.revisions.records import FileRecord, PageRecord, Record, ReusableRecord
from app.domain.search import search_index, section_changes
from app.domain.search.vocabulary import WordChanges
from app.kit.database.sql import among
from app.kit.database.statements import command, given, rows, table
from app.models.files import FileVersion
from app.models.links import FormerSource, Link
from app.models.pages import Document, PageVersion
from app.models.revisions import ReusableVersion
from app.models.spaces import Space

LINKS = table(Link)
_BELOW = rows(
    lambda: (
        select(LINKS.c.holder_id, *(LINKS.c[name] for name in ResolvedLink._fields))
        .where(LINKS.c.line_id == given("line"), LINKS.c.valid_to.is_(None), among(LINKS.c.holder_id, "ids"))
        .order_by(LINKS.c.holder_id, LINKS.c.position)
    )
)
_SAME = (
    LINKS.c.line_id == given("line_id"),
    LINKS.c.holder_id == given("holder_id"),
    LINKS.c.position == given("position", Integer()),
)
_CLOSE = command(
    lambda: (
        update(LINKS)
        .values(valid_to=given("valid_from", Integer()))
        .where(*_SAME, LINKS.c.valid_to.is_(None))
    )
)
_BREAK = command(
    lambda: (
        update(LINKS)
        .values(status="broken")
        .where(*_SAME, LINKS.c.valid_from == given("valid_from", Integer()))
    )
)


class RevisionRows:
    """Writes what a draft comes to, at the number of the revision that is being made.

    Pages come in parts, so that large imports need not be held whole; `is_written` tells whether there was
    anything at all.
    """

    def __init__(self, draft: Draft) -> None:
        self._draft, self._cx, self._line = draft, draft.cx, draft.line
        self._closed: set[str] = set()
        self._has_room = False
        self._not_found = [page.page_id for page in draft.gone]  # to be taken out of the search
        self._words = WordChanges(draft.cx, draft.line.space.id) if draft.incoming else None
        self._unlinked: set[str] = set()  # what had links that were written anew or went
        self._including: set[str] = set()  # what has links that include something
        self.is_written = False

    async def make_room(self) -> None:
        """Take away what goes and close what is known to change: no two pages want one path at once."""
        if self._has_room:
            return
        draft, gone = self._draft, self._draft.gone
        self._has_room = True
        self.is_written |= bool(gone)
        await branch.remove(self._cx, self._line, PageVersion, gone)
        await self._close(draft.changed)
        keys = [page.page_id for page in gone]
        await branch.close(self._cx, self._line, Link, keys)
        self._unlinked |= set(keys)

    async def _close(self, pages: Iterable[PageRecord]) -> None:
        """Close the rows of these pages that the line has itself."""
        held = self._draft.held
        own = [key for page in pages if (key := page.page_id) in held and held[key].line_id == self._line.id]
        await branch.close(self._cx, self._line, PageVersion, [key for key in own if key not in self._closed])
        self._closed |= set(own)

    async def pages(self, pages: Iterable[PageRecord], links: BranchLinks) -> None:
        """Write those of these pages that are new or say something else, with the links of their texts.

        A change request lays pages over the main content too whose links alone lead elsewhere.
        """
        draft, texts, over = self._draft, links.texts, self._line.request is not None
        pages = list(pages)
        changed = [page for page in pages if draft.is_changed(page)]
        laid = [page for page in pages if over and (page.page_id in texts or page.page_id in links.laid)]
        written = {page.page_id: page for page in [*changed, *laid]}
        if not over:
            await self._index(changed, links)
        await self.make_room()  # the search has read what it needs
        await self._close(written.values())
        needless = await self._needless(written.values(), texts)
        kept = [page for page in written.values() if page.page_id not in needless]
        await store_documents(self._cx, self._new_texts(kept, texts), self._line.space)
        await self._cx.tx.add_inline(PageVersion, [self._page_row(page) for page in kept])
        self.is_written |= bool(written)
        own = {page.page_id: texts[page.page_id].links for page in pages if page.page_id in texts}
        await self._links({key: own[key] for key in own if key not in needless}, [*own, *needless])

    async def reusable(self, blocks: Iterable[ReusableRecord], links: BranchLinks) -> None:
        """Write those of these reusable contents that are new or say something else, with their links."""
        texts, held, on = links.texts, self._draft.held_reusable, self._line
        written = [
            block
            for block in blocks
            if (was := held.get(block.reusable_id)) is None or block.differs(was) or was.line_id != on.id
        ]
        keys = [block.reusable_id for block in written]
        await branch.close(self._cx, on, ReusableVersion, [key for key in keys if key in held])
        kept = {key: texts[key] for key in keys if key in texts}
        new = {block.document_id: kept[key] for block in written if (key := block.reusable_id) in kept}
        await store_documents(self._cx, new, self._line.space)
        await self._cx.tx.add_many(
            ReusableVersion, [{**self._here(block), "deleted": False} for block in written]
        )
        self.is_written |= bool(written)
        await self._links({key: text.links for key, text in kept.items()}, list(kept))
        if on.request is None:
            await self._index_reusable(written, links)

    async def files(self, files: Mapping[str, FileRecord | None]) -> None:
        """Write these files; those that are None go."""
        kept = [row for row in files.values() if row is not None]
        gone = [self._draft.held_files[key] for key, row in files.items() if row is None]
        self.is_written |= bool(files)
        await branch.remove(self._cx, self._line, FileVersion, gone)
        await branch.close(self._cx, self._line, FileVersion, [row.file_id for row in kept])
        await self._cx.tx.add_many(FileVersion, [{**self._here(row), "deleted": False} for row in kept])

    async def remove_reusable(self, gone: Sequence[ReusableVersion]) -> None:
        """Take reusable contents away."""
        self.is_written |= bool(gone)
        await branch.remove(self._cx, self._line, ReusableVersion, gone)
        keys = [block.reusable_id for block in gone]
        await branch.close(self._cx, self._line, Link, keys)
        if self._line.request is None:
            await section_changes.replace(self._cx, self._line.space, keys, [])

    async def other_links(self, links: BranchLinks) -> None:
        """Write the links of what says what it said, as far as they lead elsewhere."""
        await self._links(links.laid, list(links.laid))
        if links.changed:
            self.is_written = True
            made = [self._link_row(row.holder_id, row.position, link) for row, link in links.changed]
            await self._cx.tx.run_many(_CLOSE, made)
            await self._cx.tx.add_many(Link, made)
            self._including |= {row.holder_id for row, link in links.changed if link.shown_if is not None}

    async def finish_search(self) -> None:
        """Keep the search right where pages or reusable contents include something else now, and write the
        words of what comes from outside."""
        if self._line.request is not None:
            return
        if self._words is not None:
            await self._words.write()
        cx, space = self._cx, self._line.space
        blocks = {key for key in self._unlinked if key in self._draft.held_reusable}
        self._including |= await search_index.included_something(cx, space, blocks, self._line.number)
        await search_index.forget(cx, space, self._unlinked - blocks - self._including)
        await search_index.follow(cx, space, self._including)

    async def break_links(self, broken: Sequence[tuple[str, int]]) -> None:
        """Tell links that were written broken after all: their holders and positions."""
        here = {"line_id": self._line.id, "valid_from": self._line.number}
        if broken:
            await self._cx.tx.run_many(
                _BREAK, [{**here, "holder_id": key, "position": position} for key, position in broken]
            )

    async def former_sources(self) -> None:
        """Note in which files things were that are in others now, for those who have read them there."""
        draft, number = self._draft, self._line.number
        moved = [
            {"line_id": self._line.id, "source": held.source, "until": number, "target_id": page_id}
            for page_id, held in draft.held.items()
            if held.source and (page := draft.pages.get(page_id)) and page.source not in (None, held.source)
        ]
        await self._cx.tx.add_many(FormerSource, moved)

    def _here(self, record: Record) -> dict[str, Any]:
        return {
            **record.values(),
            "line_id": self._line.id,
            "valid_from": self._line.number,
            "valid_to": None,
        }

    def _page_row(self, page: PageRecord) -> dict[str, Any]:
        held, now, caller = self._draft.held.get(page.page_id), self._cx.now, self._cx.actor.user_id or None
        last = {"updated_at": now, "edited_by": self._draft.editors.get(page.page_id, caller)}
        if held is not None and not self._draft.is_changed(page):
            last = {"updated_at": held.updated_at, "edited_by": held.edited_by}
        created = held.created_at if held else now
        return {**self._here(page), "deleted": False, "created_at": created, **last}

    async def _links(self, links: Mapping[str, Sequence[ResolvedLink]], held: Sequence[str]) -> None:
        """Write all links of these holders; of those that were `held` there may be others."""
        there = self._draft.held.keys() | self._draft.held_reusable.keys()
        replaced = [key for key in held if key in there]
        await branch.close(self._cx, self._line, Link, replaced)
        self._unlinked |= set(replaced)
        made = [
            self._link_row(holder_id, position, link)
            for holder_id, each in links.items()
            for position, link in enumerate(each)
        ]
        self.is_written |= bool(made)
        self._including |= {row["holder_id"] for row in made if row["shown_if"] is not None}
        if self._draft.incoming is None or not self._draft.incoming.one_by_one:
            await self._cx.tx.add_many(Link, made)
            return
        await self._cx.tx.flush()
        for row in made:
            record = self._draft.pages.get(row["holder_id"]) or self._draft.reusable.get(row["holder_id"])
            with blamed((record and record.source) or row["holder_id"], row["href"], REFUSED):
                await self._cx.tx.add_many(Link, [row])
                await self._cx.tx.flush()

    def _link_row(self, holder_id: str, position: int, link: ResolvedLink) -> dict[str, Any]:
        return {
            "line_id": self._line.id,
            "holder_id": holder_id,
            "valid_from": self._line.number,
            "valid_to": None,
            "position": position,
            **link._asdict(),
        }

    def _new_texts(
        self, pages: Iterable[PageRecord], texts: Mapping[str, LinkedText]
    ) -> dict[str, LinkedText]:
        """Return the texts of these pages that were not theirs before, by their ids."""
        held = self._draft.held
        return {
            page.document_id: texts[key]
            for page in pages
            if (key := page.page_id) in texts
            and page.document_id is not None
            and (key not in held or held[key].document_id != page.document_id)
        }

    async def _index(self, changed: Sequence[PageRecord], links: BranchLinks) -> None:
        """Keep the search right where pages have another title, description or text, or go."""
        draft, space = self._draft, self._line.space
        found = [page for page in changed if page.kind != "link" and _reads_otherwise(draft, page)]
        before = [*self._not_found, *(page.page_id for page in found if page.page_id in draft.held)]
        self._not_found = []
        sections: list[dict[str, Any]] = []
        for page in found:
            text = links.texts.get(page.page_id)
            passages = text.passages if text else links.passages.get(page.page_id, ())
            sections += search_index.sections(space, page, passages)
        await section_changes.replace(self._cx, space, before, sections, self._words)

    async def _index_reusable(self, written: Sequence[ReusableRecord], links: BranchLinks) -> None:
        """Keep the search right where reusable contents have another text."""
        held, space, texts = self._draft.held_reusable, self._line.space, links.texts
        found = {
            key: texts[key].passages
            for block in written
            if (key := block.reusable_id) in texts
            and (key not in held or held[key].document_id != block.document_id)
        }
        sections = [
            row
            for key, passages in found.items()
            for row in search_index.reusable_sections(space, key, passages)
        ]
        before = [key for key in found if key in held]
        await section_changes.replace(self._cx, space, before, sections, self._words)

    async def _needless(self, written: Iterable[PageRecord], texts: Mapping[str, LinkedText]) -> set[str]:
        """Return the pages that say what the main content says,
        with links that lead where they lead there.
        """
        main = self._draft.below.pages
        same = [
            page.page_id for page in written if page.page_id in main and not page.differs(main[page.page_id])
        ]
        if not same:
            return set()
        below: dict[str, list[Any]] = {page_id: [] for page_id in same}
        for row in await self._cx.db.all(_BELOW, line=self._line.space.id, ids=same):
            below[row.holder_id].append(tuple(row)[1:])
        return {
            page_id
            for page_id in same
            if below[page_id] == [tuple(link) for link in (texts[page_id].links if page_id in texts else ())]
        }


def _reads_otherwise(draft: Draft, page: PageRecord) -> bool:
    held = draft.held.get(page.page_id)
    return held is None or any(
        getattr(held, name) != getattr(page, name) for name in ("title", "description", "document_id")
    )


class StoredText(Protocol):
    """A text with what follows from it and is kept beside it."""

    @property
    def body(self) -> str: ...

    @property
    def anchors(self) -> str: ...

    @property
    def conditional(self) -> bool: ...

    @property
    def raw(self) -> bytes | None: ...


async def store_documents(cx: Context, texts: Mapping[str, StoredText], space: Space) -> None:
    """Keep texts by their ids (`documents.document_id`); one that is kept already stays as it is.

    They count as stored for the space.
    """
    cx.stores(space.organization_id, space.id, sum(map(_stored_size, texts.values())))
    await cx.tx.add_many(Document, [_document_row(key, text) for key, text in texts.items()], missing=True)


def _stored_size(text: StoredText) -> int:
    return len(text.body.encode("utf-8", "surrogatepass") if text.raw is None else text.raw)


def _document_row(document_id: str, text: StoredText) -> dict[str, Any]:
    """Return the row of a text; everything else in it follows from the text."""
    return {
        "id": document_id,
        "markdown": text.body,
        "anchors": text.anchors,
        "conditional": text.conditional,
        "raw": text.raw,
    }
