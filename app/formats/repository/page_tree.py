"""The place of each page: by the table of contents, by folders, or, unlisted, beside its folder's page.

Rules: nothing is lost. A listed file that is missing leaves its children a group; a page listed twice is kept
at its first place; a file nobody lists is an unlisted page under the page of the nearest folder around it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from app.formats.repository.file_tree import resolve
from app.formats.repository.files import Inventory, folder_of, name_of, stem
from app.formats.repository.import_report import Report
from app.formats.repository.names import natural, title_from_name
from app.formats.repository.summary import Entry

PageKind = Literal["document", "group", "link"]
Titles = Callable[[str], str]

SAFE_ADDRESS = re.compile(r"(?:https?|ftp|mailto|tel):|//", re.IGNORECASE)


@dataclass(slots=True)
class TreeNode:
    """A page in its place; `source` is a document's path, `href` a link's address or a kept file's path."""

    kind: PageKind
    title: str
    source: str | None = None
    href: str | None = None
    link_title: str | None = None
    listed: bool = True
    icon: str | None = None
    emoji: str | None = None
    children: list[TreeNode] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _SummaryContext:
    """The state of placing pages by a table of contents."""

    found: Inventory
    title_of: Titles
    report: Report
    summary: str
    seen: set[str]


def place_by_summary(
    entries: Sequence[Entry], found: Inventory, title_of: Titles, report: Report, summary: str
) -> list[TreeNode]:
    """Return the listed pages as the table of contents orders them; `title_of` reads a file's own title."""
    listing = _SummaryContext(found, title_of, report, summary, set())
    nodes = [node for entry in entries for node in _listed(entry, listing)]
    if found.first and found.first not in listing.seen:
        nodes.insert(0, TreeNode("document", title_of(found.first), found.first))
    return nodes


def place_by_folders(found: Inventory, title_of: Titles) -> list[TreeNode]:
    """Return all pages in the order of their folders: first page first, then names in natural order."""
    inside: dict[str, list[str]] = {}
    folders: set[str] = set()
    for source in found.pages:
        inside.setdefault(folder_of(source), []).append(source)
        folder = folder_of(source)
        while folder and folder not in folders:
            folders.add(folder)
            inside.setdefault(folder_of(folder), []).append(folder + "/")
            folder = folder_of(folder)
    nodes = [TreeNode("document", title_of(found.first), found.first)] if found.first else []
    return nodes + list(_in_folder("", inside, found, title_of))


def place_unlisted(nodes: list[TreeNode], found: Inventory, title_of: Titles) -> int:
    """Add the pages that have no place yet, unlisted, after their listed siblings; how many they were."""
    by_source = {node.source: node for node in walk(nodes) if node.source}
    missing = sorted(source for source in found.pages if source not in by_source)
    for source in missing:
        by_source[source] = TreeNode("document", title_of(source), source, listed=False)
    for source in missing:
        parent = unlisted_parent(source, found.folder_pages)
        (by_source[parent].children if parent else nodes).append(by_source[source])
    return len(missing)


def unlisted_parent(source: str, folder_pages: Mapping[str, str]) -> str | None:
    """Return the path of the page an unlisted file stands under: the nearest folder's page;
    None is the top.
    """
    folder = folder_of(source)
    if folder_pages.get(folder) == source:
        folder = folder_of(folder)
    while folder:
        if page := folder_pages.get(folder):
            return page
        folder = folder_of(folder)
    return None


def walk(nodes: Iterable[TreeNode]) -> Iterator[TreeNode]:
    """Yield every node, parents before children, in order."""
    stack = list(nodes)[::-1]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(node.children))


def _listed(entry: Entry, listing: _SummaryContext) -> list[TreeNode]:
    """Return the node an entry becomes with its children inside, or the children alone."""
    group = TreeNode("group", entry.title, icon=entry.icon, emoji=entry.emoji)
    node = _document_or_link(entry, listing) if entry.target is not None else group
    children = [child for each in entry.children for child in _listed(each, listing)]
    if node is None:
        return [TreeNode("group", entry.title or "Untitled", children=children)] if children else []
    if node.kind == "link":
        if children:
            _note(listing, "unsupported", entry, "A link cannot hold pages; they were put after it.")
        return [node, *children]
    node.children = children
    return [node]


def _document_or_link(entry: Entry, listing: _SummaryContext) -> TreeNode | None:
    target = entry.target or ""
    if entry.kind == "link":
        if SAFE_ADDRESS.match(target):
            return TreeNode("link", entry.title, href=target, link_title=entry.link_title)
        _note(listing, "unsupported", entry, f"The address “{target[:100]}” is of a kind that is not kept.")
        return None
    path = _located(target, listing)
    if path is None:
        _note(listing, "missing-file", entry, f"“{target[:200]}” is listed but missing.")
        return None
    if path in listing.found.files:
        return TreeNode("link", entry.title or name_of(path), href=path, link_title=entry.link_title)
    if path in listing.seen:
        _note(listing, "duplicate", entry, f"“{path[:200]}” is listed again; only its first place was kept.")
        return None
    listing.seen.add(path)
    title = entry.title or listing.title_of(path)
    return TreeNode("document", title, path, link_title=entry.link_title)


def _located(target: str, listing: _SummaryContext) -> str | None:
    """Return the page or file an entry means, seen from the table of contents and then from the root."""
    found = listing.found
    for path in dict.fromkeys((resolve(target, folder_of(listing.summary)), resolve(target))):
        if path is None:
            continue
        for candidate in (path, found.folder_pages.get(path), f"{path}.md"):
            if candidate and (candidate in found.pages or candidate in found.files):
                return candidate
    return None


def _note(
    listing: _SummaryContext,
    kind: Literal["unsupported", "missing-file", "duplicate"],
    entry: Entry,
    message: str,
) -> None:
    listing.report.add(kind, listing.summary, message, entry.line or None)


def _in_folder(
    folder: str, inside: Mapping[str, list[str]], found: Inventory, title_of: Titles
) -> Iterator[TreeNode]:
    """Yield a folder's pages and subfolders, without its own page. A file may head the folder of its name."""
    own = found.folder_pages.get(folder) if folder else None
    paths = [path for path in inside.get(folder, ()) if path not in (own, found.first)]
    subfolders = {path[:-1] for path in paths if path.endswith("/")} - found.folder_pages.keys()
    heads = {stem(path): path for path in paths if path[-1] != "/" and stem(path) in subfolders}
    for path in sorted(paths, key=lambda path: natural(_shown_name(path))):
        if path.endswith("/"):
            subfolder = path[:-1]
            children = list(_in_folder(subfolder, inside, found, title_of))
            page = found.folder_pages.get(subfolder) or heads.get(subfolder)
            if page and page != found.first:
                yield TreeNode("document", title_of(page), page, children=children)
            elif children:
                yield TreeNode("group", title_from_name(name_of(subfolder)), children=children)
        elif heads.get(stem(path)) != path:
            yield TreeNode("document", title_of(path), path)


def _shown_name(path: str) -> str:
    return name_of(path[:-1]) if path.endswith("/") else stem(name_of(path))
