"""Pictures for the book: written to its own folder if typst may read them, else a reason why not.

A picture's format is what its first bytes say. Sizes are bounded before anything is decoded; what turns out
to be broken when it is decoded is found by `compile.py`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from app.formats.images import dimensions
from app.formats.pdf.book import Picture

MOST_BYTES = 20 << 20
MOST_SVG_BYTES = 2 << 20
MOST_PIXELS = 40_000_000
MOST_PICTURES = 5_000
ALL_BYTES = 100 << 20
ALL_PIXELS = 120_000_000

_RASTER = (
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"\xff\xd8\xff", "jpg"),
    (b"GIF87a", "gif"),
    (b"GIF89a", "gif"),
)
_KINDS = {"png": "image/png", "jpg": "image/jpeg", "gif": "image/gif", "webp": "image/webp"}
_SVG = re.compile(rb"<svg[\s>]", re.IGNORECASE)


@dataclass(slots=True)
class Pictures:
    """The pictures of one book, each kept once, and how much of what is allowed they have used."""

    folder: Path
    used_bytes: int = 0
    used_pixels: int = 0
    _known: dict[str, tuple[str, str]] = field(default_factory=dict)

    def keep(self, picture: Picture | None) -> tuple[str, str]:
        """The file name the picture has in the folder, and the reason if it has none."""
        if picture is None:
            return "", "not found"
        if picture.key not in self._known:
            self._known[picture.key] = self._kept(picture)
        return self._known[picture.key]

    def _kept(self, picture: Picture) -> tuple[str, str]:
        spent = len(self._known) >= MOST_PICTURES or self.used_bytes + picture.size > ALL_BYTES
        if spent or picture.size > MOST_BYTES:
            return "", "too large to be printed"
        data = picture.read()
        if data is None:
            return "", "not found"
        kind = sniff(data)
        if not kind:
            return "", "a format that cannot be printed"
        pixels = 0
        if kind != "svg":
            size = dimensions(_KINDS[kind], data)
            if size is None:
                return "", "broken"
            pixels = size[0] * size[1]
        most = MOST_SVG_BYTES if kind == "svg" else MOST_BYTES
        spent = self.used_bytes + len(data) > ALL_BYTES or self.used_pixels + pixels > ALL_PIXELS
        if len(data) > most or pixels > MOST_PIXELS or spent:
            return "", "too large to be printed"
        self.used_bytes += len(data)
        self.used_pixels += pixels
        name = f"picture-{len(self._known)}.{kind}"
        (self.folder / name).write_bytes(data)
        return name, ""


def sniff(data: bytes) -> str:
    """`png`, `jpg`, `gif`, `webp` or `svg` by the first bytes, or nothing."""
    for magic, kind in _RASTER:
        if data.startswith(magic):
            return kind
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "webp"
    head = data[:2000].lstrip(b"\xef\xbb\xbf \t\r\n")
    return "svg" if head.startswith(b"<") and _SVG.search(head) else ""
