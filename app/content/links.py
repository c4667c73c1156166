"""What hrefs mean in a repository of Markdown files, and how to write them.

A repository path is posix, without a slash at either end; `""` is the root folder.
"""

from __future__ import annotations

import html
import posixpath
import re
from typing import Literal, NamedTuple
from urllib.parse import unquote

HrefKind = Literal["external", "fragment", "broken", "repository"]
"""Somewhere else; a place in the same page; a target lost before the import; a path of the repository."""

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*+:")
_BROKEN = re.compile(r"(?:\.{0,2}/)*+(?:broken-reference(?:[/#?]|\Z)|broken/(?:pages|files|spaces)/)")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_EXTENSION = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,9}\Z")
# What would end an href or mean something else in it, be it to Markdown, to HTML, to a tag or to an address.
_UNSAFE = re.compile(r"[\s\x00-\x1f\x7f()<>\"'`\\|%#?&{}]")
_FOLDER_PAGES = ("README.md", "readme.md", "index.md")


class Target(NamedTuple):
    """Where an href leads: a file or a folder of the repository, and the anchor in it if one is given."""

    path: str
    anchor: str | None


def classify(href: str) -> HrefKind:
    """What kind of href this is, by its writing alone. An empty one is broken: it leads nowhere."""
    return _kind(_plain(href))


def resolve(href: str, source: str) -> Target | None:
    """Where `href` leads from the file `source`; None when it leaves the repository or is broken.

    A folder comes without its slash: the file meant is among its `candidates`.
    """
    return follow(href, source)[1]


def follow(href: str, source: str) -> tuple[HrefKind, Target | None]:
    """What kind of href this is, and where it leads from the file `source`: `classify` and `resolve`."""
    plain = _plain(href)
    kind = _kind(plain)
    return kind, None if kind in ("external", "broken") else _target(plain, source)


def _kind(plain: str) -> HrefKind:
    if plain.startswith("#"):
        return "fragment"
    if _SCHEME.match(plain) or plain.startswith("//"):
        return "external"
    if not plain or _BROKEN.match(plain):
        return "broken"
    return "repository"


def _target(plain: str, source: str) -> Target | None:
    address, _, fragment = plain.partition("#")
    path = unquote(address.partition("?")[0])
    anchor = unquote(fragment) or None
    if not address:
        return Target(source, anchor)
    if _CONTROL.search(path):
        return None
    parts = [] if path.startswith("/") else source.split("/")[:-1]
    for part in path.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return Target("/".join(parts), anchor)


def candidates(path: str) -> list[str]:
    """The source files a resolved path may mean, likeliest first."""
    if not path:
        return list(_FOLDER_PAGES)
    folder, name = posixpath.split(path)
    if name == "index.html":
        return [path, posixpath.join(folder, "index.md"), posixpath.join(folder, "README.md")]
    if name.endswith(".html"):
        return [path, path.removesuffix(".html") + ".md"]
    if _EXTENSION.search(path):
        return [path]
    return [path, f"{path}.md", *(f"{path}/{page}" for page in _FOLDER_PAGES)]


def relative(target: str, source: str, anchor: str | None = None) -> str:
    """The href to write in the file `source` to lead to `target`; `resolve` reads it back."""
    fragment = f"#{_encoded(anchor)}" if anchor else ""
    if target == source and anchor:
        return fragment
    path = posixpath.relpath(f"/{target}", f"/{posixpath.dirname(source)}")
    if _SCHEME.match(path):
        path = f"./{path}"
    if _BROKEN.match(path):
        return _encoded(path).replace("broken", "%62roken", 1) + fragment
    return _encoded(path) + fragment


def replace_hrefs(markdown: str, replacements: list[tuple[int, int, str]]) -> str:
    """The page with other text at the spans (start, end, new text); all else stays as it is.

    Raises ValueError where spans overlap or lie outside of the page.
    """
    pieces: list[str] = []
    at = 0
    for start, end, href in sorted(replacements):
        if not at <= start <= end <= len(markdown):
            raise ValueError(f"span {start}..{end} overlaps another or lies outside of the page")
        pieces += [markdown[at:start], href]
        at = end
    return "".join([*pieces, markdown[at:]])


def _plain(href: str) -> str:
    """The href without the escapes and entities of Markdown and without space around it."""
    if "\\" in href:
        href = _ESCAPE.sub(r"\1", href)
    if "&" in href:
        href = _ENTITY.sub(lambda entity: html.unescape(entity[0]), href)
    return href.strip()


def _encoded(text: str) -> str:
    return _UNSAFE.sub(lambda mark: "".join(f"%{byte:02X}" for byte in mark[0].encode()), text)
