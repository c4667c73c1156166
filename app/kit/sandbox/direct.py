"""Calls into an instance without the library's look at each function's type on every call.

The library's public calls would make a small render, which has 63 of them, take 68 % longer (measured with
`tests/integrations/scripts/hello.ts`). So this module, and `instance` where it finds the memory, use names
that wasmtime does not publish; the extra `integrations` pins its version.
"""

from __future__ import annotations

from ctypes import POINTER, byref, create_string_buffer
from typing import TYPE_CHECKING, Any

import wasmtime
from wasmtime import _ffi as ffi

if TYPE_CHECKING:
    from wasmtime import Instance, Store


class Exports:
    """The exports of one instance, looked up when first used. Functions take and give i32 or nothing."""

    def __init__(self, store: Store, instance: Instance) -> None:
        self._context = store._context()
        self._instance = instance._instance
        self._functions: dict[str, Any] = {}
        self._results = (ffi.wasmtime_val_t * 1)()
        self._trap = POINTER(ffi.wasm_trap_t)()
        self._trapped = byref(self._trap)

    def call(self, name: str, arguments: tuple[int, ...]) -> int:
        """Call a function. Raises wasmtime.Trap or wasmtime.WasmtimeError."""
        function = self._functions.get(name)
        if function is None:
            function = self._functions[name] = self.find(name).of.func
        count = len(arguments)
        values = (ffi.wasmtime_val_t * count)()
        for value, argument in zip(values, arguments, strict=True):
            value.kind = 0
            value.of.i32 = argument
        results = self._results
        wanted = 0 if name in WITHOUT_RESULT else 1
        error = ffi.wasmtime_func_call(
            self._context, byref(function), values, count, results, wanted, self._trapped
        )
        if error:
            raise wasmtime.WasmtimeError._from_ptr(error)
        if self._trap:
            trap, self._trap = self._trap, POINTER(ffi.wasm_trap_t)()
            self._trapped = byref(self._trap)
            raise wasmtime.Trap._from_ptr(trap)
        return int(results[0].of.i32) if wanted else 0

    def find(self, name: str) -> Any:
        """Return an export as it is."""
        found = ffi.wasmtime_extern_t()
        text = name.encode()
        at = byref(self._instance)
        if not ffi.wasmtime_instance_export_get(
            self._context, at, create_string_buffer(text), len(text), byref(found)
        ):
            raise KeyError(name)
        return found


WITHOUT_RESULT = frozenset(
    {"free_value", "qjs_free", "qjs_result_free", "run_gc", "set_max_stack_size", "set_memory_limit"}
)
