"""One call of a script as the sandbox sees it: computes on a thread, and says what it waits for in between.

Rules that live here: what a script may use is counted here, out of its reach; each turn costs at least a
millisecond of its computing time, so that floods of timers end too; what the script says is checked.
"""

from __future__ import annotations

import json
import threading
import time
from dataclasses import dataclass, field
from typing import Any, Literal

from app.kit.http.outbound import OutboundError
from app.kit.sandbox.engine import Machine
from app.kit.sandbox.guest import Answer, Enough, Guest, Images
from app.kit.sandbox.host import SERVICES, UNREPEATABLE, Allowance, Message, well_formed
from app.kit.sandbox.instance import Trapped
from app.kit.sandbox.shapes import Budget, Code, Headers, ScriptFetch, ScriptRequest, Trace

CALLS = 20_000  # of the host, in one call of a script
LONGEST = 1_000_000  # characters the prelude tells at once; reading them keeps everybody else waiting
LEAST_TURN = 0.001
OUT_OF_MEMORY = "InternalError: out of memory"
TRAPS: dict[str, tuple[Code, str]] = {
    "time": ("SCRIPT_TIMEOUT", "The script computed for too long."),
    "memory": ("SCRIPT_MEMORY", "The script needs more memory than it may have."),
    "stack": ("SCRIPT_FAILED", "The script calls itself too deeply."),
    "size": ("SCRIPT_FAILED", "The script hands over too much at once."),
    "asking": ("SCRIPT_FAILED", "The script asks its host too often or too much."),
    "broken": ("SCRIPT_FAILED", "The script failed."),
}


@dataclass(slots=True)
class PendingFetch:
    """A fetch the script waits for."""

    id: int
    asked: ScriptFetch


@dataclass(slots=True)
class FetchOutcome:
    """The outcome of a fetch: an answer with its body, or a refusal."""

    step: Literal["answered", "refused"]
    text: str
    body: bytes | None = None


@dataclass(slots=True)
class Session:
    """A script, what it was called with, and what has come of it."""

    script: str
    request: ScriptRequest | None  # without one the script is only loaded
    environment: dict[str, object]
    budget: Budget
    busy: float = 0.0
    wishes: list[PendingFetch] = field(default_factory=list)
    allowance: Allowance = field(init=False)
    trace: Trace = field(init=False)
    answer: tuple[int, Headers, bytes] | None = None
    error: tuple[Code, str] | None = None
    next_timer: float | None = None  # seconds from now
    _guest: Guest | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _closed: bool = False
    _state: Literal["loading", "loaded", "started", "finished"] = "loading"
    _plain: bool = True  # loading asked for nothing that differs from call to call
    _timed: bool = False
    _calls: int = 0

    def __post_init__(self) -> None:
        self.allowance = Allowance(self.budget)
        self.trace = Trace(self.budget)

    @property
    def finished(self) -> bool:
        """Tell whether there is nothing more to compute."""
        return self._state == "finished" or self.error is not None

    def begin(self, machine: Machine, images: Images, seconds: float) -> None:
        """Load the script and call it, as far as it goes without waiting."""
        with self._lock:
            if self._closed:
                return
            image = images.of(self.script)
            try:
                memory = self.budget.memory
                self._guest = Guest(machine, memory, self._asked, self.script, image or images.base)
            except Trapped as trap:
                self.fail(*TRAPS[trap.why])
                return
            if image is None:
                self._turn("load", seconds=seconds)
                if self._state == "loaded" and self._plain and not self.error:
                    images.keep(self.script, self._guest)
            else:
                self._state = "loaded"
            self._start(seconds)
            self._leave()

    def go_on(self, arrived: list[FetchOutcome], seconds: float) -> None:
        """Hand over what has arrived, or let the timers ring, and compute on."""
        with self._lock:
            for come in arrived:
                if not self.finished and not self._closed:
                    self._turn(come.step, come.text, come.body, seconds=seconds)
            if not arrived and not self.finished and not self._closed:
                self._turn("ring", seconds=seconds)
            self._start(seconds)
            self._leave()

    def close(self) -> None:
        """Give the memory back; computing that is still under way is told to end."""
        self._closed = True
        if (guest := self._guest) is not None:
            guest.stopped = guest.stopped or "time"
        with self._lock:
            self._release()

    @property
    def released(self) -> bool:
        """Tell whether the memory was given back, and none is taken any more."""
        return self._closed and self._guest is None

    def _leave(self) -> None:
        """Free the memory of a finished session on the current thread."""
        if self.finished:
            self._closed = True
            self._release()

    def _release(self) -> None:
        if self._guest is not None:
            self._guest.close()
            self._guest = None

    def fail(self, code: Code, message: str) -> None:
        """Fail the script, unless it has answered: then only the rest of its work is given up."""
        if self.answer is None:
            self.error = self.error or (code, message)
        else:
            self.trace.note("warn", f"The work after the answer was given up: {message}")
            self._state = "finished"

    def fail_waiting(self) -> None:
        """Fail a script that nothing can wake: it waits in vain, or what should go on found no memory."""
        if self._guest is not None and self._guest.full:
            self.fail(*TRAPS["memory"])
        else:
            self.fail("SCRIPT_FAILED", "The script waits for something that cannot happen.")

    def _start(self, seconds: float) -> None:
        if self._state != "loaded" or self.error or self._closed:
            return
        if self.request is None:
            self._state = "finished"
            return
        self._state = "started"
        request = {"method": self.request.method, "url": self.request.url, "headers": self.request.headers}
        text = json.dumps({"request": request, "environment": self.environment})
        self._turn("start", text, self.request.body, seconds=seconds)

    def _turn(self, step: str, text: str = "", body: bytes | None = None, *, seconds: float) -> None:
        guest = self._guest
        assert guest is not None
        began, seconds = time.thread_time(), min(seconds, self.budget.busy_seconds - self.busy)
        try:
            guest.enter(step, text, body, seconds=seconds)
            if self._timed and not self.finished:
                moment = guest.next_timer(seconds=seconds - (time.thread_time() - began))
                self.next_timer = None if moment < 0 else max(0.0, moment / 1000 - time.time())
        except Trapped as trap:
            self.fail(*TRAPS[trap.why])
        finally:
            self.busy += max(LEAST_TURN, time.thread_time() - began)
        if self.busy > self.budget.busy_seconds and not self.finished:
            self.fail(*TRAPS["time"])

    # What the prelude asks, on the thread that computes.

    def _asked(self, text: str, body: bytes | None) -> Answer:
        kind, rest = text[:1], text[1:]
        service = SERVICES.get(kind)
        self._calls += 1
        if self._calls > CALLS or (service is None and len(rest) > LONGEST):
            raise Enough
        is_loading = self._state == "loading" and kind != Message.LOADED
        if is_loading and (service is None or kind in UNREPEATABLE):
            self._plain = False
        if service is not None:
            return service(rest, body or b"")
        if kind == Message.FETCH:
            return self._wished(rest, body or b"")
        self._told(kind, rest, body or b"")
        return None

    def _wished(self, text: str, body: bytes) -> str | None:
        """Return why a fetch is refused at once, if it is."""
        try:
            self.allowance.count()
            asked = json.loads(text)
            self.wishes.append(PendingFetch(int(asked["id"]), self.allowance.admit(asked, body)))
        except OutboundError as error:
            return error.message
        return None

    def _told(self, kind: str, text: str, body: bytes) -> None:
        if kind == Message.LOG:
            self.trace.heard(text)
        elif kind == Message.TIMER:
            self._timed = True
        elif kind == Message.LOADED and self._state == "loading":
            self._state = "loaded"
        elif kind == Message.FAILED and self.error is None:
            self._failed(json.loads(text))
        elif kind == Message.RESPONSE and self._state == "started" and self.answer is None:
            self._answered(json.loads(text), body)
        elif kind == Message.FINISHED and self.answer is not None:
            self._state = "finished"

    def _failed(self, told: dict[str, Any]) -> None:
        guest, message = self._guest, str(told.get("message"))[:1000]
        assert guest is not None
        if place := told.get("place"):
            message += f" (line {place[0]}, column {place[1]})"
        if guest.asked is not None and self._state == "loading":
            message = f"The script imports {guest.asked}: it must be bundled into one module."
            self.fail("SCRIPT_INVALID", message)
        elif message.startswith(OUT_OF_MEMORY) or (message == "null" and guest.full):
            self.fail(*TRAPS["memory"])  # without memory for an error, the engine throws null
        else:
            self.fail("SCRIPT_INVALID" if told.get("code") == "SCRIPT_INVALID" else "SCRIPT_FAILED", message)

    def _answered(self, head: dict[str, Any], body: bytes) -> None:
        if len(body) > self.budget.answer_bytes:
            self.fail(
                "SCRIPT_ANSWER_TOO_LARGE", f"The answer has more than {self.budget.answer_bytes} bytes."
            )
            return
        status = head.get("status")
        try:
            if not isinstance(status, int) or not 200 <= status <= 599:
                raise OutboundError("FETCH_ERROR", "The answer's status is not from 200 to 599.")
            self.answer = (status, well_formed(head.get("headers")), body)
        except OutboundError as error:
            self.fail("SCRIPT_FAILED", error.message)
