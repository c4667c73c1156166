"""The chain of the audit log: what a transaction did is appended to it, signed, and later verified.

An event's hash is an HMAC-SHA256 of the hash before it, its number and the rest of it as JSON. The head keeps
the newest event's number and hash under a seal, a signature of its own. The key is not in the database (see
`kit.keyring`): whoever may write there can neither change an event, nor leave one out, nor shorten the log,
without `verify` finding it. What a whole older copy of a log would hide is found by anchors: heads that were
exported before and are kept elsewhere.

Events from before the key was introduced have plain SHA-256 hashes; the first signed event covers them all.

What is personal in an event is hashed with a random salt, and the chain covers that hash: where it is erased
with its salt (see `audit_erasure`), the hash stays, tells nothing and keeps the chain verifiable. Events of
the form 1 were hashed with what is personal in them; one that was erased keeps its place in the chain by a
signature of its hash and of what is left.
"""

from __future__ import annotations

import logging
import re
import secrets
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Any

import orjson
from sqlalchemy import Integer, insert, select, update

from app.access.audit_actions import AuditAction, AuditSubject, CallNotes, ChangeNote
from app.access.context import Actor, Context
from app.domain.change_feed import recorded_changes
from app.domain.infrastructure.service import audit_keys
from app.kit import keyring
from app.kit.clock import wire_time
from app.kit.database.columns import Key
from app.kit.database.statements import command, given, query, table
from app.kit.keyring import Keyring
from app.kit.logs import request_id
from app.kit.settings import Settings
from app.models.audit import AuditEvent, AuditHead
from app.models.organizations import Organization

ORGANIZATIONS = table(Organization)
log = logging.getLogger("docyard.audit")
AUDIT_EVENTS, AUDIT_HEADS = table(AuditEvent), table(AuditHead)
HASHED = tuple(c.name for c in AUDIT_EVENTS.c if c.name not in ("number", "hash", "erasure"))
SALTED = 2
"""The first form of events in which what is personal is hashed with salts."""
TITLED = FORM = 3
"""The form of new events, the first in which targets have titles."""
PERSONAL = {
    "address": "address_salt",
    "subject_title": "title_salt",
    "target_title": "target_title_salt",
}
"""The fields of an event that may be personal, each with the column of its salt."""
SALT = 16  # bytes
_BESIDE = frozenset({"form", "erased", *PERSONAL.values()})
_CAPITAL = re.compile(r"(?=[A-Z])")


def lane(organization_id: str) -> str:
    """Return the name of the queue of those who append to an organization's log."""
    return f"audit {organization_id}"


async def begin(cx: Context, organization_id: str) -> None:
    """Create the log of a new organization."""
    seal = audit_keys(cx.settings).seal(head_text(organization_id, 0, ""))
    await cx.tx.add_many(
        AuditHead, [{"organization_id": organization_id, "number": 0, "hash": "", "seal": seal}]
    )


async def append(
    cx: Context, actor: Actor, action: AuditAction, changes: Sequence[ChangeNote] = ()
) -> Sequence[ChangeNote]:
    """Append what this transaction did to the log of each organization that it concerned.

    Where an engine does both in one statement, `changes` are recorded in the feed. Returns those that are
    not.
    """
    assert cx.notes is not None
    for organization_id in sorted(cx.notes.subjects):
        # Only now: until here, others of the organization need not wait.
        await cx.tx.lock(lane(organization_id))
        event = _event(cx, actor, action, cx.notes, cx.notes.subjects[organization_id])
        found = await cx.tx.get_by_key(HEAD, organization=organization_id)
        number, before = (found[0].number + 1, found[0].hash) if found else (1, "")
        ring, is_whole = _ring_of(cx.settings, found[0] if found else None, organization_id)
        hash_ = ring.sign(chained(before, number, text_of(event)))
        # A head that was altered is never sealed again, or the next change would hide what was done.
        seal = ring.seal(head_text(organization_id, number, hash_)) if is_whole else ""
        values = {**event, "number": number, "hash": hash_, "seal": seal, "erasure": None}
        if changes and cx.db.dialect == "postgresql":
            await cx.tx.run(_APPEND_WITH_CHANGES, **values, changes=recorded_changes.as_json(changes))
            changes = ()
            continue
        for statement in _APPEND[cx.db.dialect]:
            await cx.tx.execute_inline(statement, **values)
    return changes


def _ring_of(settings: Settings, head: Any, organization_id: str) -> tuple[Keyring, bool]:
    """Return the keys to go on with, and whether the head of the log is as it was sealed."""
    ring = audit_keys(settings)
    if head is not None:
        if is_sealed(ring, head):
            return ring, True
        keyring.read.cache_clear()  # another process may have put a new key into the file
        ring = audit_keys(settings)
        if is_sealed(ring, head):
            return ring, True
    log.error(
        "the audit log of organization %s was altered; docyard audit verify says where", organization_id
    )
    return ring, False


def is_sealed(ring: Keyring, head: Any) -> bool:
    """Tell whether the head of a log is the one that was sealed last."""
    return ring.is_seal(head_text(head.organization_id, head.number, head.hash), head.seal)


def head_text(organization_id: str, number: int, hash_: str) -> str:
    return f"head {organization_id} {number} {hash_}"


def chained(before: str, number: int, text: str) -> str:
    """Return the text that the hash of an event is made of."""
    return f"{before} {number} {text}"


def _event(
    cx: Context, actor: Actor, action: AuditAction, notes: CallNotes, subject: AuditSubject
) -> dict[str, Any]:
    target_kind, target_id, target_title = _target(action, notes, subject)
    salts = secrets.token_hex(SALT * len(PERSONAL))
    user_id = "" if actor.is_operator else actor.user_id  # an operator acts on accounts of others
    who = "user" if user_id else "operator" if action.face == "command" else "system"
    address = None if notes.erases_caller else action.address
    return {
        "organization_id": subject.organization_id,
        "created_at": cx.now,
        "form": FORM,
        "erased": None,
        "actor": who,
        "user_id": user_id or None,
        "token_id": actor.token_id or None,
        "face": action.face,
        "address": address,
        "address_salt": _part(salts, 0, address),
        "request_id": request_id.get() or None,
        "action": action.name,
        "subject_kind": subject.kind,
        "subject_id": subject.id,
        "subject_title": subject.title,
        "title_salt": _part(salts, 1, subject.title),
        "target_kind": target_kind,
        "target_id": target_id,
        "target_title": target_title,
        "target_title_salt": _part(salts, 2, target_title),
    }


Target = tuple[str, str, str | None] | tuple[None, None, None]
"""The kind, the id and the title of what was made or changed in a subject."""


def _target(action: AuditAction, notes: CallNotes, subject: AuditSubject) -> Target:
    """Return what was made or changed, where that is not the subject: the answer tells, or else the path."""
    kind, id_, title = notes.shown.get("object"), notes.shown.get("id"), _title(notes.shown)
    if not (kind and id_):
        if not action.path:
            return None, None, None
        name, named = action.path[-1]
        kind = _kind(name)
        id_, title = notes.ids.get(kind.replace("-", " "), named), None
    return (None, None, None) if id_ == subject.id else (kind, id_, title)


def _title(shown: Mapping[str, Any]) -> str | None:
    """Return what an object is called in an answer; None where it has no title."""
    found = (shown.get(name) for name in ("title", "subject", "name"))
    return next((each for each in found if isinstance(each, str) and each), None)


@lru_cache(200)
def _kind(parameter: str) -> str:
    return _CAPITAL.sub("-", parameter.removesuffix("Id")).lower()


def text_of(event: Mapping[str, Any]) -> str:
    """Return what the hash of an event covers besides its number, as JSON with its names in order."""
    covered = {name: value for name, value in event.items() if name not in _BESIDE}
    covered["created_at"] = wire_time(event["created_at"])
    if event["form"] < TITLED:
        del covered["target_title"]
    if event["form"] >= SALTED:
        covered["form"] = event["form"]
        covered.update((name, personal_hash(event, name)) for name in PERSONAL if name in covered)
    return orjson.dumps(covered, option=orjson.OPT_SORT_KEYS).decode()


def _part(salts: str, index: int, value: str | None) -> str | None:
    """Return one of several salts for something personal; None where there is nothing."""
    return None if value is None else salts[2 * SALT * index : 2 * SALT * (index + 1)]


def personal_hash(event: Mapping[str, Any], name: str) -> str | None:
    """Return the salted hash of something personal in an event, or the one that was kept of it."""
    if event[name] is None:
        return (event["erased"] or {}).get(name)
    return sha256(f"{event[PERSONAL[name]]} {event[name]}".encode()).hexdigest()


def erasure_text(number: int, hash_: str, text: str) -> str:
    """Return what the signature of an erasure is made of: the event's hash and what is left of it."""
    return f"erased {number} {hash_} {text}"


def is_hash_of(ring: Keyring, text: str, hash_: str, before: str) -> bool:
    """Tell whether this is the hash of a chained text, where `before` is that of the event before."""
    if keyring.signer(hash_):
        return ring.verifies(text, hash_)
    # Of before there was a key: no signed event comes earlier.
    return not keyring.signer(before) and sha256(text.encode()).hexdigest() == hash_


async def accept(cx: Context, organization_id: str) -> None:
    """Seal the head of a log as it is now, under the first key; asks nobody for a right."""
    await cx.tx.lock(lane(organization_id))
    head = await cx.tx.first(HEAD, organization=organization_id)
    if head is None:
        await begin(cx, organization_id)
        return
    seal = audit_keys(cx.settings).sign(head_text(organization_id, head.number, head.hash))
    await cx.tx.put(AuditHead, {"seal": seal}, organization_id=organization_id)


def _insert_event() -> Any:
    return insert(AUDIT_EVENTS).values({c.name: given(c.name, c.type) for c in AUDIT_EVENTS.c})


def _move_head() -> Any:
    values = {"number": given("number", Integer()), "hash": given("hash"), "seal": given("seal")}
    return (
        update(AUDIT_HEADS)
        .values(values)
        .where(AUDIT_HEADS.c.organization_id == given("organization_id", Key))
    )


# One statement where an engine changes two tables in one.
_APPEND = {
    "sqlite": [command(_insert_event), command(_move_head)],
    "postgresql": [command(lambda: _move_head().add_cte(_insert_event().cte("event")))],
}
_APPEND_WITH_CHANGES = command(
    lambda: _move_head().add_cte(_insert_event().cte("event"), recorded_changes.insert_beside())
)
HEAD = query(
    AuditHead,
    lambda: select(*AUDIT_HEADS.c).where(AUDIT_HEADS.c.organization_id == given("organization", Key)),
)
