"""Events on their way: each is sent once, and what became of it is kept with what the integration said.

A job has the events of one transaction for one integration, in their order. A worker that dies in the middle
leaves the rest to the next attempt; only the event in hand may arrive twice, with the same `eventId`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from random import SystemRandom
from time import time
from typing import TYPE_CHECKING, Any, Protocol

from sqlalchemy import Select, select, update

from app.access.context import Context
from app.domain import jobs
from app.domain.infrastructure.circuit_breakers import CircuitOpen
from app.domain.integrations import dispatch, integration_events, outbox
from app.domain.integrations.dispatch import NOT_HANDLED
from app.domain.integrations.event_destinations import EventDestination
from app.domain.integrations.installations import PLACEMENTS
from app.domain.integrations.integration_rows import INSTALLATIONS, INTEGRATIONS
from app.domain.jobs import NOBODY, JobRuntime
from app.domain.organizations import quotas
from app.kit import counts
from app.kit.database.columns import Key
from app.kit.database.interface import Transaction
from app.kit.database.statements import command, given, query, rows, table
from app.kit.errors import Problem
from app.kit.logs import MASK, masked
from app.models.installations import Placement
from app.models.integration_events import IntegrationEvent
from app.models.jobs import Job

if TYPE_CHECKING:
    from app.kit.sandbox.shapes import ScriptResult

SWEEPS = 0.01  # how often a delivery also removes old events
_chance = SystemRandom()
PATIENCE = timedelta(hours=1)  # that an event waits for a tunnel that fails all the time
LONGEST_SCRIPT = 500_000  # bytes that are put into pages
LONGEST_LOGS = 64_000  # characters of one trace
INTEGRATION_EVENTS = table(IntegrationEvent)
_WAITING = query(
    IntegrationEvent,
    lambda: select(*INTEGRATION_EVENTS.c).where(
        INTEGRATION_EVENTS.c.id == given("id", Key), INTEGRATION_EVENTS.c.status.is_(None)
    ),
)

_END = command(
    lambda: (
        update(INTEGRATION_EVENTS)
        .values(
            {
                name: given(name, INTEGRATION_EVENTS.c[name].type)
                for name in ("status", "delivered_at", "attempts", "logs")
            }
        )
        .where(INTEGRATION_EVENTS.c.id == given("id", Key))
    )
)


def _sites() -> Select[Any]:
    return (
        select(PLACEMENTS.c.installation_id, PLACEMENTS.c.object_id, INSTALLATIONS.c.organization_id)
        .join(INSTALLATIONS, INSTALLATIONS.c.id == PLACEMENTS.c.installation_id)
        .where(
            INSTALLATIONS.c.integration_id == given("integration", Key),
            PLACEMENTS.c.kind == "site",
            PLACEMENTS.c.status == "active",
        )
    )


_CREDENTIAL = re.compile(r"auth|token|key|secret|signature|password|cookie|code|preview", re.IGNORECASE)
_SITES = rows(_sites)
_VERSION = rows(lambda: select(INTEGRATIONS.c.version).where(INTEGRATIONS.c.id == given("integration", Key)))


async def deliver(runtime: JobRuntime, job: Job) -> None:
    """Send the events of a job, one after the other."""
    cx, told = runtime.context(NOBODY), set()
    for event_id in job.payload["events"]:
        cx = runtime.context(NOBODY)
        event = await cx.db.first(_WAITING, id=event_id)
        if event is not None:
            await _deliver(cx, event)
            told.add(event.organization_id)
    await _sweep(cx, job.subject, told)


async def give_up(cx: Context, event_ids: Sequence[str]) -> None:
    """Note of events whose delivery was cancelled that they failed, unless they have ended."""
    said = {"message": "The delivery was cancelled.", "timestamp": int(time() * 1000), "level": "error"}
    for event_id in event_ids:
        event = await cx.db.first(_WAITING, id=event_id)
        if event is not None:
            ended = {"status": "failed", "delivered_at": cx.now, "attempts": event.attempts, "logs": [said]}
            await cx.tx.run(_END, id=event_id, **ended)


async def _deliver(cx: Context, event: IntegrationEvent) -> None:
    object_id = event.payload.get("spaceId") or event.payload.get("siteId")
    to = await dispatch.find(
        cx, event.integration_id, event.organization_id, event.installation_id, object_id
    )
    if to is None:
        return
    try:
        result = await dispatch.dispatch(cx, to, event.payload)
    except CircuitOpen as open_:
        result = await _not_sent(cx, event, open_)
    ended = {**_ended(cx, result), "attempts": event.attempts + 1}
    if event.type == "fetch_published_script":  # asked for again
        await _keep_script(cx, to, result)
    assert cx.home is not None
    await cx.home.execute(_END, id=event.id, **ended)


async def _not_sent(cx: Context, event: IntegrationEvent, open_: CircuitOpen) -> ScriptResult:
    """Have an event sent later, or fail where it has waited long enough."""
    from app.kit.sandbox.shapes import ScriptResult

    unsent = ScriptResult(error="SCRIPT_FAILED", message=open_.message)
    if event.created_at + PATIENCE <= cx.now:
        return unsent
    assert cx.home is not None
    waiting = {"status": None, "delivered_at": None, "attempts": event.attempts, "logs": trace(unsent)}
    await cx.home.execute(_END, id=event.id, **waiting)
    raise jobs.Postponed(open_.retry_at, open_.message)


def succeeded(result: ScriptResult) -> bool:
    """Return whether an integration took an event, or said that it has no use for its type."""
    return result.error is None and (200 <= result.status < 400 or result.status == NOT_HANDLED)


def _ended(cx: Context, result: ScriptResult) -> dict[str, Any]:
    status = "success" if succeeded(result) else "failed"
    counts.events[status] += 1
    return {"status": status, "delivered_at": cx.now, "logs": trace(result)}


def trace(result: ScriptResult) -> list[dict[str, Any]]:
    """Return what was said, as it is kept; why it failed comes last."""
    lines, left = [], LONGEST_LOGS
    for line in result.logs:
        text = line.text[:left].replace("\x00", "")
        lines.append({"message": text, "timestamp": line.time, "level": line.level})
        left -= len(text)
        if left <= 0:
            break
    reason = result.message or result.error
    if not succeeded(result) and reason and reason not in {line["message"] for line in lines}:
        at = lines[-1]["timestamp"] if lines else int(time() * 1000)
        lines.append({"message": reason[:2000].replace("\x00", ""), "timestamp": at, "level": "error"})
    return lines


async def ask(
    cx: Context,
    to: EventDestination,
    type_: str,
    payload: Mapping[str, Any],
    body: bytes | None = None,
    *,
    taken: Callable[[ScriptResult], object] | None = None,
) -> ScriptResult:
    """Send an event whose answer somebody waits for, and keep a record of it.

    Raises CircuitOpen where its tunnel fails all the time, and TooManyRequests where the quota of events is
    used up; nothing is sent or kept then. `taken` makes of an
    answer what it is for; a Problem that it raises is why the event failed, and goes on.
    """
    await quotas.admit_event(cx, to.organization_id)
    installation_id = to.installation.id if to.installation is not None else None
    event = outbox.event(to.integration.id, to.organization_id, installation_id, type_, payload)
    result = await dispatch.dispatch(cx, to, event["payload"], body)
    try:
        if taken is not None and result.error is None:
            taken(result)
    except Problem as problem:
        await record(cx, event, replace(result, error="SCRIPT_FAILED", message=problem.message))
        raise
    await record(cx, event, result)
    return result


async def record(cx: Context, event: dict[str, Any], result: ScriptResult) -> None:
    """Keep an event that was answered, without what others gave the integration to prove themselves."""
    told = {**event, "payload": without_credentials(event["payload"])}
    kept = {**told, "created_at": cx.now, "attempts": 1, **_ended(cx, result)}

    async def keep(tx: Transaction) -> None:
        await tx.add_many(IntegrationEvent, [kept])

    assert cx.home is not None
    await cx.home.write(keep)
    quotas.spend(cx, {event["organization_id"]: 1})
    await _sweep(cx, event["integration_id"], [event["organization_id"]])


def without_credentials(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return the payload of a request that was handed on, without tokens, keys and the like."""
    kept = dict(payload)
    if request := kept.get("request"):
        headers = {name: _shown(name, value) for name, value in request["headers"].items()}
        kept["request"] = {**request, "url": masked(request["url"]), "headers": headers}
    if parameters := kept.get("searchParams"):
        kept["searchParams"] = {name: _shown(name, value) for name, value in parameters.items()}
    return kept


def _shown(name: str, value: str) -> str:
    return MASK if _CREDENTIAL.search(name) else value


async def _sweep(cx: Context, integration_id: str, organization_ids: Iterable[str]) -> None:
    """Remove old events of an integration, now and then."""
    if _chance.random() < SWEEPS:
        assert cx.home is not None
        await integration_events.forget_old(cx.home, integration_id, organization_ids, cx.now)


async def fetch_scripts(runtime: JobRuntime, job: Job) -> None:
    """Ask an integration for the scripts of the sites that it is on, or of the one that a job names."""
    cx = runtime.context(NOBODY)
    for row in await cx.db.all(_SITES, integration=job.subject):
        named = job.payload.get("installation"), job.payload.get("site")
        if named not in ((None, None), (row.installation_id, row.object_id)):
            continue
        try:
            await _fetch_script(runtime.context(NOBODY), job.subject, row)
        except CircuitOpen as open_:
            if job.created_at + PATIENCE > runtime.clock():
                raise jobs.Postponed(open_.retry_at, open_.message) from None
            return


class SitePlacementRow(Protocol):
    """An installation on a site."""

    organization_id: str
    installation_id: str
    object_id: str


async def _fetch_script(cx: Context, integration_id: str, row: SitePlacementRow) -> None:
    to = await dispatch.find(cx, integration_id, row.organization_id, row.installation_id, row.object_id)
    if to is None or "site:script:inject" not in to.scopes:
        return
    await _keep_script(cx, to, await ask(cx, to, "fetch_published_script", {"siteId": row.object_id}))


async def _keep_script(cx: Context, to: EventDestination, result: ScriptResult) -> None:
    if to.placement is None or result.error is not None or result.status != 200:
        return  # the site keeps the script that it has
    if len(result.body) > LONGEST_SCRIPT:
        return
    keys = {"installation_id": to.placement.installation_id, "object_id": to.placement.object_id}
    script = result.body.decode("utf-8", "replace").replace("\x00", "")
    held = {"script": script or None, "script_hash": sha256(script.encode()).hexdigest() if script else None}

    async def keep(tx: Transaction) -> None:
        found = await tx.first(_VERSION, integration=to.integration.id)
        # Whoever published meanwhile has the new version asked; what the old one says may come after that.
        if found is not None and found.version == to.integration.version:
            await tx.put(Placement, held, **keys)

    assert cx.home is not None
    await cx.home.write(keep)
