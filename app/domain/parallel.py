"""Preparing large imports in processes beside this one: reading Markdown costs most, and has many cores."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import pickle
from collections import deque
from collections.abc import AsyncIterator, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from tempfile import NamedTemporaryFile

from app.domain.preparing import Prepared, Targets, prepare

Files = list[tuple[str, bytes]]
_targets: Targets


async def prepare_in_processes(chunks: Iterable[Files], targets: Targets) -> AsyncIterator[list[Prepared]]:
    """Prepare chunks in as many processes as there are cores, in order, a few chunks ahead and no more."""
    workers = os.process_cpu_count() if hasattr(os, "process_cpu_count") else len(os.sched_getaffinity(0))
    waiting: deque[asyncio.Future[list[Prepared]]] = deque()
    loop = asyncio.get_running_loop()
    with (
        _handed_over(targets) as path,
        ProcessPoolExecutor(
            workers, multiprocessing.get_context("spawn"), initializer=_know, initargs=(path,)
        ) as pool,
    ):
        for chunk in chunks:
            waiting.append(loop.run_in_executor(pool, _prepare, chunk))
            if len(waiting) > workers * 2:
                yield await waiting.popleft()
        while waiting:
            yield await waiting.popleft()


@contextmanager
def _handed_over(targets: Targets) -> Iterator[str]:
    """The targets in a file of our own: through the pipe each process would be waited for until it runs."""
    with NamedTemporaryFile(prefix="docyard-import-") as file:
        pickle.dump(targets, file, protocol=5)
        file.flush()
        yield file.name


def _know(path: str) -> None:
    global _targets
    with open(path, "rb") as file:
        _targets = pickle.load(file)


def _prepare(chunk: Files) -> list[Prepared]:
    return prepare(chunk, _targets)
