"""Documents are set a few at once, each once, and kept within bounds."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from app.domain.pdf import pdf_queue
from app.domain.pdf.pdf_queue import PdfQueue, Stopped
from app.kit.errors import TooLarge, Unavailable


class Work:
    """Runs that last until they are let go, and what they did."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.running = self.most = 0
        self.go = asyncio.Event()

    def run(self, name: str, document: bytes = b"x") -> Callable[[Stopped], Awaitable[bytes]]:
        async def run(stopped: Stopped) -> bytes:
            self.running += 1
            self.most = max(self.most, self.running)
            while not self.go.is_set() and not stopped():
                await asyncio.sleep(0)
            self.running -= 1
            self.done.append(name)
            return document

        return run


async def _settled() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


def test_as_many_run_at_once_as_may_and_each_once() -> None:
    async def try_it() -> None:
        work, here = Work(), PdfQueue(2)
        names = ["a", "b", "c", "a", "b", "a"]
        waiting = [asyncio.create_task(here.get(name, work.run(name, name.encode()))) for name in names]
        await _settled()
        assert work.running == 2
        work.go.set()
        assert await asyncio.gather(*waiting) == [name.encode() for name in names]
        assert (work.most, sorted(work.done)) == (2, ["a", "b", "c"])
        assert await here.get("a", work.run("again")) == b"a"
        assert "again" not in work.done

    asyncio.run(try_it())


def test_who_goes_away_takes_nothing_from_the_others() -> None:
    async def try_it() -> None:
        work, here = Work(), PdfQueue(1)
        first, second = (asyncio.create_task(here.get("a", work.run("a"))) for _ in range(2))
        await _settled()
        first.cancel()
        work.go.set()
        assert await second == b"x"
        assert work.done == ["a"]

    asyncio.run(try_it())


def test_nobody_waits_too_long_and_nothing_is_lost_by_that(monkeypatch: pytest.MonkeyPatch) -> None:
    async def try_it() -> None:
        work, here = Work(), PdfQueue(1)
        with monkeypatch.context() as patch:
            patch.setattr(pdf_queue, "PATIENCE", 0.01)
            with pytest.raises(Unavailable, match="still being set"):
                await here.get("a", work.run("a"))
        work.go.set()
        await _settled()
        assert await here.get("a", work.run("b")) == b"x"
        assert work.done == ["a"]

    asyncio.run(try_it())


def test_not_everybody_may_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_queue, "MOST_WAITING", 2)

    async def try_it() -> None:
        work, here = Work(), PdfQueue(1)
        waiting = [asyncio.create_task(here.get(name, work.run(name))) for name in "ab"]
        await _settled()
        with pytest.raises(Unavailable, match="Too many"):
            await here.get("c", work.run("c"))
        joined = asyncio.create_task(here.get("a", work.run("a")))
        await _settled()
        work.go.set()
        assert await asyncio.gather(*waiting, joined) == [b"x"] * 3

    asyncio.run(try_it())


def test_what_is_kept_is_bounded_by_its_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_queue, "KEPT", 10)

    async def try_it() -> None:
        work, here = Work(), PdfQueue(1)
        work.go.set()
        for name in "ab":
            await here.get(name, work.run(name, b"12345"))
        await here.get("a", work.run("a"))  # used last
        await here.get("c", work.run("c", b"1"))
        work.done.clear()
        for name in "acb":
            await here.get(name, work.run(name))
        assert work.done == ["b"]
        assert await here.get("large", work.run("large", b"1" * 11)) == b"1" * 11
        work.done.clear()
        await here.get("large", work.run("large", b"1" * 11))
        assert work.done == ["large"]

    asyncio.run(try_it())


def test_refusals_for_good_are_remembered_and_others_are_not() -> None:
    async def try_it() -> None:
        here, runs = PdfQueue(1), []

        def refusing(refusal: Exception) -> Callable[[Stopped], Awaitable[bytes]]:
            async def run(_stopped: Stopped) -> bytes:
                runs.append(refusal)
                raise refusal

            return run

        for _ in range(2):
            with pytest.raises(TooLarge, match="much"):
                await here.get("a", refusing(TooLarge("much")))
            with pytest.raises(ZeroDivisionError):
                await here.get("b", refusing(ZeroDivisionError()))
        assert len(runs) == 3

    asyncio.run(try_it())


def test_closing_stops_what_runs_and_begins_nothing() -> None:
    async def try_it() -> None:
        work, here = Work(), PdfQueue(1)
        running, waiting = (asyncio.create_task(here.get(name, work.run(name))) for name in "ab")
        await _settled()
        await here.close()
        assert await running == b"x"
        with pytest.raises(Unavailable, match="stopping"):
            await waiting
        with pytest.raises(Unavailable):
            await here.get("c", work.run("c"))
        assert work.done == ["a"]

    asyncio.run(try_it())
