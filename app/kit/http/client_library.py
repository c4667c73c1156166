"""The library that requests are made with: loaded for the first one, apart from the event loop.

It brings a command of its own, with a library that highlights what that shows; importing all of it takes the
event loop as long as hundreds of requests.
"""

from __future__ import annotations

import asyncio
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ssl


async def load() -> None:
    """Import what addresses are read and asked with."""
    if not _import.cache_info().currsize:
        await asyncio.to_thread(_import)


async def certificates() -> ssl.SSLContext:
    """Return the certificate store, read once: reading it costs more than most requests."""
    return _store() if _store.cache_info().currsize else await asyncio.to_thread(_store)


@cache
def _import() -> None:
    import httpx  # noqa: F401

    from app.kit.http import pinning  # noqa: F401


@cache
def _store() -> ssl.SSLContext:
    import httpx

    return httpx.create_ssl_context(trust_env=False)
