"""The reader's own styles and scripts: read once, named by what is in them, and so kept for ever."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

TYPES = {
    "reader.css": "text/css; charset=utf-8",
    "theme.js": "text/javascript; charset=utf-8",
    "reader.js": "text/javascript; charset=utf-8",
}


@dataclass(slots=True, frozen=True)
class Asset:
    """A file with its type and the key in its address."""

    content: bytes
    content_type: str
    key: str


@cache
def asset(name: str) -> Asset | None:
    """The file of this name; None for any other."""
    if name not in TYPES:
        return None
    content = (files("app.site_reader") / "static" / name).read_bytes()
    return Asset(content, TYPES[name], hashlib.blake2b(content, digest_size=8).hexdigest())


def address(base: str, name: str) -> str:
    """Where a page finds the file."""
    found = asset(name)
    return f"{base}/~/static/{found.key if found else '-'}/{name}"


def looks_address(base: str, looks_key: str, name: str) -> str:
    """Where a page finds what is made of its site's looks: `style.css` and `icon.svg`."""
    return f"{base}/~/looks/{looks_key or 'site'}/{name}"
