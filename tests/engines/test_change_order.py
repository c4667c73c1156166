"""The order of the feed: no reader skips a change, whatever writers and other readers do meanwhile."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta

import asyncpg
import pytest

from app.access.audit_actions import ChangeNote
from app.access.context import Actor, Context
from app.domain.change_feed import recorded_changes
from app.domain.change_feed.change_feed import ChangeFeed, Subscription, Topic
from app.domain.change_feed.permitted_changes import PermittedChanges, RightsNow
from app.domain.change_feed.recorded_changes import CHANNEL, RecordedChange
from app.kit.clock import utc_now
from app.kit.database.engines import open_database
from app.kit.database.interface import Database, Transaction
from app.kit.errors import PreconditionFailed, Unavailable
from app.kit.http.event_streams import StreamLimits
from app.kit.ids import new_id
from app.kit.settings import Settings
from app.kit.signing import Signer
from app.runtime import Runtime
from tests import make
from tests.cast import Cast
from tests.contract.statements import noting
from tests.timing import TIMEOUT

WRITERS, WRITES = 12, 12
MANY = 10_000


def topic_of(organization: str) -> Topic:
    """All changes of spaces of an organization."""
    return Topic(frozenset({"space"}), "organization_id", organization)


async def record(tx: Transaction, organization: str, *names: str, now: datetime | None = None) -> None:
    """Record changes of spaces of these names in a transaction."""
    cx = Context(tx, Actor(""), now or utc_now(), Signer(b""), Settings())
    changes = [ChangeNote("space", "updated", organization, space_id=name) for name in names]
    await recorded_changes.append(cx, changes)


async def write(db: Database, organization: str, *names: str) -> None:
    """Commit changes of spaces of these names, and announce it."""
    await db.write(lambda tx: record(tx, organization, *names))
    db.announce(CHANNEL)


async def read(subscription: Subscription, count: int) -> list[RecordedChange]:
    """The next changes that a subscription gives."""
    async with asyncio.timeout(TIMEOUT):
        return [await anext(subscription) for _ in range(count)]


@asynccontextmanager
async def feeds(database: str, count: int = 1, **options: int) -> AsyncIterator[Sequence[ChangeFeed]]:
    """The feed as so many processes read it, each with its own connections."""
    made = [ChangeFeed(open_database(database), **options) for _ in range(count)]
    try:
        yield made
    finally:
        for feed in made:
            await feed.close()
            await feed.db.close()


def run(work: Callable[[], Awaitable[None]]) -> None:
    """Run a test on a loop of its own."""

    async def bounded() -> None:
        async with asyncio.timeout(2 * TIMEOUT):
            await work()

    asyncio.run(bounded())


def test_readers_get_every_change_once_in_one_order_while_many_write(database: str) -> None:
    """Writers begin and commit in different orders, some give up; readers come early, late and again."""
    chance = random.Random(8)
    organization = new_id()

    async def writer(db: Database, name: str) -> None:
        for number in range(WRITES):
            names = [f"{name}.{number}.{n}" for n in range(chance.choice((1, 1, 3)))]
            expected.extend(names)

            async def both(tx: Transaction, names: list[str] = names) -> None:
                await record(tx, organization, *names)
                await asyncio.sleep(chance.random() * 0.03)  # others begin and commit meanwhile

            await db.write(both)
            db.announce(CHANNEL)
            if chance.random() < 0.3:
                with pytest.raises(ZeroDivisionError):
                    await db.write(lambda tx: _give_up(tx, organization))

    expected: list[str] = []

    async def work() -> None:
        async with feeds(database, 5, most_waiting=MANY) as (one, two, late, *writers):
            first = await one.subscribe(topic_of(organization))
            second = await two.subscribe(topic_of(organization))
            begun = str(first.position)
            async with asyncio.TaskGroup() as group:
                for n in range(WRITERS):
                    group.create_task(writer(writers[n % 2].db, f"w{n}"))
            told = await read(first, len(expected))
            assert sorted(change.space_id or "" for change in told) == sorted(expected)
            positions = [change.position for change in told]
            assert positions == sorted(set(positions))
            assert await read(second, len(expected)) == told
            for after, rest in ((begun, told), (str(told[9].position), told[10:])):
                again = await late.subscribe(topic_of(organization), after=after)
                assert await read(again, len(rest)) == rest
                again.close()

    run(work)


async def _give_up(tx: Transaction, organization: str) -> None:
    await record(tx, organization, "never")
    await tx.flush()
    raise ZeroDivisionError


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)  # SQLite has one writer
def test_a_transaction_that_takes_long_holds_nobody_up_and_is_not_skipped(database: str) -> None:
    organization = new_id()

    async def work() -> None:
        async with feeds(database, 2) as (feed, other):
            subscription = await feed.subscribe(topic_of(organization))
            async with other.db.transaction() as tx:
                await record(tx, organization, "begun first")
                await write(feed.db, organization, "committed first")
                (quick,) = await read(subscription, 1)
            other.db.announce(CHANNEL)
            (slow,) = await read(subscription, 1)
            assert (quick.space_id, slow.space_id) == ("committed first", "begun first")
            assert quick.position < slow.position

    run(work)


def test_changes_that_nobody_announced_are_found(database: str) -> None:
    """As those of a process that ends right after its commit."""
    organization = new_id()

    async def work() -> None:
        async with feeds(database, 2) as (feed, other):
            subscription = await feed.subscribe(topic_of(organization))
            await other.db.write(lambda tx: record(tx, organization, "quiet"))
            assert (await read(subscription, 1))[0].space_id == "quiet"

    run(work)


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
def test_a_listener_whose_connection_broke_listens_again(database: str) -> None:
    organization = new_id()

    async def listeners(server: asyncpg.Connection) -> list[int]:
        found = await server.fetch(
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'"
        )
        return [row["pid"] for row in found]

    async def work() -> None:
        server = await asyncpg.connect(database)
        before = await listeners(server)
        async with feeds(database) as (feed,):
            subscription = await feed.subscribe(topic_of(organization))
            (mine,) = set(await listeners(server)) - set(before)
            await server.execute("SELECT pg_terminate_backend($1)", mine)
            while not set(await listeners(server)) - {mine, *before}:
                await asyncio.sleep(0.02)
            await write(feed.db, organization, "told")
            assert (await read(subscription, 1))[0].space_id == "told"
        await server.close()

    run(work)


def test_who_reads_too_slowly_is_ended_and_goes_on_where_they_were(database: str) -> None:
    organization = new_id()

    async def work() -> None:
        async with feeds(database, most_waiting=3) as (feed,):
            slow = await feed.subscribe(topic_of(organization))
            quick = await feed.subscribe(topic_of(organization))
            await write(feed.db, organization, "0")
            await read(slow, 1)
            for n in range(5):
                await write(feed.db, organization, str(n + 1))
                await read(quick, 1 if n else 2)
            with pytest.raises(Unavailable, match="faster than they were read"):
                await anext(slow)
            again = await feed.subscribe(topic_of(organization), after=str(slow.position))
            assert [change.space_id for change in await read(again, 5)] == ["1", "2", "3", "4", "5"]

    run(work)


def test_the_feed_is_read_while_somebody_subscribes(database: str) -> None:
    organization = new_id()

    async def work() -> None:
        async with feeds(database) as (feed,):
            assert not feed.is_reading
            one, two = [await feed.subscribe(topic_of(organization)) for _ in range(2)]
            one.close()
            assert feed.is_reading
            two.close()
            two.close()  # again
            assert not feed.is_reading
            three = await feed.subscribe(topic_of(organization))
            await write(feed.db, organization, "told")
            assert len(await read(three, 1)) == 1
            feed.stop()
            with pytest.raises(Unavailable, match="stopping"):
                await anext(three)
            with pytest.raises(Unavailable, match="stopping"):
                await feed.subscribe(topic_of(organization))

    run(work)


def test_only_old_changes_are_pruned_and_never_the_newest(new_database: Callable[[], str]) -> None:
    organization, now, database = new_id(), utc_now(), new_database()

    async def work() -> None:
        async with feeds(database) as (feed,):
            db = feed.db
            for days, name in ((3, "old"), (2, "older"), (0, "young"), (2, "committed late")):
                then = now - timedelta(days=days)
                await db.write(lambda tx, name=name, then=then: record(tx, organization, name, now=then))  # type: ignore[misc]
            await recorded_changes.prune(db, now)
            kept = await recorded_changes.bounds(db)
            assert kept.newest - kept.oldest == 1  # nothing is taken out of the middle
            await recorded_changes.prune(db, now + timedelta(days=9))
            assert await recorded_changes.bounds(db) == (kept.newest, kept.newest)
            await write(db, organization, "next")
            assert (await recorded_changes.bounds(db)).newest == kept.newest + 1

    run(work)


def test_rights_cost_as_many_statements_for_many_subscribers_as_for_one(cast: Cast) -> None:
    """Among them are people with grants, with a token that reads only, and of another organization."""
    space = make.space(cast.ada, cast.organization)["id"]
    cast.ada.post(f"/v1/spaces/{space}/permissions", {"role": "read", "users": [cast.gus.id]})
    members = [*cast.members.values(), cast.sol]

    async def told(feed: ChangeFeed, runtime: Runtime, tokens: list[str]) -> tuple[int, int]:
        """Return how many are told of a change, and how many statements that runs."""
        rights, places = RightsNow(feed.db, utc_now), StreamLimits(MANY, MANY)
        topic = Topic(frozenset({"space"}), "space_id", space)
        watched = [
            PermittedChanges(
                await feed.subscribe(topic), rights, await runtime.actor(f"Bearer {token}"), places.take("")
            )
            for token in tokens
        ]
        waiting = [asyncio.ensure_future(anext(each)) for each in watched]
        await asyncio.sleep(0)
        with noting() as ran:
            await feed.db.write(lambda tx: record(tx, cast.organization, space))
            feed.db.announce(CHANNEL)
            found = await asyncio.gather(*waiting, return_exceptions=True)
        for each in watched:
            each.close()
        looked_up = [text for text in ran if "change_event" not in text and "pg_notify" not in text]
        return sum(not isinstance(each, BaseException) for each in found), len(looked_up)

    async def work() -> None:
        async with feeds(cast.instance.settings.database) as (feed,):
            runtime = Runtime(feed.db, cast.instance.settings, Signer(b""))
            one = await told(feed, runtime, [cast.gus.token])
            many = await told(feed, runtime, [person.token for person in members])
            assert one == (1, 3)  # the tokens, the grants, the space
            assert many == (len(members) - 1, 3)

    run(work)


def test_a_process_that_does_not_stay_has_no_subscriptions(cast: Cast) -> None:
    """On Lambda nothing runs between requests."""

    async def work() -> None:
        db = open_database(cast.instance.settings.database)
        runtime = Runtime(db, cast.instance.settings, Signer(b""))
        actor = await runtime.actor(f"Bearer {cast.ria.token}")
        with pytest.raises(PreconditionFailed, match="poll instead"):
            await runtime.watch(actor, topic_of(cast.organization))
        await runtime.close()
        await db.close()

    run(work)


def test_a_change_is_only_left_behind_when_the_next_is_asked_for(database: str, cast: Cast) -> None:
    """Else whoever loses the connection just then would go on after what they were never told."""
    space = make.space(cast.ada, cast.organization)["id"]

    async def work() -> None:
        async with feeds(database) as (feed,):
            runtime = Runtime(feed.db, cast.instance.settings, Signer(b""))
            subscription = await feed.subscribe(Topic(frozenset({"space"}), "space_id", space))
            actor = await runtime.actor(f"Bearer {cast.ria.token}")
            place = StreamLimits(1, 1).take("")
            watched = PermittedChanges(subscription, RightsNow(feed.db, utc_now), actor, place)
            begun = watched.position()
            await feed.db.write(lambda tx: record(tx, cast.organization, space))
            change, _, _ = await anext(watched)
            assert watched.position() == begun
            waiting = asyncio.ensure_future(anext(watched))
            await asyncio.sleep(0)
            assert int(watched.position()) >= change.position
            waiting.cancel()
            watched.close()

    run(work)
