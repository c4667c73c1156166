"""Compression of what the API answers: long JSON, for callers who can read gzip.

The length of what is compressed tells something of it to whoever reads along and can have somebody's browser
ask again and again, with words of their own in the answer (BREACH). No other site can have it send a token,
but it can have it send cookies. So a request with cookies is answered as it is, unless the browser says that
a page of ours asks.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Any, Send], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

LEAST = 4_000  # bytes: less is sent in as many packets either way
LONG = 100_000  # bytes that take a millisecond, and are compressed apart from the event loop
LEVEL = 1  # which a list of rows shrinks to a seventh with; the usual one takes three times as long
_GZIP = 16 + zlib.MAX_WBITS


class CompressedJson:
    """ASGI middleware that compresses long JSON below some addresses."""

    def __init__(self, app: Application, *, places: tuple[str, ...]) -> None:
        self._app, self._places = app, places

    async def __call__(self, scope: Message, receive: Any, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].startswith(self._places) and _may(scope["headers"]):
            send = _Compressing(send).send
        await self._app(scope, receive, send)


class _Compressing:
    """An answer on its way; its head waits for the body."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._head: Message | None = None

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _is_worth_it(message["headers"]):
            self._head = message
            return
        if self._head is not None:
            head, self._head = self._head, None
            body = message.get("body", b"")
            if body and not message.get("more_body"):
                body = _zipped(body) if len(body) < LONG else await asyncio.to_thread(_zipped, body)
                head = {**head, "headers": _headers(head["headers"], len(body))}
                message = {**message, "body": body}
            await self._send(head)
        await self._send(message)


def _zipped(body: bytes) -> bytes:
    return zlib.compress(body, LEVEL, wbits=_GZIP)


def _may(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Return whether a caller reads gzip, and nobody else can have them ask."""
    reads, has_cookies, is_ours = False, False, False
    for name, value in headers:
        if name == b"accept-encoding":
            reads = b"gzip" in value and b"gzip;q=0" not in value.replace(b" ", b"")
        elif name == b"cookie":
            has_cookies = True
        elif name == b"sec-fetch-site":
            is_ours = value == b"same-origin"
    return reads and (is_ours or not has_cookies)


def _is_worth_it(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    length, is_json = 0, False
    for name, value in headers:
        if name == b"content-length":
            length = int(value)
        elif name == b"content-type":
            is_json = b"json" in value
        elif name == b"content-encoding":
            return False
    return is_json and length >= LEAST


def _headers(headers: Headers, length: int) -> Headers:
    """Return the headers of the same answer, compressed to a length."""
    vary = [value for name, value in headers if name == b"vary"]
    kept = [each for each in headers if each[0] not in (b"content-length", b"vary")]
    return [
        *kept,
        (b"content-length", b"%d" % length),
        (b"content-encoding", b"gzip"),
        (b"vary", b", ".join([*vary, b"Accept-Encoding"])),
    ]
