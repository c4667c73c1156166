"""Links of a language of a repository, as they are meant in its book.

The folder of a language is where its book begins, so a link from there (`/install.md`) gets the folder where
it leads nowhere without. An anchor follows from the words of its heading: translating a page changes it, and
links keep that of the original. Where the page that is meant has the same headings in both languages, level
by level, such a link gets the anchor of the heading at the same place. All else stays to the byte.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from app.formats.markdown import hrefs
from app.formats.markdown.scanner import ScannedLink, scan
from app.formats.repository.file_tree import Tree, TreeOfTexts
from app.formats.repository.front_matter import split
from app.formats.repository.navigation.navigation import is_markdown

_TRIED = re.compile(rb"(?:\]\(|\]:[ \t]*|(?:href|src)=[\"']?)(?:/|[^)\n]*#)")


class LanguagePageAnchors(NamedTuple):
    """The headings of a page, and the other places that it names."""

    levels: tuple[int, ...]
    anchors: tuple[str, ...]
    ids: frozenset[str]


class LanguageLinks(TreeOfTexts):
    """The files of the language in a folder; its original is another one, or itself."""

    def __init__(self, tree: Tree, folder: str, original: Tree, original_folder: str) -> None:
        super().__init__(tree)
        self._folder = f"{folder}/"
        self._original, self._original_folder = original, f"{original_folder}/"
        self._paths, self._originals = set(tree.paths()), set(original.paths())
        self._known: dict[str, LanguagePageAnchors] = {}

    def read(self, path: str, limit: int | None = None) -> bytes:
        content = self._tree.read(path, limit)
        if limit is not None or not is_markdown(path) or not _TRIED.search(content):
            return content
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            return content
        _, body = split(text)
        start = len(text) - len(body)
        return (text[:start] + hrefs.rewritten(body, lambda link: self._meant(link, path))).encode()

    def _meant(self, link: ScannedLink, source: str) -> str | None:
        """Return the address that a link is meant to have; None where it has that, or nobody knows."""
        target = hrefs.resolve(link.href, source)
        if target is None:
            return None
        address, mark, fragment = link.href.partition("#")
        page = self._file(target.path)
        if page is None and address.startswith("/"):
            page, address = self._file(self._folder + target.path), f"/{self._folder}{address[1:]}"
        if page is None:
            return None
        if target.anchor and (anchor := self._anchor(page, target.anchor)) != target.anchor:
            return address + hrefs.relative(page, page, anchor)
        return address + mark + fragment

    def _file(self, path: str) -> str | None:
        return next((each for each in hrefs.candidates(path) if each in self._paths), None)

    def _anchor(self, page: str, anchor: str) -> str:
        """Return the anchor of the heading that is meant: the one at the same place as in the original."""
        original = self._original_folder + page.removeprefix(self._folder)
        if not page.startswith(self._folder) or original not in self._originals or not is_markdown(page):
            return anchor
        here = self._places(self._tree, page)
        if original == page or anchor in (*here.anchors, *here.ids):
            return anchor
        there = self._places(self._original, original)
        if anchor not in there.anchors or there.levels != here.levels:
            return anchor
        return here.anchors[there.anchors.index(anchor)]

    def _places(self, tree: Tree, path: str) -> LanguagePageAnchors:
        if path not in self._known:
            found = scan(split(tree.read(path).decode("utf-8", "replace"))[1])
            levels = tuple(heading.level for heading in found.headings)
            anchors = tuple(heading.anchor for heading in found.headings)
            self._known[path] = LanguagePageAnchors(levels, anchors, frozenset(found.ids))
        return self._known[path]
