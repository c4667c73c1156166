"""The event that a write leaves in the audit log of each organization that it concerns."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select

from app.access.context import Context
from app.api.operation import Operation
from app.kit.database.statements import given, rows, table
from app.models.audit import AuditEvent
from tests.cast import Cast, Person
from tests.contract.faces import Call, without_chance

# They change nothing in any organization.
SILENT = {
    "updateNotificationPreferences": "people belong to themselves",
    "updateUserById": "people belong to themselves",
    **dict.fromkeys(
        (
            "createOAuthApplication",
            "updateOAuthApplicationById",
            "deleteOAuthApplicationById",
            "rotateOAuthApplicationSecret",
        ),
        "applications belong to people",
    ),
    "updateOrganizationMemberLastSeenAt": "that somebody is there is no deed",
}
ADDRESSES = {"deleteUserById": None}  # erased with the account
AUDIT_EVENTS = table(AuditEvent)
_OF_REQUEST = rows(
    lambda: (
        select(*AUDIT_EVENTS.c)
        .where(AUDIT_EVENTS.c.request_id == given("request"))
        .order_by(AUDIT_EVENTS.c.organization_id)
    )
)


class Named:
    """Somebody whose requests all carry this id."""

    def __init__(self, cast: Cast, request: str, person: Person | None = None) -> None:
        self.cast, self.request, self.person = cast, request, person or cast.ada

    def making(self, call: Call) -> Named:
        """Return who makes this call: the administrator, or who alone can."""
        return Named(self.cast, self.request, call.caller)

    def call(self, method: str, path: str, **options: Any) -> Any:
        """One request as this person."""
        return self.person.call(method, path, headers={"X-Request-Id": self.request}, **options)


def left_one_event(named: Named, operation: Operation, face: str, call: Call) -> list[Any]:
    """Return the objects of the events of a successful write; raises where they are not as they must be."""
    if operation.public or not operation.writes:
        return []
    events = _events_of(named.cast, named.request)
    if operation.id in SILENT:
        assert not events, SILENT[operation.id]
        return []
    assert [e.action for e in events] == [operation.id] * max(1, len({e.organization_id for e in events}))
    assert {(e.actor, e.user_id, e.face, e.address) for e in events} == {
        ("user", (call.caller or named.cast.ada).id, face, ADDRESSES.get(operation.id, "127.0.0.1"))
    }
    return [_about(event, call.path) for event in events]


def _events_of(cast: Cast, request: str) -> list[Any]:
    """Return the events that the request of this id left in all logs."""

    async def read(cx: Context) -> list[Any]:
        return await cx.db.all(_OF_REQUEST, request=request)

    return cast.instance.inside(read)


def _about(event: Any, path: dict[str, str]) -> Any:
    """Return what an event is about, with the ids of the path by name and other new ids as such."""
    names = {value: name for name, value in path.items()}
    ids = (event.organization_id, event.subject_id, event.target_id)
    shown = [names.get(id_, without_chance(id_)) for id_ in ids]
    return (
        event.subject_kind,
        event.target_kind,
        bool(event.subject_title),
        bool(event.target_title),
        *shown,
    )
