"""The log of events sent to integrations and their results, newest first, kept for thirty days.

Callers see the events of their own organizations.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, Protocol

from sqlalchemy import ColumnElement, Delete, Integer, Select, and_, delete, select

from app.access.context import Context
from app.access.fetch import permit_in
from app.domain import jobs
from app.domain.integrations import outbox
from app.domain.integrations.integration_rows import INTEGRATIONS, by_name, find, looking, note
from app.kit.database.columns import Instant, Key
from app.kit.database.interface import Database
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import among, days_ago
from app.kit.database.statements import Statement, command, given, query, shown, table
from app.kit.errors import Conflict, Forbidden, Invalid, NotFound
from app.models.integration_events import IntegrationEvent, IntegrationTask
from app.models.queries import PageQuery


class IntegrationEventRow(Protocol):
    """An event with the lines of its trace; without a status it waits for its delivery."""

    status: str | None
    logs: Sequence[dict[str, Any]]


KEPT = timedelta(days=30)
MOST = 20_000  # events of one integration in one organization: anybody may call a public endpoint
LARGEST_TASK = 20_000  # bytes
DELIVER_TASK = "deliver_task"
INTEGRATION_EVENTS = table(IntegrationEvent)


def _shown(*, besides: tuple[str, ...] = ()) -> Select[Any]:
    return (
        select(*shown(IntegrationEvent, besides=besides), INTEGRATIONS.c.name.label("integration_name"))
        .join(INTEGRATIONS, INTEGRATIONS.c.id == INTEGRATION_EVENTS.c.integration_id)
        .where(by_name(), INTEGRATION_EVENTS.c.created_at >= days_ago(KEPT.days))
    )


_ALL = Listing(
    "integration events",
    IntegrationEvent,
    lambda: _shown(besides=("logs", "delivered_at", "attempts", "type")).where(
        among(INTEGRATION_EVENTS.c.organization_id, "mine")
    ),
    order=lambda: [INTEGRATION_EVENTS.c.id],
    descending=True,
)
_ONE: Statement[Any] = query(
    IntegrationEvent, lambda: _shown().where(INTEGRATION_EVENTS.c.id == given("id", Key))
)
_FORGET = command(
    lambda: delete(INTEGRATION_EVENTS).where(
        INTEGRATION_EVENTS.c.integration_id == given("integration"),
        INTEGRATION_EVENTS.c.created_at < given("until", Instant()),
    )
)


def _forget_many() -> Delete:
    def theirs(events: Any) -> ColumnElement[bool]:
        of_integration = events.c.integration_id == given("integration")
        return and_(of_integration, events.c.organization_id == given("organization"))

    other = INTEGRATION_EVENTS.alias("other")
    newest = select(other.c.id).where(theirs(other)).order_by(other.c.id.desc())
    first_too_many = newest.offset(given("most", Integer())).limit(1).scalar_subquery()
    return delete(INTEGRATION_EVENTS).where(
        theirs(INTEGRATION_EVENTS),
        INTEGRATION_EVENTS.c.id <= first_too_many,
        INTEGRATION_EVENTS.c.status.is_not(None),
    )


_FORGET_MANY = command(_forget_many)


async def list_of_integration(cx: Context, integration_name: str, query: PageQuery) -> Page[Any]:
    """List the events of an integration in the caller's organizations, newest first, for thirty days."""
    mine = looking(cx, "installIntegration")
    found = await _ALL.page(cx.db, query.paging, cx.tokens, sight={"mine": mine}, name=integration_name)
    if not found.count:
        integration = await find(cx, integration_name)
        if not mine:
            permit_in(cx, integration.organization_id, can="installIntegration")
    return found


async def get(cx: Context, integration_name: str, event_id: str) -> Any:
    """Get an event of an integration with the trace of its delivery."""
    return await _found(cx, integration_name, event_id)


async def redeliver(cx: Context, integration_name: str, event_id: str) -> Any:
    """Deliver an event of an integration again, with the same id.

    Raises Conflict where its delivery has not ended yet, or where it was answered to somebody who waited.
    """
    found = await _found(cx, integration_name, event_id)
    if found.status is None:
        raise Conflict("The event is still waiting to be delivered.")
    if found.type in ("ui_render", "fetch", "fetch_visitor_authentication"):
        raise Conflict("The event was answered directly; it cannot be delivered again.")
    again = await cx.tx.change(
        IntegrationEvent, {"status": None, "delivered_at": None, "logs": []}, id=event_id
    )
    payload = {"events": [event_id]}
    await jobs.enqueue(
        cx, outbox.DELIVER, found.integration_id, found.organization_id, due_at=cx.now, payload=payload
    )
    return _EventIntegration(again, found.integration_name)


async def queue_task(cx: Context, integration_name: str, task: IntegrationTask) -> None:
    """Queue a task of an integration. The integration receives it later as a `task` event."""
    import orjson

    integration = await find(cx, integration_name)
    if len(orjson.dumps(task.task)) > LARGEST_TASK:
        raise Invalid(f"A task may have at most {LARGEST_TASK} bytes.", path="task")
    caller = cx.actor.installation
    if caller is None or caller.integration_id != integration.id:
        integration = await find(cx, integration_name, can="admin")
    organization_id, installation_id = integration.organization_id, None
    if caller is not None and caller.installation_id is not None:
        (organization_id,) = cx.actor.memberships
        closed = cx.actor.memberships[organization_id].closed
        if closed:
            raise Forbidden(closed)
        installation_id = caller.installation_id
    note(cx, integration, organization_id)
    payload = {"organization": organization_id, "installation": installation_id, "task": task.task}
    due = cx.now + timedelta(seconds=task.schedule)
    await jobs.enqueue(cx, DELIVER_TASK, integration.id, organization_id, due_at=due, payload=payload)


async def begin_task(cx: Context, integration_id: str, payload: dict[str, Any]) -> None:
    """Tell an integration of a task whose time has come."""
    told = outbox.event(
        integration_id, payload["organization"], payload["installation"], "task", {"task": payload["task"]}
    )
    await outbox.tell(cx, [told])


async def forget_old(
    db: Database, integration_id: str, organization_ids: Iterable[str], now: datetime, *, most: int = MOST
) -> None:
    """Remove the events of an integration that are older than is kept, or more in one of the organizations.

    What waits for its delivery stays, however much was told since.
    """
    await db.execute(_FORGET, integration=integration_id, until=now - KEPT)
    for id_ in organization_ids:
        await db.execute(_FORGET_MANY, integration=integration_id, organization=id_, most=most)


class _EventIntegration:
    """An event's row with the integration's name."""

    def __init__(self, row: IntegrationEvent, name: str) -> None:
        self._row, self.integration_name = row, name

    def __getattr__(self, name: str) -> Any:
        return getattr(self._row, name)


async def _found(cx: Context, name: str, event_id: str) -> Any:
    found = await cx.db.first(_ONE, name=name, id=event_id)
    if found is None or found.organization_id not in cx.actor.memberships:
        raise NotFound("There is no such event.")
    cx.note("integration", name, found.organization_id)
    permit_in(cx, found.organization_id, can="installIntegration")
    return found
