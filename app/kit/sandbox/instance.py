"""One instance of the guest and its memory: values cross as handles, which are places in that memory.

Rules that live here: nothing the guest says about its memory is believed without a check; whatever it does
wrong ends as Trapped, and after a trap the instance is dead.
"""

from __future__ import annotations

import ctypes
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from app.kit.sandbox.engine import Machine

if TYPE_CHECKING:
    import wasmtime

PAGE = 65536  # of WebAssembly
LARGEST = 1 << 24  # bytes one crossing may carry
SCRATCH = 16  # bytes for what a call gives back beside its status

Why = Literal["time", "memory", "stack", "size", "asking", "broken"]


class Trapped(Exception):
    """The guest was stopped: out of something, or handing over or asking too much, or broken."""

    def __init__(self, why: Why) -> None:
        super().__init__(why)
        self.why = why


class Thrown(Exception):
    """The guest answered with an exception where the prelude throws none."""


@dataclass(frozen=True, slots=True)
class Image:
    """The bytes of a memory beyond those of a new instance, or of the image `under` it, and what its owner
    must know to go on with it."""

    size: int
    runs: list[tuple[int, bytes]]
    stack: int
    scratch: int
    entry: int
    under: Image | None = None

    @property
    def weight(self) -> int:
        return sum(len(piece) for _, piece in self.runs)


class Instance:
    """A store with one instance. Not for two threads at once, but for one after another."""

    def __init__(self, machine: Machine, memory: int, image: Image | None = None) -> None:
        """Raises Trapped where there is no memory for it."""
        import wasmtime

        from app.kit.sandbox.direct import Exports

        self._limit = memory
        self.store = wasmtime.Store(machine.engine)
        self.store.set_limits(memory_size=memory, memories=1, instances=1, tables=1, table_elements=10_000)
        self.store.set_wasi(wasmtime.WasiConfig())  # no files, no environment, nothing printed
        self.store.set_epoch_deadline(1_000)
        try:
            self._exports = Exports(self.store, machine.ready.instantiate(self.store))
            self._memory = wasmtime.Memory._from_raw(self._exports.find("memory").of.memory)
            self.scratch = image.scratch if image else self.call("qjs_alloc", SCRATCH)
            if image is not None:
                self._restore(image)
        except wasmtime.WasmtimeError:
            self.store.close()
            raise Trapped("memory") from None

    def close(self) -> None:
        """Give the memory back."""
        self.store.close()

    def call(self, name: str, *arguments: int) -> int:
        """Call an export. Raises Trapped."""
        import wasmtime

        try:
            return self._exports.call(name, arguments)
        except wasmtime.Trap as trap:
            raise Trapped(self._why(trap)) from None
        except wasmtime.WasmtimeError:
            raise Trapped("broken") from None

    def _why(self, trap: wasmtime.Trap) -> Why:
        from wasmtime import TrapCode

        if trap.trap_code == TrapCode.INTERRUPT:
            return "time"
        if self.full:
            return "memory"
        overflown = (TrapCode.STACK_OVERFLOW, TrapCode.MEMORY_OUT_OF_BOUNDS)
        return "stack" if trap.trap_code in overflown else "broken"

    @property
    def full(self) -> bool:
        """Tell whether the memory has grown about as far as it may."""
        return self.size > self._limit - (self._limit >> 3)

    @property
    def size(self) -> int:
        return int(self._memory.data_len(self.store))

    def read(self, start: int, length: int) -> bytes:
        """Copy bytes out of the memory."""
        start &= 0xFFFF_FFFF
        if length > LARGEST:
            raise Trapped("size")
        if length < 0 or start + length > self.size:
            raise Trapped("broken")
        return ctypes.string_at(self._base() + start, length) if length else b""

    def write(self, start: int, data: bytes) -> None:
        """Copy bytes into the memory."""
        start &= 0xFFFF_FFFF
        if start + len(data) > self.size:
            raise Trapped("broken")
        ctypes.memmove(self._base() + start, data, len(data))

    def _base(self) -> int:
        return ctypes.addressof(self._memory.data_ptr(self.store).contents)

    def put(self, data: bytes) -> int:
        """Copy bytes into memory the guest gives for it; `call("qjs_free", place, length)` gives it back."""
        place = self.call("qjs_alloc", len(data))
        if not place:
            raise Trapped("memory")
        self.write(place, data)
        return place

    def text(self, value: str) -> int:
        """Return a handle of a new string."""
        return self._made("new_string", value.encode("utf-8", "replace"))

    def data(self, value: bytes) -> int:
        """Return a handle of a new Uint8Array."""
        place = self.put(value) if value else 0
        status = self.call("new_uint8array", place, len(value), self.scratch)
        if value:
            self.call("qjs_free", place, len(value))
        return self.given(status)

    def _made(self, maker: str, value: bytes) -> int:
        place = self.put(value) if value else 0
        handle = self.call(maker, place, len(value))
        if value:
            self.call("qjs_free", place, len(value))
        return handle

    def given(self, status: int) -> int:
        """Return the handle a call left in the scratch memory. Raises Thrown when it left none."""
        if status:
            raise Thrown
        return self.number(self.scratch)

    def number(self, place: int) -> int:
        (value,) = struct.unpack("<i", self.read(place, 4))
        return int(value)

    def text_of(self, handle: int) -> bytes:
        """Return the UTF-8 of a string."""
        return self._taken(self.call("get_string", handle))

    def data_of(self, handle: int) -> bytes:
        """Return the bytes of a Uint8Array."""
        place = self.scratch
        return self._taken(self.call("get_typed_array_buffer", handle, place, place + 4, place + 8))

    def _taken(self, status: int) -> bytes:
        if status:
            raise Thrown
        data = self.read(self.call("qjs_last_ptr"), self.call("qjs_last_len"))
        self.call("qjs_result_free")
        return data

    def content(self) -> bytes:
        """Return the whole memory."""
        return ctypes.string_at(self._base(), self.size)

    def image(self, entry: int, before: bytes, under: Image | None = None) -> Image:
        """Return the memory as it is; `before` is that of a new instance, or of one that is `under`."""
        data = self.content()
        runs = differing(data, before)
        return Image(len(data), runs, self._stack().value(self.store), self.scratch, entry, under)

    def _stack(self) -> wasmtime.Global:
        import wasmtime

        return wasmtime.Global._from_raw(self._exports.find("__stack_pointer").of.global_)

    def _restore(self, image: Image) -> None:
        missing = (image.size - self.size) // PAGE
        if missing > 0:
            self._memory.grow(self.store, missing)
        base = self._base()
        for part in (image.under, image):
            for start, piece in part.runs if part else ():
                ctypes.memmove(base + start, piece, len(piece))
        self._stack().set_value(self.store, image.stack)


def new_memory(machine: Machine) -> bytes:
    """Return what the memory of a new instance holds before anything was called."""
    import wasmtime

    store = wasmtime.Store(machine.engine)
    store.set_wasi(wasmtime.WasiConfig())
    memory = machine.ready.instantiate(store).exports(store)["memory"]
    try:
        assert isinstance(memory, wasmtime.Memory)
        return bytes(memory.read(store))
    finally:
        store.close()


def differing(data: bytes, new: bytes, piece: int = 4096) -> list[tuple[int, bytes]]:
    """Return the stretches of `data` that are not as in `new`, which is zero where it ends."""
    zeros = bytes(piece)
    runs: list[tuple[int, int]] = []
    for start in range(0, len(data), piece):
        before = new[start : start + piece] or zeros
        if data[start : start + piece] == before:
            continue
        if runs and runs[-1][1] == start:
            runs[-1] = (runs[-1][0], start + piece)
        else:
            runs.append((start, start + piece))
    return [(start, data[start:end]) for start, end in runs]
