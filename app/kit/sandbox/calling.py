"""The four functions a guest may call, shared by all of them: a call goes to the guest of its thread."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import wasmtime


class Called(Protocol):
    """A guest, as far as its calls go; each answers with what the guest's side expects."""

    @property
    def stopped(self) -> str | None:
        """Why it was stopped, once it was."""

    def called(self, count: int, arguments: int) -> int:
        """Answer a call of the script."""

    def imports(self, name: int, length: int, out: int) -> int:
        """Tell what a name in an import means."""

    def source(self, out: int) -> int:
        """Hand over the script."""


class Current(threading.local):
    """The guest that computes on this thread."""

    guest: Called | None = None


CURRENT = Current()
SCRIPT = "integration"  # the one module there is


def linked(engine: wasmtime.Engine) -> wasmtime.Linker:
    """The imports of every instance."""
    import wasmtime

    linker = wasmtime.Linker(engine)
    linker.define_wasi()
    i32 = wasmtime.ValType.i32
    for name, arguments, function in (
        ("host_call", 5, _host_call),
        ("host_module_normalize", 5, _normalize),
        ("host_module_load", 3, _load),
    ):
        linker.define_func("env", name, wasmtime.FuncType([i32()] * arguments, [i32()]), function)
    # Asked every few thousand operations. The epoch stops scripts, so the answer needs no Python.
    linker.define_func("env", "host_interrupt", wasmtime.FuncType([], [i32()]), _interrupt)
    return linker


def _host_call(_name: int, _length: int, _this: int, count: int, arguments: int) -> int:
    guest = CURRENT.guest
    return -1 if guest is None else guest.called(count, arguments)


def _normalize(_base: int, _base_length: int, name: int, length: int, out: int) -> int:
    guest = CURRENT.guest
    return 0 if guest is None else guest.imports(name, length, out)


def _load(_name: int, _length: int, out: int) -> int:
    guest = CURRENT.guest
    return 0 if guest is None else guest.source(out)


def _interrupt() -> int:
    guest = CURRENT.guest
    return 1 if guest is None or guest.stopped else 0
