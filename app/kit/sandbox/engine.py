"""The WebAssembly engine scripts run in: made once, with limits that hold for every instance.

Rules that live here: compiled code can be interrupted anywhere (epochs, not the guest's good will), after
time of a processor and not after time that a busy machine gave to others; it is read only from a file that
this process could not have written; host functions never raise, because the library keeps a raised exception
in one place for all threads.
"""

from __future__ import annotations

import hashlib
import os
import platform
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import wasmtime

# The guest of quickjs-rs 0.2.6: its exports are not a public interface, so another build is another program.
GUEST = "647ab11ae29cc6d39a6d17d3aa1e7a6a0b5fb9c44b4864475a18bc644f926050"
TICK = 0.01  # seconds between epochs
NATIVE_STACK = 2 << 20  # the most the engine takes
HERE = Path(__file__).parent


class SandboxMissing(Exception):
    """The extra `integrations` is not installed, or not in the version this module was written for."""


class EpochClock:
    """Counts epochs up while a script computes; each store has its own deadline in epochs."""

    def __init__(self, engine: wasmtime.Engine) -> None:
        self._engine = engine
        self._computing = 0
        self._changed = threading.Condition()
        self._started = False

    @contextmanager
    def running(self) -> Iterator[None]:
        """Keep counting inside the block."""
        with self._changed:
            self._computing += 1
            if not self._started:
                self._started = True
                threading.Thread(target=self._count, name="sandbox-clock", daemon=True).start()
            self._changed.notify()
        try:
            yield
        finally:
            with self._changed:
                self._computing -= 1

    def _count(self) -> None:
        """Count by the clock, not by how often this thread gets its turn, and no more than was computed."""
        left, before = 0.0, _now()
        while True:
            with self._changed:
                if not self._computing:
                    self._changed.wait_for(lambda: self._computing > 0)
                    left, before = 0.0, _now()
            time.sleep(TICK)
            now = _now()
            left += min(now[0] - before[0], now[1] - before[1])
            before = now
            while left >= TICK:
                left -= TICK
                self._engine.increment_epoch()


def _now() -> tuple[float, float]:
    """Seconds that went by, and seconds of a processor that this process has used."""
    return time.monotonic(), time.process_time()


@dataclass(frozen=True, slots=True)
class Machine:
    """The engine, the guest's compiled code with its imports, and the clock."""

    engine: wasmtime.Engine
    ready: wasmtime.InstancePre
    clock: EpochClock


def guest_file() -> Path:
    """Return where quickjs-rs keeps its guest. Raises SandboxMissing."""
    found = find_spec("quickjs_rs")
    if found is None or not found.submodule_search_locations or find_spec("wasmtime") is None:
        raise SandboxMissing("Scripts need the extra `integrations`.")
    return Path(found.submodule_search_locations[0]) / "_guest.wasm"


def new_engine() -> wasmtime.Engine:
    """Return an engine whose code runs on every processor of this kind and can be interrupted."""
    import wasmtime

    config = wasmtime.Config()
    config.epoch_interruption = True
    config.max_wasm_stack = NATIVE_STACK
    config.wasm_threads = False
    target = _target()
    if target:
        config.target = target
    return wasmtime.Engine(config)


def new_machine() -> Machine:
    """Load or compile the guest and define what it imports. Raises SandboxMissing."""
    from app.kit.sandbox.engine import linked

    guest = guest_file().read_bytes()
    if hashlib.sha256(guest).hexdigest() != GUEST:
        raise SandboxMissing("Scripts need the version of quickjs-rs that the extra `integrations` names.")
    engine = new_engine()
    return Machine(engine, linked(engine).instantiate_pre(module(engine, guest)), EpochClock(engine))


def precompile(folder: Path = HERE) -> Path:
    """Write the compiled guest beside this module, for packages whose files cannot be changed afterwards."""
    import wasmtime

    path = folder / compiled_name()
    path.write_bytes(wasmtime.Module(new_engine(), guest_file().read_bytes()).serialize())
    return path


def compiled_name() -> str:
    return f"guest-{GUEST[:12]}-{platform.machine()}.cwasm"


def module(engine: wasmtime.Engine, guest: bytes, folder: Path = HERE) -> wasmtime.Module:
    """Return the guest's compiled code: what `precompile` wrote, if this process cannot have,
    else compiled now.
    """
    import wasmtime

    path = folder / compiled_name()
    if path.is_file() and out_of_reach(path):
        try:
            return wasmtime.Module.deserialize(engine, path.read_bytes())
        except wasmtime.WasmtimeError:
            pass  # made by another version, or for another processor
    return wasmtime.Module(engine, guest)


def out_of_reach(path: Path) -> bool:
    """Return whether this process cannot have written a file: it runs as machine code,
    past every check of ours.
    """
    if os.statvfs(path).f_flag & os.ST_RDONLY:
        return True
    return not any(
        place.stat().st_uid == os.geteuid() or os.access(place, os.W_OK, effective_ids=True)
        for place in (path, path.parent)
    )


def _target() -> str | None:
    """Named outright, the code is made for the plain processor and not for the one it is compiled on."""
    machine = {"x86_64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}.get(platform.machine())
    return f"{machine}-unknown-linux-gnu" if sys.platform == "linux" and machine and _glibc() else None


def _glibc() -> bool:
    return platform.libc_ver()[0] == "glibc"


if TYPE_CHECKING:
    import wasmtime


class Called(Protocol):
    """A guest, as far as its calls go; each answers with what the guest's side expects."""

    @property
    def stopped(self) -> str | None:
        """Return why it was stopped, once it was."""

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
    """Return the imports of every instance."""
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
