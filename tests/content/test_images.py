"""File types by name, and the sizes of pictures read from truncated headers."""

from __future__ import annotations

import struct
import time
from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.formats.images import SHOWN, TYPES, content_type, dimensions
from tests.make import picture
from tests.memory import peak_memory

PIXELS = sorted(kind for kind in TYPES.values() if kind.startswith("image/"))


def jpeg(*segments: bytes) -> bytes:
    """A JPEG of these segments and a frame of 640 × 480."""
    frame = b"\xff\xc2\x00\x11\x08" + struct.pack(">HH", 480, 640)
    return b"\xff\xd8" + b"".join(segments) + frame


def segment(marker: int, length: int) -> bytes:
    """A segment with a marker; its length counts itself."""
    return struct.pack(">BBH", 0xFF, marker, length) + bytes(length - 2)


def webp(chunk: bytes, body: bytes) -> bytes:
    """A WebP whose first chunk this is."""
    return b"RIFF\0\0\0\0WEBP" + chunk + struct.pack("<I", len(body)) + body


def box(kind: bytes, *inside: bytes) -> bytes:
    """A box as AVIF and HEIF are made of."""
    body = b"".join(inside)
    return struct.pack(">I4s", 8 + len(body), kind) + body


def extent(width: int, height: int) -> bytes:
    """The property that says how large an item is."""
    return box(b"ispe", struct.pack(">III", 0, width, height))


def avif(*properties: bytes, numbers: bytes = b"\x01", main: int = 2) -> bytes:
    """An AVIF with these properties, of which item 2 has those of the given numbers, and item 1 the first."""
    associations = b"\x00\x01\x01\x01" + struct.pack(">HB", 2, len(numbers)) + numbers
    described = box(b"iprp", box(b"ipco", *properties), box(b"ipma", struct.pack(">II", 0, 2), associations))
    meta = box(b"meta", bytes(4), box(b"pitm", struct.pack(">IH", 0, main)), described)
    return box(b"ftyp", b"avif") + box(b"free", bytes(100)) + meta


def icon(*sizes: tuple[int, int]) -> bytes:
    """An icon with pictures of these sizes."""
    entries = b"".join(struct.pack("BB14x", *size) for size in sizes)
    return struct.pack("<HHH", 0, 1, len(sizes)) + entries


def svg(attributes: str, before: str = "") -> bytes:
    """An SVG whose root element has these attributes."""
    return f'{before}<svg xmlns="http://www.w3.org/2000/svg" {attributes}><path d="M0 0"/></svg>'.encode()


CROPPED = box(b"clap", struct.pack(">8I", 123, 1, 114, 2, 0, 1, 0, 1))
TURNED = box(b"irot", b"\x01")
SIZES = [
    ("png", picture(640, 480), (640, 480)),
    ("gif", b"GIF89a" + struct.pack("<HH", 640, 480), (640, 480)),
    ("gif", b"GIF87a" + struct.pack("<HH", 1, 65_535), (1, 65_535)),
    ("jpg", jpeg(), (640, 480)),
    ("jpg", jpeg(segment(0xE0, 16), segment(0xE1, 65_535), segment(0xC4, 20), b"\xff\xff\xff"), (640, 480)),
    ("jpg", jpeg(b"\xff\x01", segment(0xDB, 67)), (640, 480)),
    ("webp", webp(b"VP8 ", b"\x30\x01\x00\x9d\x01\x2a" + struct.pack("<HH", 640 | 0x4000, 480)), (640, 480)),
    ("webp", webp(b"VP8L", b"\x2f" + struct.pack("<I", 639 | 479 << 14)), (640, 480)),
    ("webp", webp(b"VP8X", b"\x10\0\0\0\x7f\x02\x00\xdf\x01\x00"), (640, 480)),
    ("avif", avif(extent(64, 64), extent(640, 480), numbers=b"\x82"), (640, 480)),
    ("avif", avif(extent(64, 64), extent(640, 480), TURNED, numbers=b"\x02\x03"), (480, 640)),
    ("heic", avif(extent(640, 480), extent(124, 64), CROPPED, numbers=b"\x02\x83"), (123, 57)),
    ("bmp", b"BM" + bytes(12) + struct.pack("<Iii", 40, 640, 480), (640, 480)),
    ("bmp", b"BM" + bytes(12) + struct.pack("<Iii", 124, 640, -480), (640, 480)),
    ("bmp", b"BM" + bytes(12) + struct.pack("<IHH", 12, 640, 480), (640, 480)),
    ("ico", icon((16, 16), (48, 32), (32, 32)), (48, 32)),
    ("ico", icon((16, 16), (0, 0)), (256, 256)),
    ("svg", svg('width="640" height="480"'), (640, 480)),
    ("svg", svg("width=' 10.6px' height='1in'"), (11, 96)),
    ("svg", svg('viewBox="0 0 640 480"'), (640, 480)),
    ("svg", svg('width="320" viewBox="-5,-5, 640,480"'), (320, 240)),
    ("svg", svg('height="960" width="auto" viewBox="0 0 640 480"'), (1280, 960)),
    ("svg", svg('width="100%" height="2em" viewBox="0 0 640 480"'), (640, 480)),
    ("svg", svg('stroke-width="7" width="640" height="480"'), (640, 480)),
    ("svg", b"\xef\xbb\xbf" + svg('width="3" height="4"', "<?xml?>\n<!-- a -- > b -->\n"), (3, 4)),
    ("svg", svg('width="3" height="4"', "<!DOCTYPE svg [<!ENTITY a 'b'>\n]>"), (3, 4)),
    ("svg", b"<svg:svg xmlns:svg='http://www.w3.org/2000/svg' width='3' height='4'/>", (3, 4)),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "data", "size"), SIZES)
def test_the_size_of_a_picture_is_in_its_header(kind: str, data: bytes, size: tuple[int, int]) -> None:
    assert dimensions(content_type(f"a.{kind}"), data) == size
    assert dimensions(content_type(f"a.{kind}"), data + bytes(1000)) == size


@pytest.mark.parametrize(("kind", "data", "size"), SIZES)
def test_a_header_cut_anywhere_is_no_error(kind: str, data: bytes, size: tuple[int, int]) -> None:
    cuts = range(min(len(data), 400))
    assert {dimensions(content_type(f"a.{kind}"), data[:cut]) for cut in cuts} <= {
        None,
        size,
        *_of_parts(kind),
    }


def _of_parts(kind: str) -> set[tuple[int, int]]:
    """Return what headers say that lost what comes later: a turn or a cut."""
    return {(640, 480), (124, 64), (48, 32), (16, 16)} if kind in ("avif", "heic", "ico") else set()


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("png", b""),
        ("png", b"\x89PNG\r\n\x1a\n\0\0\0\x04CgBI" + bytes(40)),
        ("png", picture(640, 480)[:16] + struct.pack(">II", 0, 5)),
        ("png", picture(640, 480)[:16] + struct.pack(">II", 1 << 31, 5)),
        ("jpg", jpeg()[:-2]),
        ("jpg", b"\xff\xd8\xff\xd9" + bytes(40)),
        ("jpg", jpeg(b"\0")),
        ("webp", webp(b"VP8X", b"\x10\0\0\0\x7f\x02\x00\xdf\x01")),
        ("webp", webp(b"VP8L", b"\x2e" + bytes(9))),
        ("webp", webp(b"ALPH", bytes(10))),
        ("avif", avif(extent(640, 480), main=3)),
        ("avif", avif(extent(640, 480), numbers=b"\x07")),
        ("avif", avif(extent(640, 480), numbers=b"\x00")),
        ("heic", avif(extent(9, 9), box(b"clap", bytes(32)), numbers=b"\x01\x02")),
        ("bmp", b"BM" + bytes(12) + struct.pack("<Iii", 40, -640, 480)),
        ("ico", struct.pack("<HHH", 0, 2, 1) + bytes(16)),
        ("ico", icon()),
        ("svg", svg("")),
        ("svg", svg('width="&w;" height="&h;"', "<!DOCTYPE svg [<!ENTITY w '5'><!ENTITY h '5'>]>")),
        ("svg", svg(f'width="{"9" * 400}" height="1"')),
        ("svg", svg('width="9999999999in" height="1"')),
        ("svg", svg('width="-1" height="nan"')),
        ("svg", svg('width="640" height="480"').decode().encode("utf-16")),
        ("svg", b"<html><svg width='1' height='1'/></html>"),
        ("mp4", avif(extent(640, 480))),
        ("html", svg('width="640" height="480"')),
    ],
)
def test_what_says_no_size_has_none(kind: str, data: bytes) -> None:
    assert dimensions(content_type(f"a.{kind}"), data) is None


MUCH = 8 << 20
HOSTILE = [
    ("image/jpeg", b"\xff\xd8" + b"\xff" * MUCH),
    ("image/jpeg", b"\xff\xd8" + b"\xff\xe0\x00\x00" * (MUCH // 4)),
    ("image/avif", box(b"ftyp") + b"\0\0\0\x08free" * (MUCH // 8)),
    ("image/avif", box(b"ftyp") + b"\0\0\0\x08meta" * (MUCH // 8)),
    ("image/avif", box(b"ftyp") + b"\0\0\0\x01meta" + b"\xff" * MUCH),
    ("image/avif", avif(*[box(b"free")] * 100_000)),
    ("image/x-icon", struct.pack("<HHH", 0, 1, 65_535) + b"\x01" * MUCH),
    ("image/svg+xml", b" " * MUCH),
    ("image/svg+xml", b"<!--" + b"-" * MUCH),
    ("image/svg+xml", b"<!-- -->" * (MUCH // 8)),
    ("image/svg+xml", b"<!DOCTYPE " + b"[" * MUCH),
    ("image/svg+xml", b"<svg " + b' width="' * (MUCH // 8)),
    ("image/svg+xml", b'<svg viewBox="' + b", " * 30_000 + b'"/>'),
    ("image/svg+xml", b"<!DOCTYPE a [" + b"<!ENTITY b '&a;&a;'>" * 1000 + b"]><svg width='&b;' height='1'/>"),
]


@pytest.mark.parametrize(("kind", "data"), HOSTILE)
def test_hostile_headers_cost_no_more_however_long_they_are(kind: str, data: bytes) -> None:
    assert dimensions(kind, data) in (None, (1, 1))
    assert _took(kind, data) < 10 * _took(kind, data[: 1 << 17])


def hostile() -> dict[str, Callable[[], object]]:
    """Return what reads each of these headers."""
    return {f"{n} ({kind})": partial(dimensions, kind, data) for n, (kind, data) in enumerate(HOSTILE)}


def test_hostile_headers_take_no_memory() -> None:
    for name, peak in peak_memory(hostile).items():
        assert peak < 4 << 20, name


def _took(kind: str, data: bytes) -> float:
    """The least of some tries, of ten calls each, in seconds of processor time."""

    def once() -> float:
        began = time.thread_time()
        for _ in range(10):
            dimensions(kind, data)
        return time.thread_time() - began

    return min(once() for _ in range(5)) + 1e-4


@given(st.sampled_from(PIXELS), st.sampled_from([data for _, data, _ in SIZES]), st.data())
def test_no_bytes_make_it_fail(kind: str, data: bytes, chosen: st.DataObject) -> None:
    broken = bytearray(data)
    for _ in range(chosen.draw(st.integers(1, 6))):
        broken[chosen.draw(st.integers(0, len(broken) - 1))] = chosen.draw(st.integers(0, 255))
    size = dimensions(kind, bytes(broken) + chosen.draw(st.binary(max_size=40)))
    assert size is None or (0 < size[0] < 1 << 31 and 0 < size[1] < 1 << 31)


def test_what_a_file_is_is_told_by_its_last_ending_only() -> None:
    assert content_type("a.png.html") == "text/html"
    assert content_type("A.PNG") == "image/png"
    assert content_type("a.unheard") == content_type("a.") == content_type("") == "application/octet-stream"
    assert {"image/svg+xml", "text/html", "application/xml", "application/pdf"}.isdisjoint(SHOWN)
