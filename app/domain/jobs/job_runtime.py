"""What work that no request asks for needs of its surroundings: the jobs, a sync with a repository."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from app.access.audit_actions import AuditAction
from app.access.context import Actor, Context
from app.access.rate_limits import RateLimits
from app.access.token_last_used import TokenUses
from app.kit.clock import Clock
from app.kit.database.interface import Database
from app.kit.settings import Settings

NOBODY = Actor("")


class JobRuntime(Protocol):
    """What work needs of its surroundings."""

    @property
    def db(self) -> Database:
        """Return the database that keeps the jobs."""

    @property
    def settings(self) -> Settings:
        """Return the installation's settings."""

    @property
    def token_uses(self) -> TokenUses:
        """Return when tokens were used."""

    @property
    def limits(self) -> RateLimits:
        """Return the calls that callers have left."""

    @property
    def clock(self) -> Clock:
        """Return what tells the time."""

    @property
    def job_due(self) -> asyncio.Event:
        """Set when something was asked for that is due now."""

    def context(self, actor: Actor) -> Context:
        """Return a Context that reads."""

    async def write(
        self, actor: Actor, call: Callable[[Context], Awaitable[Any]], action: AuditAction
    ) -> Any:
        """Run `call` in one transaction and commit it."""
