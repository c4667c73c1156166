"""Writers in different organizations on PostgreSQL keep each other from nothing; those of one organization
write one after another, whatever each of them has compared."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from sqlalchemy import select

from app.access.audit_actions import AuditAction
from app.access.context import Actor, Context, Membership
from app.access.rights import Level
from app.kit import counts
from app.kit.database.engines import open_database
from app.kit.database.statements import given, query, table
from app.kit.ids import new_id
from app.models.service import Fact
from app.runtime import Runtime
from tests import make
from tests.cast import Cast
from tests.databases import migrated_on
from tests.instance import Instance, idle, running
from tests.timing import TIMEOUT

ORGANIZATIONS, PAGES = 6, 5
FACTS = table(Fact)
_FACT = query(Fact, lambda: select(*FACTS.c).where(FACTS.c.name == given("name")))
Act = Callable[[Context], Awaitable[None]]


@pytest.fixture(scope="module")
def instance(postgres_server: str) -> Iterator[Instance]:
    with idle(), running(migrated_on(postgres_server)) as instance:
        yield instance


@pytest.fixture
def cast(instance: Instance) -> Cast:
    return make.cast(instance)


def test_writers_in_different_organizations_do_not_start_again(instance: Instance) -> None:
    casts = [make.cast(instance) for _ in range(ORGANIZATIONS)]
    spaces = [make.space(cast.ada, cast.organization)["id"] for cast in casts]
    start = Barrier(ORGANIZATIONS)

    def write(n: int) -> list[int]:
        start.wait()
        return [insert(casts[n], spaces[n], f"Page {n} {page}") for page in range(PAGES)]

    before = counts.transactions["restarts"]
    with ThreadPoolExecutor(ORGANIZATIONS) as pool:
        answers = list(pool.map(write, range(ORGANIZATIONS)))
    assert answers == [[200] * PAGES] * ORGANIZATIONS
    assert counts.transactions["restarts"] == before


def insert(cast: Cast, space: str, title: str) -> int:
    page = {"operation": "insert_page", "title": title, "document": {"markdown": title}}
    return cast.ed.post(f"/v1/spaces/{space}/content", {"changes": [page]}).status_code


def test_a_space_is_transferred_by_who_writes_in_both_organizations(instance: Instance, cast: Cast) -> None:
    made = instance.inside(lambda cx: join(cx, cast))
    assert made is None
    space = make.space(cast.ada, cast.organization)["id"]
    path = f"/v1/spaces/{space}"
    for organization in (cast.elsewhere, cast.organization):
        assert cast.ada.patch(path, {"title": f"In {organization}"}).status_code == 200
        moved = cast.ada.post(f"{path}/transfer", {"organization": organization})
        assert moved.status_code == 200, moved.text
        assert cast.ada.get(path).json()["organization"] == organization
        (event, *_) = cast.ada.get(f"/v1/orgs/{organization}/audit-events").json()["items"]
        assert event["action"] == "transferSpace"


async def join(cx: Context, cast: Cast) -> None:
    from app.domain.organizations import organizations

    await organizations.add_member(cx, cast.elsewhere, cast.ada.id, "admin")


def run(instance: Instance, scenario: Callable[[Runtime], Awaitable[None]]) -> None:
    """Run a scenario with the services of a process of its own."""

    async def bounded() -> None:
        db = open_database(instance.settings.database)
        try:
            async with asyncio.timeout(TIMEOUT):
                await scenario(Runtime(db, instance.settings, instance.signer))
        finally:
            await db.close()

    asyncio.run(bounded())


def in_a_space(name: str) -> AuditAction:
    return AuditAction("rest", name, (("spaceId", new_id()),))


def member_of(*organizations: str) -> Actor:
    held = {each: Membership(each, Level.ADMIN, Level.ADMIN) for each in organizations}
    return Actor("", memberships=held)


def noting(*organizations: str, then: Act | None = None) -> tuple[Act, list[bool]]:
    """A call that changes something in organizations, and whether it was alone, each time that it ran."""
    ran: list[bool] = []

    async def call(cx: Context) -> None:
        ran.append(cx.tx.alone)
        for organization in organizations:
            cx.note("organization", organization, organization)
        await cx.tx.add_many(Fact, [{"name": new_id(), "value": "x"}])
        if then is not None:
            await then(cx)

    return call, ran


def test_what_turns_out_to_concern_more_than_one_organization_is_compared(
    instance: Instance, cast: Cast
) -> None:
    one, both = [cast.organization], [cast.organization, cast.elsewhere]

    async def scenario(runtime: Runtime) -> None:
        for concerned, expected in ((one, [True]), (both, [True, False]), ([], [True, False])):
            call, ran = noting(*concerned)
            await runtime.write(member_of(cast.organization), call, in_a_space("changeContent"))
            assert ran == expected

    run(instance, scenario)


def test_the_organization_of_a_space_is_remembered_for_who_belongs_to_several(
    instance: Instance, cast: Cast
) -> None:
    actor, action = member_of(cast.organization, cast.elsewhere), in_a_space("changeContent")

    async def scenario(runtime: Runtime) -> None:
        call, ran = noting(cast.organization)
        for _ in range(2):
            await runtime.write(actor, call, action)
        assert ran == [False, True]
        stranger, ran = noting()
        await runtime.write(member_of(), stranger, action)
        assert ran == [False]

    run(instance, scenario)


@pytest.mark.parametrize("is_space", [True, False])
def test_of_two_who_read_what_the_other_writes_one_sees_it(
    instance: Instance, cast: Cast, is_space: bool
) -> None:
    """One is alone with the organization; the other begins before it, wherever that writes."""
    names = [new_id(), new_id()]
    actor = member_of(cast.organization)
    elsewhere = in_a_space("other") if is_space else AuditAction("rest", "updateOrganizationById")
    has_read, is_written = asyncio.Event(), asyncio.Event()

    def exchange(own: int, *, waits: bool) -> Act:
        async def act(cx: Context) -> None:
            (other,) = await cx.db.all(_FACT, name=names[1 - own])
            if waits:
                has_read.set()
                await is_written.wait()
            await cx.tx.put(Fact, {"value": f"{own} saw {other.value}"}, name=names[own])

        return act

    async def scenario(runtime: Runtime) -> None:
        await runtime.db.write(
            lambda tx: tx.add_many(Fact, [{"name": name, "value": "nothing"} for name in names])
        )
        slow, _ = noting(cast.organization, then=exchange(0, waits=True))
        quick, _ = noting(cast.organization, then=exchange(1, waits=False))
        other_process = open_database(instance.settings.database)
        try:
            first = asyncio.create_task(runtime.write(actor, slow, elsewhere))
            await has_read.wait()
            another = Runtime(other_process, instance.settings, instance.signer)
            second = asyncio.create_task(another.write(actor, quick, in_a_space("changeContent")))
            await asyncio.wait([second], timeout=1)  # it is stored, or waits for the first
            is_written.set()
            await asyncio.gather(first, second)
        finally:
            await other_process.close()
        values = [(await runtime.db.all(_FACT, name=name))[0].value for name in names]
        assert sorted(value.count("nothing") for value in values) == [1, 1]
        assert sorted(value.count("saw") for value in values) == [1, 2]

    run(instance, scenario)
