"""Pictures that come along with imported pages.

What is a picture is told by its bytes and not by what it is called; SVG is none, since it is a program. Only
pictures of the page's own site are fetched, each up to 2 MB, as far as the budget goes; the others stay where
they are.
"""

from __future__ import annotations

import asyncio
import posixpath
from collections.abc import Iterable
from html import unescape
from itertools import islice
from typing import Protocol
from urllib.parse import unquote, urlsplit

from app.formats.html_import.layout import ASSETS, Names, file_name
from app.formats.markdown.scanner import scan
from app.kit.http.outbound import OutboundError, OutboundResponse


class Fetch(Protocol):
    """What `Outbound.fetch` does, as far as an import needs it."""

    async def __call__(
        self,
        url: str,
        *,
        accept: str | None = None,
        max_bytes: int | None = None,
        deadline: float | None = None,
    ) -> OutboundResponse:
        """Fetch an address, by a moment of `time.monotonic()`, or raise OutboundError."""


LARGEST = 2_000_000
MOST = 500
AT_ONCE = 4
ACCEPT = "image/png, image/jpeg, image/gif, image/webp"

Pictures = dict[str, tuple[str, bytes]]
"""By address: the file path and the bytes."""


def picture_kind(data: bytes) -> str | None:
    """The file name ending of a PNG, JPEG, GIF or WebP picture; None for anything else."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "png"
    if data.startswith(b"\xff\xd8\xff"):
        return "jpg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "gif"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "webp"
    return None


def pictures_in(markdown: str) -> list[str]:
    """The addresses of a page's pictures, as `rewritten` will meet them."""
    return [unescape(link.href) for link in scan(markdown).links if link.kind == "image"]


async def bring(
    fetch: Fetch, addresses: Iterable[str], *, most_bytes: int, deadline: float | None
) -> Pictures:
    """Fetch pictures from absolute addresses, each once; what is no picture or does not fit is left out."""
    brought: Pictures = {}
    names = Names()
    wanted = iter(list(islice(dict.fromkeys(addresses), MOST)))
    while (batch := list(islice(wanted, AT_ONCE))) and most_bytes >= len(batch):
        share = min(LARGEST, most_bytes // len(batch))
        bodies = await asyncio.gather(*(_fetch(fetch, address, share, deadline) for address in batch))
        for address, body in zip(batch, bodies, strict=True):
            most_bytes -= len(body)
            if kind := picture_kind(body):
                brought[address] = (names.free(f"{ASSETS}/{_stem(address)}.{kind}"), body)
    return brought


async def _fetch(fetch: Fetch, address: str, most: int, deadline: float | None) -> bytes:
    try:
        fetched = await fetch(address, accept=ACCEPT, max_bytes=most, deadline=deadline)
    except OutboundError:
        return b""
    return fetched.body if fetched.content_type.startswith("image/") else b""


def _stem(address: str) -> str:
    last = unquote(urlsplit(address).path).rpartition("/")[2]
    return file_name(posixpath.splitext(last)[0]) or "image"
