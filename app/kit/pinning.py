"""Connections that go to the very address that was checked.

A name is looked up once, inside the connection's own opening, so there is no moment between the check and the
connection in which the name could come to mean something else. Imported only when something is fetched.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable

import httpcore

from app.kit.addresses import is_public

ADDRESSES_TRIED = 4
SECONDS_EACH = 5.0


class NotPublic(httpcore.ConnectError):
    """The host has an address that outsiders must not make us reach."""


class PinnedBackend(httpcore.AsyncNetworkBackend):
    """Resolves a host once, refuses it if any address is not public, connects to one of those addresses."""

    def __init__(
        self,
        resolve: Callable[[str, int], Awaitable[list[str]]],
        *,
        allowed: bool = False,
        inner: httpcore.AsyncNetworkBackend | None = None,
    ) -> None:
        self._resolve = resolve
        self._allowed = allowed
        self._inner = inner or httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to `host`. Raises NotPublic, or httpcore's ConnectError when no address answers."""
        for address in await self._addresses(host, port):
            try:
                return await self._inner.connect_tcp(
                    address,
                    port,
                    timeout=min(timeout or SECONDS_EACH, SECONDS_EACH),
                    socket_options=socket_options,
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue
        raise httpcore.ConnectError("no address answered")

    async def _addresses(self, host: str, port: int) -> list[str]:
        try:
            addresses = await self._resolve(host, port)
        except (OSError, ValueError) as error:  # ValueError: a name no resolver would take
            raise httpcore.ConnectError("the name could not be resolved") from error
        if not self._allowed and not all(is_public(address) for address in addresses):
            raise NotPublic("not public")
        return addresses[:ADDRESSES_TRIED]

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Never: nothing outside is reached through a local socket."""
        raise NotPublic("not public")

    async def sleep(self, seconds: float) -> None:
        """Wait, as the inner backend does."""
        await self._inner.sleep(seconds)
