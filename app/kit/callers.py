"""Where a request comes from."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any


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
