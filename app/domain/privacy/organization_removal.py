"""Removes deleted organizations for good, with every row that belongs to them.

Rows go in many small transactions, parts before what they are parts of, the organization itself last. So a
removal that is interrupted goes on where it was: whatever is left is found again. Texts and bytes that
nothing else refers to go in the transaction that removes what referred to them.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import cache, partial
from typing import Any

from sqlalchemy import Column, Integer, Table, delete, select, tuple_, update

from app.access.audit_actions import AuditAction
from app.access.context import Context
from app.access.quotas import SECONDS as SECONDS_OF_QUOTAS
from app.access.quotas import bucket
from app.domain.infrastructure import blobs
from app.domain.integrations import integrations
from app.domain.jobs import JOBS, NOBODY, JobRuntime, Postponed
from app.domain.organizations.organization_deletion import restorable_until
from app.domain.search import section_changes
from app.domain.spaces import purge
from app.domain.uploads import uploads
from app.kit.database.columns import Instant
from app.kit.database.sql import among
from app.kit.database.statements import Statement, command, given, query, rows, table
from app.models.access import Bucket
from app.models.integrations import Integration
from app.models.jobs import Job
from app.models.organizations import Organization
from app.models.ownership import owner_columns, parts_of, roots, shared_by
from app.models.searches import SearchSection
from app.models.spaces import Space

log = logging.getLogger("docyard.work")
ROWS = 500  # removed in one transaction
PAGES = 20  # taken out of the search index in one transaction
SECONDS = 20.0  # after which a removal lets other jobs begin, and goes on later
ACTION = AuditAction("job", "removeOrganization")
ORGANIZATIONS, SPACES, INTEGRATIONS = table(Organization), table(Space), table(Integration)
SEARCH_SECTIONS = table(SearchSection)
_ORGANIZATION = query(Organization, lambda: select(*ORGANIZATIONS.c).where(ORGANIZATIONS.c.id == given("id")))
_SPACES = query(Space, lambda: select(*SPACES.c).where(among(SPACES.c.id, "ids")))
_PUBLISHED = query(
    Integration,
    lambda: (
        select(*INTEGRATIONS.c)
        .where(INTEGRATIONS.c.organization_id == given("organization"))
        .order_by(INTEGRATIONS.c.id)
    ),
)
_INDEXED = rows(
    lambda: (
        select(SEARCH_SECTIONS.c.page_id)
        .where(SEARCH_SECTIONS.c.space_id == given("space"))
        .distinct()
        .limit(given("most", Integer()))
    )
)
_FORGET_JOBS = command(
    lambda: delete(JOBS).where(JOBS.c.organization_id == given("organization"), JOBS.c.state != "running")
)
_RUNNING = rows(
    lambda: (
        select(JOBS.c.due_at)
        .where(
            JOBS.c.organization_id == given("organization"),
            JOBS.c.state == "running",
            JOBS.c.due_at > given("now", Instant()),
        )
        .order_by(JOBS.c.due_at)
    )
)


async def perform(runtime: JobRuntime, job: Job) -> None:
    """Remove an organization whose days are over; one that was restored, or is gone, is left alone.

    Raises Postponed where it is too early, where work for the organization still runs, and where much is left
    to do after a while.
    """
    organization = await runtime.db.first(_ORGANIZATION, id=job.subject)
    until = restorable_until(runtime.settings, organization) if organization else None
    if organization is None or until is None:
        return
    if until > runtime.clock():
        raise Postponed(until, "The organization can still be restored.")
    await _Removal(runtime, organization.id).run()
    log.info("organization %s was removed for good", organization.id)


class _Removal:
    """One removal at work, until it is done or its time is over."""

    def __init__(self, runtime: JobRuntime, organization_id: str) -> None:
        self._runtime = runtime
        self._id = organization_id
        self._end = time.monotonic() + SECONDS

    async def run(self) -> None:
        """Remove everything that belongs to the organization, then the organization."""
        await self._stop_work()
        await self._take_integrations_back()
        for root in roots():
            for column in owner_columns(root):
                await self._remove(root, column, [self._id])

    async def _stop_work(self) -> None:
        """Forget the jobs of the organization; those that run have to end first."""
        await self._write(lambda cx: cx.tx.run(_FORGET_JOBS, organization=self._id))
        now = self._runtime.clock()
        running = await self._runtime.db.first(_RUNNING, organization=self._id, now=now)
        if running is not None:
            raise Postponed(running.due_at, "Work for the organization has to end first.")

    async def _take_integrations_back(self) -> None:
        """Uninstall the integrations of the organization everywhere, and remove them."""
        for row in await self._runtime.db.all(_PUBLISHED, organization=self._id):
            if row.deleted_at is None:
                await self._write(partial(integrations.take_back, row=row))
            await self._write(partial(integrations.purge, integration_id=row.id))

    async def _remove(self, of: Table, column: Column[str], values: Sequence[str]) -> None:
        """Remove the rows of a table with one of these values in a column, a few at a time, parts first."""
        found = await self._some(of, column, values)
        while found:
            await self._remove_beside(of, found)
            for part, how in parts_of(of):
                await self._remove(part, part.c[how.column], found)
            await self._write(partial(_remove_rows, of=of, ids=found))
            found = await self._some(of, column, values)
        if not _is_whole(of):
            while await self._runtime.db.all(_any(of, column), values=values):
                await self._write(partial(_remove_some, of=of, column=column, values=values))

    async def _some(self, of: Table, column: Column[str], values: Sequence[str]) -> list[str]:
        """Return the ids of a few rows that something else hangs on; none of other tables."""
        if not _is_whole(of):
            return []
        return [row.id for row in await self._runtime.db.all(_few(of, column), values=values, most=ROWS)]

    async def _remove_beside(self, of: Table, ids: Sequence[str]) -> None:
        """Remove what rows have besides their parts: entries of the search index, bytes that arrive, and what
        is left of quotas."""
        if of.name == SPACES.name:
            for space in await self._runtime.db.all(_SPACES, ids=ids):
                while await self._write(partial(_unindex, space=space)):
                    pass
        if of.name == "upload":
            for upload_id in ids:
                await self._write(partial(uploads.remove_unused, upload_id=upload_id))
        if of.name == ORGANIZATIONS.name:
            for name in SECONDS_OF_QUOTAS:
                await self._write(partial(_forget_bucket, key=bucket(name, self._id)))

    async def _write(self, call: Callable[[Context], Awaitable[Any]]) -> Any:
        """Do one step in a transaction, unless the time is over."""
        if time.monotonic() > self._end:
            raise Postponed(self._runtime.clock(), "The organization is being removed.")
        return await self._runtime.write(NOBODY, call, ACTION)


async def _unindex(cx: Context, space: Space) -> bool:
    """Take a few pages of a space out of the search index; tells whether there were any."""
    pages = [row.page_id for row in await cx.tx.all(_INDEXED, space=space.id, most=PAGES)]
    if pages:
        await section_changes.replace(cx, space, pages, [])
    return bool(pages)


async def _forget_bucket(cx: Context, key: str) -> None:
    await cx.tx.remove(Bucket, key=key)


def _is_whole(of: Table) -> bool:
    """Tell whether rows of a table are removed by their ids: others are parts of them, or refer to them."""
    return of.name in ("organization", "upload") or bool(_references_to_itself(of)) or any(parts_of(of))


def _references_to_itself(of: Table) -> list[Column[str]]:
    return [column for column in of.c for key in column.foreign_keys if key.column.table is of]


async def _remove_rows(cx: Context, of: Table, ids: Sequence[str]) -> None:
    """Remove rows by their ids, and what is shared and only they held."""
    for column in _references_to_itself(of):
        await cx.tx.run(_let_go(of, column), ids=ids)
    await _let_shared_go(cx, of, await cx.tx.all(_by_ids(of), ids=ids))


async def _remove_some(cx: Context, of: Table, column: Column[str], values: Sequence[str]) -> None:
    """Remove a few rows with one of these values in a column."""
    await _let_shared_go(cx, of, await cx.tx.all(_by_column(of, column), values=values, most=ROWS))


async def _let_shared_go(cx: Context, of: Table, removed: Sequence[Any]) -> None:
    """Remove the texts and bytes that only removed rows referred to."""
    held: dict[str, set[str]] = {}
    for column, to in shared_by(of):
        held.setdefault(to.name, set()).update(filter(None, (getattr(row, column.name) for row in removed)))
    if documents := held.get("document"):
        await purge.remove_lonely_documents(cx, sorted(documents))
    if bytes_ := held.get("blob"):
        await blobs.remove_unused(cx, sorted(bytes_))


@cache
def _few(of: Table, column: Column[str]) -> Statement[Any]:
    return rows(lambda: select(of.c.id).where(among(column, "values")).limit(given("most", Integer())))


@cache
def _any(of: Table, column: Column[str]) -> Statement[Any]:
    """Return the statement that looks for a row: without the locks of one that removes rows."""
    return rows(lambda: select(column).where(among(column, "values")).limit(1))


@cache
def _by_ids(of: Table) -> Statement[Any]:
    return rows(lambda: delete(of).where(among(of.c.id, "ids")).returning(*_told(of)))


@cache
def _by_column(of: Table, column: Column[str]) -> Statement[Any]:
    key = tuple_(*of.primary_key.columns)
    some = select(*of.primary_key.columns).where(among(column, "values")).limit(given("most", Integer()))
    return rows(lambda: delete(of).where(key.in_(some)).returning(*_told(of)))


def _told(of: Table) -> list[Column[Any]]:
    """Return the columns of removed rows that somebody asks for; one at least, so that they are counted."""
    return [column for column, _ in shared_by(of)] or [next(iter(of.primary_key.columns))]


@cache
def _let_go(of: Table, column: Column[str]) -> Statement[Any]:
    return command(lambda: update(of).values({column: None}).where(among(column, "ids")))
