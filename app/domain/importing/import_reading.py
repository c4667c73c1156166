"""Reading the files of an import: which documents differ from what is held, and what is told of each."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.content.conditional import conditions_of, may_be
from app.content.repository.plan import Plan
from app.domain.writing.import_rows import differs, page_row
from app.domain.writing.placing import Host, Placed
from app.domain.writing.preparing import Prepared, Targets, note_broken, note_mistakes, prepare, taken_apart

CHUNK = 50  # files prepared and written together
CHUNK_BYTES = 1 << 20  # or fewer, when together they are longer
Files = list[tuple[str, bytes]]
Preparing = Callable[[Iterable[Files], Targets], AsyncIterator[list[Prepared]]]


async def prepare_here(chunks: Iterable[Files], targets: Targets) -> AsyncIterator[list[Prepared]]:
    """Prepare in this process, chunk by chunk."""
    for chunk in chunks:
        yield prepare(chunk, targets)


async def prepare_in_thread(chunks: Iterable[Files], targets: Targets) -> AsyncIterator[list[Prepared]]:
    """Prepare in another thread, chunk by chunk: others go on meanwhile."""
    for chunk in chunks:
        yield await asyncio.to_thread(prepare, chunk, targets)


@dataclass(slots=True)
class News:
    """Documents by whether they differ from what is held: paths of those that do, pages of the others."""

    sources: list[str] = field(default_factory=list)
    unchanged: list[Placed] = field(default_factory=list)


async def news(plan: Plan, host: Host, placed: Sequence[Placed], line_id: str, targets: Targets) -> News:
    """Tell documents that come as they are held from the others; bodies are not read for links and text.

    Problems in the front matter of unchanged documents, and conditions in them that cannot be read, go to
    the plan's report.
    """
    found = News()
    for number, page in enumerate(placed, 1):
        path = page.planned.source
        if path is not None:
            same = page.held is not None and await _is_held(plan, host, page, path, line_id, targets)
            found.unchanged.append(page) if same else found.sources.append(path)
        if number % CHUNK == 0:
            await asyncio.sleep(0)  # others have their turn
    return found


async def _is_held(plan: Plan, host: Host, page: Placed, path: str, line_id: str, targets: Targets) -> bool:
    taken = taken_apart(host.source(path), plan.tree.read(path))
    if differs(page.held, page_row(line_id, 0, page, taken, targets)):
        return False
    _note(plan, taken)
    if may_be(taken.body):
        conditions = await asyncio.to_thread(conditions_of, taken.body)
        note_mistakes(plan.report, taken.source, taken.front_matter, conditions)
    return True


async def prepared(
    plan: Plan, host: Host, sources: Sequence[str], targets: Targets, preparing: Preparing
) -> AsyncIterator[list[Prepared]]:
    """The files ready to store, chunk by chunk; their problems go to the plan's report."""
    async for chunk in preparing(_chunks(plan, host, sources), targets):
        for each in chunk:
            _note(plan, each)
        yield chunk


def note_broken_links(plan: Plan, unchanged: Sequence[Placed], broken: Sequence[Any]) -> None:
    """Tell which links of unchanged documents lead nowhere, as preparing tells it of the others."""
    links: defaultdict[str, list[Any]] = defaultdict(list)
    for link in sorted(broken, key=lambda link: link.position):
        links[link.page_id].append(link)
    for page in unchanged:
        if page.source is not None and page.held is not None and page.page_id in links:
            note_broken(plan.report, page.source, page.held.front_matter, links[page.page_id])


def _chunks(plan: Plan, host: Host, sources: Sequence[str]) -> Iterator[Files]:
    chunk: Files = []
    length = 0
    for source in sources:
        content = plan.tree.read(source)
        chunk.append((host.source(source), content))
        length += len(content)
        if len(chunk) == CHUNK or length > CHUNK_BYTES:
            yield chunk
            chunk, length = [], 0
    if chunk:
        yield chunk


def _note(plan: Plan, found: Prepared) -> None:
    for problem in found.problems:
        plan.report.add(problem.kind, problem.file, problem.message, problem.line)
