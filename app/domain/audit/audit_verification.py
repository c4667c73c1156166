"""Verifies the audit logs of organizations, and that they hold what was exported of them before."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Integer, func, select

from app.access.context import Context
from app.domain.audit.audit_chain import (
    HASHED,
    HEAD,
    SALTED,
    chained,
    erasure_text,
    is_hash_of,
    is_sealed,
    text_of,
)
from app.domain.infrastructure.service import audit_keys
from app.kit import keyring
from app.kit.database.columns import Key
from app.kit.database.statements import given, query, rows, table
from app.kit.keyring import Keyring
from app.models.audit import AuditEvent, AuditHead
from app.models.organizations import Organization

AUDIT_EVENTS, AUDIT_HEADS, ORGANIZATIONS = table(AuditEvent), table(AuditHead), table(Organization)
AT_ONCE = 1000  # events that are verified at once
Progress = Callable[[int], None]


@dataclass(slots=True, frozen=True)
class Anchor:
    """The newest event of a log at some time, exported to be kept elsewhere."""

    number: int
    hash: str


@dataclass(slots=True, frozen=True)
class Check:
    """The number of valid events of a log, and the number of the first that is altered or missing."""

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
        text = text_of({name: getattr(event, name) for name in HASHED})
        is_erased = event.erased is not None
        if is_erased and not self._ring.verifies(erasure_text(number, event.hash, text), event.erasure or ""):
            return Check(self.number, number, self._why_not(event.erasure or ""))
        # What an event of the first form was hashed with is gone: the signature of its erasure says enough.
        is_covered = is_erased and event.form < SALTED
        if not is_covered and not is_hash_of(
            self._ring, chained(self._hash, number, text), event.hash, self._hash
        ):
            return Check(self.number, number, self._why_not(event.hash))
        if self._anchored.get(number, event.hash) != event.hash:
            return Check(self.number, number, "is not the one that an anchor names")
        self.number, self._hash = number, event.hash
        return None

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
        select(*AUDIT_EVENTS.c)
        .where(
            AUDIT_EVENTS.c.organization_id == given("organization", Key),
            AUDIT_EVENTS.c.number > given("after", Integer()),
        )
        .order_by(AUDIT_EVENTS.c.number)
        .limit(AT_ONCE)
    ),
)
_LOGS = rows(
    lambda: (
        select(
            ORGANIZATIONS.c.id,
            ORGANIZATIONS.c.title,
            func.coalesce(AUDIT_HEADS.c.number, 0).label("number"),
            func.coalesce(AUDIT_HEADS.c.hash, "").label("hash"),
        )
        .outerjoin(AUDIT_HEADS, AUDIT_HEADS.c.organization_id == ORGANIZATIONS.c.id)
        .order_by(ORGANIZATIONS.c.id)
    )
)
