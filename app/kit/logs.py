"""The log: one line of JSON per event on stderr, one per request, and what blocked the event loop.

A line about a request holds no query string, header or body, since those carry tokens, and in every line
what opens something by itself is masked: signatures in addresses, keys, tokens, passwords. What is logged
while a request is answered carries that request's id, which the caller finds in `X-Request-Id`.

Writes to the log what blocked the event loop: for how long, which request, and where in the code.

A thread asks the loop for a sign of life, now and then. While that does not come, it looks at what the loop's
thread is doing, and tells what it saw last. As long as nothing blocks, that is a few switches between threads
a second; a request costs being noted as begun and ended.
"""

from __future__ import annotations

import asyncio
import logging
import re
import sys
import threading
import time
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from contextvars import ContextVar
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from secrets import token_hex
from time import perf_counter
from time import time as clock
from types import FrameType
from typing import Any

import orjson

from app.kit import callers, counts
from app.kit.http.headers import complete

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]
Observe = Callable[[Message, int, float, float], None]

log = logging.getLogger("docyard.requests")
request_id: ContextVar[str] = ContextVar("request_id", default="")
MASK = "***"
ASKED = "docyard.asked"
"""The key of a request's scope for the operation's name, once it is known, without ids and queries."""
# In a path: signatures of files and previews, and invites, which whoever knows them may take up.
_IN_PATHS = re.compile(
    r"""(/ (?: (?:exports|files|openapi|pdf|uploads|~files) / (?=[0-9]+\.) | ~/preview/
        | (?:link-)?invites/ ))
    [^/"'\s\\?#]+""",
    re.VERBOSE,
)
_ELSEWHERE = re.compile(
    r"""
      ([?&](?:shareKey|jwt_token|preview|token|code|user_code|key|secret|password|SAMLResponse)=) [^&"'\s\\]+
    | (://) [^/:@"'\s\\]+:[^/@"'\s\\]+ (?=@)                       # a login in an address
    | \b(dc[a-z]_) [0-9A-Za-z_-]{8,}
    | (?i:\b(bearer\s+)) [^"'\s\\,]+
    """,
    re.VERBOSE,
)
_PLAIN = re.compile(r"[A-Za-z0-9/_.~:@-]*")
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
    return _IN_PATHS.sub(rf"\1{MASK}", path) if _IN_PATHS.search(path) else path


def _line(seconds: float, level: str, message: str, facts: dict[str, Any]) -> str:
    line = {"time": _time_of(seconds), "level": level, "message": message}
    if request_id.get():
        line["request"] = request_id.get()
    return orjson.dumps({**line, **facts}, default=str).decode()


class Requests:
    """ASGI middleware that gives each request an id and, where `lines` is set, a line in the log, and
    completes the headers of every answer.

    Those of `observers` are told of each request: its scope, its status, and the seconds until its answer
    began, and until it ended.
    """

    def __init__(self, app: Application, *, lines: bool, observers: Sequence[Observe] = ()) -> None:
        self._app, self._lines, self._observers = app, lines, observers

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        name = _id_of(scope)
        mark = request_id.set(name.decode())
        callers.waiting_scripts.set(_scripts_behind(scope))
        started, status, begun = perf_counter(), 0, 0.0

        async def noting(message: Message) -> None:
            nonlocal status, begun
            if message["type"] == "http.response.start":
                status, begun = message["status"], perf_counter()
                headers = complete(message.get("headers", ()))
                headers.append((b"x-request-id", name))
                message = {**message, "headers": headers}
            await send(message)

        try:
            await self._app(scope, receive, noting)
        except Exception:
            status = status or 500
            raise
        finally:
            for observe in self._observers:
                ended = perf_counter()
                observe(scope, status, (begun or ended) - started, ended - started)
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
    """Write one line about a request; status 0 means that the caller disconnected before the response.

    Written straight to where the log goes: a record of its own costs more than most answers.
    """
    level = logging.ERROR if status >= 500 else logging.INFO
    if not log.isEnabledFor(level):
        return
    name = "error" if level == logging.ERROR else "info"
    path = _quoted(_masked_path(scope["path"][:LONGEST_PATH]))
    line = (  # as JsonLines writes it; nothing else here needs quotes
        f'{{"time":"{_time_of(clock())}","level":"{name}","message":"answered",'
        f'"request":"{request_id.get()}","method":"{scope["method"]}","path":{path},'
        f'"status":{status},"milliseconds":{seconds * 1000:.1f}}}\n'
    )
    try:
        sys.stderr.write(line)
    except OSError:  # the disk of the log may be full, which is no reason to answer nobody
        return


def _quoted(path: str) -> str:
    """Return a path as JSON; most have no character that needs to be escaped."""
    return f'"{path}"' if _PLAIN.fullmatch(path) else orjson.dumps(path, default=str).decode()


def _time_of(seconds: float) -> str:
    whole = int(seconds)
    return f"{_second_of(whole)}.{int((seconds - whole) * 1000):03d}Z"


@lru_cache(2)
def _second_of(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")


loop_log = logging.getLogger("docyard.loop")
MOST_FRAMES = 20
MOST_REQUESTS = 5  # that are named where none is known to have blocked
_ROOT = Path(__file__).parents[2]
Scope = dict[str, Any]


class LoopMonitor:
    """Watches the event loop that `start` is called on, until `stop`.

    `seconds` is how long it may be blocked. `name_of` names what a request asks for without ids or secrets.
    """

    def __init__(self, seconds: float, name_of: Callable[[Any], str]) -> None:
        self.requests: dict[asyncio.Task[Any] | None, Any] = {}
        """The request that each task answers; whoever begins and ends one keeps this."""
        self._seconds = seconds
        self._name_of = name_of
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to watch the running loop; without seconds there is nothing to watch."""
        if not self._seconds:
            return
        watched = (asyncio.get_running_loop(), threading.get_ident())
        self._thread = threading.Thread(target=self._watch, args=watched, name="docyard-loop", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Watch no longer."""
        self._stopping.set()

    def _watch(self, loop: asyncio.AbstractEventLoop, thread: int) -> None:
        while not self._stopping.wait(self._seconds):
            alive, asked = threading.Event(), time.monotonic()
            try:
                loop.call_soon_threadsafe(alive.set)
            except RuntimeError:  # the loop is closed
                return
            seen: dict[tuple[str, ...], list[dict[str, Any]]] = {}  # what was done, by where
            while not alive.wait(self._seconds) and not self._stopping.is_set():
                doing, stack = (
                    self._doing(asyncio.current_task(loop)),
                    _stack(sys._current_frames().get(thread)),
                )
                seen.setdefault(tuple(stack), []).append(doing)
            if seen:
                most = max(seen, key=lambda stack: len(seen[stack]))
                facts = {"seconds": round(time.monotonic() - asked, 2), **seen[most][-1], "stack": [*most]}
                counts.stalls.update(times=1, seconds=facts["seconds"])
                loop_log.warning("the event loop was blocked", extra={"facts": facts})

    def _doing(self, task: asyncio.Task[Any] | None) -> dict[str, Any]:
        """Return the request that the running task answers; those that are answered,
        where that is not known.
        """
        if task in self.requests:
            return {"doing": self._name_of(self.requests[task])}
        return {"among": [self._name_of(scope) for scope in list(self.requests.values())[:MOST_REQUESTS]]}


def _stack(frame: FrameType | None) -> list[str]:
    """Return where in our code a thread is, the innermost first."""
    found: list[str] = []
    while frame is not None and len(found) < MOST_FRAMES:
        place = Path(frame.f_code.co_filename)
        if not found or place.is_relative_to(_ROOT / "app"):
            shown = place.relative_to(_ROOT) if place.is_relative_to(_ROOT) else place.name
            found.append(f"{shown}:{frame.f_lineno} {frame.f_code.co_qualname}")
        frame = frame.f_back
    return found
