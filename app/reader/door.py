"""Which requests are for published sites: those at a site's own host, and those below the address of sites.

Everything else goes on to the API. At a site's own host there is nothing but the site. The reader itself is
loaded when the first visitor comes.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from starlette.types import ASGIApp, Receive, Scope, Send

from app.edge import Edge
from app.reader.asking import Addresses, domain_of, host_of

if TYPE_CHECKING:
    from app.reader.serving import Reader

SendFile = Callable[[Any, Any, Scope, Receive, Send], Awaitable[None]]
"""Sends the bytes of a file (see `domain.content.downloads`), as an attachment that runs nothing."""
UNKNOWN_FOR = 2.0  # seconds; a look-up for every call at a host that is no site would be felt
MOST_UNKNOWN = 1000


class Door:
    """Hands visitors of sites to the reader, and everybody else on."""

    def __init__(self, app: ASGIApp, *, edge: Edge, send_file: SendFile) -> None:
        self._app = app
        self._edge = edge
        self._send_file = send_file
        self._addresses = Addresses(edge.settings)
        self._reader: Reader | None = None
        self._unknown: dict[str, float] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        host = host_of(scope, self._edge.settings.proxies)
        if host == self._addresses.own and not self._addresses.names_sites(host, scope["path"]):
            await self._app(scope, receive, send)
        elif self._addresses.may_be_a_site(host) and await self._is_a_site(host):
            await self.reader.answer(scope, receive, send, domain_of(host))
        elif self._addresses.names_sites(host, scope["path"]):
            await self.reader.answer(scope, receive, send, "")
        else:
            await self._app(scope, receive, send)

    @property
    def reader(self) -> Reader:
        """The reader, made for the first visitor."""
        if self._reader is None:
            from app.reader.serving import Reader

            self._reader = Reader(self._edge, self._addresses, self._send_file)
        return self._reader

    async def _is_a_site(self, host: str) -> bool:
        name = domain_of(host)
        if not name or self._unknown.get(name, 0.0) > time.monotonic():
            return False
        from app.domain.visiting import site_hosts

        if await site_hosts.is_a_host(self._edge.context_of_nobody(), name):
            return True
        if self._edge.db.dialect != "sqlite":  # which remembers it itself, until something changes
            if len(self._unknown) >= MOST_UNKNOWN:
                self._unknown.clear()
            self._unknown[name] = time.monotonic() + UNKNOWN_FOR
        return False
