"""Connections that go to the very address that was checked.

A name is looked up once, inside the connection's own opening, so there is no moment between the check and the
connection in which the name could come to mean something else. Imported only when something is fetched.

The rule for public addresses is positive where it can be: an IPv6 address must lie in the global unicast
block, and a form that carries an IPv4 address inside (mapped, NAT64, 6to4, Teredo) is either unwrapped or
refused, since `ipaddress` calls several of them global.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from functools import cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import TYPE_CHECKING

import httpcore
import httpx

from app.kit import workers

if TYPE_CHECKING:
    import ssl

GLOBAL_UNICAST = IPv6Network("2000::/3")

REFUSED_V6 = (
    IPv6Network("2001::/23"),  # protocol assignments, Teredo and ORCHID among them
    IPv6Network("2001:db8::/32"),  # documentation
    IPv6Network("2002::/16"),  # 6to4: an IPv4 address in disguise
    IPv6Network("3fff::/20"),  # documentation
)

REFUSED_V4 = (
    IPv4Network("0.0.0.0/8"),
    IPv4Network("100.64.0.0/10"),  # carrier-grade NAT
    IPv4Network("192.0.0.0/24"),  # protocol assignments
    IPv4Network("192.88.99.0/24"),  # 6to4 relays
    IPv4Network("198.18.0.0/15"),  # benchmarking
    IPv4Network("224.0.0.0/4"),  # multicast
    IPv4Network("240.0.0.0/4"),  # reserved, broadcast
)


def is_public(address: str) -> bool:
    """Tell whether a numeric address, as a resolver gives it, belongs to the public internet.

    Anything that is not a plain numeric address (a name, an address with a zone) is not public.
    """
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    if isinstance(parsed, IPv6Address):
        if parsed.ipv4_mapped is not None:
            return _is_public_v4(parsed.ipv4_mapped)
        return _is_public_v6(parsed)
    return _is_public_v4(parsed)


def _is_public_v4(address: IPv4Address) -> bool:
    return address.is_global and not any(address in network for network in REFUSED_V4)


def _is_public_v6(address: IPv6Address) -> bool:
    if address.scope_id is not None or address not in GLOBAL_UNICAST:
        return False
    return not any(address in network for network in REFUSED_V6)


async def certificates() -> ssl.SSLContext:
    """Return the certificate store, read once: reading it costs more than most requests."""
    return _store() if _store.cache_info().currsize else await workers.prepare(_store)


@cache
def _store() -> ssl.SSLContext:
    return httpx.create_ssl_context(trust_env=False)


ADDRESSES_TRIED = 4
SECONDS_EACH = 5.0


class NotPublic(httpcore.ConnectError):
    """The host has an address that outsiders must not make us reach."""


class NotResolved(httpcore.ConnectError):
    """The name of the host leads to no address."""


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
        """Connect to `host`. Raises NotPublic, NotResolved, or what the last address was refused with."""
        failure: Exception = NotResolved("no address")
        for address in await self._addresses(host, port):
            try:
                return await self._inner.connect_tcp(
                    address,
                    port,
                    timeout=min(timeout or SECONDS_EACH, SECONDS_EACH),
                    socket_options=socket_options,
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure

    async def _addresses(self, host: str, port: int) -> list[str]:
        try:
            addresses = await self._resolve(host, port)
        except (OSError, ValueError) as error:  # ValueError: a name no resolver would take
            raise NotResolved("the name could not be resolved") from error
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
