"""The pages below a folder as Docusaurus sees them: their ids, their order, and what their folders say.

Rules: a number before a name orders it (`01-intro.md`) and is no part of the id. `_category_.json` or
`_category_.yml` names and orders a folder. What has no position comes after what has one, by name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from app.formats.repository.file_tree import Tree
from app.formats.repository.front_matter import Unreadable, load_yaml, parse, split
from app.formats.repository.import_report import Report
from app.formats.repository.names import clean_title, natural, title_from_name
from app.formats.repository.navigation.navigation import (
    MAX_CONFIGURATION,
    MOST_NESTED,
    below,
    is_markdown,
    read_text,
    without_ending,
)
from app.formats.repository.source_text import HEAD
from app.formats.repository.summary import MAX_ENTRIES, Entry

CATEGORY = ("_category_.json", "_category_.yml", "_category_.yaml")
_NUMBER = re.compile(r"([0-9]+)\s*[-_.]+\s*(?=[^\d\s.-])")
_WANTED = re.compile(rb"^(?:sidebar_|id\s*:|displayed_sidebar)", re.MULTILINE)
_INDEX = ("index", "readme")


@dataclass(slots=True)
class PageFolder:
    """The pages below a folder: what is in each folder of it, paths by id, and what is said of each."""

    children: dict[str, list[str]] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)
    said: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    categories: list[str] = field(default_factory=list)
    made: int = 0

    def page(self, id: object) -> str | None:
        """Return the path of the page with an id."""
        return self.ids.get(id.strip("/")) if isinstance(id, str) else None

    def entry(self, path: str) -> Entry:
        """Return a page as an entry."""
        self.made += 1
        label = self.said.get(path, {}).get("sidebar_label")
        return Entry("page", "", path, clean_title(label) if isinstance(label, str) else None)

    def generated(self, folder: str, depth: int = 0) -> list[Entry]:
        """Return the entries that the pages below a folder of it make by themselves."""
        is_bounded = depth <= MOST_NESTED and self.made <= MAX_ENTRIES
        paths = self.children.get(folder, []) if is_bounded else []
        return [entry for path in sorted(paths, key=self._rank) for entry in self._generated(path, depth)]

    def _generated(self, path: str, depth: int) -> Iterator[Entry]:
        if path not in self.children:
            yield self.entry(path)
            return
        said = self.said.get(path, {})
        label = said.get("label")
        title = clean_title(label) if isinstance(label, str) else ""
        children = self.generated(path, depth + 1)
        link = said.get("link")
        page = self.page(link.get("id")) if isinstance(link, dict) and "id" in link else None
        page = page or self._index(path)
        if page is not None:
            children = [each for each in children if each.target != page]
            own = self.entry(page)
            yield Entry("page", "", page, title or own.link_title, children=children)
        elif children:
            name = _NUMBER.sub("", path.rpartition("/")[2], count=1)
            yield Entry("group", title or title_from_name(name), children=children)

    def _index(self, folder: str) -> str | None:
        """Return the page of a folder: its index, or the page that is called like it."""
        names = (*_INDEX, _plain(folder.rpartition("/")[2]).lower())
        for path in self.children.get(folder, ()):
            if path not in self.children and _plain(without_ending(path).rpartition("/")[2]).lower() in names:
                return path
        return None

    def _rank(self, path: str) -> tuple[float, list[tuple[int, str]]]:
        said, name = self.said.get(path, {}), path.rpartition("/")[2]
        position = said.get("position" if path in self.children else "sidebar_position")
        if isinstance(position, bool) or not isinstance(position, int | float):
            number = _NUMBER.match(name)
            position = float(number[1][:15]) if number else float("inf")
        is_index = _plain(without_ending(name)).lower() in _INDEX
        return (float(position), natural("" if is_index else _plain(name)))


def read_page_folder(tree: Tree, folder: str, report: Report) -> PageFolder:
    """Read what the pages and categories below a folder say of their order."""
    found = PageFolder()
    prefix = f"{folder}/" if folder else ""
    for path in below(tree, folder):
        parts = path.split("/")
        if any(part.startswith((".", "_")) for part in parts if part not in CATEGORY):
            continue
        if parts[-1] in CATEGORY:
            found.categories.append(prefix + path)
            if len(parts) > 1:
                found.said["/".join(parts[:-1])] = _category(tree, prefix + path, report)
        elif is_markdown(path):
            found.said[path] = _front_matter(tree, prefix + path)
            found.ids.setdefault(_id(path, found.said[path].get("id")), path)
            _place(found, path, parts)
    for folder_path in found.children:
        if folder_path and (page := found._index(folder_path)):
            found.ids.setdefault("/".join(map(_plain, folder_path.split("/"))), page)
    return found


def _place(found: PageFolder, path: str, parts: list[str]) -> None:
    found.children.setdefault("/".join(parts[:-1]), []).append(path)
    for depth in range(len(parts) - 1, 0, -1):
        inner, outer = "/".join(parts[:depth]), "/".join(parts[: depth - 1])
        siblings = found.children.setdefault(outer, [])
        if inner in siblings:
            break
        siblings.append(inner)


def _id(path: str, said: object) -> str:
    parts = [_plain(part) for part in without_ending(path).split("/")]
    return "/".join([*parts[:-1], said]) if isinstance(said, str) and said else "/".join(parts)


def _plain(name: str) -> str:
    """Return a name without the number that orders it."""
    return _NUMBER.sub("", name, count=1) if _NUMBER.match(name) else name


def _category(tree: Tree, path: str, report: Report) -> Mapping[str, Any]:
    text = read_text(tree, path, report)
    try:
        values = load_yaml(text or "", MAX_CONFIGURATION, is_loose=True)  # JSON is YAML, too
    except Unreadable as error:
        report.add("unsupported", path, f"The file {error.message}.", error.line)
        return {}
    return values if isinstance(values, dict) else {}


def _front_matter(tree: Tree, path: str) -> Mapping[str, Any]:
    head = tree.read(path, HEAD)
    if not head.lstrip(b"\xef\xbb\xbf").startswith(b"---") or not _WANTED.search(head):
        return {}
    return parse(split(head.decode("utf-8", "ignore"))[0])[0]
