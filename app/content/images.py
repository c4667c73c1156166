"""What files are, by their name, and how large pictures are, by their first bytes: nothing is decoded.

The content type is ours to decide, never the uploader's (threats, 35); what may show inside a page is a
closed list, and everything else is only ever downloaded.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

TYPES = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "avif": "image/avif",
    "svg": "image/svg+xml",
    "ico": "image/x-icon",
    "bmp": "image/bmp",
    "mp4": "video/mp4",
    "webm": "video/webm",
    "mp3": "audio/mpeg",
    "ogg": "audio/ogg",
    "pdf": "application/pdf",
    "zip": "application/zip",
    "gz": "application/gzip",
    "json": "application/json",
    "yaml": "application/yaml",
    "yml": "application/yaml",
    "xml": "application/xml",
    "csv": "text/csv",
    "txt": "text/plain",
    "md": "text/markdown",
    "html": "text/html",
    "css": "text/css",
    "js": "text/javascript",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
}
SHOWN = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"})
Size = tuple[int, int]
MOST = 1 << 20  # of a JPEG's header; what comes later is not looked for


def content_type(name: str) -> str:
    """The content type of a file of this name."""
    return TYPES.get(name.rpartition(".")[2].lower(), "application/octet-stream")


def dimensions(kind: str, data: bytes) -> Size | None:
    """Width and height in pixels, or None where the bytes do not say."""
    read = _READERS.get(kind)
    try:
        size = read(data) if read else None
    except (struct.error, IndexError):
        return None
    return size if size and 0 < size[0] < 1 << 31 and 0 < size[1] < 1 << 31 else None


def _png(data: bytes) -> Size | None:
    return struct.unpack(">II", data[16:24]) if data[:8] == b"\x89PNG\r\n\x1a\n" else None


def _gif(data: bytes) -> Size | None:
    return struct.unpack("<HH", data[6:10]) if data[:4] == b"GIF8" else None


def _jpeg(data: bytes) -> Size | None:
    if data[:2] != b"\xff\xd8":
        return None
    at = 2
    while at < min(len(data), MOST):
        if data[at] != 0xFF:
            return None
        marker = data[at + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return width, height
        standalone = marker in (0x01, 0xFF) or 0xD0 <= marker <= 0xD7
        at += (
            (1 if marker == 0xFF else 2) if standalone else 2 + struct.unpack(">H", data[at + 2 : at + 4])[0]
        )
    return None


def _webp(data: bytes) -> Size | None:
    if data[:4] != b"RIFF" or data[8:12] != b"WEBP":
        return None
    chunk = data[12:16]
    if chunk == b"VP8X":
        return 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")
    if chunk == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    width, height = struct.unpack("<HH", data[26:30])
    return width & 0x3FFF, height & 0x3FFF


_READERS: dict[str, Callable[[bytes], Size | None]] = {
    "image/png": _png,
    "image/gif": _gif,
    "image/jpeg": _jpeg,
    "image/webp": _webp,
}
