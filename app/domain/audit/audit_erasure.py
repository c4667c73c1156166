"""Erases what is personal in the events of the audit log; the chain stays verifiable.

In place of what is erased an event keeps its salted hash without the salt, and a signature of what is left:
whoever may write to the database but has no key cannot erase anything unnoticed. Events of the first form
were hashed with what is personal in them, so their hash cannot be computed again. They are verified one last
time before they are erased; from then on the signature vouches for what is left of them.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import ColumnElement, Integer, and_, func, select, update

from app.access.context import Context
from app.domain.audit.audit_chain import (
    HASHED,
    PERSONAL,
    SALTED,
    chained,
    erasure_text,
    is_hash_of,
    personal_hash,
    text_of,
)
from app.domain.infrastructure.service import audit_keys
from app.kit.database.columns import Json, Key
from app.kit.database.sql import among
from app.kit.database.statements import Statement, command, given, rows, table
from app.kit.keyring import Keyring
from app.models.audit import AuditEvent
from app.models.organizations import Organization

AT_ONCE = 1000  # events that are erased at once
PEOPLES = ("user", "token", "passkey", "session")
"""Kinds of objects that belong to people, who give them their titles."""
AUDIT_EVENTS, ORGANIZATIONS = table(AuditEvent), table(Organization)
_before = AUDIT_EVENTS.alias("before")


def _events(*matching: ColumnElement[bool]) -> Any:
    """Return matching events with the hash of the event before, each organization by its index."""
    previous = and_(
        _before.c.organization_id == AUDIT_EVENTS.c.organization_id,
        _before.c.number == AUDIT_EVENTS.c.number - 1,
    )
    return (
        select(*AUDIT_EVENTS.c, func.coalesce(_before.c.hash, "").label("before"))
        .outerjoin(_before, previous)
        .where(AUDIT_EVENTS.c.organization_id.in_(select(ORGANIZATIONS.c.id)), *matching)
        .limit(AT_ONCE)
    )


_ADDRESSES = rows(
    lambda: _events(AUDIT_EVENTS.c.user_id == given("user", Key), AUDIT_EVENTS.c.address.is_not(None))
)


def _named(kind: Any, id_: Any) -> Any:
    """Return the ids of what a person changed or made of certain kinds."""
    return (
        select(id_.label("id"))
        .distinct()
        .where(
            AUDIT_EVENTS.c.organization_id.in_(select(ORGANIZATIONS.c.id)),
            AUDIT_EVENTS.c.user_id == given("user", Key),
            among(kind, "kinds"),
        )
    )


_NAMED = (
    rows(lambda: _named(AUDIT_EVENTS.c.subject_kind, AUDIT_EVENTS.c.subject_id)),
    rows(lambda: _named(AUDIT_EVENTS.c.target_kind, AUDIT_EVENTS.c.target_id)),
)
_TITLES = {
    "subject_title": rows(
        lambda: _events(
            among(AUDIT_EVENTS.c.subject_id, "objects"), AUDIT_EVENTS.c.subject_title.is_not(None)
        )
    ),
    "target_title": rows(
        lambda: _events(among(AUDIT_EVENTS.c.target_id, "objects"), AUDIT_EVENTS.c.target_title.is_not(None))
    ),
}
_ERASE = command(
    lambda: (
        update(AUDIT_EVENTS)
        .values(
            **{name: given(name) for name in (*PERSONAL, *PERSONAL.values(), "erasure")},
            erased=given("erased", Json()),
        )
        .where(
            AUDIT_EVENTS.c.organization_id == given("organization", Key),
            AUDIT_EVENTS.c.number == given("event", Integer()),
        )
    )
)


async def erase(cx: Context, user_id: str, objects: Collection[str]) -> None:
    """Erase the addresses of a person from all events, and the titles of what was theirs.

    That is the person, these `objects`, and what they did away with earlier. Asks nobody for a right.
    """
    named = {user_id, *objects}
    for statement in _NAMED:
        named.update(row.id for row in await cx.tx.all(statement, user=user_id, kinds=PEOPLES))
    await _erase_all(cx, _ADDRESSES, "address", user=user_id)
    for title, events in _TITLES.items():
        await _erase_all(cx, events, title, objects=sorted(named))


async def _erase_all(cx: Context, statement: Statement[Any], name: str, **values: Any) -> None:
    ring = audit_keys(cx.settings)
    while found := await cx.tx.all(statement, **values):
        await cx.tx.run_many(_ERASE, [_without(ring, event, name) for event in found])


def _without(ring: Keyring, event: Any, name: str) -> dict[str, Any]:
    """Return the columns of an event from which this is erased.

    An event that is not as it was written gets no signature, so that it is still found altered.
    """
    said = {column: getattr(event, column) for column in HASHED}
    is_valid = _is_valid(ring, event, said)
    kept = personal_hash(said, name) if event.form >= SALTED else None
    erased = {**(event.erased or {}), **({name: kept} if kept else {})}
    said = {**said, name: None, PERSONAL[name]: None, "erased": erased}
    signed = ring.sign(erasure_text(event.number, event.hash, text_of(said))) if is_valid else None
    return {
        **{column: said[column] for column in (*PERSONAL, *PERSONAL.values(), "erased")},
        "erasure": signed,
        "organization": event.organization_id,
        "event": event.number,
    }


def _is_valid(ring: Keyring, event: Any, said: dict[str, Any]) -> bool:
    if event.erased is not None:
        return ring.verifies(erasure_text(event.number, event.hash, text_of(said)), event.erasure or "")
    text = chained(event.before, event.number, text_of(said))
    return is_hash_of(ring, text, event.hash, event.before)
