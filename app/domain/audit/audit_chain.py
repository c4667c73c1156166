"""The chain of the audit log: what a transaction did is appended to it, signed, and later verified.

An event's hash is an HMAC-SHA256 of the hash before it, its number and the rest of it as JSON. The head keeps
the newest event's number and hash under a seal, a signature of its own. The key is not in the database (see
`kit.keyring`): whoever may write there can neither change an event, nor leave one out, nor shorten the log,
without `verify` finding it. What a whole older copy of a log would hide is found by anchors: heads that were
exported before and are kept elsewhere.

Events from before the key was introduced have plain SHA-256 hashes; the first signed event covers them all.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import orjson
from sqlalchemy import Integer, insert, select, update

from app.access.audit_actions import AuditAction, AuditSubject, CallNotes
from app.access.context import Actor, Context
from app.domain.infrastructure.server_keys import audit_keys
from app.kit import keyring
from app.kit.clock import wire_time
from app.kit.database.columns import Key
from app.kit.database.statements import command, given, query, table
from app.kit.keyring import Keyring
from app.kit.logs import request_id
from app.kit.settings import Settings
from app.models.audit import AuditEvent, AuditHead

log = logging.getLogger("docyard.audit")
_e, _h = table(AuditEvent), table(AuditHead)
HASHED = tuple(c.name for c in _e.c if c.name not in ("number", "hash"))
_CAPITAL = re.compile(r"(?=[A-Z])")


def lane(organization_id: str) -> str:
    """Return the name of the queue of those who append to an organization's log."""
    return f"audit {organization_id}"


async def begin(cx: Context, organization_id: str) -> None:
    """Create the log of a new organization."""
    seal = audit_keys(cx.settings).sign(_head_text(organization_id, 0, ""))
    await cx.tx.add_many(
        AuditHead, [{"organization_id": organization_id, "number": 0, "hash": "", "seal": seal}]
    )


async def append(cx: Context, actor: Actor, action: AuditAction) -> None:
    """Append what this transaction did to the log of each organization that it concerned."""
    assert cx.notes is not None
    for organization_id in sorted(cx.notes.subjects):
        # Only now: until here, others of the organization need not wait.
        await cx.tx.lock(lane(organization_id))
        event = _event(cx, actor, action, cx.notes, cx.notes.subjects[organization_id])
        found = await cx.tx.get_by_key(HEAD, organization=organization_id)
        number, before = (found[0].number + 1, found[0].hash) if found else (1, "")
        ring = _ring_of(cx.settings, found[0] if found else None, organization_id)
        hash_ = audit_keys(cx.settings).sign(chained(before, number, text_of(event)))
        # A head that was altered is never sealed again, or the next change would hide what was done.
        seal = ring.sign(_head_text(organization_id, number, hash_)) if ring else ""
        for statement in _APPEND[cx.db.dialect]:
            await cx.tx.execute_inline(statement, **event, number=number, hash=hash_, seal=seal)


def _ring_of(settings: Settings, head: Any, organization_id: str) -> Keyring | None:
    """Return the keys to go on with, or None where the head of the log was altered."""
    ring = audit_keys(settings)
    if head is not None and not is_sealed(ring, head):
        keyring.read.cache_clear()  # another process may have put a new key into the file
        ring = audit_keys(settings)
    if head is not None and is_sealed(ring, head):
        return ring
    log.error(
        "the audit log of organization %s was altered; docyard audit verify says where", organization_id
    )
    return None


def is_sealed(ring: Keyring, head: Any) -> bool:
    """Tell whether the head of a log is the one that was sealed last."""
    return ring.verifies(_head_text(head.organization_id, head.number, head.hash), head.seal)


def _head_text(organization_id: str, number: int, hash_: str) -> str:
    return f"head {organization_id} {number} {hash_}"


def chained(before: str, number: int, text: str) -> str:
    """Return the text that the hash of an event is made of."""
    return f"{before} {number} {text}"


def _event(
    cx: Context, actor: Actor, action: AuditAction, notes: CallNotes, subject: AuditSubject
) -> dict[str, Any]:
    target_kind, target_id = _target(action, notes, subject)
    who = "user" if actor.user_id else "operator" if action.face == "command" else "system"
    return {
        "organization_id": subject.organization_id,
        "created_at": cx.now,
        "actor": who,
        "user_id": actor.user_id or None,
        "token_id": actor.token_id or None,
        "face": action.face,
        "address": action.address,
        "request_id": request_id.get() or None,
        "action": action.name,
        "subject_kind": subject.kind,
        "subject_id": subject.id,
        "subject_title": subject.title,
        "target_kind": target_kind,
        "target_id": target_id,
    }


def _target(action: AuditAction, notes: CallNotes, subject: AuditSubject) -> tuple[str | None, str | None]:
    """What was made or changed, where that is not the subject: the answer tells, or else the path."""
    kind, id_ = notes.shown.get("object"), notes.shown.get("id")
    if not (kind and id_) and action.path:
        name, named = action.path[-1]
        kind = _kind(name)
        id_ = notes.ids.get(kind.replace("-", " "), named)
    return (None, None) if id_ in (None, subject.id) else (kind, id_)


@lru_cache(200)
def _kind(parameter: str) -> str:
    return _CAPITAL.sub("-", parameter.removesuffix("Id")).lower()


def text_of(event: Mapping[str, Any]) -> str:
    """Return all of an event but its number and hash, as JSON with its names in order."""
    return orjson.dumps(
        {**event, "created_at": wire_time(event["created_at"])}, option=orjson.OPT_SORT_KEYS
    ).decode()


async def accept(cx: Context, organization_id: str) -> None:
    """Seal the head of a log as it is now, under the first key; asks nobody for a right."""
    await cx.tx.lock(lane(organization_id))
    head = await cx.tx.first(HEAD, organization=organization_id)
    if head is None:
        await begin(cx, organization_id)
        return
    seal = audit_keys(cx.settings).sign(_head_text(organization_id, head.number, head.hash))
    await cx.tx.put(AuditHead, {"seal": seal}, organization_id=organization_id)


def _insert_event() -> Any:
    return insert(_e).values({c.name: given(c.name, c.type) for c in _e.c})


def _move_head() -> Any:
    values = {"number": given("number", Integer()), "hash": given("hash"), "seal": given("seal")}
    return update(_h).values(values).where(_h.c.organization_id == given("organization_id", Key))


# One statement where an engine changes two tables in one.
_APPEND = {
    "sqlite": [command(_insert_event), command(_move_head)],
    "postgresql": [command(lambda: _move_head().add_cte(_insert_event().cte("event")))],
}
HEAD = query(AuditHead, lambda: select(*_h.c).where(_h.c.organization_id == given("organization", Key)))
