"""Which command runs, for the audit log."""

from __future__ import annotations

from contextvars import ContextVar

RUNNING: ContextVar[str] = ContextVar("command", default="docyard")
