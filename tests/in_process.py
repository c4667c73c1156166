"""An HTTP client that calls the application in this process, with the same ASGI messages as a server.

Most tests are about responses, not about connections, and a connection takes longer than most responses.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Coroutine, Mapping
from json import dumps
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import httpx
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tests.timing import TIMEOUT

MILLISECOND = 1_000_000  # nanoseconds
PLAIN = re.compile(r"/[\w./~:-]*", re.ASCII)  # a path that is written as it is sent
Headers = list[tuple[bytes, bytes]]


async def exchange(app: ASGIApp, scope: Scope, body: bytes) -> tuple[int, Headers, bytes]:
    """Send a request to an application; return the status, headers and body of its response."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]
    sent: list[Message] = []

    async def receive() -> Message:
        if not messages:
            await asyncio.Event().wait()  # the client stays connected until the response
        return messages.pop()

    async def send(message: Message) -> None:
        sent.append(message)

    try:
        await app(scope, receive, send)
    except Exception:
        if not sent:  # otherwise the response reports the error
            raise
    start, *parts = sent
    return start["status"], start.get("headers", []), b"".join(part.get("body", b"") for part in parts)


def scope(
    method: str, path: str, query: bytes, headers: Headers, *, raw_path: bytes = b"", port: int = 80
) -> Scope:
    """Return the ASGI scope of a request; `path` is decoded."""
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": raw_path or quote(path).encode(),
        "query_string": query,
        "root_path": "",
        "headers": headers,
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", port),
    }


class InProcessClient:
    """The application that a server runs, and a way to call it in the loop of that server."""

    def __init__(self, app: ASGIApp, base: str) -> None:
        """Wrap an application that is served at the URL `base`."""
        self._app = app
        self._host = base.partition("//")[2].encode()
        self._port = urlsplit(base).port or 80
        self._loop: asyncio.AbstractEventLoop | None = None
        self._changed = 0  # the millisecond in which the last change was answered

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a connection of the server."""
        if scope["type"] == "lifespan":
            self._loop = asyncio.get_running_loop()
        await self._app(scope, receive, send)

    def soon(self, call: Callable[[], object]) -> None:
        """Schedule a call in the loop of the server."""
        assert self._loop is not None, "the server has not begun"
        self._loop.call_soon_threadsafe(call)

    def run(self, call: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run a coroutine function in the loop of the server, to its end."""
        assert self._loop is not None, "the server has not begun"
        asyncio.run_coroutine_threadsafe(call(), self._loop).result(TIMEOUT)

    def request(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str],
        *,
        json: Any = None,
        params: Any = None,
    ) -> httpx.Response:
        """Return the response to a request; the arguments are those of `httpx.Client.request`.

        No two changes fall into the same millisecond, the precision of stored times: without a network they
        could, and a list ordered by time could show them in either order.
        """
        if method != "GET" and time.time_ns() // MILLISECOND == self._changed:
            time.sleep((MILLISECOND - time.time_ns() % MILLISECOND) / 1e9)
        raw, _, query = path.partition("?")
        if not PLAIN.fullmatch(raw) or query or params:
            url = httpx.URL(path, params=params) if params else httpx.URL(path)
            raw, _, query = url.raw_path.decode().partition("?")
        sent = [(b"host", self._host), *((k.lower().encode(), v.encode()) for k, v in headers.items())]
        body = b""
        if json is not None:
            body = dumps(json, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
            sent.append((b"content-type", b"application/json"))
            sent.append((b"content-length", b"%d" % len(body)))
        asked = scope(method, unquote(raw), query.encode(), sent, raw_path=raw.encode(), port=self._port)
        assert self._loop is not None, "the server has not begun"
        answered = asyncio.run_coroutine_threadsafe(exchange(self._app, asked, body), self._loop)
        status, fields, content = answered.result(TIMEOUT)
        if method != "GET":
            self._changed = time.time_ns() // MILLISECOND
        return httpx.Response(status, headers=fields, content=content)
