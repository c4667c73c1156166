"""Limits of connections: how long a request may take to arrive, how large its headers are, who makes room.

A connection waits for a request, receives its headers, then its body, has it answered, and waits again. A
sweep twice a second looks for those that take longer than they may, so that requests themselves pay nothing.
When there are too many, one that has no request yet is closed for the newcomer: half-open connections cannot
keep anybody out, health checks least of all.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum, auto
from http import HTTPStatus
from typing import Any

import orjson
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from app.cli.gathered_writes import GatheredWrites
from app.cli.response_writes import ResponseCycle
from app.kit.http.headers import complete
from app.kit.settings import Settings

log = logging.getLogger("docyard.connections")
HEALTH = "/healthz"
RESERVED = 64  # connections beyond the limit, which are answered if they ask for health
SWEEP = 0.5  # seconds between two looks at the connections
LINGER = 2.0  # seconds in which a caller may read why it was refused
YOUNG = 1.0  # seconds for which a connection without a request is spared rather than an idle one
MOST_PIPELINED = 16
FRAMING = 16  # bytes that may come with each byte of a chunked body


class Phase(Enum):
    """The stage that a connection is at."""

    NEW = auto()  # nothing came yet
    HEADERS = auto()
    BODY = auto()
    ANSWER = auto()  # the request is whole
    IDLE = auto()  # answered; another request may come
    ENDING = auto()  # whatever still comes is thrown away


BEFORE_BODY = (Phase.NEW, Phase.HEADERS, Phase.IDLE)  # few, and hashes of an enumeration are slow


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """The limits of connections: how many, bytes of headers, seconds, bytes a second of bodies."""

    connections: int
    header_bytes: int
    header_timeout: float
    body_timeout: float
    body_rate: int

    @classmethod
    def of(cls, settings: Settings, handles: int) -> ConnectionLimits:
        """Return the limits of these settings, in a process that may have so many handles open."""
        return cls(
            connections=min(settings.max_connections, handles // 2),
            header_bytes=settings.header_bytes,
            header_timeout=settings.header_timeout,
            body_timeout=settings.body_timeout,
            body_rate=settings.body_rate,
        )


class Connections:
    """The connections of one server, and which of them have no request."""

    def __init__(self, limits: ConnectionLimits) -> None:
        self.limits = limits
        self.open: set[LimitedConnection] = set()
        self.waiting: dict[
            LimitedConnection, None
        ] = {}  # new ones and those that receive headers, the oldest first
        self.idle: dict[LimitedConnection, None] = {}  # likewise
        self.ended: Counter[str] = Counter()

    def protocol(self, **given: Any) -> LimitedConnection:
        """Return a protocol for a new connection."""
        return LimitedConnection(self, **given)

    def admit(self, newcomer: LimitedConnection) -> None:
        """Let a connection in. Where there are too many, another makes room, or it gets health only."""
        self.open.add(newcomer)
        if len(self.open) <= self.limits.connections:
            return
        other = self._dispensable(newcomer)
        if other is not None:
            other.end("made room for others")
        elif len(self.open) <= self.limits.connections + RESERVED:
            newcomer.app = _health_only(newcomer.app)
        else:
            newcomer.end("found no room")

    def _dispensable(self, newcomer: LimitedConnection) -> LimitedConnection | None:
        """Return the connection that has waited longest, rather an idle one than one that came just now."""
        oldest = next(iter(self.waiting), None)
        if oldest is not None and time.monotonic() - oldest.since > YOUNG:
            return oldest
        for candidates in (self.idle, self.waiting):
            for each in candidates:
                if each is not newcomer:
                    return each
        return None

    async def watch(self) -> None:
        """End what takes too long, until cancelled; say now and then in the log how many that were."""
        told = 0.0
        while True:
            await asyncio.sleep(SWEEP)
            now = time.monotonic()
            for each in list(self.open):
                each.look(now)
            if self.ended and now - told > 10:
                told, counts = now, ", ".join(f"{why} {count}" for why, count in self.ended.most_common())
                log.warning("connections ended: %s", counts)
                self.ended.clear()


class LimitedConnection(HttpToolsProtocol):
    """A connection that keeps to the limits."""

    # Beside uvicorn's attributes: a dictionary with more than thirty takes three times the memory.
    __slots__ = (
        "_all", "_body_bytes", "_fed", "_header_bytes", "_limits", "_listed", "_unanswered", "_unsent",
        "_writes", "phase", "since",
    )  # fmt: skip

    def __init__(self, connections: Connections, **given: Any) -> None:
        super().__init__(**given)
        self.phase = Phase.NEW
        self.since = time.monotonic()
        self._all, self._limits = connections, connections.limits
        self._header_bytes = 0  # as they came, of the headers that are being received
        self._body_bytes = self._fed = 0  # of the body, and as they came
        self._listed: dict[LimitedConnection, None] | None = None  # where it is among others
        self._unsent: tuple[float, int] | None = None
        self._unanswered: list[RequestResponseCycle] = []  # requests in their order, few

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._writes = GatheredWrites(transport, self.loop)
        super().connection_made(self._writes)
        self._enter(Phase.NEW)
        self._all.admit(self)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._forget()
        self._tell_requests()

    def data_received(self, data: bytes) -> None:
        """Parse what came, but no more bytes of headers than there may be."""
        while data and self.phase is not Phase.ENDING and not self.transport.is_closing():
            if self.phase in BEFORE_BODY:
                most = self._limits.header_bytes - self._header_bytes
                part, data = data[:most], data[most:]
                self._header_bytes += len(part)
            else:
                part, data = data, b""
                self._fed += len(part)
            super().data_received(part)
            if self.phase in BEFORE_BODY and self._header_bytes >= self._limits.header_bytes:
                self.refuse(431, f"Headers may have at most {self._limits.header_bytes} bytes.")
            elif self.phase is Phase.BODY and self._framing > self._limits.header_bytes:
                self.refuse(431, "The body comes with more bytes around it than headers may have.")

    @property
    def _framing(self) -> int:
        """Bytes that came with a body, beyond what small chunks need: trailers, extensions of chunks."""
        return self._fed - FRAMING * self._body_bytes

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._body_bytes = self._fed = 0
        self._enter(Phase.HEADERS)

    def on_headers_complete(self) -> None:
        if len(self._unanswered) >= MOST_PIPELINED:
            self.end("pipelined too much")
            raise ValueError("nothing more is parsed")
        super().on_headers_complete()
        self.cycle.__class__ = ResponseCycle  # before its task begins; uvicorn asks nobody for the class
        self._unanswered.append(self.cycle)
        self._header_bytes = 0
        self._enter(Phase.BODY)

    def on_body(self, body: bytes) -> None:
        self._body_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        super().on_message_complete()
        if self.phase is Phase.BODY:
            self._enter(Phase.ANSWER if self._unanswered else Phase.IDLE)

    def on_response_complete(self) -> None:
        """Go on after an answer as uvicorn does, but without a timer of its own: `look` finds who is idle."""
        self._writes.flush()
        if self._unanswered:
            self._unanswered.pop(0)
        if self.transport.is_closing():
            return
        self.flow.resume_reading()
        if self.pipeline:
            self._start_asgi_task(*self.pipeline.pop())
        if not self._unanswered and self.phase is Phase.ENDING:
            self.transport.close()
        elif not self._unanswered:  # or else the rest of its body, or the next request, is on its way
            self._enter(Phase.IDLE if self.phase is Phase.ANSWER else self.phase)

    def _unsupported_upgrade_warning(self) -> None:
        """Answer what asks for another protocol in this one, and nothing after it."""
        if self.cycle is not None:
            self.cycle.keep_alive = False
        self._enter(Phase.ENDING)

    def send_400_response(self, msg: str) -> None:
        if not self.transport.is_closing():
            self.refuse(400, msg)

    def refuse(self, status: int, message: str) -> None:
        """Answer that the request is refused and end the connection, without cutting off earlier answers."""
        self._all.ended[f"refused with {status}"] += 1
        its_body = self.phase is Phase.BODY
        if len(self._unanswered) > its_body:  # others are answered first, and are the last
            self.cycle.keep_alive = False
            self._enter(Phase.ENDING)
        elif its_body and self._unanswered and self.cycle.response_started:
            self.end("answered before they were refused")
        else:
            if self._unanswered or not its_body:
                self.transport.write(_refusal(status, message, self.server_state.default_headers))
            self._tell_requests()
            self._say_no_more()

    def _tell_requests(self) -> None:
        """Let those who answer know that nobody listens any more."""
        for cycle in self._unanswered:
            cycle.disconnected = True
            cycle.message_event.set()
        self._unanswered.clear()

    def _say_no_more(self) -> None:
        """End the connection once the caller has read what was said, or soon."""
        self.flow.resume_reading()  # a connection that is closed with bytes unread is reset, its answer lost
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self._enter(Phase.ENDING)

    def end(self, why: str) -> None:
        """Close the connection at once."""
        self._all.ended[why] += 1
        self._forget()
        self._tell_requests()
        self.transport.abort()

    def look(self, now: float) -> None:
        """End it where it takes longer than it may."""
        if self.transport.is_closing() or self.flow.write_paused:
            if self._is_stalled(now):
                self.end("read answers too slowly")
            return
        self._unsent = None
        waited = now - self.since
        match self.phase:
            case Phase.NEW if waited > self._limits.header_timeout:
                self.end("sent nothing")
            case Phase.HEADERS if waited > self._limits.header_timeout:
                self.refuse(408, f"Headers may take at most {self._limits.header_timeout:g} seconds.")
            case Phase.BODY if self.flow.read_paused:
                self.since += SWEEP  # we are slow, not the caller
            case Phase.BODY if waited > self._limits.body_timeout + self._earned:
                self.refuse(408, "The body comes too slowly.")
            case Phase.IDLE if waited > self.timeout_keep_alive:
                self.transport.close()
            case Phase.ENDING if waited > LINGER and not self._unanswered:
                self.transport.close()

    @property
    def _earned(self) -> float:
        """Return seconds more for a body, by its bytes; none once its request was answered."""
        return self._body_bytes / self._limits.body_rate if self._unanswered else 0.0

    def _is_stalled(self, now: float) -> bool:
        """Tell whether the caller takes what was written more slowly than it might send."""
        size = self.transport.get_write_buffer_size()
        if self._unsent is None or size > self._unsent[1]:
            self._unsent = (now, size)
        began, total = self._unsent
        return now - began > self._limits.body_timeout + (total - size) / self._limits.body_rate

    def _enter(self, phase: Phase) -> None:
        self.phase, self.since = phase, time.monotonic()
        if self._listed is not None:
            self._listed.pop(self, None)
        listed = None
        if phase is Phase.IDLE:
            listed = self._all.idle
        elif phase in BEFORE_BODY and not self._unanswered:
            listed = self._all.waiting
        if listed is not None:
            listed[self] = None
        self._listed = listed

    def _forget(self) -> None:
        self._all.open.discard(self)
        self._all.waiting.pop(self, None)
        self._all.idle.pop(self, None)


def _refusal(status: int, message: str, headers: list[tuple[bytes, bytes]]) -> bytes:
    """Return an answer in the one form of errors, as it goes over the wire."""
    body = orjson.dumps({"error": {"code": status, "message": message}})
    fields = [
        *headers,
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    lines = [b"HTTP/1.1 %d %s" % (status, HTTPStatus(status).phrase.encode())]
    lines += [name + b": " + value for name, value in complete(fields)]
    return b"\r\n".join([*lines, b"", body])


def _health_only(app: Any) -> Callable[[Scope, Receive, Send], Awaitable[None]]:
    """Return the application for a connection for which there is no room."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] == HEALTH:
            await app(scope, receive, send)
            return
        from app.api.rest.errors import render
        from app.kit.errors import Unavailable

        refusal = render(Unavailable("The server has too many connections; try again shortly."))
        refusal.headers["connection"] = "close"
        await refusal(scope, receive, send)

    return answer
