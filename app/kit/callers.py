"""Where a request comes from, and whether somebody still waits for its answer."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from contextvars import ContextVar
from ipaddress import ip_address
from typing import Any

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]


def address_of(scope: Mapping[str, Any], proxies: int = 0) -> str | None:
    """The caller's address, as the connection has it or, behind so many proxies, as the outermost saw it.

    Each proxy adds to the end of `X-Forwarded-For` whom it was called by; what stands before that is
    anybody's word.
    """
    peer = (scope.get("client") or (None,))[0]
    if not proxies:
        return peer
    given = b",".join(value for name, value in scope["headers"] if name == b"x-forwarded-for")
    entries = [entry.strip() for entry in given.decode("latin-1").split(",")]
    try:
        return str(ip_address(entries[-min(proxies, len(entries))]))
    except ValueError:
        return peer


class Connection:
    """The connection of a request: read as ASGI has it, and asked whether the caller is still there."""

    __slots__ = ("_early", "_is_read", "_receive")

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._is_read = False
        self._early: deque[Message] = deque()

    async def receive(self) -> Message:
        """The next message of the request."""
        return self._early.popleft() if self._early else await self._next()

    async def closed(self) -> None:
        """Wait until the caller goes away, which cannot be seen before the whole body was received."""
        while not self._early or self._early[-1]["type"] != "http.disconnect":
            if self._early and not self._is_read:
                await asyncio.Event().wait()  # a body on its way is left to whoever reads it
            self._early.append(await self._next())

    async def _next(self) -> Message:
        message = await self._receive()
        self._is_read = self._is_read or not message.get("more_body", False)
        return message


connection: ContextVar[Connection | None] = ContextVar("connection", default=None)
