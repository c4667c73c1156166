"""Verifying the audit log: its chain from the first event to the head, and the anchors exported before."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from sqlalchemy import Integer, func, select

from app.access.context import Context
from app.domain.audit.audit_chain import HASHED, HEAD, chained, is_sealed, text_of
from app.domain.infrastructure.server_keys import audit_keys
from app.kit import keyring
from app.kit.database.columns import Key
from app.kit.database.statements import given, query, rows, table
from app.kit.keyring import Keyring
from app.models.audit import AuditEvent, AuditHead
from app.models.organizations import Organization

_e, _h, _o = table(AuditEvent), table(AuditHead), table(Organization)
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
