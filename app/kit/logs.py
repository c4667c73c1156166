"""The log: one line of JSON per event on stderr, and one per request.

A line about a request holds no query string, header or body, since those carry tokens, and in every line
what opens something by itself is masked: signatures in addresses, keys, tokens, passwords. What is logged
while a request is answered carries that request's id, which the caller finds in `X-Request-Id`.
"""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Awaitable, Callable, MutableMapping
from contextvars import ContextVar
from datetime import UTC, datetime
from secrets import token_hex
from time import perf_counter
from time import time as clock
from typing import Any

import orjson

from app.kit.http import callers

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]

log = logging.getLogger("docyard.requests")
request_id: ContextVar[str] = ContextVar("request_id", default="")
MASK = "***"
# In a path: signatures of files and previews, and invites, which whoever knows them may take up.
_IN_PATHS = re.compile(
    r"""(/ (?: (?:files|openapi|pdf|uploads|~files) / (?=[0-9]+\.) | ~/preview/ | (?:link-)?invites/ ))
    [^/"'\s\\?#]+""",
    re.VERBOSE,
)
_ELSEWHERE = re.compile(
    r"""
      ([?&](?:shareKey|jwt_token|preview|token|code|key|secret|password|SAMLResponse)=) [^&"'\s\\]+
    | (://) [^/:@"'\s\\]+:[^/@"'\s\\]+ (?=@)                       # a login in an address
    | \b(dc[yis]_) [0-9A-Za-z_-]{8,}
    | (?i:\b(bearer\s+)) [^"'\s\\,]+
    """,
    re.VERBOSE,
)
_GIVEN_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")
_SCRIPTS = callers.SCRIPTS_HEADER.encode()
LONGEST_PATH = 500


def configure() -> None:
    """Send this process's log to stderr as JSON; libraries are heard from warnings on."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger("docyard").setLevel(logging.INFO)


class JsonLines(logging.Formatter):
    """A record as one line: time, level, message, the request's id and facts, and a traceback if any."""

    def format(self, record: logging.LogRecord) -> str:
        facts = getattr(record, "facts", {})
        if record.exc_info:
            facts = {**facts, "error": self.formatException(record.exc_info)}
        return masked(_line(record.created, record.levelname.lower(), record.getMessage(), facts))


def masked(text: str) -> str:
    """Return the text without what opens something by itself."""
    return _ELSEWHERE.sub(lambda found: f"{found[found.lastindex or 0]}{MASK}", _masked_path(text))


def _masked_path(path: str) -> str:
    return _IN_PATHS.sub(rf"\1{MASK}", path)


def _line(seconds: float, level: str, message: str, facts: dict[str, Any]) -> str:
    time = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
    line = {"time": f"{time[:-6]}Z", "level": level, "message": message}
    if request_id.get():
        line["request"] = request_id.get()
    return orjson.dumps({**line, **facts}, default=str).decode()


class Requests:
    """ASGI middleware that gives each request an id and, where `lines` is set, a line in the log."""

    def __init__(self, app: Application, *, lines: bool) -> None:
        self._app, self._lines = app, lines

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        name = _id_of(scope)
        mark = request_id.set(name.decode())
        callers.waiting_scripts.set(_scripts_behind(scope))
        started, status = perf_counter(), 0

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": [*message.get("headers", ()), (b"x-request-id", name)]}
            await send(message)

        try:
            await self._app(scope, receive, noting)
        except Exception:
            status = status or 500
            raise
        finally:
            if self._lines:
                _note(scope, status, perf_counter() - started)
            request_id.reset(mark)


def _id_of(scope: Message) -> bytes:
    for name, value in scope["headers"]:
        if name == b"x-request-id" and _GIVEN_ID.fullmatch(value):
            return bytes(value)
    return token_hex(10).encode()


def _scripts_behind(scope: Message) -> int:
    for name, value in scope["headers"]:
        if name == _SCRIPTS:
            return callers.waiting_scripts_of(value)
    return 0


def _note(scope: Message, status: int, seconds: float) -> None:
    """One line about a request; status 0 means that the caller went away before the answer.

    Written straight to where the log goes: a record of its own costs more than most answers.
    """
    level = logging.ERROR if status >= 500 else logging.INFO
    if not log.isEnabledFor(level):
        return
    facts = {
        "method": scope["method"],
        "path": _masked_path(scope["path"][:LONGEST_PATH]),
        "status": status,
        "milliseconds": round(seconds * 1000, 1),
    }
    name = "error" if level == logging.ERROR else "info"
    sys.stderr.write(_line(clock(), name, "answered", facts) + "\n")
