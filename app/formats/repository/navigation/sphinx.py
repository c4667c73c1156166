"""Sites of Sphinx, Jupyter Book and MyST: `_toc.yml`, `toc` in `myst.yml`, else the `toctree` of each page.

Rules: a caption is a group. A page that exists as reStructuredText only cannot be imported: each is told, and
what stands below it is kept in a group of its title.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from app.formats.repository.file_tree import Tree, resolve
from app.formats.repository.front_matter import Unreadable, load_yaml
from app.formats.repository.import_report import Report
from app.formats.repository.names import clean_title, natural, plain, title_from_name
from app.formats.repository.navigation.navigation import (
    MAX_CONFIGURATION,
    MOST_NESTED,
    Navigation,
    below,
    find,
    read_text,
    without_ending,
)
from app.formats.repository.navigation.toctrees import Toctree, read_toctrees
from app.formats.repository.summary import Entry

CONTENTS = ("_toc.yml", "_toc.yaml")
PROJECT = ("myst.yml", "myst.yaml")
CONFIGURATION = ("conf.py", "source/conf.py")
ROOTS = ("index.md", "index.rst", "contents.md", "contents.rst")
NOT_READ = "reStructuredText is not imported as a page; kept as a file."
_RST_TITLE = re.compile(r"^(?P<title>[^\W_][^\n]*)\n([=~^\"'*+#-])\2{2,}[ \t]*$", re.MULTILINE)
_ENDINGS = (".md", ".rst", ".markdown", "/index.md", "/index.rst")
MOST_PATTERNS = 1_000
_KEYS = ("parts", "chapters", "sections", "children", "subtrees", "entries")


def read_sphinx(tree: Tree, report: Report) -> Navigation | None:
    """Return the order that a site's own files give, or None for what is no such site."""
    if (path := find(tree, *CONTENTS)) is not None:
        values = _values(tree, path, report)
        return _listed(tree, path, values, [path], report) if values else None
    if (path := find(tree, *PROJECT)) is not None:
        values = _values(tree, path, report)
        project = values.get("project") if isinstance(values, dict) else None
        said = project.get("toc") if isinstance(project, dict) else None
        return _listed(tree, path, said or [], [path], report)
    if (path := find(tree, *CONFIGURATION)) is not None:
        folder = path.rpartition("/")[0]
        paths = set(below(tree, folder))
        root = next((name for name in ROOTS if name in paths), None)
        reading = _Pages(tree, folder, paths, report, {root or ""})
        entries = list(reading.of_page(root, 0)) if root else []
        if root and root.endswith(".md"):
            entries.insert(0, Entry("page", "", root))
        if root and root.endswith(".rst"):
            report.add("unsupported", reading.whole(root), NOT_READ)
        return Navigation(path, folder, entries, settings=[path])
    return None


def _values(tree: Tree, path: str, report: Report) -> Any:
    try:
        return load_yaml(read_text(tree, path, report) or "", MAX_CONFIGURATION, is_loose=True)
    except Unreadable as error:
        report.add("unsupported", path, f"The file {error.message}; the folders give the order.", error.line)
        return None


def _listed(tree: Tree, path: str, values: Any, settings: list[str], report: Report) -> Navigation:
    folder = path.rpartition("/")[0]
    reading = _Pages(tree, folder, set(below(tree, folder)), report)
    entries: list[Entry] = []
    if isinstance(values, dict):
        if isinstance(values.get("root"), str):
            entries += reading.page(values["root"], "", [])
        entries += reading.of_items(values, 0)
    elif isinstance(values, list):
        entries += reading.of_items({"chapters": values}, 0)
    return Navigation(path, folder, entries, settings=settings)


@dataclass(slots=True)
class _Pages:
    """Finds pages by their names without ending, and what stands below each."""

    tree: Tree
    folder: str
    paths: set[str]
    report: Report
    seen: set[str] = field(default_factory=set)
    told: set[str] = field(default_factory=set)
    patterns: int = 0

    def of_items(self, said: dict[str, Any], depth: int) -> list[Entry]:
        """Return the entries of what a table of contents has below one of its items."""
        if depth > MOST_NESTED:
            return []
        items = [item for key in _KEYS if isinstance(said.get(key), list) for item in said[key]]
        return [entry for item in items for entry in self._item(item, depth)]

    def _item(self, item: Any, depth: int) -> Iterator[Entry]:
        if isinstance(item, str):
            item = {"file": item}
        if not isinstance(item, dict):
            return
        words = [item[key] for key in ("title", "caption", "part") if isinstance(item.get(key), str)]
        title, children = clean_title(words[0] if words else ""), self.of_items(item, depth + 1)
        if isinstance(item.get("url"), str):
            yield Entry("link", title or item["url"][:500], item["url"], children=children)
        elif isinstance(item.get("file"), str):
            yield from self.page(item["file"], title, children)
        elif pattern := item.get("glob") or item.get("pattern"):
            for path in self._matching(str(pattern), ""):
                yield from self.page(path, "", [])
        elif title:
            yield Entry("group", title, children=children)
        else:
            yield from children

    def page(self, name: str, title: str, children: list[Entry]) -> Iterator[Entry]:
        """Yield the page with a name, with or without ending; one of reStructuredText is told."""
        path = self._located(name)
        if path is None or not path.endswith(".rst"):
            yield Entry("page", title, path or name, children=children)
            return
        if path not in self.told:
            self.told.add(path)
            self.report.add("unsupported", self.whole(path), NOT_READ)
        if children:
            yield Entry("group", title or self._title(path), children=children)

    def of_page(self, path: str, depth: int) -> Iterator[Entry]:
        """Yield what the `toctree` directives of a page list."""
        if depth > MOST_NESTED or path.endswith(".ipynb"):
            return
        text = read_text(self.tree, self.whole(path), self.report, 5 << 20) or ""
        for listed in read_toctrees(text, is_markdown=path.endswith(".md")):
            entries = [entry for row in listed.rows for entry in self._row(row, path, listed, depth)]
            if listed.caption and entries:
                yield Entry("group", clean_title(listed.caption), children=entries)
            else:
                yield from entries

    def _row(self, row: tuple[str, str], holder: str, listed: Toctree, depth: int) -> Iterator[Entry]:
        title, target = row
        if "://" in target or target.startswith("mailto:"):
            yield Entry("link", title or target[:500], target)
            return
        if target == "self":
            return
        place = resolve(target, holder.rpartition("/")[0])
        if place is None:
            return
        is_pattern = listed.is_glob and any(mark in place for mark in "*?[")
        names = self._matching(place, holder) if is_pattern else [place]
        for name in names:
            path = self._located(name)
            if path is None:
                yield Entry("page", clean_title(title), name)
            elif path not in self.seen:
                self.seen.add(path)
                children = list(self.of_page(path, depth + 1))
                yield from self.page(path, clean_title(title), children)

    def _matching(self, pattern: str, holder: str) -> list[str]:
        self.patterns += 1
        if self.patterns > MOST_PATTERNS:
            return []
        pattern = without_ending(pattern)
        depth = pattern.count("/")
        found = {
            path
            for path in self.paths
            if path.endswith((".md", ".rst", ".markdown"))
            and path != holder
            and (path.count("/") == depth or "**" in pattern)
            and fnmatch.fnmatchcase(path.rpartition(".")[0], pattern)
        }
        return sorted(found, key=natural)

    def _located(self, name: str) -> str | None:
        name = name.strip("/")
        places = (name, *(name + ending for ending in _ENDINGS))
        return next((place for place in places if place in self.paths), None)

    def _title(self, path: str) -> str:
        text = read_text(self.tree, self.whole(path), self.report, 5 << 20) or ""
        found = _RST_TITLE.search(text[:8192])
        name = path.rpartition("/")[2].removesuffix(".rst")
        return plain(found["title"]) if found else title_from_name(name)

    def whole(self, path: str) -> str:
        """Return the path of a page in the tree."""
        return f"{self.folder}/{path}" if self.folder else path
