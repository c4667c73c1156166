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
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Any

import orjson
from sqlalchemy import Integer, func, insert, select, update

from app.access.audit_actions import AuditAction, AuditSubject, CallNotes, Change
from app.access.context import Actor, Context
from app.domain.change_feed import recorded_changes
from app.domain.infrastructure.service import audit_keys
from app.kit import keyring
from app.kit.clock import wire_time
from app.kit.database.columns import Key
from app.kit.database.statements import command, given, query, rows, table
from app.kit.keyring import Keyring
from app.kit.logs import request_id
from app.kit.settings import Settings
from app.models.audit import AuditEvent, AuditHead
from app.models.organizations import Organization

_o = table(Organization)
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


async def append(
    cx: Context, actor: Actor, action: AuditAction, changes: Sequence[Change] = ()
) -> Sequence[Change]:
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
        ring = _ring_of(cx.settings, found[0] if found else None, organization_id)
        hash_ = audit_keys(cx.settings).sign(chained(before, number, text_of(event)))
        # A head that was altered is never sealed again, or the next change would hide what was done.
        seal = ring.sign(_head_text(organization_id, number, hash_)) if ring else ""
        values = {**event, "number": number, "hash": hash_, "seal": seal}
        if changes and cx.db.dialect == "postgresql":
            await cx.tx.run(_APPEND_WITH_CHANGES, **values, changes=recorded_changes.as_json(changes))
            changes = ()
            continue
        for statement in _APPEND[cx.db.dialect]:
            await cx.tx.execute_inline(statement, **values)
    return changes


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
    """Return what was made or changed, where that is not the subject: the answer tells, or else the path."""
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
_APPEND_WITH_CHANGES = command(
    lambda: _move_head().add_cte(_insert_event().cte("event"), recorded_changes.insert_beside())
)
HEAD = query(AuditHead, lambda: select(*_h.c).where(_h.c.organization_id == given("organization", Key)))


AT_ONCE = 1000  # events that are verified at once
Progress = Callable[[int], None]


@dataclass(slots=True, frozen=True)
class Anchor:
    """The newest event of a log at some time, exported to be kept elsewhere."""

    number: int
    hash: str


@dataclass(slots=True, frozen=True)
class Check:
    """How many events of a log are valid, and the number of the first that is altered or missing."""

    events: int
    first_broken: int | None
    reason: str | None = None


async def logs(cx: Context) -> list[Any]:
    """Return every organization with the number and hash of its newest event; asks nobody for a right."""
    return await cx.db.all(_LOGS)


async def verify(
    cx: Context,
    organization_id: str,
    progress: Progress = lambda _done: None,
    anchors: Iterable[Anchor] = (),
) -> Check:
    """Verify an organization's log from its beginning, and that it holds these anchors of it.

    Asks nobody for a right. Raises KeyMissing where there is no key.
    """
    verification = _Verification(audit_keys(cx.settings), anchors)
    while True:
        head = await cx.db.first(HEAD, organization=organization_id)
        found = await cx.db.all(_CHAIN, organization=organization_id, after=verification.number)
        for event in found:
            if broken := verification.add(event):
                return broken
        progress(len(found))
        if not found:
            return verification.end(head)


class _Verification:
    """A log being verified event by event."""

    def __init__(self, ring: Keyring, anchors: Iterable[Anchor]) -> None:
        self.number = 0
        self._hash = ""
        self._ring = ring
        self._anchored = {anchor.number: anchor.hash for anchor in anchors}

    def add(self, event: Any) -> Check | None:
        """Verify the next event; returns what is wrong, if anything is."""
        number = self.number + 1
        if event.number != number:
            return Check(self.number, number, "is missing")
        text = chained(self._hash, number, text_of({name: getattr(event, name) for name in HASHED}))
        if not self._is_hash_of(text, event.hash):
            return Check(self.number, number, self._why_not(event.hash))
        if self._anchored.get(number, event.hash) != event.hash:
            return Check(self.number, number, "is not the one that an anchor names")
        self.number, self._hash = number, event.hash
        return None

    def _is_hash_of(self, text: str, hash_: str) -> bool:
        if keyring.signer(hash_):
            return self._ring.verifies(text, hash_)
        # Of before there was a key: no signed event comes earlier.
        return not keyring.signer(self._hash) and sha256(text.encode()).hexdigest() == hash_

    def _why_not(self, hash_: str) -> str:
        key = keyring.signer(hash_)
        return (
            f"is signed with the key {key}, which is not here"
            if key and key not in self._ring
            else "was altered"
        )

    def end(self, head: Any) -> Check:
        """Verify that the log ends where its head and the anchors say."""
        if head is None or (head.number, head.hash) != (self.number, self._hash):
            missing = min(self.number, head.number if head else self.number) + 1
            return Check(self.number, missing, "is missing, or was added")
        if (last := max(self._anchored, default=0)) > self.number:
            return Check(self.number, self.number + 1, f"is missing: an anchor names event {last}")
        if not is_sealed(self._ring, head):
            return Check(self.number, self.number + 1, "may be missing: the log's head has no valid seal")
        return Check(self.number, None)


_CHAIN = query(
    AuditEvent,
    lambda: (
        select(*_e.c)
        .where(_e.c.organization_id == given("organization", Key), _e.c.number > given("after", Integer()))
        .order_by(_e.c.number)
        .limit(AT_ONCE)
    ),
)
_LOGS = rows(
    lambda: (
        select(
            _o.c.id,
            _o.c.title,
            func.coalesce(_h.c.number, 0).label("number"),
            func.coalesce(_h.c.hash, "").label("hash"),
        )
        .outerjoin(_h, _h.c.organization_id == _o.c.id)
        .order_by(_o.c.id)
    )
)
