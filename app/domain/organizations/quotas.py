"""Quotas of organizations (see access.quotas): changes are held against them; they are shown and set.

Requests and events are counted in memory, in buckets that all processes share (`access.rate_limits`). Jobs
are counted where a call asks for some. Bytes are a sum that is kept with what holds them: a change that
stores some adds to it in its own transaction, so what it costs does not grow with what there is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Select, delete, func, literal_column, select, update

from app.access.context import Context
from app.access.fetch import permit_in
from app.access.quotas import NAMES, SECONDS, QuotaName, bucket, limit_of, message, rate
from app.domain.jobs import UNFINISHED, UPKEEP
from app.kit.database.columns import Key
from app.kit.database.sql import among
from app.kit.database.statements import by_engine, command, given, insert_into, query, rows, table
from app.kit.errors import NotFound, TooManyRequests
from app.models.access import Bucket
from app.models.jobs import Job
from app.models.organizations import Organization
from app.models.quotas import StoredBytes
from app.models.spaces import Space

SOON = 10  # seconds after which some of the jobs may be done
LATER = 3600  # seconds after which somebody may have made room for bytes
VISITORS = 2  # what visitors cause takes at most one part in so many of the events of a day
STORED_BYTES, JOBS, ORGANIZATIONS = table(StoredBytes), table(Job), table(Organization)
_requests, _events = table(Bucket).alias("requests"), table(Bucket).alias("events")


@dataclass(frozen=True, slots=True)
class Quota:
    """A quota of an organization as it stands. A `limit` of 0 is none."""

    limit: int
    used: int
    window: int | None = None
    reset_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Quotas:
    """All quotas of an organization."""

    organization_id: str
    by_name: Mapping[QuotaName, Quota]


async def get(cx: Context, organization_id: str) -> Quotas:
    """Get the quotas of an organization: how much it may use of each, and how much it does."""
    permit_in(cx, organization_id, can="admin")
    keys = {name: bucket(name, organization_id) for name in SECONDS}
    row = await cx.db.first(_USAGE, organization=organization_id, upkeep=UPKEEP, **keys)
    if row is None:
        raise NotFound("There is no such organization.")
    limits = {name: limit_of(cx.settings, row.quotas, name) for name in NAMES}
    told: dict[QuotaName, tuple[float | None, float | None]] = {
        "requests": (row.requests_left, row.requests_at),
        "events": (row.events_left, row.events_at),
    }
    return Quotas(
        organization_id,
        {
            **{name: _windowed(cx, organization_id, name, limits[name], *told[name]) for name in told},
            "jobs": Quota(limits["jobs"], row.jobs),
            "bytes": Quota(limits["bytes"], row.bytes or 0),
        },
    )


def _windowed(
    cx: Context, organization_id: str, name: QuotaName, most: int, told: float | None, at: float | None
) -> Quota:
    """Return a quota with a window; `told` is what processes left of it when they last synchronised."""
    seconds = SECONDS[name]
    if not most:
        return Quota(0, 0, seconds)
    left = float(most)
    if told is not None and at is not None:
        left = min(left, told + (cx.now.timestamp() - at) * most / seconds)
    cx.is_lasting = False
    if cx.limits is not None:
        left = min(left, cx.limits.left(bucket(name, organization_id), rate(name, most), cx.now))
    used = most - left
    resets = cx.now + timedelta(seconds=used * seconds / most) if round(used) else None
    return Quota(most, round(used), seconds, resets)


async def charge(cx: Context, *, asked: bool, by_visitor: bool = False) -> None:
    """Hold what a call did against the quotas of its organizations; raises TooManyRequests.

    Work and events are refused only where somebody `asked` who can try again; what the server does by itself
    counts, too. Nobody may store more bytes than there may be.
    """
    if cx.notes is None:
        return
    for organization_id in sorted(cx.notes.jobs | cx.notes.events.keys()) if asked else ():
        await _hold_work(cx, organization_id, by_visitor=by_visitor)
    for (organization_id, holder_id), size in sorted(cx.notes.stored.items()):
        await _store(cx, organization_id, holder_id, size)


def spend(cx: Context, events: Mapping[str, int]) -> None:
    """Take the events of a call that was committed out of their quotas."""
    for organization_id, number in events.items():
        membership = cx.actor.memberships.get(organization_id)
        most = limit_of(cx.settings, membership.quotas if membership else None, "events")
        if cx.limits is not None and most:
            cx.limits.spend(bucket("events", organization_id), rate("events", most), cx.now, number)


async def admit_event(cx: Context, organization_id: str) -> None:
    """Refuse what would leave an event where their quota is used up; raises TooManyRequests."""
    held = cx.actor.memberships.get(organization_id)
    row = held or await cx.db.first(_OWN, organization=organization_id)
    if row is not None:
        _hold_events(cx, organization_id, row.quotas, 1, by_visitor=not cx.actor.token_id)


async def _hold_work(cx: Context, organization_id: str, *, by_visitor: bool) -> None:
    row = await cx.db.first(_WORK, organization=organization_id, upkeep=UPKEEP)
    if row is None:
        return
    assert cx.notes is not None
    most = limit_of(cx.settings, row.quotas, "jobs")
    if most and row.jobs > most and organization_id in cx.notes.jobs:
        raise TooManyRequests(message("jobs", most), SOON)
    events = cx.notes.events.get(organization_id, 0)
    _hold_events(cx, organization_id, row.quotas, events, by_visitor=by_visitor)


def _hold_events(
    cx: Context, organization_id: str, own: Mapping[str, int] | None, events: int, *, by_visitor: bool
) -> None:
    most = limit_of(cx.settings, own, "events")
    if not most or not events or cx.limits is None:
        return
    each = rate("events", most)
    left = cx.limits.left(bucket("events", organization_id), each, cx.now)
    kept = most - most // VISITORS if by_visitor else 0
    if left - kept < 1:
        raise TooManyRequests(each.message, each.waiting(left - kept))


async def _store(cx: Context, organization_id: str, holder_id: str, size: int) -> None:
    """Add to the bytes of something of an organization, and to all of the organization's."""
    values = {"organization": organization_id, "size": size}
    if holder_id == organization_id:
        row = await cx.tx.first(_TOTAL, holder=organization_id, **values)
    elif cx.tx.dialect == "postgresql":
        row = await cx.tx.first(_BOTH, holder=organization_id, part=holder_id, **values)
    else:
        await cx.tx.run(_ADD, holder=holder_id, **values)
        row = await cx.tx.first(_TOTAL, holder=organization_id, **values)
    assert row is not None
    most = limit_of(cx.settings, row.quotas, "bytes")
    if most and size > 0 and row.bytes > most:
        raise TooManyRequests(message("bytes", most), LATER)


async def release(cx: Context, holder_id: str) -> None:
    """Give back the bytes of something that is removed for good."""
    for row in await cx.tx.all(_RELEASE, holder=holder_id):
        organization_id = row.organization_id
        await cx.tx.run(_ADD, holder=organization_id, organization=organization_id, size=-row.bytes)


async def reassign(cx: Context, holder_ids: Sequence[str], organization_id: str, holder_id: str) -> None:
    """Count the bytes of things that are gone for something else of their organization."""
    size = sum(row.bytes for row in await cx.tx.all(_RELEASE_ALL, holders=holder_ids))
    if size:
        await cx.tx.run(_ADD, holder=holder_id, organization=organization_id, size=size)


async def hand_over(cx: Context, holder_ids: Sequence[str], source: str, target: str) -> None:
    """Hand over the bytes of things that another organization has from now on."""
    values = {"holders": holder_ids, "source": source, "target": target}
    size = sum(row.bytes for row in await cx.tx.all(_HAND_OVER, **values)) if holder_ids else 0
    cx.stores(source, source, -size)
    cx.stores(target, target, size)


async def copy(cx: Context, space_id: str, made: Space) -> None:
    """Count for a copy of a space what counts for the space."""
    for row in await cx.tx.all(_HELD, holder=space_id):
        cx.stores(made.organization_id, made.id, row.bytes)


async def set_own(cx: Context, organization_id: str, chosen: Mapping[QuotaName, int | None]) -> None:
    """Give an organization quotas of its own; None is the default again. For operators alone."""
    row = await cx.db.first(_OWN, organization=organization_id)
    if row is None:
        raise NotFound(f"There is no organization {organization_id}.")
    own = {name: most for name, most in {**(row.quotas or {}), **chosen}.items() if most is not None}
    cx.note("organization", organization_id, organization_id)
    await cx.tx.put(Organization, {"quotas": own or None}, id=organization_id)


def _jobs() -> ColumnElement[int]:
    """Return how many jobs the organization of the statement has that are not done and not upkeep."""
    unfinished = JOBS.c.state.in_([literal_column(f"'{name}'") for name in UNFINISHED])
    found = select(func.count()).where(
        JOBS.c.organization_id == ORGANIZATIONS.c.id, unfinished, ~among(JOBS.c.kind, "upkeep")
    )
    return found.scalar_subquery().label("jobs")


def _usage() -> Select[Any]:
    joined = (
        ORGANIZATIONS.outerjoin(STORED_BYTES, STORED_BYTES.c.holder_id == ORGANIZATIONS.c.id)
        .outerjoin(_requests, _requests.c.key == given("requests", Key))
        .outerjoin(_events, _events.c.key == given("events", Key))
    )
    columns = (
        ORGANIZATIONS.c.quotas,
        _jobs(),
        STORED_BYTES.c.bytes,
        _requests.c.calls_left.label("requests_left"),
        _requests.c.filled_at.label("requests_at"),
        _events.c.calls_left.label("events_left"),
        _events.c.filled_at.label("events_at"),
    )
    return select(*columns).select_from(joined).where(ORGANIZATIONS.c.id == given("organization"))


def _add(dialect: str, holder: str = "holder") -> Any:
    values = {
        "holder_id": given(holder),
        "organization_id": given("organization"),
        "bytes": given("size", BigInteger()),
    }
    added = insert_into(STORED_BYTES, dialect).values(values)
    return added.on_conflict_do_update(
        index_elements=[STORED_BYTES.c.holder_id], set_={"bytes": STORED_BYTES.c.bytes + added.excluded.bytes}
    )


def _total(dialect: str) -> Any:
    own = select(ORGANIZATIONS.c.quotas).where(ORGANIZATIONS.c.id == given("organization")).scalar_subquery()
    return _add(dialect).returning(STORED_BYTES.c.bytes, own.label("quotas"))


_WITHIN = (STORED_BYTES.name, ORGANIZATIONS.name)
_USAGE = rows(_usage)
_WORK = rows(
    lambda: select(ORGANIZATIONS.c.quotas, _jobs()).where(ORGANIZATIONS.c.id == given("organization"))
)
_OWN = rows(lambda: select(ORGANIZATIONS.c.quotas).where(ORGANIZATIONS.c.id == given("organization")))
_ADD = command(by_engine(_add), within=(STORED_BYTES.name,))
_TOTAL = rows(by_engine(_total), within=_WITHIN)
# One statement where an engine changes several rows in one.
_BOTH = rows(
    lambda: _total("postgresql").add_cte(_add("postgresql", "part").cte("added_to_part")), within=_WITHIN
)
_RELEASE = query(
    StoredBytes,
    lambda: (
        delete(STORED_BYTES).where(STORED_BYTES.c.holder_id == given("holder")).returning(*STORED_BYTES.c)
    ),
)
_RELEASE_ALL = rows(
    lambda: (
        delete(STORED_BYTES).where(among(STORED_BYTES.c.holder_id, "holders")).returning(STORED_BYTES.c.bytes)
    )
)
_HELD = query(StoredBytes, lambda: select(*STORED_BYTES.c).where(STORED_BYTES.c.holder_id == given("holder")))
_HAND_OVER = rows(
    lambda: (
        update(STORED_BYTES)
        .values(organization_id=given("target", Key))
        .where(
            among(STORED_BYTES.c.holder_id, "holders"), STORED_BYTES.c.organization_id == given("source", Key)
        )
        .returning(STORED_BYTES.c.bytes)
    )
)
