"""Appends what a transaction did to the audit logs of the organizations concerned (see `audit_chain`).

The head of a log is remembered by the process that moved it: the next event is stored behind it, if it is
still there, without reading it.
"""

from __future__ import annotations

import logging
import re
import secrets
from collections.abc import Mapping, MutableMapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, Integer, insert, select, update

from app.access.audit_actions import AuditAction, AuditSubject, CallNotes, ChangeNote
from app.access.context import Actor, Context
from app.domain.audit.audit_chain import (
    AUDIT_EVENTS,
    AUDIT_HEADS,
    FORM,
    HEAD,
    PERSONAL,
    chained,
    head_text,
    is_sealed,
    lane,
    text_of,
)
from app.domain.change_feed import recorded_changes
from app.domain.infrastructure.service import audit_keys
from app.kit import keyring
from app.kit.database.columns import Key
from app.kit.database.statements import command, given, rows
from app.kit.keyring import Keyring
from app.kit.logs import request_id
from app.kit.settings import Settings

log = logging.getLogger("docyard.audit")
SALT = 16  # bytes
_CAPITAL = re.compile(r"(?=[A-Z])")


class Head(NamedTuple):
    """The number and the hash of the newest event of a log, and the seal of both."""

    number: int
    hash: str
    seal: str


KnownHeads = MutableMapping[str, Head]
"""The heads of logs as this process left them, by organization; others may have moved them since."""


async def append(
    cx: Context, actor: Actor, action: AuditAction, changes: Sequence[ChangeNote], heads: KnownHeads
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
        known = heads.get(organization_id)
        moved = known and await _append_behind(cx, known, event, changes)
        if not moved:
            moved = await _append(cx, event, changes)
        if moved.seal:
            heads[organization_id] = moved
        if cx.db.dialect == "postgresql":
            changes = ()
    return changes


async def _append_behind(
    cx: Context, known: Head, event: dict[str, Any], changes: Sequence[ChangeNote]
) -> Head | None:
    """Append an event behind this head; returns the new one, or None where the log has another.

    The head that is there need not be read, since it is as this process sealed it.
    """
    ring = audit_keys(cx.settings)
    head = _next(ring, known.number, known.hash, event, is_whole=True)
    values = {
        **_stored(event, head),
        "old_number": known.number,
        "old_hash": known.hash,
        "old_seal": known.seal,
    }
    if cx.db.dialect == "postgresql":
        values["changes"] = recorded_changes.as_json(changes)
        return head if await cx.tx.all(_APPEND_BEHIND, **values) else None
    if not await cx.tx.get_by_key(_MOVE_FROM, **values):
        return None
    await cx.tx.execute_inline(_INSERT, **values)
    return head


async def _append(cx: Context, event: dict[str, Any], changes: Sequence[ChangeNote]) -> Head:
    """Append an event behind the head of its log, whatever that is."""
    organization_id = event["organization_id"]
    found = await cx.tx.get_by_key(HEAD, organization=organization_id)
    number, before = (found[0].number, found[0].hash) if found else (0, "")
    # A head that was altered is never sealed again, or the next change would hide what was done.
    ring, is_whole = _ring_of(cx.settings, found[0] if found else None, organization_id)
    head = _next(ring, number, before, event, is_whole=is_whole)
    values = _stored(event, head)
    if cx.db.dialect == "postgresql":
        await cx.tx.run(_APPEND, **values, changes=recorded_changes.as_json(changes))
    else:
        await cx.tx.execute_inline(_INSERT, **values)
        await cx.tx.execute_inline(_MOVE, **values)
    return head


def _next(ring: Keyring, number: int, before: str, event: Mapping[str, Any], *, is_whole: bool) -> Head:
    """Return the head of a log after an event; sealed if the one before was whole."""
    number += 1
    hash_ = ring.sign(chained(before, number, text_of(event)))
    seal = ring.seal(head_text(event["organization_id"], number, hash_)) if is_whole else ""
    return Head(number, hash_, seal)


def _stored(event: Mapping[str, Any], head: Head) -> dict[str, Any]:
    return {**event, "number": head.number, "hash": head.hash, "seal": head.seal, "erasure": None}


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


def _part(salts: str, index: int, value: str | None) -> str | None:
    """Return one of several salts for something personal; None where there is nothing."""
    return None if value is None else salts[2 * SALT * index : 2 * SALT * (index + 1)]


def _insert_event() -> Any:
    return insert(AUDIT_EVENTS).values({c.name: given(c.name, c.type) for c in AUDIT_EVENTS.c})


def _move_head() -> Any:
    values = {"number": given("number", Integer()), "hash": given("hash"), "seal": given("seal")}
    return (
        update(AUDIT_HEADS)
        .values(values)
        .where(AUDIT_HEADS.c.organization_id == given("organization_id", Key))
    )


def _move_from() -> Any:
    """Return what moves a head that is still as it was before."""
    old = (
        AUDIT_HEADS.c.number == given("old_number", BigInteger()),
        AUDIT_HEADS.c.hash == given("old_hash"),
        AUDIT_HEADS.c.seal == given("old_seal"),
    )
    return _move_head().where(*old).returning(AUDIT_HEADS.c.number)


def _append_behind_statement() -> Any:
    """Return what moves such a head, and only then stores its event and the changes."""
    moved = _move_from().cte("moved")
    names = [c.name for c in AUDIT_EVENTS.c]
    event = select(*(given(c.name, c.type) for c in AUDIT_EVENTS.c)).select_from(moved)
    stored = insert(AUDIT_EVENTS).from_select(names, event)
    return stored.add_cte(recorded_changes.insert_beside(moved)).returning(AUDIT_EVENTS.c.number)


_INSERT, _MOVE = command(_insert_event), command(_move_head)
_MOVE_FROM = rows(_move_from)
# One statement where an engine changes several tables in one.
_WITHIN = (AUDIT_EVENTS.name, AUDIT_HEADS.name, recorded_changes.CHANGE_EVENTS.name)
_APPEND = command(
    lambda: _move_head().add_cte(_insert_event().cte("event"), recorded_changes.insert_beside()),
    within=_WITHIN,
)
_APPEND_BEHIND = rows(_append_behind_statement, within=_WITHIN)
