"""Kinds of files by their name, and how large pictures are, by their first bytes: nothing is decoded.

The content type is ours to decide, never the uploader's (threats, 35); what may show inside a page is a
closed list, and everything else is only ever downloaded. Sounds and films are not on it: inside pages they
play anyway, and opened by themselves their players would need a weaker policy than nothing at all.

Every reader looks at a bounded part of the bytes and takes a bounded number of steps.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator

TYPES = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "avif": "image/avif",
    "heic": "image/heic",
    "heif": "image/heif",
    "svg": "image/svg+xml",
    "ico": "image/x-icon",
    "bmp": "image/bmp",
    "mp4": "video/mp4",
    "webm": "video/webm",
    "mp3": "audio/mpeg",
    "ogg": "audio/ogg",
    "wav": "audio/wav",
    "m4a": "audio/mp4",
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
# What a browser would run, style pages with or show as a page; it is sent as plain text.
_ACTIVE = frozenset({"text/html", "text/css", "text/javascript", "application/xml"})
_SENT = frozenset(TYPES.values()) - _ACTIVE
_BYTES = "application/octet-stream"
Size = tuple[int, int]
MOST = 1 << 20  # bytes of a header; what comes later is not looked for
STEPS = 2000  # segments, boxes or entries that are looked at
_LARGEST = 1 << 31


def content_type(name: str) -> str:
    """Return the content type of a file of this name."""
    return TYPES.get(name.rpartition(".")[2].lower(), _BYTES)


def sent_as(kind: str) -> str:
    """Return the type that a file of this type is sent with: one that no browser runs (threats, 35, 71)."""
    if kind in _ACTIVE:
        return "text/plain; charset=utf-8"
    return kind if kind in _SENT else _BYTES


def dimensions(kind: str, data: bytes) -> Size | None:
    """Return width and height in pixels, or None where the bytes do not say."""
    read = _READERS.get(kind)
    try:
        size = read(data) if read else None
    except (struct.error, LookupError, ValueError, ArithmeticError):
        return None
    return size if size and 0 < size[0] < _LARGEST and 0 < size[1] < _LARGEST else None


def _png(data: bytes) -> Size | None:
    if data[:8] != b"\x89PNG\r\n\x1a\n" or data[12:16] != b"IHDR":
        return None
    return struct.unpack_from(">II", data, 16)


def _gif(data: bytes) -> Size | None:
    return struct.unpack_from("<HH", data, 6) if data[:6] in (b"GIF87a", b"GIF89a") else None


def _jpeg(data: bytes) -> Size | None:
    if data[:2] != b"\xff\xd8":
        return None
    at = 2
    for _ in range(STEPS):
        if at >= MOST or data[at] != 0xFF:
            return None
        marker = data[at + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack_from(">HH", data, at + 5)
            return width, height
        if marker == 0xFF:  # filling before a marker
            at += 1
        elif marker == 0x01 or 0xD0 <= marker <= 0xD7:  # markers that stand alone
            at += 2
        else:
            at += 2 + max(2, int.from_bytes(data[at + 2 : at + 4], "big"))
    return None


def _webp(data: bytes) -> Size | None:
    if data[:4] != b"RIFF" or data[8:12] != b"WEBP":
        return None
    chunk, body = data[12:16], data[20:30]
    if chunk == b"VP8X":
        width, height = struct.unpack("4x3s3s", body)
        return 1 + int.from_bytes(width, "little"), 1 + int.from_bytes(height, "little")
    if chunk == b"VP8L" and body[:1] == b"\x2f":
        (bits,) = struct.unpack_from("<I", body, 1)
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if chunk == b"VP8 " and body[3:6] == b"\x9d\x01\x2a":
        width, height = struct.unpack_from("<HH", body, 6)
        return width & 0x3FFF, height & 0x3FFF
    return None


def _bmp(data: bytes) -> Size | None:
    if data[:2] != b"BM":
        return None
    (header,) = struct.unpack_from("<I", data, 14)
    if header == 12:
        return struct.unpack_from("<HH", data, 18)
    width, height = struct.unpack_from("<ii", data, 18)
    return width, abs(height)  # a picture whose rows go down has a negative height


def _ico(data: bytes) -> Size | None:
    """Return the largest of an icon's pictures; 0 stands for 256."""
    zero, kind, count = struct.unpack_from("<HHH", data)
    if zero != 0 or kind != 1:
        return None
    places = range(6, 6 + 16 * min(count, STEPS), 16)
    return max(((data[at] or 256, data[at + 1] or 256) for at in places), key=_area, default=None)


def _heif(data: bytes) -> Size | None:
    """Return the extent of the main picture of an AVIF or HEIF, cropped and turned as it will be shown."""
    if data[4:8] != b"ftyp":
        return None
    meta = _box(data, b"meta", range(len(data)))[4:]
    described = _box(data, b"iprp", meta)
    known = list(_boxes(data, _box(data, b"ipco", described)))
    size: Size | None = None
    for number in _main_properties(data, _box(data, b"pitm", meta), _box(data, b"ipma", described)):
        kind, box = known[number - 1]
        if kind == b"ispe":
            size = struct.unpack_from(">4xII", data, box.start)
        elif kind == b"clap" and size:
            wide, of_wide, high, of_high = struct.unpack_from(">IIII", data, box.start)
            size = min(size[0], wide // of_wide), min(size[1], high // of_high)
        elif kind == b"irot" and size and data[box.start] & 1:
            size = size[1], size[0]
    return size


def _main_properties(data: bytes, main: range, properties: range) -> list[int]:
    """Return the numbers of the properties of the main item, in their order."""
    (item,) = struct.unpack_from(">4xI" if data[main.start] else ">4xH", data, main.start)
    long_items, long_numbers = data[properties.start] > 0, data[properties.start + 3] & 1
    (count,) = struct.unpack_from(">4xI", data, properties.start)
    at = properties.start + 8
    for _ in range(min(count, STEPS)):
        found, many = struct.unpack_from(">IB" if long_items else ">HB", data, at)
        at += 5 if long_items else 3
        if found == item:
            numbers = struct.unpack_from(f">{many}H" if long_numbers else f">{many}B", data, at)
            mask = 0x7FFF if long_numbers else 0x7F  # the first bit says something else; 0 is none
            return [number & mask for number in numbers if number & mask]
        at += many * (1 + long_numbers)
    return []


def _box(data: bytes, kind: bytes, inside: range) -> range:
    """Return where the contents of the first box of a kind are; raises ValueError."""
    for found, box in _boxes(data, inside):
        if found == kind:
            return box
    raise ValueError("there is no such box")


def _boxes(data: bytes, inside: range) -> Iterator[tuple[bytes, range]]:
    """Yield the boxes that follow each other in a part: their kinds, and where their contents are."""
    at = inside.start
    for _ in range(STEPS):
        if at + 8 > inside.stop:
            return
        size, kind = struct.unpack_from(">I4s", data, at)
        start = at + 8
        if size == 1:
            (size,) = struct.unpack_from(">Q", data, start)
            start += 8
        stop = min(at + size, inside.stop) if size else inside.stop
        if stop < start:
            return
        yield kind, range(start, stop)
        at = stop


def _area(size: Size) -> int:
    return size[0] * size[1]


_PROLOGUE = re.compile(
    r"(?:\s|<\?[^>]*>|<!--(?:[^-]|-(?!->))*+-->|<!DOCTYPE[^\[>]*(?:\[[^\]]*\]\s*)?>)*+", re.IGNORECASE
)
_ROOT = re.compile(r"<(?:[A-Za-z]+:)?svg(?=[\s/>])([^<>]*)>")
_ATTRIBUTE = re.compile(r"""\s(width|height|viewBox)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_LENGTH = re.compile(r"\s*\+?([0-9]{1,10}(?:\.[0-9]{1,20})?|\.[0-9]{1,20})(px|pt|pc|mm|cm|in)?\s*")
_PIXELS = {"": 1.0, "px": 1.0, "pt": 4 / 3, "pc": 16.0, "mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96.0}


def _svg(data: bytes) -> Size | None:
    """Return what the root element says, as text: nothing is parsed, no entity has a meaning."""
    text = data[: MOST // 16].decode("utf-8-sig", "replace")
    prologue = _PROLOGUE.match(text)
    root = _ROOT.match(text, prologue.end() if prologue else 0)
    if root is None:
        return None
    said = {name: double or single for name, double, single in _ATTRIBUTE.findall(root[1])}
    width, height = _pixels(said.get("width", "")), _pixels(said.get("height", ""))
    if width and height:
        return round(width), round(height)
    corner = re.split(r"[\s,]+", said.get("viewBox", "").strip())
    if len(corner) != 4:
        return None
    wide, high = _pixels(corner[2]), _pixels(corner[3])
    if not wide or not high:
        return None
    scale = width / wide if width else height / high if height else 1.0
    return round(wide * scale), round(high * scale)


def _pixels(length: str) -> float:
    """Return a length in pixels; 0 where it is none, or depends on where the picture is."""
    found = _LENGTH.fullmatch(length)
    return float(found[1]) * _PIXELS[found[2] or ""] if found else 0.0


_READERS: dict[str, Callable[[bytes], Size | None]] = {
    "image/png": _png,
    "image/gif": _gif,
    "image/jpeg": _jpeg,
    "image/webp": _webp,
    "image/avif": _heif,
    "image/heic": _heif,
    "image/heif": _heif,
    "image/bmp": _bmp,
    "image/x-icon": _ico,
    "image/svg+xml": _svg,
}
