"""The worker pool: small work stays, long work leaves the event loop, and all of it ends."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from pathlib import Path

import pytest
from sqlalchemy import ColumnElement, literal, select

from app.kit import callers, workers
from app.kit.callers import CallerConnection, Message
from app.kit.database.statements import Compiled, rows
from app.kit.deadlines import Deadline, check, until
from app.kit.errors import Disconnected, OverBudget, Unavailable
from tests.timing import TIMEOUT

SMALL, LARGE = 100, workers.SMALL + 1


class Endless:
    """Work that never ends by itself, and tells where it ran."""

    def __init__(self) -> None:
        self.began = threading.Event()
        self.ended = threading.Event()
        self.threads: list[str] = []

    def __call__(self) -> None:
        self.threads.append(threading.current_thread().name.rpartition("_")[0])
        self.began.set()
        try:
            while True:
                check()
        finally:
            self.ended.set()


def where() -> str:
    """The thread that this runs in."""
    return threading.current_thread().name.rpartition("_")[0]


async def _settled(event: threading.Event) -> None:
    assert await asyncio.to_thread(event.wait, TIMEOUT)


def test_small_work_stays_on_the_event_loop() -> None:
    async def asked() -> list[str]:
        return [await workers.run(size, where) for size in (SMALL, workers.INLINE + 1, LARGE)]

    assert asyncio.run(asked()) == ["", "docyard-small", "docyard-large"]


def test_trees_and_what_is_made_once_have_threads_of_their_own() -> None:
    async def asked() -> list[str]:
        return [await workers.run_long(where), await workers.prepare(where)]

    assert asyncio.run(asked()) == ["docyard-trees", "docyard-once"]


def test_a_statement_is_compiled_apart_from_the_event_loop_and_once() -> None:
    threads: list[str] = []

    def build() -> ColumnElement[int]:
        threads.append(where())
        return literal(1)

    async def asked() -> list[Compiled]:
        statement = rows(lambda: select(build()))
        return [await statement.prepared("sqlite") for _ in range(2)]

    first, second = asyncio.run(asked())
    assert first is second
    assert threads == ["docyard-once"]


def test_what_is_made_once_is_made_though_the_caller_goes_away() -> None:
    async def left() -> str:
        caller, gone = _from([_part(b"asked")])
        callers.connection.set(caller)
        gone.set()
        return await workers.prepare(where)

    assert asyncio.run(left()) == "docyard-once"


def test_errors_of_the_work_are_the_callers() -> None:
    async def asked(size: int) -> None:
        with pytest.raises(ZeroDivisionError):
            await workers.run(size, lambda: 1 / 0)

    for size in (SMALL, LARGE):
        asyncio.run(asked(size))


def test_what_is_short_and_takes_long_moves_on_until_its_time_is_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(workers, "SHORT", 0.1)
    work = Endless()
    with pytest.raises(OverBudget):
        asyncio.run(workers.run(SMALL, work, seconds=0.3))
    assert work.threads == ["", "docyard-small", "docyard-large"]


def test_much_small_work_does_not_hold_the_event_loop_up() -> None:
    def worked() -> str:
        with until(deadline := Deadline(workers.MOMENT / 2)):
            while deadline.used < workers.MOMENT / 3:
                check()
        return where()

    async def asked() -> list[str]:
        first = [await workers.run(SMALL, worked) for _ in range(6)]
        await asyncio.sleep(0)
        return [*first, await workers.run(SMALL, worked)]

    threads = asyncio.run(asked())
    assert threads[:2] == ["", ""]
    assert threads[2:6].count("docyard-small") >= 1
    assert threads[6] == ""


def test_the_event_loop_goes_on_meanwhile() -> None:
    async def turns() -> int:
        work = asyncio.ensure_future(workers.run(SMALL, Endless(), seconds=0.3))
        turns = 0
        while not work.done():
            await asyncio.sleep(0)
            turns += 1
        with pytest.raises(OverBudget):
            await work
        return turns

    assert asyncio.run(turns()) > 10


def test_who_asks_for_a_module_that_is_loading_waits_and_the_event_loop_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "let_it_load", (go_on := threading.Event()), raising=False)
    (tmp_path / "slow_to_load.py").write_text("import sys; sys.let_it_load.wait(60)")

    async def asked() -> None:
        first = asyncio.ensure_future(workers.load("slow_to_load"))
        while "slow_to_load" not in sys.modules:
            await asyncio.sleep(0)
        others = [
            asyncio.ensure_future(workers.load("slow_to_load")) for _ in range(2 * workers.MOST_WAITING)
        ]
        for _ in range(10):
            await asyncio.sleep(0)
        assert not any(each.done() for each in (first, *others))
        go_on.set()
        await asyncio.gather(first, *others)

    asyncio.run(asked())


def test_time_that_others_had_does_not_count() -> None:
    with until(Deadline(0.1)):
        time.sleep(0.2)
        check()


def test_a_cancelled_task_ends_its_work() -> None:
    async def cancelled(work: Endless) -> None:
        task = asyncio.ensure_future(workers.run(LARGE, work, seconds=TIMEOUT))
        await _settled(work.began)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await _settled(work.ended)

    asyncio.run(cancelled(Endless()))


def _from(messages: list[Message]) -> tuple[CallerConnection, asyncio.Event]:
    """A connection on which these messages arrive, and then, once the event is set, its end."""
    gone = asyncio.Event()

    async def receive() -> Message:
        if messages:
            return messages.pop(0)
        await gone.wait()
        return {"type": "http.disconnect"}

    return CallerConnection(receive), gone


def _part(body: bytes, *, more: bool = False) -> Message:
    return {"type": "http.request", "body": body, "more_body": more}


def test_a_caller_who_goes_away_ends_the_work() -> None:
    async def left(work: Endless) -> Message:
        caller, gone = _from([_part(b"asked")])
        callers.connection.set(caller)
        task = asyncio.ensure_future(workers.run(LARGE, work, seconds=TIMEOUT))
        await _settled(work.began)
        gone.set()
        with pytest.raises(Disconnected):
            await task
        await _settled(work.ended)
        return await caller.receive()

    assert asyncio.run(left(Endless()))["body"] == b"asked"


def test_a_body_on_its_way_is_left_to_its_reader() -> None:
    async def asked() -> list[bytes]:
        caller, _ = _from([_part(b"one", more=True), _part(b"two")])
        callers.connection.set(caller)
        assert await workers.run(LARGE, where) == "docyard-large"
        return [(await caller.receive())["body"] for _ in range(2)]

    assert asyncio.run(asked()) == [b"one", b"two"]


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> workers.ThreadPool:
    """A lane of one thread with room for one piece of work that waits."""
    monkeypatch.setattr(workers.limits, "threads", 1)
    return workers.ThreadPool("narrow", workers.limits.threads + 1)


def test_only_so_much_waits(narrow: workers.ThreadPool) -> None:
    async def asked() -> None:
        first, second = Endless(), Endless()
        running = [asyncio.ensure_future(narrow.run(Deadline(TIMEOUT), work)) for work in (first, second)]
        await _settled(first.began)
        with pytest.raises(Unavailable):
            await narrow.run(Deadline(TIMEOUT), where)
        for task in running:
            task.cancel()
        await asyncio.wait(running)
        assert not second.began.is_set()
        assert await narrow.run(Deadline(TIMEOUT), where) == "docyard-narrow"

    asyncio.run(asked())


def test_what_waited_for_too_long_is_refused(
    narrow: workers.ThreadPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def asked() -> None:
        first = Endless()
        running = asyncio.ensure_future(narrow.run(Deadline(TIMEOUT), first))
        await _settled(first.began)
        monkeypatch.setattr(workers, "PATIENCE", -1.0)
        second = asyncio.ensure_future(narrow.run(Deadline(TIMEOUT), where))
        await asyncio.sleep(0)
        running.cancel()
        with pytest.raises(Unavailable):
            await second

    asyncio.run(asked())
