"""Reading the files of an import: the texts that differ from what is held, and what is told of each."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from app.domain.imports.import_records import fill, reusable_record
from app.domain.imports.page_placement import ImportTarget, PlacedPage
from app.domain.revisions.documents import (
    PreparedText,
    SkippedFiles,
    note_broken,
    note_mistakes,
    prepare,
    taken_apart,
)
from app.domain.revisions.drafts import Draft, IncomingText
from app.domain.revisions.link_targets import LinkTargets
from app.formats.markdown.passages import conditions_of
from app.formats.markdown.scanner_syntax import may_be
from app.formats.repository.import_plan import Plan
from app.kit import workers

CHUNK = 50  # files prepared and written together
CHUNK_BYTES = 1 << 20  # or fewer, when together they are longer
Files = list[tuple[str, bytes]]
Preparing = Callable[[Iterable[Files], LinkTargets], AsyncIterator[list[PreparedText]]]
Progress = Callable[[int], None]


async def prepare_here(chunks: Iterable[Files], targets: LinkTargets) -> AsyncIterator[list[PreparedText]]:
    """Prepare in this process, chunk by chunk."""
    for chunk in chunks:
        yield prepare(chunk, targets)


async def prepare_in_thread(
    chunks: Iterable[Files], targets: LinkTargets
) -> AsyncIterator[list[PreparedText]]:
    """Prepare in another thread, chunk by chunk: others go on meanwhile."""
    for chunk in chunks:
        yield await workers.run_long(prepare, chunk, targets)


@dataclass(slots=True)
class PlanTexts:
    """The texts of a plan on their way into a draft, as far as they say anything new.

    `unchanged` are the documents that come as they are held, once `compare` has told them from the others.
    """

    plan: Plan
    host: ImportTarget
    draft: Draft
    placed: Sequence[PlacedPage]
    targets: LinkTargets
    preparing: Preparing
    progress: Progress
    leaving: SkippedFiles = field(default_factory=SkippedFiles)
    unchanged: list[PlacedPage] = field(default_factory=list)
    _pages: dict[str, PlacedPage] = field(default_factory=dict)
    _holders: set[str] = field(default_factory=set)

    @property
    def holders(self) -> Set[str]:
        """Return the pages and reusable contents whose texts come."""
        return self._holders

    @property
    def one_by_one(self) -> bool:
        """Tell whether texts and their links are written one at a time."""
        return self.leaving.one_by_one

    async def compare(self) -> None:
        """Tell documents that come as they are held from the others; bodies are not read for links and text.

        Problems in the front matter of unchanged documents, and conditions in them that cannot be read, go
        to the plan's report.
        """
        for number, page in enumerate(self.placed, 1):
            if page.planned.source is not None:
                is_left = page.source in self.leaving.files
                if is_left or (page.held is not None and await self._is_held(page, page.planned.source)):
                    self.unchanged.append(page)
                else:
                    self._pages[self.host.source(page.planned.source)] = page
                    self._holders.add(page.page_id)
            if number % CHUNK == 0:
                await asyncio.sleep(0)  # others have their turn
        self.progress(len(self.placed) - len(self._pages))

    async def _is_held(self, page: PlacedPage, path: str) -> bool:
        record = self.draft.pages[page.page_id]
        assert record is not None
        taken = taken_apart(self.host.source(path), self.plan.tree.read(path))
        fill(record, taken, self.targets, listed=page.planned.listed)
        if self.draft.is_changed(record):
            return False
        _note(self.plan, taken)
        if may_be(taken.body):
            conditions = await workers.run(len(taken.body), conditions_of, taken.body)
            note_mistakes(self.plan.report, taken.source, taken.front_matter, conditions)
        return True

    async def chunks(self) -> AsyncIterator[list[IncomingText]]:
        """Yield the texts, some at a time; their problems go to the plan's report."""
        titles = {self.host.source(block.source): block.title for block in self.plan.reusable}
        blocks_of = [block.source for block in self.plan.reusable]
        left = self.leaving.files
        async for chunk in self._prepared([each for each in blocks_of if self.host.source(each) not in left]):
            blocks = [self._block(each, titles[each.source]) for each in chunk]
            self.progress(len(chunk))
            yield [each for each in blocks if each is not None]
        sources = [page.planned.source for page in self._pages.values() if page.planned.source]
        async for chunk in self._prepared(sources):
            pages = [self._page(each) for each in chunk]
            self.progress(len(chunk))
            yield pages

    def _block(self, prepared: PreparedText, title: str) -> IncomingText | None:
        """Return a reusable content, unless it comes as it is held."""
        draft, block_id = self.draft, self.targets.reusable[prepared.source]
        record, held = reusable_record(block_id, title, prepared), draft.held_reusable.get(block_id)
        if held is not None and not record.differs(held):
            return None
        draft.reusable[block_id] = record
        self._holders.add(block_id)
        return IncomingText(block_id, prepared)

    def _page(self, prepared: PreparedText) -> IncomingText:
        page = self._pages[prepared.source]
        record = self.draft.pages[page.page_id]
        assert record is not None
        fill(record, prepared, self.targets, listed=page.planned.listed)
        return IncomingText(page.page_id, prepared)

    async def _prepared(self, sources: Sequence[str]) -> AsyncIterator[list[PreparedText]]:
        async for chunk in self.preparing(self._files(sources), self.targets):
            for each in chunk:
                _note(self.plan, each)
            yield chunk

    def _files(self, sources: Sequence[str]) -> Iterator[Files]:
        chunk: Files = []
        length = 0
        for source in sources:
            content = self.plan.tree.read(source)
            chunk.append((self.host.source(source), content))
            length += len(content)
            if len(chunk) == CHUNK or length > CHUNK_BYTES:
                yield chunk
                chunk, length = [], 0
        if chunk:
            yield chunk

    def note_broken(self, broken: Iterable[Any]) -> None:
        """Tell which links lead nowhere, by their rows, of documents that come as they are held.

        Preparing tells it of the others, but for those that enter a page at a place which is not there.
        """
        links: defaultdict[str, list[Any]] = defaultdict(list)
        for link in broken:
            links[link.holder_id].append(link)
        for page in self.unchanged:
            if page.source is not None and page.held is not None and page.page_id in links:
                found = sorted(links[page.page_id], key=lambda link: link.position)
                note_broken(self.plan.report, page.source, page.held.front_matter, found)
        for holder_id, link in self.draft.links.broken_anchors:
            record = self.draft.pages.get(holder_id) or self.draft.reusable.get(holder_id)
            if record is not None and record.source is not None:
                note_broken(self.plan.report, record.source, record.front_matter, [link])


def _note(plan: Plan, found: PreparedText) -> None:
    for problem in found.problems:
        plan.report.add(problem.kind, problem.file, problem.message, problem.line)
