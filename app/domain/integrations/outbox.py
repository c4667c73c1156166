"""The outbox of integrations: rows written in the transaction of an event and delivered afterwards.

An event goes to every active installation that has the object, if the integration declares the scope of the
event's type. Each integration, organization and transaction has a delivery job of its own, so that a slow one
delays no other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Select, and_, or_, select

from app.access.audit_actions import CallNotes, Event
from app.access.context import Context
from app.access.scopes import in_force
from app.domain import jobs
from app.domain.organizations import quotas
from app.kit.database.interface import Transaction
from app.kit.database.sql import among
from app.kit.database.statements import given, rows, table
from app.kit.ids import new_id
from app.models.installations import Installation, Placement
from app.models.integration_events import IntegrationEvent
from app.models.integrations import Integration
from app.models.users import User

DELIVER = "deliver_events"
FETCH_SCRIPTS = "fetch_site_scripts"
COMPUTE = "compute_content"
AT_ONCE = 50  # events of one job
NEEDS = {
    "space_content_updated": ("space:content:read",),
    "space_visibility_updated": ("space:metadata:read",),
    "space_gitsync_started": ("space:git:sync",),
    "space_gitsync_completed": ("space:git:sync",),
    "space_view": ("space:views:read",),
    "site_view": ("site:views:read",),
    "page_feedback": ("page:feedback:read",),
}
INSTALLATIONS, PLACEMENTS, INTEGRATIONS, USERS = (
    table(Installation),
    table(Placement),
    table(Integration),
    table(User),
)
Told = dict[str, Any]


def _recipients() -> Select[Any]:
    """Return the active installations of an organization, each with those of the objects that it has."""
    placed = and_(
        PLACEMENTS.c.installation_id == INSTALLATIONS.c.id, among(PLACEMENTS.c.object_id, "objects")
    )
    return (
        select(
            INSTALLATIONS.c.id,
            INSTALLATIONS.c.integration_id,
            INSTALLATIONS.c.space_selection,
            INSTALLATIONS.c.site_selection,
            INTEGRATIONS.c.name,
            INTEGRATIONS.c.scopes,
            INTEGRATIONS.c.has_content_sources,
            INSTALLATIONS.c.agreed,
            PLACEMENTS.c.object_id,
            PLACEMENTS.c.status,
        )
        .select_from(
            INSTALLATIONS.join(INTEGRATIONS, INTEGRATIONS.c.id == INSTALLATIONS.c.integration_id).outerjoin(
                PLACEMENTS, placed
            )
        )
        .where(
            INSTALLATIONS.c.organization_id == given("organization"),
            INSTALLATIONS.c.status == "active",
            or_(
                PLACEMENTS.c.object_id.is_not(None),
                INSTALLATIONS.c.space_selection == "all",
                INSTALLATIONS.c.site_selection == "all",
                INTEGRATIONS.c.has_content_sources,
            ),
        )
        .order_by(INSTALLATIONS.c.id)
    )


_RECIPIENTS = rows(_recipients)
_INSTALLING = (
    "installation_setup",
    "installation_deleted",
    "space_installation_setup",
    "space_installation_deleted",
)
_HAVING_SOURCES = rows(
    lambda: select(INTEGRATIONS.c.id, INTEGRATIONS.c.name).where(
        among(INTEGRATIONS.c.id, "ids"), INTEGRATIONS.c.has_content_sources
    )
)
_PEOPLE = rows(lambda: select(USERS.c.id, USERS.c.display_name).where(among(USERS.c.id, "ids")))


async def append(cx: Context, events: Sequence[Event]) -> None:
    """Write down who is told of what happened in this transaction."""
    found: dict[str, list[Event]] = defaultdict(list)
    for one in events:
        found[one.organization_id].append(one)
    told: list[Told] = []
    people: dict[str, Any] | None = None
    for organization_id, several in found.items():
        objects = sorted({one.object_id for one in several})
        installed = await cx.db.all(_RECIPIENTS, organization=organization_id, objects=objects)
        for one in several:
            having = _having(installed, one)
            if having and people is None:
                people = await _people(cx, events)
            told += [
                event(row.integration_id, organization_id, row.id, one.type, _payload(one, people or {}))
                for row in having
            ]
        if any(one.type == "space_content_updated" and one.payload["updatedBy"] for one in several):
            await renew_sources(cx, organization_id, installed)
    await tell(cx, told)


async def renew_sources(cx: Context, organization_id: str, installed: Sequence[Any]) -> None:
    """Have pages of content sources looked at again, now that what they are computed from has changed."""
    for name in sorted({row.name for row in installed if row.has_content_sources}):
        await renew_pages_of(cx, name, organization_id)


async def renew_pages_of(
    cx: Context, integration_name: str, organization_id: str, *, again: bool = False
) -> None:
    """Have the pages of an integration in an organization looked at again; `again`: all of them computed."""
    asked = {"again": again}
    await jobs.enqueue(cx, COMPUTE, integration_name, organization_id, due_at=cx.now, payload=asked)


async def _renew_installed(cx: Context, told: Sequence[Told]) -> None:
    """Have pages of content sources looked at again where an installation came, went or was configured.

    What a person configures has all of them computed; an integration that does asks for that itself.
    """
    changed = [one for one in told if one["type"] in _INSTALLING]
    if not changed:
        return
    ids = sorted({one["integration_id"] for one in changed})
    names = {row.id: row.name for row in await cx.db.all(_HAVING_SOURCES, ids=ids)}
    again: dict[tuple[str, str], bool] = defaultdict(bool)
    for one in changed:
        if (integration_id := one["integration_id"]) in names:
            configured = "status" in one["payload"] and "previous" in one["payload"]
            again[names[integration_id], one["organization_id"]] |= configured
    for (name, organization_id), configured in sorted(again.items()):
        all_of_them = configured and cx.actor.installation is None
        await renew_pages_of(cx, name, organization_id, again=all_of_them)


async def renew_sources_of(cx: Context, organization_id: str) -> None:
    """Have all pages of content sources in an organization looked at again."""
    installed = await cx.db.all(_RECIPIENTS, organization=organization_id, objects=[])
    await renew_sources(cx, organization_id, installed)


async def publish(
    cx: Context, *events: Event, storing: Callable[[Context], Awaitable[None]] | None = None
) -> None:
    """Tell of what visitors did, such as a view: in a transaction of its own, with what they store.

    Raises TooManyRequests where visitors have used up what they may of the quota of events.
    """
    assert cx.home is not None
    notes = CallNotes()

    async def tell_of(tx: Transaction) -> None:
        nonlocal notes
        notes = CallNotes()
        inside = replace(cx, db=tx, notes=notes)
        if storing is not None:
            await storing(inside)
        await append(inside, events)
        await quotas.charge(inside, asked=True, by_visitor=True)

    await cx.home.write(tell_of)
    quotas.spend(cx, notes.events)


def _having(installed: Sequence[Any], one: Event) -> list[Any]:
    """Return the installations that have the object of what happened and may be told; each once."""
    having, there = {}, {row.id: row.status for row in installed if row.object_id == one.object_id}
    for row in installed:
        selection = row.space_selection if one.kind == "space" else row.site_selection
        has = there[row.id] == "active" if row.id in there else selection == "all"
        if has and set(NEEDS.get(one.type, ())) <= set(in_force(row.scopes, row.agreed)):
            having[row.id] = row
    return list(having.values())


def _payload(one: Event, people: Mapping[str, Any]) -> dict[str, Any]:
    payload = {f"{one.kind}Id": one.object_id, **one.payload}
    if "updatedBy" in payload:
        payload["updatedBy"] = [people[id_] for id_ in payload["updatedBy"] if id_ in people]
    return payload


async def _people(cx: Context, events: Sequence[Event]) -> dict[str, Any]:
    """Return who made changes, as integrations are told of them: without their addresses."""
    ids = sorted({id_ for one in events for id_ in one.payload.get("updatedBy", ())})
    found = await cx.db.all(_PEOPLE, ids=ids) if ids else []
    return {
        row.id: {
            "object": "user",
            "id": row.id,
            "displayName": row.display_name,
            "urls": {"location": f"{cx.settings.api_base}/users/{row.id}"},
        }
        for row in found
    }


def event(
    integration_id: str,
    organization_id: str,
    installation_id: str | None,
    type_: str,
    payload: Mapping[str, Any],
) -> Told:
    """Return an event as it is written down; its payload names the event, its type and the installation."""
    id_ = new_id()
    about: dict[str, Any] = {"eventId": id_, "type": type_}
    if installation_id is not None:
        about["installationId"] = installation_id
    return {
        "id": id_,
        "integration_id": integration_id,
        "installation_id": installation_id,
        "organization_id": organization_id,
        "type": type_,
        "payload": {**about, **payload},
    }


def setup(integration: Any, organization_id: str, installation_id: str, now: Any, before: Any = None) -> Told:
    """Return an installation, or one on a space or site, was made or configured; `before` is how it was."""
    kind, where = _place(now)
    payload: dict[str, Any] = {**where, "status": now.status}
    if before is not None:
        payload["previous"] = {"status": before.status, "configuration": before.configuration}
    return event(integration.id, organization_id, installation_id, f"{kind}installation_setup", payload)


def deleted(integration: Any, organization_id: str, installation_id: str, before: Any) -> Told:
    """Return an installation, or one on a space or site, is gone."""
    kind, where = _place(before)
    payload = {**where, "previous": {"configuration": before.configuration}}
    return event(integration.id, organization_id, installation_id, f"{kind}installation_deleted", payload)


def _place(row: object) -> tuple[str, dict[str, str]]:
    kind, object_id = getattr(row, "kind", None), getattr(row, "object_id", "")
    return (f"{kind}_", {f"{kind}Id": object_id}) if kind else ("", {})


async def tell(cx: Context, told: Sequence[Told]) -> None:
    """Write events down and ask for their delivery after the commit."""
    if not told:
        return
    unsaid: dict[str, Any] = {
        "status": None,
        "created_at": cx.now,
        "delivered_at": None,
        "attempts": 0,
        "logs": [],
    }
    await cx.tx.add_many(IntegrationEvent, [{**one, **unsaid} for one in told])
    if cx.notes is not None:
        for one in told:
            organization_id = one["organization_id"]
            cx.notes.events[organization_id] = cx.notes.events.get(organization_id, 0) + 1
    by_recipient: dict[tuple[str, str], list[str]] = defaultdict(list)
    for one in told:
        by_recipient[one["integration_id"], one["organization_id"]].append(one["id"])
    for recipient, ids in by_recipient.items():
        for start in range(0, len(ids), AT_ONCE):
            some = {"events": ids[start : start + AT_ONCE]}
            await jobs.enqueue(cx, DELIVER, *recipient, due_at=cx.now, payload=some)
    await _renew_installed(cx, told)
