"""A JavaScript engine that has run the prelude: entered step by step, it asks its handler for the rest.

Images of engines that have run the prelude, and of some that have run a script's module too.

A module that loads without asking for anything (time aside) loads the same way each time, so calls of it may
start from its image: they share no memory, only its beginning.
"""

from __future__ import annotations

import hashlib
import math
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from cachetools import LRUCache

from app.kit.sandbox.engine import CURRENT, SCRIPT, TICK, Machine
from app.kit.sandbox.instance import Image, Instance, Thrown, Trapped, Why, new_memory

JS_STACK = (
    400_000  # bytes of the guest's own megabyte: the engine throws a RangeError before the machine traps
)
REFUSED = -1
PRELUDE = (
    "standards", "text", "headers", "streams", "form", "events", "messages", "addresses", "url", "crypto",
    "console", "timers", "main",
)  # fmt: skip

Answer = str | bytes | None
Handler = Callable[[str, bytes | None], Answer]


class Enough(Exception):
    """Raised by a handler: the guest must not go on."""


class Guest:
    """One engine with one script. `image` is of one that has run the prelude, and perhaps the script."""

    def __init__(
        self, machine: Machine, memory: int, handler: Handler, script: str, image: Image | None = None
    ) -> None:
        self._clock = machine.clock
        self._handler = handler
        self._script = script
        self._instance = Instance(machine, memory, image)
        self.stopped: Why | None = None
        self.asked: str | None = None  # what else the script tried to import
        self._entry = image.entry if image else self._run_prelude()

    def close(self) -> None:
        """Give the memory back."""
        self._instance.close()

    @property
    def full(self) -> bool:
        return self._instance.full

    @property
    def size(self) -> int:
        return self._instance.size

    def content(self) -> bytes:
        """Return the whole memory."""
        return self._instance.content()

    def image(self, before: bytes, under: Image | None = None) -> Image:
        """Return the memory as it is, to start other engines from: what differs from `before`."""
        return self._instance.image(self._entry, before, under)

    def enter(self, step: str, text: str = "", body: bytes | None = None, *, seconds: float) -> None:
        """Enter the prelude at a step and run all that becomes ready. Raises Trapped."""
        with self._computing(seconds):
            self._free(self._entered(step, text, body))
            while self._instance.call("execute_pending_jobs") > 0:
                pass  # it runs only so many at once

    def next_timer(self, *, seconds: float) -> float:
        """Return the moment of the next timer, milliseconds since 1970; negative: there is none.
        Raises Trapped.
        """
        with self._computing(seconds):
            handle = self._entered("next", "", None)
            place = self._instance.scratch
            self._instance.call("get_number", handle, place)
            self._free(handle)
            (moment,) = struct.unpack("<d", self._instance.read(place, 8))
            return float(moment) if math.isfinite(moment) else -1.0

    @contextmanager
    def _computing(self, seconds: float) -> Iterator[None]:
        before, CURRENT.guest = CURRENT.guest, self
        try:
            with self._clock.running():
                self._instance.store.set_epoch_deadline(math.ceil(max(0.0, seconds) / TICK) + 1)
                yield
        except (Thrown, Trapped) as error:
            raise Trapped(self.stopped or (error.why if isinstance(error, Trapped) else "broken")) from None
        finally:
            CURRENT.guest = before
        if self.stopped:
            raise Trapped(self.stopped)

    def _run_prelude(self) -> int:
        instance = self._instance
        with self._computing(10):
            source = prelude().encode()
            place = instance.put(source)
            made = instance.given(instance.call("eval_code", place, len(source), instance.scratch))
            instance.call("qjs_free", place, len(source))
            name = instance.put(b"host")
            host = instance.call("new_function", name, 4)
            return self._called(made, host)

    def _entered(self, step: str, text: str, body: bytes | None) -> int:
        instance = self._instance
        last = instance.call("new_undefined") if body is None else instance.data(body)
        return self._called(self._entry, instance.text(step), instance.text(text), last)

    def _called(self, function: int, *arguments: int) -> int:
        """Call a function of the guest with values that are given up by it."""
        instance = self._instance
        this = instance.call("new_undefined")
        place = instance.put(struct.pack(f"<{len(arguments)}i", *arguments))
        status = instance.call("call_function", function, this, place, len(arguments), instance.scratch)
        result = instance.number(instance.scratch)
        instance.call("qjs_free", place, 4 * len(arguments))
        self._free(this, *arguments)
        if status:
            raise Thrown
        return result

    def _free(self, *handles: int) -> None:
        for handle in handles:
            self._instance.call("free_value", handle)

    # What the guest calls, on the thread that called it. Nothing may be raised from here.

    def called(self, count: int, arguments: int) -> int:
        """Return the guest calls `host(text)` or `host(text, bytes)`."""
        if self.stopped:
            return REFUSED
        instance = self._instance
        try:
            handles = (
                struct.unpack(f"<{count}i", instance.read(arguments, 4 * count)) if count in (1, 2) else ()
            )
            if not handles:
                return REFUSED
            text = instance.text_of(handles[0]).decode("utf-8", "replace")
            answer = self._handler(text, instance.data_of(handles[1]) if count == 2 else None)
            if answer is None:
                return instance.call("new_undefined")
            return instance.text(answer) if isinstance(answer, str) else instance.data(answer)
        except (Enough, Trapped) as error:
            self.stopped = error.why if isinstance(error, Trapped) else "asking"
            instance.store.set_epoch_deadline(0)
            return REFUSED
        except Exception:
            return REFUSED

    def imports(self, name: int, length: int, out: int) -> int:
        """Resolve an import of the guest: only the script itself can be imported."""
        return self._handed(name, length, out, SCRIPT.encode())

    def source(self, out: int) -> int:
        """Hand the guest its script."""
        return self._handed(0, 0, out, self._script.encode("utf-8", "replace"))

    def _handed(self, name: int, length: int, out: int, answer: bytes) -> int:
        instance = self._instance
        try:
            if length:
                asked = instance.read(name, length).decode("utf-8", "replace")
                if asked != SCRIPT:
                    self.asked = asked[:200]
                    return 0
            place = instance.put(answer)
            instance.write(out, struct.pack("<I", len(answer)))
            return place
        except Exception:
            self.stopped = "broken"
            return 0


@cache
def prelude() -> str:
    """Return the surroundings of scripts as one function that takes the host's."""
    folder = Path(__file__).parent / "prelude"
    parts = "\n".join((folder / f"{name}.js").read_text("utf-8") for name in PRELUDE)
    return f'(function (host) {{"use strict";\n{parts}\n}})'


ROOM = 48_000_000  # bytes of scripts' images kept, besides the prelude's
LARGEST = 24_000_000  # bytes of the memory of one


@dataclass(slots=True)
class Images:
    """The prelude's image, and those of the scripts used last."""

    base: Image
    _content: bytes  # the memory that the base is of
    kept: LRUCache[bytes, Image]
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def of(self, script: str) -> Image | None:
        """Return the image of a script, if it is kept."""
        key = _key(script)
        with self._lock:
            return self.kept.get(key)

    def keep(self, script: str, guest: Guest) -> None:
        """Keep the image of a guest that has loaded a script and waits for nothing."""
        if guest.size > LARGEST:
            return
        image, key = guest.image(self._content, self.base), _key(script)
        with self._lock:
            if image.weight <= self.kept.maxsize:
                self.kept.setdefault(key, image)


def new_images(machine: Machine, room: int = ROOM) -> Images:
    """Run the prelude once, not with the memory of a call: its image is for all of them.

    `room` is how many bytes the images of scripts may have together.
    """
    new = new_memory(machine)
    guest = Guest(machine, 1 << 24, lambda text, body: None, "")
    try:
        return Images(guest.image(new), guest.content(), LRUCache(room, getsizeof=lambda image: image.weight))
    finally:
        guest.close()


def _key(script: str) -> bytes:
    return hashlib.sha256(script.encode("utf-8", "surrogatepass")).digest()
