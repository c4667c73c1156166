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

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import orjson
from sqlalchemy import select

from app.access.context import Context
from app.domain.infrastructure.service import audit_keys
from app.kit import keyring
from app.kit.clock import wire_time
from app.kit.database.columns import Key
from app.kit.database.statements import given, query, table
from app.kit.keyring import Keyring
from app.models.audit import AuditEvent, AuditHead
from app.models.organizations import Organization

ORGANIZATIONS = table(Organization)
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
_BESIDE = frozenset({"form", "erased", *PERSONAL.values()})


def lane(organization_id: str) -> str:
    """Return the name of the queue of those who append to an organization's log."""
    return f"audit {organization_id}"


async def begin(cx: Context, organization_id: str) -> None:
    """Create the log of a new organization."""
    seal = audit_keys(cx.settings).seal(head_text(organization_id, 0, ""))
    await cx.tx.add_many(
        AuditHead, [{"organization_id": organization_id, "number": 0, "hash": "", "seal": seal}]
    )


def is_sealed(ring: Keyring, head: Any) -> bool:
    """Tell whether the head of a log is the one that was sealed last."""
    return ring.is_seal(head_text(head.organization_id, head.number, head.hash), head.seal)


def head_text(organization_id: str, number: int, hash_: str) -> str:
    return f"head {organization_id} {number} {hash_}"


def chained(before: str, number: int, text: str) -> str:
    """Return the text that the hash of an event is made of."""
    return f"{before} {number} {text}"


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


HEAD = query(
    AuditHead,
    lambda: select(*AUDIT_HEADS.c).where(AUDIT_HEADS.c.organization_id == given("organization", Key)),
)
