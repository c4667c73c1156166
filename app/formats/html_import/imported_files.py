"""The pages and pictures of a website as files, and the table of contents over them.

A page that has pages beneath it is its folder's `README.md`, any other a file of its own name. Names keep
letters and digits of any script; two pages never get names that differ only in case.

What is a picture is told by its bytes and not by what it is called; SVG is none, since it is a program. Only
pictures of the page's own site are fetched, each up to 2 MB, as far as the budget goes; the others stay where
they are.
"""

from __future__ import annotations

import asyncio
import json
import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import unescape
from itertools import islice
from typing import Protocol
from urllib.parse import quote, unquote, urlsplit

from app.formats.html_import.escapes import escape
from app.formats.markdown.scanner import scan
from app.kit.http.outbound import OutboundError, OutboundResponse

ASSETS = ".gitbook/assets"
LONGEST_NAME = 80

_UNSAFE = re.compile(r"[^\w.-]+")
_PAGE_ENDING = re.compile(r"\.(?:html?|xhtml|php|aspx?|md)\Z", re.IGNORECASE)


@dataclass(slots=True)
class FileNames:
    """Hands out file names, each once."""

    taken: set[str] = field(default_factory=lambda: {"summary.md", "license.md"})

    def free(self, path: str) -> str:
        """Return the path, or with a number before its ending if it is taken already."""
        stem, ending = posixpath.splitext(path)
        number, candidate = 1, path
        while candidate.casefold() in self.taken:
            number += 1
            candidate = f"{stem}-{number}{ending}"
        self.taken.add(candidate.casefold())
        return candidate


def page_files(paths: Sequence[str]) -> list[str]:
    """Return file paths for pages at these paths below the site's folder, in order; "" is the first page."""
    parents = {parent for path in paths for parent in _ancestors(path)}
    names = FileNames()
    files = []
    for path in paths:
        parts = [file_name(part) or "page" for part in path.split("/")] if path else []
        if not parts or path in parents:
            files.append(names.free("/".join([*parts, "README.md"])))
        else:
            stem = _PAGE_ENDING.sub("", parts[-1]) or "page"
            files.append(names.free("/".join([*parts[:-1], f"{stem}.md"])))
    return files


def file_name(part: str) -> str:
    """Return one part of a path as a name that is safe everywhere; it may be empty."""
    return _UNSAFE.sub("-", part).strip("-.")[:LONGEST_NAME].rstrip("-.")


def summary(pages: Iterable[tuple[str, str]]) -> str:
    """Return the table of contents for (file, title) in order: each page under the nearest page above it."""
    ordered = list(pages)
    files = {file for file, _ in ordered}
    beneath: dict[str, list[tuple[str, str]]] = {}
    for file, title in ordered:
        beneath.setdefault(_parent(file, files), []).append((file, title))
    first = [(file, title) for file, title in ordered if file == "README.md"]
    lines = [f"* [{escape(title)}](README.md)" for _, title in first]
    lines += _listing("", beneath, 0)
    return "# Table of contents\n\n" + "\n".join(lines) + "\n"


def with_front_matter(markdown: str, title: str, description: str) -> str:
    """Return the page with its title and description at its head."""
    given = {"title": title, "description": description}
    # A JSON string is a YAML string.
    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in given.items() if value]
    return "---\n" + "\n".join(lines) + "\n---\n\n" + markdown if lines else markdown


def _listing(parent: str, beneath: dict[str, list[tuple[str, str]]], depth: int) -> Iterator[str]:
    for file, title in beneath.get(parent, []):
        yield f"{'  ' * depth}* [{escape(title)}]({quote(file)})"
        yield from _listing(file, beneath, depth + 1)


def _parent(file: str, files: set[str]) -> str:
    """Return the nearest folder page above a file, or "" for the top, where the first page stands too."""
    folder = posixpath.dirname(file)
    if posixpath.basename(file) == "README.md":
        if not folder:
            return "README.md"  # listed by hand, as the first
        folder = posixpath.dirname(folder)
    while folder:
        if f"{folder}/README.md" in files:
            return f"{folder}/README.md"
        folder = posixpath.dirname(folder)
    return ""


def _ancestors(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


class Fetch(Protocol):
    """The part of `Outbound.fetch` that an import needs."""

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
    """Return the file name ending of a PNG, JPEG, GIF or WebP picture; None for anything else."""
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
    """Return the addresses of a page's pictures, as `rewritten` will meet them."""
    return [unescape(link.href) for link in scan(markdown).links if link.kind == "image"]


async def fetch_pictures(
    fetch: Fetch, addresses: Iterable[str], *, most_bytes: int, deadline: float | None
) -> Pictures:
    """Fetch pictures from absolute addresses, each once; what is no picture or does not fit is left out."""
    brought: Pictures = {}
    names = FileNames()
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
