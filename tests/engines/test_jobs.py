"""Jobs: done once due, tried again after pauses, given up at last, never lost."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select

from app.access.context import Context
from app.domain import job_leases, jobs
from app.kit.clock import utc_now
from app.kit.database.engines import open_database
from app.kit.database.interface import Database
from app.kit.database.statements import given, query, table
from app.kit.ids import new_id
from app.models.jobs import Job
from tests.instance import Instance

JOBS = table(Job)
OF_SUBJECT = query(Job, lambda: select(*JOBS.c).where(JOBS.c.subject == given("subject")).order_by(JOBS.c.id))


class Desk:
    """A worker with a clock that the test turns."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.subject = new_id()
        self.now = utc_now()
        self.kind = f"note {self.subject}"  # which nobody else who works in this database knows
        self.seen: list[str] = []
        self.failing: Exception | None = None

    def ask(self, kind: str = "", after: float = 0, organization: str = "", **payload: Any) -> None:
        """Enqueue a job, due some seconds from now."""
        self.ask_many([payload], kind=kind, after=after, organization=organization)

    def ask_many(
        self, payloads: Sequence[dict[str, Any]], kind: str = "", after: float = 0, organization: str = ""
    ) -> None:
        """Enqueue jobs, due some seconds from now."""
        due_at, kind = self.now + timedelta(seconds=after), kind or self.kind

        async def enqueue(cx: Context) -> None:
            for payload in payloads:
                await jobs.enqueue(cx, kind, self.subject, organization, due_at=due_at, payload=payload)

        self.instance.inside(enqueue)

    def work(self, perform: jobs.Perform | None = None, limit: int = 10, **most: Any) -> int:
        """One round of work."""
        kinds = {self.kind: perform or self.note}
        return self.instance.opened(lambda db: job_leases.run_due(db, kinds, lambda: self.now, limit, **most))

    def lease(self, **besides: Any) -> Job | None:
        """Lease the next job and leave it, as a worker that is busy with it."""
        return self.instance.opened(
            lambda db: job_leases.lease(db, [self.kind], lambda: self.now, job_leases.Turns(), **besides)
        )

    def rows(self) -> list[Job]:
        """The jobs on this desk's subject."""
        return self.instance.inside(lambda cx: cx.db.all(OF_SUBJECT, subject=self.subject))

    def pass_time(self, **by: float) -> None:
        self.now += timedelta(**by)

    async def note(self, job: Job) -> None:
        if self.failing:
            raise self.failing
        self.seen.append(job.payload["word"])


@pytest.fixture
def desk(instance: Instance) -> Desk:
    return Desk(instance)


def test_a_job_is_done_when_it_is_due_and_then_forgotten(desk: Desk) -> None:
    desk.ask(after=60, word="later")
    assert desk.work() == 0
    desk.pass_time(seconds=61)
    assert desk.work() == 1
    assert desk.seen == ["later"]
    assert desk.rows() == []


def test_jobs_are_done_in_the_order_of_their_time(desk: Desk) -> None:
    for word, after in (("third", 3), ("first", 1), ("second", 2)):
        desk.ask(after=after, word=word)
    desk.pass_time(seconds=5)
    assert desk.work(limit=2) == 2
    assert desk.seen == ["first", "second"]
    assert desk.work() == 1
    assert desk.seen[-1] == "third"


def test_a_job_exists_only_if_its_transaction_commits(desk: Desk) -> None:
    async def fails(cx: Context) -> None:
        await jobs.enqueue(cx, desk.kind, desk.subject, "", due_at=desk.now)
        raise KeyError

    with pytest.raises(KeyError):
        desk.instance.inside(fails)
    assert desk.rows() == []


def test_a_failing_job_is_tried_again_and_at_last_given_up_with_its_reason(desk: Desk) -> None:
    desk.ask(word="never")
    desk.failing = ValueError("no\x00 luck")
    pauses = []
    for attempt in range(1, jobs.ATTEMPTS + 1):
        assert desk.work() == 1
        row = desk.rows()[0]
        assert (row.attempts, row.error) == (attempt, "ValueError: no luck")
        pauses.append(row.due_at - desk.now)
        assert desk.work() == 0
        desk.now = row.due_at
    assert row.state == "failed"
    *between, after = pauses
    assert (between, after) == (sorted(set(between)), timedelta())
    desk.pass_time(days=30)
    assert desk.work() == 0


def test_a_job_that_failed_once_succeeds_the_next_time(desk: Desk) -> None:
    desk.ask(word="at last")
    desk.failing = ValueError("not yet")
    desk.work()
    desk.failing = None
    desk.pass_time(seconds=31)
    assert desk.work() == 1
    assert (desk.seen, desk.rows()) == (["at last"], [])


def test_a_job_of_an_unknown_kind_waits_for_a_version_that_knows_it(desk: Desk) -> None:
    desk.ask(kind="unheard of")
    desk.ask(word="known", after=1)
    desk.pass_time(seconds=1)
    assert desk.work() == 1
    assert desk.seen == ["known"]
    assert [(row.kind, row.state, row.attempts) for row in desk.rows()] == [("unheard of", "waiting", 0)]


class Killed(BaseException):
    """The end of a worker that can do nothing more."""


def test_the_job_of_a_worker_that_died_is_done_by_another(desk: Desk) -> None:
    desk.ask(word="rescued")

    async def die(job: Job) -> None:
        raise Killed

    with pytest.raises(Killed):
        desk.work(die)
    assert desk.rows()[0].state == "running"
    assert desk.work() == 0
    desk.now += jobs.LEASE
    assert desk.work() == 1
    assert (desk.seen, desk.rows()) == (["rescued"], [])


def test_a_dead_worker_costs_three_minutes_at_most(desk: Desk) -> None:
    schedule = timedelta(minutes=1)  # at which a function that has no worker of its own looks for work
    assert jobs.LEASE + schedule <= timedelta(minutes=3)
    assert jobs.RENEWALS > 3


def test_the_job_of_a_worker_that_is_stopped_is_done_by_another_at_once(desk: Desk) -> None:
    desk.ask(word="continued")
    begun = asyncio.Event()

    async def dawdle(job: Job) -> None:
        begun.set()
        await asyncio.sleep(3600)

    async def stop(db: Database) -> None:
        kinds = {desk.kind: dawdle}
        working = asyncio.create_task(job_leases.run_due(db, kinds, lambda: desk.now, 1))
        await begun.wait()
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
        assert working.cancelled()

    desk.instance.opened(stop)
    assert [(row.state, row.attempts) for row in desk.rows()] == [("waiting", 1)]
    assert desk.work() == 1
    assert (desk.seen, desk.rows()) == (["continued"], [])


@pytest.fixture
def short_lease(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leases that are renewed many times while a test waits for one of them."""
    monkeypatch.setattr(jobs, "RENEWALS", jobs.LEASE / timedelta(seconds=0.02))


@pytest.mark.usefixtures("short_lease")
def test_a_lease_is_renewed_while_its_worker_works(desk: Desk) -> None:
    desk.ask(word="long")
    ends = []

    async def take_long(job: Job) -> None:
        for _ in range(3):
            desk.now += jobs.LEASE * 0.9
            until = desk.now + jobs.LEASE
            while (await asyncio.to_thread(desk.rows))[0].due_at != until:
                await asyncio.sleep(0.01)
            assert await asyncio.to_thread(desk.work) == 0
            ends.append(until)

    assert desk.work(take_long) == 1
    assert len(set(ends)) == 3
    assert desk.rows() == []


@pytest.mark.usefixtures("short_lease")
def test_an_attempt_that_lost_its_lease_is_cancelled(desk: Desk) -> None:
    desk.ask(word="lost")
    ended = []

    async def overtake(cx: Context) -> None:
        await cx.tx.change(Job, {"attempts": 2}, subject=desk.subject)

    async def dawdle(job: Job) -> None:
        try:
            await asyncio.to_thread(desk.instance.inside, overtake)
            await asyncio.sleep(3600)
        finally:
            ended.append(job.id)

    assert desk.work(dawdle) == 1
    assert len(ended) == 1
    assert [(row.state, row.attempts) for row in desk.rows()] == [("running", 2)]


def test_a_worker_that_outlived_its_lease_does_not_finish_anothers_attempt(desk: Desk) -> None:
    desk.ask(word="twice")

    async def dawdle(job: Job) -> None:
        await asyncio.to_thread(desk.instance.inside, overtake)

    async def overtake(cx: Context) -> None:
        await cx.tx.change(Job, {"attempts": 2}, subject=desk.subject)

    assert desk.work(dawdle) == 1
    assert desk.rows()[0].attempts == 2


def test_two_workers_never_hold_the_same_job(desk: Desk) -> None:
    for number in range(12):
        desk.ask(word=str(number))

    async def race(db: Database) -> None:
        other = open_database(desk.instance.settings.database)
        kinds = {desk.kind: desk.note}
        try:
            for _ in range(12):
                await asyncio.gather(
                    *(job_leases.run_due(each, kinds, lambda: desk.now, 3) for each in (db, other))
                )
        finally:
            await other.close()

    desk.instance.opened(race)
    assert sorted(desk.seen, key=int) == [str(number) for number in range(12)]


def test_the_first_job_of_an_organization_comes_before_the_second_of_another(desk: Desk) -> None:
    desk.ask_many([{"word": f"large {number}"} for number in range(1000)], organization="large")
    desk.ask(organization="small", after=1, word="small 0")
    desk.ask(organization="small", after=2, word="small 1")
    desk.ask(organization="third", after=2, word="third 0")
    desk.pass_time(seconds=2)
    taken = [desk.lease() for _ in range(6)]
    assert [job and job.payload["word"] for job in taken] == [
        "large 0", "small 0", "third 0", "large 1", "small 1", "large 2",
    ]  # fmt: skip


def test_organizations_take_turns_where_jobs_are_done_at_once(desk: Desk) -> None:
    desk.ask_many([{"word": f"large {number}"} for number in range(1000)], organization="large")
    desk.ask_many([{"word": f"small {number}"} for number in range(2)], after=1, organization="small")
    desk.pass_time(seconds=1)
    assert desk.work(limit=5) == 5
    assert desk.seen == ["large 0", "small 0", "large 1", "small 1", "large 2"]


def test_an_organization_has_so_many_jobs_running_and_no_more(desk: Desk) -> None:
    desk.ask_many([{"word": str(number)} for number in range(5)], organization="large")
    assert [desk.lease(most_running=2) is not None for _ in range(3)] == [True, True, False]
    desk.ask(organization="small", word="other")
    taken = desk.lease(most_running=2)
    assert taken is not None
    assert taken.payload["word"] == "other"
    assert desk.lease(most_running=3, besides=["large"]) is None
    assert desk.work(most_running=3) == 3


def test_a_postponed_job_is_due_later_and_loses_no_attempt(desk: Desk) -> None:
    desk.ask(word="in time")
    later = desk.now + timedelta(minutes=1)
    desk.failing = jobs.Postponed(later, "not yet")
    assert desk.work() == 1
    (row,) = desk.rows()
    assert (row.state, row.attempts, row.due_at, row.error) == ("scheduled", 0, later, "not yet")
    desk.failing = None
    desk.pass_time(minutes=1)
    assert desk.work() == 1
    assert desk.seen == ["in time"]


def test_leases_of_many_organizations_meet_and_each_job_is_leased_once(desk: Desk) -> None:
    for name in ("one", "two", "three"):
        desk.ask_many([{"word": f"{name} {number}"} for number in range(8)], organization=name)

    async def lease_at_once(db: Database) -> list[Job | None]:
        others = [open_database(desk.instance.settings.database) for _ in range(3)]
        try:
            dbs = [db, *others] * 6
            return await asyncio.gather(
                *(job_leases.lease(db, [desk.kind], lambda: desk.now, job_leases.Turns()) for db in dbs)
            )
        finally:
            for other in others:
                await other.close()

    taken = [job.payload["word"] for job in desk.instance.opened(lease_at_once) if job is not None]
    assert len(taken) == len(set(taken)) == 24


def test_a_cancelled_job_is_not_done(desk: Desk) -> None:
    desk.ask(word="no")
    desk.ask(kind="other", after=60)
    desk.instance.inside(lambda cx: jobs.cancel(cx, desk.kind, desk.subject))
    assert desk.work() == 0
    assert [row.kind for row in desk.rows()] == ["other"]
