"""Preparing large imports in processes beside this one: reading Markdown costs most, and has many cores.

The processes import this module, so what only the one that writes needs is imported where it is used.
"""

from __future__ import annotations

import gc
import os
import pickle
from collections import deque
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Any

from app.domain.revisions.documents import PreparedText, prepare
from app.domain.revisions.link_targets import LinkTargets, ResolvedLink
from app.formats.markdown.passages import Passage

if TYPE_CHECKING:
    import asyncio

FEW = 4  # chunks that are prepared sooner than processes have started
Files = list[tuple[str, bytes]]
Sent = tuple[Any, ...]
_targets: LinkTargets


async def prepare_in_processes(
    chunks: Iterable[Files], targets: LinkTargets
) -> AsyncIterator[list[PreparedText]]:
    """Prepare chunks in as many processes as there are cores, in order, a few chunks ahead and no more."""
    chunks = iter(chunks)
    first = list(islice(chunks, FEW))
    if len(first) < FEW:
        for chunk in first:
            yield prepare(chunk, targets)
        return
    async for prepared in _in_processes(chain(first, chunks), targets):
        yield prepared


async def _in_processes(chunks: Iterator[Files], targets: LinkTargets) -> AsyncIterator[list[PreparedText]]:
    import asyncio
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    workers = os.process_cpu_count() if hasattr(os, "process_cpu_count") else len(os.sched_getaffinity(0))
    waiting: deque[asyncio.Future[list[Sent]]] = deque()
    loop = asyncio.get_running_loop()
    with (
        _set_apart(),
        _handed_over(targets) as path,
        ProcessPoolExecutor(
            workers, multiprocessing.get_context("spawn"), initializer=_know, initargs=(path,)
        ) as pool,
    ):
        for chunk in chunks:
            waiting.append(loop.run_in_executor(pool, _prepare, chunk))
            if len(waiting) > workers:
                yield _named(await waiting.popleft())
        while waiting:
            yield _named(await waiting.popleft())


@contextmanager
def _set_apart() -> Iterator[None]:
    """Keep the garbage collector from searching what is there already while much is created."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


@contextmanager
def _handed_over(targets: LinkTargets) -> Iterator[str]:
    """Write the targets to a temporary file: through the pipe,
    each process would be waited for until it runs.
    """
    with NamedTemporaryFile(prefix="docyard-import-") as file:
        pickle.dump(targets, file, protocol=5)
        file.flush()
        yield file.name


def _know(path: str) -> None:
    global _targets
    with open(path, "rb") as file:
        _targets = pickle.load(file)


def _prepare(chunk: Files) -> list[Sent]:
    """Return prepared pages as plain tuples: named ones take twice as long between processes."""
    return [
        (*page[:-3], [tuple(link) for link in page.links], [tuple(each) for each in page.passages], page[-1])
        for page in prepare(chunk, _targets)
    ]


def _named(chunk: list[Sent]) -> list[PreparedText]:
    return [
        PreparedText._make(
            (*page, [*map(ResolvedLink._make, links)], [*map(Passage._make, passages)], problems)
        )
        for *page, links, passages, problems in chunk
    ]
