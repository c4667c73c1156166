"""Limits for callers without a token: so many calls of a kind a minute from one address.

Each process counts for itself, in memory of a bounded size. Callers on this machine are not limited: a proxy
that the settings do not know of would be one address for everybody behind it.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address, ip_network
from math import ceil
from typing import Any, Literal

from cachetools import LRUCache

from app.kit.callers import address_of
from app.kit.errors import TooManyRequests
from app.kit.settings import Settings

log = logging.getLogger("docyard.throttle")
Kind = Literal["anonymous", "search", "endpoint", "feedback", "sign_in", "oauth", "registration"]
MOST_ADDRESSES = 20_000  # of each kind; those that were not heard of for longest are forgotten
IPV6_NETWORK = 64  # bits of an address that one customer of a provider has


@dataclass(slots=True)
class TokenBucket:
    """Calls that are left; filled up as time passes."""

    left: float
    filled_at: float

    def take(self, per_minute: int, now: float) -> float:
        """Take one call; returns the seconds until there is one where none is left."""
        filled = self.left + max(0.0, now - self.filled_at) * per_minute / 60
        self.left, self.filled_at = min(float(per_minute), filled), now
        if self.left < 1:
            return (1 - self.left) * 60 / per_minute
        self.left -= 1
        return 0.0


@dataclass(slots=True)
class Throttle:
    """The buckets of all addresses, by kind of call."""

    settings: Settings
    _buckets: dict[Kind, LRUCache[str, TokenBucket]] = field(default_factory=dict)
    _warned: bool = False

    def take(self, kind: Kind, scope: Mapping[str, Any]) -> None:
        """Count a call of a kind from the address of a request; raises TooManyRequests."""
        per_minute: int = getattr(self.settings, f"{kind}_rate_limit")
        caller = self._caller(scope) if per_minute else None
        if caller is None:
            return
        buckets = self._buckets.setdefault(kind, LRUCache(MOST_ADDRESSES))
        now = time.monotonic()
        bucket = buckets.setdefault(caller, TokenBucket(float(per_minute), now))
        wait = bucket.take(per_minute, now)
        if wait:
            said = f"From one address {per_minute} calls of this kind may come in a minute."
            raise TooManyRequests(said, max(1, ceil(wait)))

    def _caller(self, scope: Mapping[str, Any]) -> str | None:
        """Return whom calls are counted for; None for callers on this machine and where nobody knows."""
        proxies = self.settings.proxies
        try:
            address = ip_address(address_of(scope, proxies) or "")
        except ValueError:
            return None
        if not proxies and address.is_loopback:
            self._warn_of_proxy(scope)
            return None
        if isinstance(address, IPv6Address):
            return str(ip_network((address, IPV6_NETWORK), strict=False))
        return str(address)

    def _warn_of_proxy(self, scope: Mapping[str, Any]) -> None:
        if not self._warned and any(name == b"x-forwarded-for" for name, _ in scope["headers"]):
            self._warned = True
            log.warning("a proxy is in front, but DOCYARD_PROXIES is 0: callers behind it are not limited")
