"""Decompressing what a stranger sends, a bounded piece at a time.

One coding only: a chain such as `gzip, gzip` multiplies a bomb's power and no honest server sends it.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable

Unpacker = Callable[[bytes, int], bytes]


class BadEncoding(Exception):
    """The body is not what its `Content-Encoding` says, or that coding is not one we asked for."""


def unpacker(encoding: str) -> Unpacker:
    """Return a function (chunk, at most so many bytes) -> bytes for this `Content-Encoding`;
    b"" ends the body.

    It may give back as many bytes as asked and forget the rest: ask for one more than you would accept.
    Raises BadEncoding for an unknown coding; the function raises it for broken or cut-off data.
    """
    match encoding.strip().lower():
        case "" | "identity":
            return lambda chunk, _most: chunk
        case "gzip" | "x-gzip":
            return _Inflate(16 + zlib.MAX_WBITS)
        case "deflate":
            return _Inflate(zlib.MAX_WBITS)
        case _:
            raise BadEncoding(encoding)


class _Inflate:
    """gzip (members one after another) or deflate (with its header, or bare as some servers send it)."""

    def __init__(self, window: int) -> None:
        self._window = window
        self._stream = zlib.decompressobj(window)
        self._begun = False

    def __call__(self, chunk: bytes, most: int) -> bytes:
        if not chunk:
            if self._begun and not self._stream.eof:
                raise BadEncoding("cut off")
            return b""
        out = bytearray()
        while chunk and len(out) < most:
            if self._stream.eof:
                self._stream = zlib.decompressobj(self._window)
            out += self._inflate(chunk, most - len(out))
            chunk = self._stream.unused_data
            if self._stream.eof and self._window < 16:
                break
        return bytes(out)

    def _inflate(self, chunk: bytes, most: int) -> bytes:
        try:
            out = self._stream.decompress(chunk, most)
        except zlib.error as error:
            if self._begun or self._window != zlib.MAX_WBITS:
                raise BadEncoding(str(error)) from None
            out = self._bare(chunk, most)
        self._begun = True
        return out

    def _bare(self, chunk: bytes, most: int) -> bytes:
        self._stream = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            return self._stream.decompress(chunk, most)
        except zlib.error as error:
            raise BadEncoding(str(error)) from None
