"""The server: it watches its connections, and ends without cutting anybody off.

Uvicorn alone resets callers whose connection waits to be accepted, and closes those whose request is still on
its way. Here whoever has connected is accepted, has a moment to send their request, and is told with the
answer that the connection closes.
"""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable
from typing import Any

import uvicorn

from app.cli.connections import Connections

GRACE = 1.0  # seconds in which a request may still arrive
MOST_WAITING = 4096


class Orderly(uvicorn.Server):
    """Uvicorn's server, with limits of connections, ending in order."""

    def __init__(
        self, config: uvicorn.Config, connections: Connections, end_streams: Callable[[], None]
    ) -> None:
        config.http = connections.protocol  # type: ignore[assignment]  # it is called like a class
        super().__init__(config)
        self._connections = connections
        self._end_streams = end_streams

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        watching = asyncio.create_task(self._connections.watch())
        try:
            await super().serve(sockets)
        finally:
            watching.cancel()

    def end(self, sig: int, _frame: object) -> None:
        """End as soon as it may; this signal a second time ends it at once."""
        self.should_exit = True
        signal.signal(sig, signal.SIG_DFL)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._end_streams()  # these answers would never end by themselves
        last = [caller for listener in sockets or [] for caller in _waiting(listener)]
        for server in self.servers:
            server.close()
        self.server_state.default_headers = [*self.server_state.default_headers, (b"connection", b"close")]
        for caller in last:
            await asyncio.get_running_loop().connect_accepted_socket(self._protocol, caller)
        await asyncio.sleep(GRACE)
        await super().shutdown(sockets)

    def _protocol(self) -> asyncio.Protocol:
        protocol: Any = self.config.http_protocol_class
        made: asyncio.Protocol = protocol(
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )
        return made


def _waiting(listener: socket.socket) -> list[socket.socket]:
    """Accept and return the connections that are established and not accepted yet."""
    found: list[socket.socket] = []
    while len(found) < MOST_WAITING:
        try:
            found.append(listener.accept()[0])
        except OSError:  # nobody is left
            break
    return found
