"""The meaning of hrefs in a repository of Markdown files, and how to write them.

A repository path is posix, without a slash at either end; `""` is the root folder.
"""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Callable
from typing import Literal, NamedTuple
from urllib.parse import unquote

from app.formats.markdown.scanner import ScannedLink, scan

HrefKind = Literal["external", "fragment", "broken", "repository"]
"""Somewhere else; a place in the same page; a target lost before the import; a path of the repository."""
NamedKind = Literal["page", "file", "reusable-content", "space"]

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*+:")
_BROKEN = re.compile(r"(?:\.{0,2}/)*+(?:broken-reference(?:[/#?]|\Z)|broken/(?:pages|files|spaces)/)")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_EXTENSION = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,9}\Z")
# What would end an href or mean something else in it, be it to Markdown, to HTML, to a tag or to an address.
_UNSAFE = re.compile(r"[\s\x00-\x1f\x7f()<>\"'`\\|%#?&{}]")
_FOLDER_PAGES = ("README.md", "readme.md", "index.md")
_NAME = "[A-Za-z0-9_-]{1,100}"
_BY_ID = re.compile(
    rf"/(?:spaces/(?P<space>{_NAME})(?:/|(?=#|\Z)))?"
    rf"(?:(?P<kind>pages|files|reusable-contents)/(?P<id>{_NAME}))?(?:#(?P<anchor>.*))?\Z"
)
_KINDS: dict[str | None, NamedKind] = {
    "pages": "page",
    "files": "file",
    "reusable-contents": "reusable-content",
    None: "space",
}
ELSEWHERE = "elsewhere"
"""The status of a link to another space, which is judged when it is read."""
ANY_ANCHOR = "*"
"""Stands among the anchors of a page with more than can be told, as one that shows an OpenAPI operation."""


class Target(NamedTuple):
    """The target of an href: a file or a folder of the repository, and the anchor in it if one is given."""

    path: str
    anchor: str | None


class Named(NamedTuple):
    """An object that an href names by its id; `space` is None for the space that the href stands in."""

    kind: NamedKind
    id: str
    space: str | None
    anchor: str | None

    @property
    def path(self) -> str:
        """Return the same inside a space, as a path: `pages/ID`."""
        return id_path(self.kind, self.id)


def classify(href: str) -> HrefKind:
    """Return what kind of href this is, by its writing alone. An empty one is broken: it leads nowhere."""
    return _kind(plain(href))


def resolve(href: str, source: str) -> Target | None:
    """Return where `href` leads from the file `source`; None when it leaves the repository or is broken.

    A folder comes without its slash: the file meant is among its `candidates`.
    """
    return follow(href, source)[1]


def follow(href: str, source: str) -> tuple[HrefKind, Target | None]:
    """Return what kind of href this is, and where it leads from the file `source`:
    `classify` and `resolve`.
    """
    said = plain(href)
    kind = _kind(said)
    return kind, None if kind in ("external", "broken") else _target(said, source)


def plain(href: str) -> str:
    """Return the href without the escapes and entities of Markdown and without space around it."""
    if "\\" in href:
        href = _ESCAPE.sub(r"\1", href)
    if "&" in href:
        href = _ENTITY.sub(lambda entity: html.unescape(entity[0]), href)
    return href.strip()


def meant(href: str) -> str:
    """Return an href as it is meant, however it is written: to compare one with another."""
    return unquote(plain(href))


def _kind(said: str) -> HrefKind:
    if said.startswith("#"):
        return "fragment"
    if _SCHEME.match(said) or said.startswith("//"):
        return "external"
    if not said or _BROKEN.match(said):
        return "broken"
    return "repository"


def _target(said: str, source: str) -> Target | None:
    address, _, fragment = said.partition("#")
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
    """Return the source files a resolved path may mean, likeliest first."""
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


def referrers(path: str) -> set[str]:
    """Return the resolved paths that may mean this file: every path that has it among its `candidates`."""
    folder, name = posixpath.split(path)
    found = {path, f"{folder}/index.html" if folder else "index.html"}
    if name in _FOLDER_PAGES:
        found.add(folder)
    if path.endswith(".md"):
        bare = path.removesuffix(".md")
        found |= {bare, f"{bare}.html"}
    return {each for each in found if path in candidates(each)}


def named(href: str) -> Named | None:
    """Return what an href names by its id: `/pages/ID`, `/spaces/ID/files/ID` and the like."""
    found = _BY_ID.match(plain(href))
    if found is None or not (found["id"] or found["space"]):
        return None
    kind = _KINDS[found["kind"]]
    anchor = unquote(found["anchor"]) if found["anchor"] else None
    return Named(kind, found["id"] or found["space"], found["space"], anchor)


def id_path(kind: str, id: str) -> str:
    """Return the path by which something is named by its id, from the root of its space."""
    return f"{kind}s/{id}"


def has_anchor(anchors: str, anchor: str) -> bool:
    """Return whether an anchor is among these, one to a line; the browser's own every page has."""
    lines = f"\n{anchors}\n"
    if anchor == "top" or anchor.startswith(":~:"):
        return True
    return f"\n{anchor}\n" in lines or f"\n{ANY_ANCHOR}\n" in lines


def styled_like(href: str, place: str, source: str, anchor: str | None) -> str:
    """Return the href from the file `source` to the file `place`,
    as the author of `href` would have written it.

    That is from the root, or without the ending of the file, where `href` was; its query stays.
    """
    before, mark, query = href.partition("#")[0].partition("?")
    address, _, fragment = relative(place, source, anchor).partition("#")
    if before.startswith("/"):
        address = "/" + relative(place, "README.md")
    if before and not posixpath.splitext(before)[1] and address.endswith(".md"):
        address = address.removesuffix(".md").removesuffix("README").rstrip("/") or "."
    return address + mark + query + (f"#{fragment}" if fragment else "")


def relative(target: str, source: str, anchor: str | None = None) -> str:
    """Return the href to write in the file `source` to lead to `target`; `resolve` reads it back."""
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
    """Return the page with other text at the spans (start, end, new text); all else stays as it is.

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


def _encoded(text: str) -> str:
    return _UNSAFE.sub(lambda mark: "".join(f"%{byte:02X}" for byte in mark[0].encode()), text)


def rewritten(markdown: str, new_href: Callable[[ScannedLink], str | None]) -> str:
    """Return the page with each link's address replaced by what `new_href` says; None leaves it as it is."""
    replacements = [
        (link.start, link.end, href)
        for link in scan(markdown).links
        if (href := new_href(link)) is not None and href != link.href
    ]
    return replace_hrefs(markdown, replacements)
