"""Sites of MkDocs: `nav` in `mkdocs.yml`, whose pages are in `docs_dir`.

Rules: tags such as `!ENV` and `!!python/name:` are passed over, and so are aliases. A section whose first
page is its index is that page where the theme says so (`navigation.indexes`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from app.formats.repository.file_tree import Tree
from app.formats.repository.front_matter import Unreadable, load_yaml
from app.formats.repository.import_report import Report
from app.formats.repository.names import clean_title
from app.formats.repository.navigation.navigation import (
    MAX_CONFIGURATION,
    MOST_NESTED,
    Navigation,
    find,
    inside,
    read_text,
)
from app.formats.repository.summary import Entry

CONFIGURATIONS = ("mkdocs.yml", "mkdocs.yaml")
_ADDRESS = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//")
_INDEX = ("index.md", "README.md", "readme.md")


def read_mkdocs(tree: Tree, report: Report) -> Navigation | None:
    """Return the order that `nav` gives, or None where MkDocs is not configured."""
    path = find(tree, *CONFIGURATIONS)
    if path is None or (text := read_text(tree, path, report)) is None:
        return None
    values = _values(path, text, report)
    folder = _folder(path, values, report)
    nav = values.get("nav", values.get("pages"))
    if nav is not None and not isinstance(nav, list):
        report.add("unsupported", path, "`nav` is not a list; the folders give the order.")
        nav = None
    theme = values.get("theme")
    features = theme.get("features") if isinstance(theme, dict) else None
    has_indexes = isinstance(features, list) and "navigation.indexes" in features
    entries = list(_entries(nav or [], path, report, 0))
    return Navigation(path, folder, _with_indexes(entries) if has_indexes else entries, settings=[path])


def _values(path: str, text: str, report: Report) -> dict[str, Any]:
    try:
        loaded = load_yaml(text, MAX_CONFIGURATION, is_loose=True)
    except Unreadable as error:
        report.add("unsupported", path, f"The file {error.message}; the folders give the order.", error.line)
        return {}
    return loaded if isinstance(loaded, dict) else {}


def _folder(path: str, values: dict[str, Any], report: Report) -> str:
    top = path.rpartition("/")[0]
    said = values.get("docs_dir")
    if isinstance(said, list) and said:  # `!ENV [NAME, default]`
        said = said[-1]
    folder = inside(top, said if said is not None else "docs")
    if folder is None:
        report.add("unsupported", path, f"“{str(said)[:100]}” is not a folder inside the repository.")
        folder = inside(top, "docs") or ""
    return folder


def _entries(nav: list[Any], path: str, report: Report, depth: int) -> Iterator[Entry]:
    if depth > MOST_NESTED:
        report.add("unsupported", path, f"Nested deeper than {MOST_NESTED} levels; not kept.")
        return
    for item in nav:
        if isinstance(item, str):
            yield _entry("", item)
        elif isinstance(item, dict):
            for title, said in item.items():
                if isinstance(said, list):
                    children = list(_entries(said, path, report, depth + 1))
                    yield Entry("group", clean_title(title), children=children)
                elif isinstance(said, str):
                    yield _entry(clean_title(title), said)
                else:
                    report.add("unsupported", path, f"“{title[:100]}” in `nav` has neither page nor pages.")
        else:
            report.add("unsupported", path, f"“{str(item)[:100]}” in `nav` is no page.")


def _entry(title: str, target: str) -> Entry:
    if _ADDRESS.match(target):
        return Entry("link", title or target[:500], target)
    return Entry("page", title, target.partition("#")[0].lstrip("/"))


def _with_indexes(entries: list[Entry]) -> list[Entry]:
    """Return the entries with each section that begins with its index as the page that this is."""
    made: list[Entry] = []
    for entry in entries:
        entry.children = _with_indexes(entry.children)
        first = entry.children[0] if entry.children else None
        is_index = first is not None and (first.target or "").rpartition("/")[2] in _INDEX
        if first is not None and is_index and entry.kind == "group":
            made.append(Entry("page", entry.title, first.target, children=entry.children[1:]))
        else:
            made.append(entry)
    return made
