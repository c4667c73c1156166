"""Sites of VitePress: the `sidebar` of `.vitepress/config`.

Rules: several sidebars follow each other; of several languages the main one counts. A link is a path from the
folder of the pages, with or without ending. Files below `public` are addressed as if they were at the top.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from typing import Any
from urllib.parse import unquote

from app.formats.repository.file_tree import Tree
from app.formats.repository.import_report import Report
from app.formats.repository.names import clean_title
from app.formats.repository.navigation.literals import exported
from app.formats.repository.navigation.navigation import MOST_NESTED, Navigation, find, inside, read_text
from app.formats.repository.summary import Entry

CONFIGURATIONS = tuple(
    f".{tool}/config{nested}.{ending}"
    for tool in ("vitepress", "vuepress")
    for nested in ("", "/index")
    for ending in ("mts", "ts", "mjs", "js", "cts", "cjs")
)
_ADDRESS = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//")
_TAG = re.compile(r"<[^<>]{0,500}>")


def read_vitepress(tree: Tree, report: Report) -> Navigation | None:
    """Return the order that the sidebar gives, or None where VitePress is not configured."""
    path = find(tree, *CONFIGURATIONS)
    if path is None:
        return None
    values = exported(read_text(tree, path, report) or "")
    values = values if isinstance(values, dict) else {}
    top = path.partition(".vi" if "/.vitepress/" in f"/{path}" else ".vu")[0].rstrip("/")
    folder = inside(top, values.get("srcDir") or "")
    if folder is None:
        report.add("unsupported", path, "`srcDir` is not a folder inside the repository.")
        folder = top
    sidebar = _sidebar(values)
    reading = _Sidebar(path, set(tree.paths()), f"{folder}/" if folder else "", report)
    entries = list(reading.sidebars(sidebar)) if sidebar else []
    if not entries:
        report.add("navigation", path, "It has no sidebar of plain data; the folders give the order.")
    public = [f"{folder}/public" if folder else "public", f"{top}/.vuepress/public".lstrip("/")]
    return Navigation(path, folder, entries, assets=public, settings=[path])


def _sidebar(values: dict[str, Any]) -> Any:
    """Return the sidebar of the site, or that of its main language."""
    locales = values.get("locales")
    main = (locales.get("root") or locales.get("/")) if isinstance(locales, dict) else None
    for said in (values, main):
        theme = said.get("themeConfig") if isinstance(said, dict) else None
        if isinstance(theme, dict) and theme.get("sidebar"):
            return theme["sidebar"]
    return None


@dataclass(slots=True, frozen=True)
class _Sidebar:
    """Reads the items of a sidebar; `prefix` is the folder of the pages."""

    path: str
    paths: set[str]
    prefix: str
    report: Report

    def sidebars(self, said: Any) -> Iterator[Entry]:
        if not isinstance(said, dict):
            yield from self.entries(said, "", 0)
            return
        shown: list[Any] = []
        for place, items in said.items():
            if items in shown:  # the same sidebar at another place
                continue
            shown.append(items)
            if isinstance(items, dict):
                yield from self.entries(items.get("items"), str(items.get("base") or ""), 0)
            else:
                yield from self.entries(items, "" if place == "/" else place, 0)

    def entries(self, items: Any, base: str, depth: int) -> Iterator[Entry]:
        if not isinstance(items, list):
            if items is not None:
                self._unread()
            return
        for item in items if depth <= MOST_NESTED else ():
            if isinstance(item, str):
                yield self._page("", item, base)
            elif isinstance(item, list) and len(item) == 2 and all(isinstance(each, str) for each in item):
                yield self._page(item[1], item[0], base)
            elif isinstance(item, dict):
                yield from self._item(item, base, depth)
            else:
                self._unread()

    def _item(self, item: dict[str, Any], base: str, depth: int) -> Iterator[Entry]:
        said, link = item.get("text", item.get("title")), item.get("link", item.get("path"))
        title = clean_title(unescape(_TAG.sub("", said))) if isinstance(said, str) else ""
        inner = str(item.get("base") or base)
        children = list(self.entries(item.get("items", item.get("children")), inner, depth + 1))
        if isinstance(link, str) and link:
            entry = self._page(title, link, inner)
            entry.children = [each for each in children if each.target != entry.target]
            yield entry
        elif title:
            yield Entry("group", title, children=children)
        else:
            yield from children

    def _page(self, title: str, link: str, base: str) -> Entry:
        if _ADDRESS.match(link):
            return Entry("link", title or link[:500], link)
        said = unquote(re.split("[?#]", link, maxsplit=1)[0], errors="replace")
        near = f"{base.strip('/')}/{said.lstrip('/')}".strip("/")
        for place in (near, said.strip("/")):
            name = place.removesuffix(".html").removesuffix(".md")
            for path in (f"{name}.md", f"{name}/index.md".lstrip("/"), f"{name}/README.md".lstrip("/")):
                if self.prefix + path in self.paths:
                    return Entry("page", title, path)
        return Entry("page", title, near or "index.md")

    def _unread(self) -> None:
        self.report.add("navigation", self.path, "An item of the sidebar is not plain data; left out.")
