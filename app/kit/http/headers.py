"""Response headers by the kind of answer: what browsers may do with it, who may keep it, what others learn.

Every answer gets those of `DATA` that it does not bring itself (see `Headed`): no face can forget one.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from hashlib import blake2b
from typing import Any

Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Any, Send], Awaitable[None]]

NO_STORE = "no-store"
FOR_EVER = "public, max-age=31536000, immutable"  # for what has a hash of its content in its address
DATA = {
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": NO_STORE,
}
"""Of JSON, and of whatever names no other kind."""
FILE = {
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
    "cross-origin-resource-policy": "cross-origin",
}
"""Of bytes that people uploaded: nothing runs; pages of other hosts may show pictures."""
ENDPOINT = {"content-security-policy": "sandbox allow-scripts allow-forms allow-popups allow-downloads"}
"""Of what scripts of integrations answer: kept in a sandbox without an origin; applications may frame it."""
_FOLDERS_ONLY = ("script-src", "style-src", "worker-src")


def page_policy(directives: Mapping[str, str], folders: Sequence[str] = ()) -> str:
    """Return the content security policy of a page.

    With `folders` (paths that end with a slash), `'self'` in the sources of scripts, styles and workers means
    these folders of the page's origin only. A source with a path must name a host, and people reach a page by
    hosts that are not known here. So there are two policies, and browsers load what both allow: one names the
    origin, the other the folders at any host.
    """
    made = _joined(directives)
    if not folders:
        return made
    places = " ".join(f"*:*{folder}" for folder in folders)
    narrowed = {
        name: " ".join(places if source == "'self'" else source for source in directives[name].split())
        for name in _FOLDERS_ONLY
        if name in directives
    }
    return f"{made}, {_joined(narrowed)}"


def _joined(directives: Mapping[str, str]) -> str:
    return "; ".join(f"{name} {sources}".rstrip() for name, sources in directives.items())


def etag(content: bytes) -> str:
    """Return a strong tag: equal bytes have equal tags."""
    return f'"{blake2b(content, digest_size=10).hexdigest()}"'


def matches(header: str | None, tag: str) -> bool:
    """Return whether a conditional header names this tag, or any."""
    if header is None:
        return False
    tags = [part.strip().removeprefix("W/") for part in header.split(",")]
    return tag in tags or "*" in tags


class Headed:
    """ASGI middleware that completes the headers of every answer."""

    def __init__(self, app: Application) -> None:
        self._app = app

    async def __call__(self, scope: Message, receive: Any, send: Send) -> None:
        async def completed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = message.get("headers", ())
                message = {**message, "headers": complete(headers)}
            await send(message)

        await self._app(scope, receive, completed if scope["type"] == "http" else send)


def complete(headers: Sequence[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Return the headers, and those of `DATA` that are not among them."""
    given = {name for name, _ in headers}
    return [*headers, *(each for each in _DATA if each[0] not in given)]


_DATA = [(name.encode(), value.encode()) for name, value in DATA.items()]
