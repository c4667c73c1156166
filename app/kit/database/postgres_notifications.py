"""Notifications between the processes on one PostgreSQL server: who commits announces it, others listen.

Announcements are sent after the commit and not within the transaction: NOTIFY makes a transaction hold a lock
of the whole server while it commits, so that transactions would commit one after another. One that is lost,
since a process or a connection ended first, is made up for by listeners, which also look now and then.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import asyncpg

from app.kit.database.interface import Retry, Wait
from app.kit.errors import Problem

log = logging.getLogger("docyard.database")
PAUSE = 0.025  # seconds between two announcements of one process: many commits share one
APPLICATION = "docyard listener"  # what pg_stat_activity calls the connection
POLL = 1.0  # seconds after which a listener looks although it heard nothing
PATIENCE = 5.0  # seconds that connecting may take


class Announcements:
    """The announcements of one process: sent at once, then once for all that come within `PAUSE` seconds."""

    def __init__(self, notify: Callable[[str], Awaitable[None]]) -> None:
        self._notify = notify
        self._channels: set[str] = set()
        self._sending: asyncio.Task[None] | None = None

    def add(self, channel: str) -> None:
        """Announce something on a channel; needs a running loop."""
        self._channels.add(channel)
        if self._sending is None:
            self._sending = asyncio.create_task(self._send())

    async def sent(self) -> None:
        """Wait until everything was sent."""
        if self._sending is not None:
            await asyncio.wait([self._sending])

    async def _send(self) -> None:
        try:
            while self._channels:
                with suppress(Problem, Retry, asyncpg.PostgresError):  # listeners look by themselves
                    await self._notify(self._channels.pop())
                await asyncio.sleep(PAUSE)
        finally:
            self._sending = None


class Listener:
    """Listens on a channel with a connection of its own, which is opened again when it breaks.

    A pooler in transaction mode hands no notifications on; behind one it looks now and then.
    """

    def __init__(self, address: str, channel: str, *, is_pooled: bool) -> None:
        self._address, self._channel, self._is_pooled = address, channel, is_pooled
        self._connection: Any = None
        self._heard = asyncio.Event()
        self._has_failed = False

    async def __aenter__(self) -> Wait:
        await self._connect()
        return self.wait

    async def __aexit__(self, *_: object) -> None:
        if self._connection is not None:
            with suppress(asyncpg.PostgresError, asyncpg.InterfaceError, OSError, TimeoutError):
                await self._connection.close(timeout=PATIENCE)

    async def wait(self) -> None:
        """Wait for an announcement, at most `POLL` seconds; connects again where the connection broke."""
        if self._connection is None or self._connection.is_closed():
            await self._connect()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._heard.wait(), POLL)
        self._heard.clear()

    async def _connect(self) -> None:
        """Connect, or leave it at looking now and then where the server allows no connection."""
        if self._is_pooled:
            return
        try:
            self._connection = await asyncpg.connect(
                self._address, timeout=PATIENCE, server_settings={"application_name": APPLICATION}
            )
            self._connection.add_termination_listener(self._hear)
            await self._connection.add_listener(self._channel, self._hear)
        except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError, TimeoutError) as error:
            if not self._has_failed:
                log.warning("cannot listen for changes, looking every %g s instead: %s", POLL, error)
            self._has_failed = True
            return
        self._has_failed = False
        self._heard.set()  # what was announced meanwhile was missed

    def _hear(self, *_: object) -> None:
        self._heard.set()
