"""Where the pages of a website lie as files, and the table of contents over them.

A page that has pages beneath it is its folder's `README.md`, any other a file of its own name. Names keep
letters and digits of any script; two pages never get names that differ only in case.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from urllib.parse import quote

from app.formats.html_import.escapes import escape

ASSETS = ".gitbook/assets"
LONGEST_NAME = 80

_UNSAFE = re.compile(r"[^\w.-]+")
_PAGE_ENDING = re.compile(r"\.(?:html?|xhtml|php|aspx?|md)\Z", re.IGNORECASE)


@dataclass(slots=True)
class Names:
    """Hands out file names, each once."""

    taken: set[str] = field(default_factory=lambda: {"summary.md", "license.md"})

    def free(self, path: str) -> str:
        """The path, or with a number before its ending if it is taken already."""
        stem, ending = posixpath.splitext(path)
        number, candidate = 1, path
        while candidate.casefold() in self.taken:
            number += 1
            candidate = f"{stem}-{number}{ending}"
        self.taken.add(candidate.casefold())
        return candidate


def place(paths: Sequence[str]) -> list[str]:
    """File paths for pages at these paths below the site's folder, in their order; "" is the first page."""
    parents = {parent for path in paths for parent in _ancestors(path)}
    names = Names()
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
    """One part of a path as a name that is safe everywhere; it may be empty."""
    return _UNSAFE.sub("-", part).strip("-.")[:LONGEST_NAME].rstrip("-.")


def summary(pages: Iterable[tuple[str, str]]) -> str:
    """The table of contents for (file, title) in order: each page under the nearest page above it."""
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
    """The page with its title and description at its head."""
    given = {"title": title, "description": description}
    # A JSON string is a YAML string.
    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in given.items() if value]
    return "---\n" + "\n".join(lines) + "\n---\n\n" + markdown if lines else markdown


def _listing(parent: str, beneath: dict[str, list[tuple[str, str]]], depth: int) -> Iterator[str]:
    for file, title in beneath.get(parent, []):
        yield f"{'  ' * depth}* [{escape(title)}]({quote(file)})"
        yield from _listing(file, beneath, depth + 1)


def _parent(file: str, files: set[str]) -> str:
    """The nearest folder page above a file, or "" for the top, where the first page stands too."""
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
