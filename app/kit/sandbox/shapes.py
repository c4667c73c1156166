"""The values that go into a run of a script, and those that come out of it."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from app.kit.http.outbound import OutboundResponse

MB = 1_000_000
PLACES = 16  # scripts at once

Level = Literal["debug", "info", "warn", "error"]
Headers = list[tuple[str, str]]

Code = Literal[
    "SCRIPT_INVALID",  # does not parse, imports something, or its default export has no fetch
    "SCRIPT_FAILED",  # threw, rejected, trapped, answered something that is no Response, or never answers
    "SCRIPT_TIMEOUT",  # used up its time, running or waiting
    "SCRIPT_MEMORY",  # asked for more memory than it may have
    "SCRIPT_ANSWER_TOO_LARGE",
    "SANDBOX_BUSY",  # no place became free in time
    "SANDBOX_MISSING",  # the extra `integrations` is not installed
]


@dataclass(frozen=True, slots=True)
class ScriptRequest:
    """The HTTP request a script is called with."""

    url: str
    method: str = "POST"
    headers: Headers = field(default_factory=list)
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line a script wrote to its console, or a line of the sandbox about the script."""

    time: int  # milliseconds since 1970
    level: Level
    text: str


@dataclass(frozen=True, slots=True)
class ScriptResult:
    """The result of a call: an answer (`status`, `headers`, `body`) or an `error` with a `message`.

    `message` names the script's own exception, so it goes to the trace, not to readers. `logs` is there in
    both cases and bounded by the budget; `duration` is in milliseconds, without waiting for a place.
    """

    status: int = 0
    headers: Headers = field(default_factory=list)
    body: bytes = b""
    logs: list[LogLine] = field(default_factory=list)
    error: Code | None = None
    message: str | None = None
    duration: float = 0.0


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of one call, in seconds and bytes; `memory` is everything inside the sandbox."""

    seconds: float = 10.0  # from start to answer, waiting for fetches included
    busy_seconds: float = 1.0  # of a processor
    memory: int = 48 * MB
    answer_bytes: int = 2 * MB
    log_lines: int = 200
    log_bytes: int = 64_000
    fetches: int = 20
    fetch_bytes: int = 8 * MB  # sent and received, all fetches together


@dataclass(frozen=True, slots=True)
class ScriptFetch:
    """A request a script wants to make, checked for form and within its budget."""

    method: str
    url: str
    headers: Headers
    body: bytes
    redirect: Literal["follow", "manual", "error"]
    max_bytes: int = 0
    seconds: float = 0.0


# Raises OutboundError, whose message the script sees as the reason of its TypeError.
Fetch = Callable[[ScriptFetch], Awaitable["OutboundResponse"]]


@dataclass(frozen=True, slots=True)
class ScriptEvent:
    """An event as a script receives it: the parts of the multipart form it is posted as."""

    event: dict[str, Any]
    environment: dict[str, Any]
    body: bytes | None = None  # of the original request, for fetch events


LEVELS: tuple[Level, ...] = ("debug", "info", "warn", "error")


@dataclass(slots=True)
class Trace:
    """Lines of a script's console, and of the sandbox about it."""

    budget: Budget
    lines: list[LogLine] = field(default_factory=list)
    _bytes: int = 0
    _full: bool = False

    def heard(self, text: str) -> None:
        """Add a line as the prelude sends it: its level, a colon and the text."""
        if self._full:
            return
        level, _, line = text.partition(":")
        self._bytes += len(line.encode("utf-8", "replace"))
        if len(self.lines) >= self.budget.log_lines or self._bytes > self.budget.log_bytes:
            self._full = True
            self.note("warn", "Further lines were left out.")
        else:
            self.note(next((known for known in LEVELS if known == level), "info"), line)

    def note(self, level: Level, text: str) -> None:
        """Add a line of our own."""
        self.lines.append(LogLine(int(time.time() * 1000), level, text))


def request_of(event: ScriptEvent, url: str) -> ScriptRequest:
    """Return the POST that delivers an event, to the sandbox and to a development tunnel alike.

    It is a multipart form of `event`, `environment` and, for a fetch event with a body, `fetch-body`.
    """
    boundary = f"event-{secrets.token_hex(16)}"
    parts = [
        _part(boundary, 'name="event"', _json(event.event)),
        _part(boundary, 'name="environment"', _json(event.environment)),
    ]
    if event.body is not None:
        head = 'name="fetch-body"; filename="fetch-body"\r\nContent-Type: application/octet-stream'
        parts.append(_part(boundary, head, event.body))
    body = b"".join([*parts, f"--{boundary}--\r\n".encode()])
    return ScriptRequest(
        url, headers=[("content-type", f"multipart/form-data; boundary={boundary}")], body=body
    )


def _part(boundary: str, head: str, content: bytes) -> bytes:
    return f"--{boundary}\r\nContent-Disposition: form-data; {head}\r\n\r\n".encode() + content + b"\r\n"


def _json(value: dict[str, object]) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
