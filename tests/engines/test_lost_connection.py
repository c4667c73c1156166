"""Connections that PostgreSQL closes: reads go on, writes start again or say that nobody knows."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from threading import Event, Thread

import asyncpg
import pytest

from app.access.audit_actions import AuditAction
from app.access.context import Actor, Context
from app.kit.database.engines import open_database
from app.kit.database.statements import rows, table
from app.kit.errors import Unavailable
from app.kit.settings import Settings
from app.kit.signing import Signer
from app.models.service import Fact
from app.runtime import Runtime
from tests import make
from tests.databases import migrated_on
from tests.instance import running

ACTION = AuditAction("job", "test")

Act = Callable[[Context], Awaitable[None]]
FACTS = table(Fact)
_ALL = rows(lambda: FACTS.select().order_by(FACTS.c.name))
_CUT_OFF = """
SELECT count(pg_terminate_backend(pid, 30000)) FROM pg_stat_activity
WHERE datname = current_database() AND backend_type = 'client backend' AND application_name <> 'scissors'
"""


@pytest.fixture(scope="module")
def upgraded(postgres_server: str) -> str:
    """A database with tables."""
    return migrated_on(postgres_server)


@pytest.fixture
def prepared(upgraded: str) -> str:
    """The same without the connections of those before: the server ends them some time after their end."""
    cut_off(upgraded)
    return upgraded


def cut_off(database: str) -> int:
    """End every connection to a database and count them; the caller's loop does not notice meanwhile."""

    async def end() -> int:
        own = await asyncpg.connect(database, server_settings={"application_name": "scissors"})
        ended: int = await own.fetchval(_CUT_OFF)
        await own.close()
        return ended

    with ThreadPoolExecutor(1) as elsewhere:
        return elsewhere.submit(asyncio.run, end()).result()


@asynccontextmanager
async def opened(database: str) -> AsyncIterator[Runtime]:
    db = open_database(database)
    yield Runtime(db, Settings(database=database), Signer(b""))
    await db.close()


def put(name: str, *disturbances: Act) -> tuple[Act, list[str]]:
    """A write whose first runs end in a disturbance each, and the list of its runs."""
    runs: list[str] = []
    left = list(disturbances)

    async def call(cx: Context) -> None:
        runs.append(name)
        await cx.tx.add(Fact, name=name, value="x")
        if left:
            await left.pop()(cx)

    return call, runs


async def stored(runtime: Runtime, name: str) -> int:
    return [fact.name for fact in await runtime.db.all(_ALL)].count(name)


def test_a_read_on_a_closed_connection_is_tried_on_another(prepared: str) -> None:
    async def scenario() -> None:
        async with opened(prepared) as runtime:
            await runtime.db.all(_ALL)
            for _ in range(3):
                assert cut_off(prepared) == 1
                await runtime.db.all(_ALL)

    asyncio.run(scenario())


def test_a_write_on_a_closed_connection_starts_again(prepared: str) -> None:
    async def scenario() -> None:
        async with opened(prepared) as runtime:
            await runtime.db.all(_ALL)
            assert cut_off(prepared) == 1
            call, runs = put("closed before")
            await runtime.write(Actor(""), call, ACTION)
            assert (len(runs), await stored(runtime, "closed before")) == (1, 1)

    asyncio.run(scenario())


def test_a_write_cut_off_half_way_starts_again(prepared: str) -> None:
    async def unnoticed(cx: Context) -> None:
        cut_off(prepared)
        await cx.tx.all(_ALL)

    async def scenario() -> None:
        async with opened(prepared) as runtime:
            call, runs = put("half way", unnoticed, unnoticed)
            await runtime.write(Actor(""), call, ACTION)
            assert (len(runs), await stored(runtime, "half way")) == (3, 1)

    asyncio.run(scenario())


def test_a_write_starts_again_if_the_loss_is_known_before_the_commit(prepared: str) -> None:
    async def noticed(_cx: Context) -> None:
        cut_off(prepared)
        for _ in range(20):  # turns of the loop, which hears of it, however long they take
            await asyncio.sleep(0.005)

    async def scenario() -> None:
        async with opened(prepared) as runtime:
            call, runs = put("known", noticed)
            await runtime.write(Actor(""), call, ACTION)
            assert (len(runs), await stored(runtime, "known")) == (2, 1)

    asyncio.run(scenario())


def test_nobody_knows_how_a_commit_on_a_lost_connection_ended(prepared: str) -> None:
    async def unnoticed(_cx: Context) -> None:
        cut_off(prepared)

    async def scenario() -> None:
        async with opened(prepared) as runtime:
            call, runs = put("commit", unnoticed)
            with pytest.raises(Unavailable, match="see whether the change is there"):
                await runtime.write(Actor(""), call, ACTION)
            assert len(runs) == 1
            await runtime.write(Actor(""), put("after")[0], ACTION)
            assert await stored(runtime, "after") == 1

    asyncio.run(scenario())


def test_a_server_that_hangs_up_on_everybody_is_unavailable() -> None:
    async def scenario(address: str) -> None:
        async with opened(address) as runtime:
            with pytest.raises(Unavailable):
                await runtime.db.all(_ALL)
            with pytest.raises(Unavailable):
                await runtime.write(Actor(""), put("never")[0], ACTION)

    def hang_up(listener: socket.socket) -> None:
        while True:
            try:
                caller = listener.accept()[0]
            except OSError:
                return
            caller.recv(1)
            caller.close()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        answering = Thread(target=hang_up, args=(listener,))
        answering.start()
        asyncio.run(scenario(f"postgresql://ann@127.0.0.1:{listener.getsockname()[1]}/docyard"))
        listener.shutdown(socket.SHUT_RDWR)
        answering.join()


def test_callers_notice_nothing_between_requests(postgres_server: str) -> None:
    with running(migrated_on(postgres_server)) as instance:
        cast = make.cast(instance)
        path = f"/v1/spaces/{make.space(cast.ada, cast.organization)['id']}"
        for title in ("One", "Two", "Three"):
            assert cut_off(instance.settings.database) > 0
            assert cast.ada.get(path).status_code == 200
            assert cut_off(instance.settings.database) > 0
            assert cast.ada.patch(path, {"title": title}).json()["title"] == title


def test_callers_in_the_middle_are_answered_or_sent_back(postgres_server: str) -> None:
    with running(migrated_on(postgres_server)) as instance, ThreadPoolExecutor(5) as threads:
        cast = make.cast(instance)
        done = Event()

        def disturb() -> int:
            count = 0
            while not done.is_set():
                count += cut_off(instance.settings.database)
            return count

        disturbing = threads.submit(disturb)
        path = f"/v1/orgs/{cast.organization}/spaces"
        answers = list(threads.map(lambda n: cast.ada.post(path, {"title": f"Space {n}"}), range(80)))
        done.set()
        assert disturbing.result() > 0
        assert {answer.status_code for answer in answers} <= {201, 503}
        assert all("retry-after" in answer.headers for answer in answers if answer.status_code == 503)
        made = [answer.json()["title"] for answer in answers if answer.status_code == 201]
        found = [space["title"] for space in cast.ada.get(path, params={"limit": 1000}).json()["items"]]
        assert made
        assert all(found.count(title) == 1 for title in made)
        assert len(found) == len(set(found))
