"""PostgreSQL behind a pooler in transaction mode, which gives every transaction another connection."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from app.kit.database.engines import open_database
from tests import make
from tests.cast import Cast
from tests.databases import asked, create_database
from tests.factories.changes import history
from tests.instance import Instance, running
from tests.postgres import pooler

CONNECTIONS = 3  # of the pooler to the server, fewer than the application has to the pooler
AT_ONCE = 12
LOCKS = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"
NAMES = "SELECT DISTINCT application_name FROM pg_stat_activity WHERE datname = current_database()"


@pytest.fixture(scope="module")
def pooled_server(postgres_server: str) -> Iterator[str]:
    with pooler(postgres_server, CONNECTIONS) as address:
        yield address


@pytest.fixture(scope="module")
def pooled(postgres_server: str, pooled_server: str) -> Iterator[Instance]:
    """A server that migrated its database through the pooler."""
    name = create_database(postgres_server).rpartition("/")[2]
    with running(f"{pooled_server}/{name}") as instance:
        yield instance


@pytest.fixture
def cast(pooled: Instance) -> Cast:
    return make.cast(pooled)


def direct(postgres_server: str, pooled: Instance) -> str:
    """The address of the instance's database without the pooler."""
    return f"{postgres_server}/{pooled.settings.database.rpartition('/')[2]}"


def test_everybody_who_writes_at_once_is_heard(postgres_server: str, pooled: Instance, cast: Cast) -> None:
    spaces = [make.space(cast.ada, cast.organization)["id"] for _ in range(3)]

    def insert(n: int) -> int:
        page = {"operation": "insert_page", "title": f"Page {n}", "document": {"markdown": f"text {n}"}}
        path = f"/v1/spaces/{spaces[n % 3]}/content"
        return cast.ed.post(path, {"changes": [page]}, params={"compat": "false"}).status_code

    with ThreadPoolExecutor(AT_ONCE) as people:
        answers = Counter(people.map(insert, range(4 * AT_ONCE)))
        read = Counter(
            people.map(lambda n: cast.ed.get(f"/v1/spaces/{spaces[n % 3]}").status_code, range(100))
        )
    assert answers == {200: 4 * AT_ONCE}
    assert read == {200: 100}
    assert [len(history(cast.ed, space, limit=100)["items"]) for space in spaces] == [1 + 16] * 3
    assert asked(direct(postgres_server, pooled), LOCKS) == [(0,)]


def test_the_connections_say_whose_they_are(postgres_server: str, pooled: Instance, cast: Cast) -> None:
    assert cast.ed.get("/v1/user").status_code == 200
    assert ("docyard",) in asked(direct(postgres_server, pooled), NAMES)


def test_a_transaction_that_is_given_up_while_it_waits_keeps_no_lock(
    postgres_server: str, pooled: Instance
) -> None:
    async def scenario() -> None:
        holding, waiting = (open_database(pooled.settings.database) for _ in range(2))

        async def wait() -> None:
            async with waiting.transaction(frozenset({"another place", "place"})):
                pass

        async with holding.transaction(frozenset({"place"})):
            given_up = asyncio.create_task(wait())
            while asked_count(direct(postgres_server, pooled)) < 3:  # one held, one got, one waited for
                await asyncio.sleep(0.02)
            given_up.cancel()
            with pytest.raises(asyncio.CancelledError):
                await given_up
        async with holding.transaction(frozenset({"another place", "place"})):
            pass  # both were given back
        await holding.close()
        await waiting.close()
        while asked_count(direct(postgres_server, pooled)):  # until the pooler has closed what was left
            await asyncio.sleep(0.02)

    asyncio.run(scenario())


def asked_count(database: str) -> int:
    """Return how many locks are held or waited for; asked in a thread, since it runs a loop of its own."""
    with ThreadPoolExecutor(1) as elsewhere:
        ((count,),) = elsewhere.submit(asked, database, LOCKS).result()
    assert isinstance(count, int)
    return count
