"""The audit log as administrators read it; `audit_chain` writes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any, Protocol

from sqlalchemy import ColumnElement, Select, or_, select

from app.access.context import Context
from app.access.fetch import permit_in
from app.kit.database.columns import Instant, Key
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import nested
from app.kit.database.statements import Statement, given, query, table
from app.kit.errors import NotFound
from app.models.audit import AuditEvent, AuditQuery
from app.models.users import User

AUDIT_EVENTS, USERS = table(AuditEvent), table(User)
LONGEST_NUMBER = 15  # digits


class AuditEventRow(Protocol):
    """An event of the log with the person who did it, in a list of one or none."""

    organization_id: str
    number: int
    actor: str
    person: Sequence[User]
    token_id: str | None
    subject_kind: str
    subject_id: str
    subject_title: str | None
    target_kind: str | None
    target_id: str | None
    target_title: str | None


async def list_events(cx: Context, organization_id: str, query: AuditQuery) -> Page[AuditEventRow]:
    """List the events of an organization's audit log, newest first."""
    permit_in(cx, organization_id, can="admin")
    asked = {name: getattr(query, name) for name in _FILTERS if getattr(query, name) is not None}
    listing = _listing(frozenset(asked))
    return await listing.page(cx.db, query.paging, cx.tokens, organization=organization_id, **asked)


async def get(cx: Context, organization_id: str, number: str) -> AuditEventRow:
    """Get an event of an organization's audit log, by its number."""
    permit_in(cx, organization_id, can="admin")
    is_number = number.isascii() and number.isdecimal() and len(number) <= LONGEST_NUMBER
    asked = int(number) if is_number else 0
    found: AuditEventRow | None = await cx.db.first(_GET, organization=organization_id, number=asked)
    if found is None:
        raise NotFound("There is no such event.")
    return found


def _person() -> Any:
    return nested(
        select(*USERS.c).where(USERS.c.id == AUDIT_EVENTS.c.user_id).correlate(AUDIT_EVENTS), "person"
    )


_FILTERS: dict[str, Callable[[], ColumnElement[bool]]] = {
    "actor": lambda: AUDIT_EVENTS.c.user_id == given("actor", Key),
    "action": lambda: AUDIT_EVENTS.c.action == given("action", Key),
    "target": lambda: or_(
        AUDIT_EVENTS.c.subject_id == given("target", Key), AUDIT_EVENTS.c.target_id == given("target", Key)
    ),
    "target_type": lambda: or_(
        AUDIT_EVENTS.c.subject_kind == given("target_type"),
        AUDIT_EVENTS.c.target_kind == given("target_type"),
    ),
    "since": lambda: AUDIT_EVENTS.c.created_at >= given("since", Instant()),
    "until": lambda: AUDIT_EVENTS.c.created_at < given("until", Instant()),
}


def _matching(names: Iterable[str]) -> Select[Any]:
    of_organization = AUDIT_EVENTS.c.organization_id == given("organization", Key)
    return select(*AUDIT_EVENTS.c, _person()).where(
        of_organization, *(_FILTERS[name]() for name in sorted(names))
    )


@cache
def _listing(names: frozenset[str]) -> Listing[Any]:
    """Return the list by these filters: a statement for each set, so that an index serves those that are
    given."""
    return Listing(
        f"audit events by {' '.join(sorted(names))}",
        AuditEvent,
        lambda: _matching(names),
        order=lambda: [AUDIT_EVENTS.c.number],
        descending=True,
    )


def _one() -> Select[Any]:
    return _matching(()).where(AUDIT_EVENTS.c.number == given("number"))


_GET: Statement[Any] = query(AuditEvent, _one)
