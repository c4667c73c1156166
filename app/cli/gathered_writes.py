"""Writes small pieces to a connection together.

Uvicorn writes the head of a response and its body apart, and each write to a socket costs more than most of
what it takes to answer.
"""

from __future__ import annotations

import asyncio
from typing import Any

COPIED = 8_192  # bytes up to which pieces are joined; a copy of more costs more than sending several
MOST_HELD = 65_536  # bytes; what is larger gains nothing by waiting


class GatheredWrites(asyncio.Transport):
    """Holds what is written until it is flushed, or else until the event loop comes round again.

    Whatever depends on the order of bytes sees it: closing writes first what is held, aborting drops it, and
    the size of the write buffer includes it.
    """

    __slots__ = ("_held", "_held_bytes", "_loop", "_transport")

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._held: list[bytes | bytearray | memoryview] = []
        self._held_bytes = 0

    def write(self, data: bytes | bytearray | memoryview) -> None:
        if not data:
            return
        if not self._held:
            self._loop.call_soon(self.flush)
        self._held.append(data)
        self._held_bytes += len(data)
        if self._held_bytes > MOST_HELD:
            self.flush()

    def flush(self) -> None:
        """Write what is held now."""
        if not self._held:
            return
        held, self._held, size, self._held_bytes = self._held, [], self._held_bytes, 0
        if self._transport.is_closing():
            return
        if len(held) == 1:
            self._transport.write(held[0])
        elif size < COPIED:
            self._transport.write(b"".join(held))
        else:
            self._transport.writelines(held)

    def close(self) -> None:
        self.flush()
        self._transport.close()

    def write_eof(self) -> None:
        self.flush()
        self._transport.write_eof()

    def abort(self) -> None:
        self._held.clear()
        self._transport.abort()

    def get_write_buffer_size(self) -> int:
        return self._held_bytes + self._transport.get_write_buffer_size()

    def can_write_eof(self) -> bool:
        return self._transport.can_write_eof()

    def is_closing(self) -> bool:
        return self._transport.is_closing()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return self._transport.get_extra_info(name, default)

    def pause_reading(self) -> None:
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        self._transport.resume_reading()
