"""Preparing large imports in processes beside this one: reading Markdown costs most, and has many cores.

The one that writes keeps a core busy, so there is a process for each of the others. They run this module
over two pipes, so what only the one that writes needs is imported where it is used.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
from collections import deque
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from typing import IO, TYPE_CHECKING, Any

from app.domain.revisions.documents import PreparedText, prepare
from app.domain.revisions.link_targets import LinkTargets, ResolvedLink
from app.formats.markdown.passages import Passage

if TYPE_CHECKING:
    import asyncio
    import subprocess
    from queue import SimpleQueue

FEW = 4  # chunks that are prepared sooner than processes have started
START = "from app.domain.imports.parallel import serve; serve()"
Files = list[tuple[str, bytes]]
Sent = tuple[Any, ...]


async def prepare_in_processes(
    chunks: Iterable[Files], targets: LinkTargets
) -> AsyncIterator[list[PreparedText]]:
    """Prepare chunks in processes beside this one, in order, a few chunks ahead and no more."""
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
    from concurrent.futures import ThreadPoolExecutor
    from queue import SimpleQueue

    count = max(1, _cores() - 1)
    waiting: deque[asyncio.Future[list[Sent]]] = deque()
    loop = asyncio.get_running_loop()
    idle: SimpleQueue[Helper] = SimpleQueue()
    helpers = [Helper() for _ in range(count)]
    with _set_apart(), _ended(helpers), ThreadPoolExecutor(count, "docyard-import") as threads:
        for helper in helpers:
            idle.put(helper)
        try:
            for chunk in chunks:
                waiting.append(loop.run_in_executor(threads, _ask, idle, targets, chunk))
                if len(waiting) > count:
                    yield _named(await waiting.popleft())
            while waiting:
                yield _named(await waiting.popleft())
        finally:
            threads.shutdown(wait=False, cancel_futures=True)


def _cores() -> int:
    return os.process_cpu_count() if hasattr(os, "process_cpu_count") else len(os.sched_getaffinity(0))


@contextmanager
def _set_apart() -> Iterator[None]:
    """Keep the garbage collector from searching what is there already while much is created."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


@contextmanager
def _ended(helpers: Iterable[Helper]) -> Iterator[None]:
    """End the processes after the block."""
    try:
        yield
    finally:
        for helper in helpers:
            helper.end()


def _ask(idle: SimpleQueue[Helper], targets: LinkTargets, chunk: Files) -> list[Sent]:
    """Have a chunk prepared; there is a process for each thread that asks."""
    helper = idle.get()
    try:
        return helper.prepare(targets, chunk)
    finally:
        idle.put(helper)


class Helper:
    """A process that prepares files, and answers what it is asked one after another."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def prepare(self, targets: LinkTargets, chunk: Files) -> list[Sent]:
        """Return the prepared pages as plain tuples; blocking.

        Raises what preparing them raises, and ChildProcessError where the process is gone.
        """
        process = self._process or self._start(targets)
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            _send(process.stdin, chunk)
            answer: list[Sent] | Exception = pickle.load(process.stdout)
        except (EOFError, OSError, pickle.UnpicklingError) as error:
            raise ChildProcessError("A process that prepared files of an import has ended.") from error
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _start(self, targets: LinkTargets) -> subprocess.Popen[bytes]:
        import subprocess

        surroundings = {**os.environ, "PYTHONPATH": os.pathsep.join(path or os.curdir for path in sys.path)}
        command = [sys.executable, "-c", START]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=surroundings
        )
        assert self._process.stdin is not None
        _send(self._process.stdin, targets)
        return self._process

    def end(self) -> None:
        """End the process, if there is one."""
        if self._process is not None:
            self._process.kill()
            with self._process:
                pass  # its pipes are closed, and its end is waited for


def serve() -> None:
    """Prepare what the standard input has, until its end: the targets first, then chunk after chunk."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started it ends it
    asked, answers = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr
    targets: LinkTargets = pickle.load(asked)
    gc.freeze()
    while True:
        try:
            chunk: Files = pickle.load(asked)
        except EOFError:
            return
        try:
            _send(answers, _prepare(chunk, targets))
        except Exception as error:
            _send(answers, error)


def _send(pipe: IO[bytes], what: object) -> None:
    pickle.dump(what, pipe, protocol=5)
    pipe.flush()


def _prepare(chunk: Files, targets: LinkTargets) -> list[Sent]:
    """Return prepared pages as plain tuples: named ones take twice as long between processes."""
    return [
        (*page[:-3], [tuple(link) for link in page.links], [tuple(each) for each in page.passages], page[-1])
        for page in prepare(chunk, targets)
    ]


def _named(chunk: list[Sent]) -> list[PreparedText]:
    return [
        PreparedText._make(
            (*page, [*map(ResolvedLink._make, links)], [*map(Passage._make, passages)], problems)
        )
        for *page, links, passages, problems in chunk
    ]
