"""Signs the audit log of an organization anew, with the key of the installation that it came to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.domain.audit.audit_chain import HASHED, chained, erasure_text, head_text, text_of
from app.kit.errors import Conflict
from app.kit.keyring import Keyring


class Resigning:
    """A log being signed event by event, from its beginning."""

    def __init__(self, ring: Keyring, organization_id: str) -> None:
        self._ring = ring
        self._organization_id = organization_id
        self._number, self._hash = 0, ""

    def event(self, event: Mapping[str, Any]) -> dict[str, Any]:
        """Return the next event with its new signatures; raises Conflict where one is missing before it."""
        number: int = event["number"]
        if number != self._number + 1:
            raise Conflict(f"Event {self._number + 1} of the audit log is missing.")
        text = text_of({name: event[name] for name in HASHED})
        self._number, self._hash = number, self._ring.sign(chained(self._hash, number, text))
        is_erased = event["erased"] is not None
        erasure = self._ring.sign(erasure_text(number, self._hash, text)) if is_erased else None
        return {**event, "hash": self._hash, "erasure": erasure}

    def head(self) -> dict[str, Any]:
        """Return the head of the log after the last event."""
        seal = self._ring.seal(head_text(self._organization_id, self._number, self._hash))
        return {
            "organization_id": self._organization_id,
            "number": self._number,
            "hash": self._hash,
            "seal": seal,
        }
