"""Sites of Docusaurus: `sidebars.js`, or without one the folders of `docs`.

Rules: a page is named by its id. Several sidebars are groups, titled like their items of the navigation bar.
What a label of the sidebar says is a title for the navigation only. Files below `static` are addressed as if
they were at the top.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from app.formats.repository.file_tree import Tree
from app.formats.repository.import_report import Report
from app.formats.repository.names import clean_title, title_from_name
from app.formats.repository.navigation.literals import exported
from app.formats.repository.navigation.navigation import MOST_NESTED, Navigation, find, inside, read_text
from app.formats.repository.navigation.page_folders import PageFolder, read_page_folder
from app.formats.repository.summary import Entry

_ENDINGS = ("js", "ts", "mjs", "cjs", "mts", "cts")
CONFIGURATIONS = tuple(f"docusaurus.config.{ending}" for ending in _ENDINGS)
SIDEBARS = tuple(f"sidebars.{ending}" for ending in (*_ENDINGS, "json"))


def read_docusaurus(tree: Tree, report: Report) -> Navigation | None:
    """Return the order that the sidebars give, or None where Docusaurus is not configured."""
    path = find(tree, *CONFIGURATIONS)
    if path is None:
        return None
    values = exported(read_text(tree, path, report) or "")
    values = values if isinstance(values, dict) else {}
    options = _options(values)
    top = path.rpartition("/")[0]
    folder = inside(top, options.get("path") or "docs")
    if folder is None:
        report.add("unsupported", path, "The folder of the pages is not inside the repository.")
        return None
    pages = read_page_folder(tree, folder, report)
    named = inside(top, options.get("sidebarPath") or "")
    sidebars = named if named in set(tree.paths()) else find(tree, *SIDEBARS)
    entries = _sidebars(tree, sidebars, pages, _labels(values), report) if sidebars else pages.generated("")
    settings = [path, *([sidebars] if sidebars else []), *pages.categories]
    assets = [inside(top, "static") or ""]
    return Navigation(sidebars or path, folder, entries, assets=assets, settings=settings)


def _options(values: dict[str, Any]) -> dict[str, Any]:
    """Return what the preset says of the pages: `docs: { path, sidebarPath }`."""
    presets = values.get("presets")
    for preset in presets if isinstance(presets, list) else ():
        options = preset[1] if isinstance(preset, list) and len(preset) > 1 else None
        if isinstance(options, dict) and isinstance(options.get("docs"), dict):
            found: dict[str, Any] = options["docs"]
            return found
    return {}


def _labels(values: dict[str, Any]) -> dict[str, str]:
    """Return the titles that the navigation bar gives the sidebars."""
    theme = values.get("themeConfig")
    bar = theme.get("navbar") if isinstance(theme, dict) else None
    items = bar.get("items") if isinstance(bar, dict) else None
    return {
        item["sidebarId"]: clean_title(item["label"])
        for item in (items if isinstance(items, list) else ())
        if isinstance(item, dict)
        and isinstance(item.get("sidebarId"), str)
        and isinstance(item.get("label"), str)
    }


def _sidebars(
    tree: Tree, path: str, pages: PageFolder, labels: dict[str, str], report: Report
) -> list[Entry]:
    said = exported(read_text(tree, path, report) or "")
    if not isinstance(said, dict):
        report.add("navigation", path, "The sidebars are not plain data; the folders give the order.")
        return pages.generated("")
    reading = _Sidebars(path, pages, report)
    made = {name: list(reading.entries(items, 0)) for name, items in said.items()}
    if len(made) == 1:
        return next(iter(made.values()))
    return [
        Entry("group", labels.get(name) or title_from_name(_spaced(name)), children=entries)
        for name, entries in made.items()
        if entries
    ]


def _spaced(name: str) -> str:
    """Return the name of a sidebar as words: `apiSidebar` is `api`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower().removesuffix("-sidebar")


@dataclass(slots=True, frozen=True)
class _Sidebars:
    """Reads the items of sidebars."""

    path: str
    pages: PageFolder
    report: Report

    def entries(self, items: Any, depth: int) -> Iterator[Entry]:
        if depth > MOST_NESTED:
            return
        if isinstance(items, dict) and "type" not in items:  # `{"Title": ["page"]}`
            for title, inner in items.items():
                yield Entry("group", clean_title(title), children=list(self.entries(inner, depth + 1)))
        elif isinstance(items, list):
            for item in items:
                yield from self._item(item, depth)
        elif isinstance(items, dict):
            yield from self._item(items, depth)
        else:
            self._unread()

    def _item(self, item: Any, depth: int) -> Iterator[Entry]:
        if isinstance(item, str):
            yield self._page(item, None)
        elif isinstance(item, dict) and "type" not in item:
            yield from self.entries(item, depth + 1)
        elif isinstance(item, dict):
            yield from self._typed(item, depth)
        else:
            self._unread()

    def _typed(self, item: dict[str, Any], depth: int) -> Iterator[Entry]:
        said = item.get("label")
        label = clean_title(said) if isinstance(said, str) else ""
        kind = item["type"]
        if kind in ("doc", "ref"):
            yield self._page(item.get("id"), label)
        elif kind == "link" and isinstance(item.get("href"), str):
            yield self._link(item["href"], label)
        elif kind == "autogenerated":
            name = item.get("dirName")
            yield from self.pages.generated("" if name in (None, ".") else str(name).strip("/"))
        elif kind == "category":
            yield from self._category(item, label, depth)
        elif kind != "html":
            self._unread()

    def _category(self, item: dict[str, Any], label: str, depth: int) -> Iterator[Entry]:
        children = list(self.entries(item.get("items"), depth + 1))
        link = item.get("link")
        if isinstance(link, dict) and link.get("type") == "doc":
            entry = self._page(link.get("id"), label)
            entry.children = [each for each in children if each.target != entry.target]
            yield entry
        else:
            yield Entry("group", label or "Untitled", children=children)

    def _page(self, id: object, label: str | None) -> Entry:
        path = self.pages.page(id)
        if path is None:
            return Entry("page", label or "", str(id))
        own = self.pages.entry(path)
        return Entry("page", "", path, label or own.link_title)

    def _link(self, href: str, label: str) -> Entry:
        if href.startswith("/") and (path := self.pages.page(href.removeprefix("/docs"))):
            return Entry("page", "", path, label or None)
        return Entry("link", label or href[:500], href)

    def _unread(self) -> None:
        self.report.add("navigation", self.path, "An item of the sidebars is not plain data; left out.")
