"""What is done and through what: told by whoever runs a write, kept in the audit log."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True, frozen=True)
class Deed:
    """An operation by its operationId (a command by its name), called with these parts of a path."""

    face: str
    action: str
    path: tuple[tuple[str, str], ...] = ()
    address: str | None = None
