"""Writers who wait for one place on PostgreSQL share a transaction, and each is answered for itself."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import pytest
from sqlalchemy import func, select

from app.kit import counts
from app.kit.database import postgres_groups
from app.kit.database.engines import open_database
from app.kit.database.interface import Clash, Database, Transaction
from app.kit.database.postgres_groups import MOST
from app.kit.database.statements import given, query, rows, table
from app.kit.database_timeouts import Timeouts
from app.kit.errors import Unavailable
from app.models.service import Fact
from tests.databases import migrated_on
from tests.timing import TIMEOUT

PLACE = frozenset({"a place"})
WRITERS = 6
FACTS = table(Fact)
_FACT = query(Fact, lambda: select(*FACTS.c).where(FACTS.c.name == given("name")))
_FOUND = rows(lambda: select(FACTS.c.name).where(FACTS.c.name.like("w%")).order_by(FACTS.c.name))
_SLEEP = rows(lambda: select(func.pg_sleep(60)))
_OWN = rows(lambda: select(func.pg_backend_pid().label("pid")))
_END_OWN = rows(lambda: select(func.pg_terminate_backend(func.pg_backend_pid())))
Act = Callable[[Transaction], Awaitable[None]]


@pytest.fixture(autouse=True)
def _unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is, there is time for all of a group."""
    monkeypatch.setattr(postgres_groups, "LONGEST", TIMEOUT)


@pytest.fixture(scope="module")
def address(postgres_server: str) -> str:
    return migrated_on(postgres_server)


def run(address: str, scenario: Callable[[Database], Awaitable[None]], **options: Any) -> None:
    async def bounded() -> None:
        connection = await asyncpg.connect(address)
        await connection.execute("DELETE FROM fact WHERE name LIKE 'w%'")
        await connection.close()
        db = open_database(address, **options)
        try:
            async with asyncio.timeout(TIMEOUT):
                await scenario(db)
        finally:
            await db.close()

    asyncio.run(bounded())


def write(db: Database, act: Act) -> asyncio.Task[None]:
    return asyncio.create_task(db.write(act, likely_keys=PLACE, alone=True))


def put(name: str, runs: Counter[str] | None = None, *, then: Act | None = None) -> Act:
    """A call that adds a fact, and counts how often it ran."""

    async def act(tx: Transaction) -> None:
        if runs is not None:
            runs[name] += 1
        await tx.add(Fact, name=name, value="new")
        if then is not None:
            await then(tx)

    return act


def end(address: str, process: int) -> None:
    """End a connection to a database, and wait for its end."""

    async def terminate() -> None:
        connection = await asyncpg.connect(address)
        await connection.execute(f"SELECT pg_terminate_backend({process}, 30000)")
        await connection.close()

    asyncio.run(terminate())


async def names(db: Database) -> list[str]:
    return [row.name for row in await db.all(_FOUND)]


async def ended(tasks: list[asyncio.Task[None]]) -> list[type | None]:
    """How the tasks end: without an error, or with one of this type."""
    found = await asyncio.gather(*tasks, return_exceptions=True)
    return [None if each is None else type(each) for each in found]


@asynccontextmanager
async def behind(db: Database, *acts: Act) -> AsyncIterator[list[asyncio.Task[None]]]:
    """Writers who all came while somebody wrote at the place, who goes when the block ends."""
    holds, free = asyncio.Event(), asyncio.Event()

    async def hold(tx: Transaction) -> None:
        holds.set()
        await free.wait()

    holder = write(db, hold)
    await holds.wait()
    tasks = [write(db, act) for act in acts]
    await asyncio.sleep(0)
    yield tasks
    free.set()
    await holder


def test_those_who_wait_share_a_commit(address: str) -> None:
    async def scenario(db: Database) -> None:
        before = counts.transactions["commits"]
        async with behind(db, *(put(f"w{n:02}") for n in range(MOST))) as tasks:
            pass
        assert await ended(tasks) == [None] * MOST
        assert counts.transactions["commits"] == before + 2
        assert await names(db) == [f"w{n:02}" for n in range(MOST)]

    run(address, scenario)


@pytest.mark.parametrize("failing", [{0}, {2, 3}, {WRITERS - 1}, {0, WRITERS - 1}, set(range(WRITERS))])
@pytest.mark.parametrize("kind", [LookupError, Clash])
def test_who_fails_is_undone_and_takes_nobody_along(
    address: str, failing: set[int], kind: type[Exception]
) -> None:
    runs: Counter[str] = Counter()

    async def refuse(tx: Transaction) -> None:
        raise kind("as asked")

    async def clash(tx: Transaction) -> None:
        await tx.add(Fact, name="w taken", value="again")

    async def scenario(db: Database) -> None:
        await write(db, put("w taken"))
        then = clash if kind is Clash else refuse
        acts = [put(f"w{n}", runs, then=then if n in failing else None) for n in range(WRITERS)]
        async with behind(db, *acts) as tasks:
            pass
        assert await ended(tasks) == [kind if n in failing else None for n in range(WRITERS)]
        kept = [f"w{n}" for n in range(WRITERS) if n not in failing]
        assert await names(db) == ["w taken", *kept]
        assert {name: runs[name] for name in kept} == dict.fromkeys(kept, 1)

    run(address, scenario)


def test_each_sees_what_those_before_it_did_and_nothing_that_was_undone(address: str) -> None:
    async def scenario(db: Database) -> None:
        seen: list[list[str]] = []

        async def look(tx: Transaction) -> None:
            seen.append([row.name for row in await tx.all(_FOUND)])

        async def refuse(tx: Transaction) -> None:
            raise LookupError

        async with behind(db, put("w1"), put("w2", then=refuse), look, put("w3"), look) as tasks:
            pass
        assert await ended(tasks) == [None, LookupError, None, None, None]
        assert seen == [["w1"], ["w1", "w3"]]

    run(address, scenario)


def test_what_was_committed_before_somebody_asked_is_seen(address: str) -> None:
    """Whoever comes while others share a transaction does not join it: it may be older than their reasons."""

    async def scenario(db: Database) -> None:
        late: list[asyncio.Task[None]] = []
        seen: list[list[str]] = []

        async def look(tx: Transaction) -> None:
            seen.append([row.name for row in await tx.all(_FOUND)])

        async def meanwhile(tx: Transaction) -> None:
            await db.write(put("w elsewhere"))
            late.append(write(db, look))
            await asyncio.sleep(0)

        async with behind(db, put("w1", then=meanwhile), look, put("w2")) as tasks:
            pass
        assert [await ended(each) for each in (tasks, late)] == [[None] * 3, [None]]
        assert seen == [["w1"], ["w elsewhere", "w1", "w2"]]

    run(address, scenario)


def test_who_meets_a_newer_row_starts_again_alone(address: str) -> None:
    runs: Counter[str] = Counter()

    async def scenario(db: Database) -> None:
        await db.write(put("w row"))

        async def change(tx: Transaction) -> None:
            if runs["w1"] == 1:  # what it sees is older than this
                await db.write(lambda other: other.put(Fact, {"value": "theirs"}, name="w row"))
            (found,) = await tx.all(_FACT, name="w row")
            await tx.put(Fact, {"value": f"{found.value}, ours"}, name="w row")

        acts = [put("w0", runs), put("w1", runs, then=change), put("w2", runs)]
        async with behind(db, *acts) as tasks:
            pass
        assert await ended(tasks) == [None] * 3
        assert runs == {"w0": 1, "w1": 2, "w2": 1}
        assert [row.value for row in await db.all(_FACT, name="w row")] == ["theirs, ours"]
        assert await names(db) == ["w row", "w0", "w1", "w2"]

    run(address, scenario)


def test_who_is_not_answered_in_time_is_told_so_and_the_others_go_on(address: str) -> None:
    async def scenario(db: Database) -> None:
        await db.write(put("w row"))
        elsewhere = await asyncpg.connect(address)
        await elsewhere.execute("BEGIN; SELECT FROM fact WHERE name = 'w row' FOR UPDATE")

        async def change(tx: Transaction) -> None:
            await tx.put(Fact, {"value": "ours"}, name="w row")

        async with behind(db, put("w0"), put("w1", then=change), put("w2"), put("w3")) as tasks:
            pass
        assert await ended(tasks) == [None, Unavailable, None, None]
        await elsewhere.close()
        assert await names(db) == ["w row", "w0", "w2", "w3"]

    run(address, scenario, timeouts=Timeouts(statement=0.5))


@pytest.mark.parametrize("gone", [0, 2, WRITERS - 1])
@pytest.mark.parametrize("has_begun", [False, True])
def test_who_goes_away_takes_nobody_along(address: str, gone: int, has_begun: bool) -> None:
    async def scenario(db: Database) -> None:
        sleeps = asyncio.Event()

        async def sleep(tx: Transaction) -> None:
            sleeps.set()
            await tx.all(_SLEEP)

        acts = [put(f"w{n}", then=sleep if n == gone else None) for n in range(WRITERS)]
        async with behind(db, *acts) as tasks:
            if not has_begun:
                tasks[gone].cancel()
        if has_begun:
            await sleeps.wait()
            tasks[gone].cancel()
        expected = [asyncio.CancelledError if n == gone else None for n in range(WRITERS)]
        assert await ended(tasks) == expected
        assert await names(db) == [f"w{n}" for n in range(WRITERS) if n != gone]

    run(address, scenario, timeouts=Timeouts(statement=60))


def test_all_start_again_where_their_connection_breaks(address: str) -> None:
    runs: Counter[str] = Counter()

    async def scenario(db: Database) -> None:
        async def cut(tx: Transaction) -> None:
            if runs["w2"] == 1:
                await tx.all(_END_OWN)

        acts = [put(f"w{n}", runs, then=cut if n == 2 else None) for n in range(WRITERS)]
        async with behind(db, *acts) as tasks:
            pass
        assert await ended(tasks) == [None] * WRITERS
        assert await names(db) == [f"w{n}" for n in range(WRITERS)]
        assert runs == {f"w{n}": 2 if n <= 2 else 1 for n in range(WRITERS)}

    run(address, scenario)


def test_nobody_is_run_again_where_the_connection_breaks_at_the_commit(address: str) -> None:
    runs: Counter[str] = Counter()

    async def scenario(db: Database) -> None:
        async def cut(tx: Transaction) -> None:
            (own,) = await tx.all(_OWN)
            with ThreadPoolExecutor(1) as elsewhere:  # the loop does not hear of it before it commits
                elsewhere.submit(end, address, own.pid).result()

        acts = [put("w0", runs), put("w1", runs), put("w2", runs, then=cut)]
        async with behind(db, *acts) as tasks:
            pass
        assert await ended(tasks) == [Unavailable] * 3
        assert runs == {"w0": 1, "w1": 1, "w2": 1}
        assert await names(db) == []
        await write(db, put("w after"))
        assert await names(db) == ["w after"]

    run(address, scenario)


def test_writers_of_two_processes_at_one_place_are_served_one_after_another(address: str) -> None:
    async def scenario(db: Database) -> None:
        await db.write(put("w count"))
        await db.write(lambda tx: tx.put(Fact, {"value": "0"}, name="w count"))

        async def count(tx: Transaction) -> None:
            (found,) = await tx.all(_FACT, name="w count")
            await asyncio.sleep(0.002)
            await tx.put(Fact, {"value": str(int(found.value) + 1)}, name="w count")

        other = open_database(address)
        before = counts.transactions["commits"]
        try:
            await asyncio.gather(*(write(each, count) for _ in range(20) for each in (db, other)))
        finally:
            await other.close()
        assert [row.value for row in await db.all(_FACT, name="w count")] == ["40"]
        assert counts.transactions["commits"] - before < 20
        assert await names(db) == ["w count"]

    run(address, scenario)


def test_jobs_share_with_nobody(address: str) -> None:
    """They may take minutes, for which others would wait for their answers."""
    from app.kit.database_timeouts import unhurried

    async def scenario(db: Database) -> None:
        before = counts.transactions["commits"]
        async with behind(db) as _:
            with unhurried():
                tasks = [write(db, put(f"w{n}")) for n in range(3)]
            await asyncio.sleep(0)
        assert await ended(tasks) == [None] * 3
        assert counts.transactions["commits"] == before + 4

    run(address, scenario)
