"""A repository with one table of contents for each language: `LANGS.md` lists the folders of the languages.

Rules: each language is a tree of its own with its folder, and with the files elsewhere in the repository that
its pages name. Its settings say where its table of contents is. Paths stay those of the repository. The
first language is the original of the others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from app.formats.repository.book_texts import BookTexts, book_variables
from app.formats.repository.file_tree import (
    OLD_SETTINGS,
    SETTINGS,
    Memory,
    Moved,
    RepositorySettings,
    Tree,
    Under,
    read_settings,
    resolve,
)
from app.formats.repository.front_matter import dump_yaml
from app.formats.repository.import_report import Report
from app.formats.repository.language_links import LanguageLinks
from app.formats.repository.names import clean_title
from app.formats.repository.navigation.navigation import is_markdown, read_text
from app.formats.repository.summary import parse_summary

LANGUAGES = "LANGS.md"
_NAME = re.compile(rb"[^\s\"'()<>\[\]/\\#?|`]+")


@dataclass(slots=True, frozen=True)
class LanguagePart:
    """One language of a repository: its folder, what `LANGS.md` calls it, and its files."""

    folder: str
    title: str
    tree: Tree


def read_languages(tree: Tree, report: Report) -> list[LanguagePart]:
    """Return the languages that a repository lists, in their order; none where it lists none.

    What is listed and missing is told, and so are folders that look like a language and are not listed.
    """
    settings = read_settings(tree, Report())
    if settings.root:
        tree = Under(tree, settings.root)
    if LANGUAGES not in set(tree.paths()) or (text := read_text(tree, LANGUAGES, report)) is None:
        return []
    tables = _tables(tree, settings)
    listed: dict[str, str] = {}
    for entry in parse_summary(text, report, LANGUAGES):
        folder = resolve(unquote(entry.target or "")) if entry.kind == "page" else None
        if folder not in tables:
            report.add(
                "missing-file", LANGUAGES, f"“{entry.title[:100]}” has no folder with pages.", entry.line
            )
        else:
            listed.setdefault(folder, clean_title(entry.title) or folder)
    for folder in sorted(tables.keys() - listed.keys()):
        if tables[folder]:
            message = f"“{folder}” has a table of contents and is not in {LANGUAGES}; left out."
            report.add("navigation", tables[folder], message)
    found = {folder: _part(tree, folder, tables, settings, report) for folder in listed}
    original = next(iter(found), "")
    return [
        LanguagePart(folder, listed[folder], LanguageLinks(part, folder, found[original], original))
        for folder, part in found.items()
    ]


def _tables(tree: Tree, settings: RepositorySettings) -> dict[str, str]:
    """Return the folders at the top that have Markdown, with the path of their table of contents or ""."""
    paths = set(tree.paths())
    folders = {path.partition("/")[0] for path in paths if "/" in path and is_markdown(path)}
    named = {folder: f"{folder}/{settings.summary}" for folder in folders if not folder.startswith(".")}
    return {folder: path if path in paths else "" for folder, path in named.items()}


def _part(
    tree: Tree, folder: str, tables: dict[str, str], settings: RepositorySettings, report: Report
) -> Tree:
    prefix = f"{folder}/"
    own = [path for path in tree.paths() if path.startswith(prefix)]
    others = tuple(f"{other}/" for other in tables)
    shared = [path for path in tree.paths() if not path.startswith(others) and not is_markdown(path)]
    named = _named(tree, own)
    kept = [
        path for path in shared if path.rpartition("/")[2] in named and path not in (SETTINGS, OLD_SETTINGS)
    ]
    structure = {"readme": prefix + settings.readme, "summary": prefix + settings.summary}
    said = dump_yaml({"structure": structure}).encode()
    part = _With(Moved(tree, {path: path for path in [*own, *kept]}), {SETTINGS: said})
    return BookTexts(part, book_variables(tree, folder) or {}, report)


def _named(tree: Tree, paths: Sequence[str]) -> set[str]:
    """Return the last parts of everything that the pages among some files may link to."""
    found: set[bytes] = set()
    for path in paths:
        if is_markdown(path):
            found.update(_NAME.findall(tree.read(path)))
    return {unquote(name.decode("utf-8", "replace")) for name in found}


class _With:
    """A tree with some more files."""

    def __init__(self, tree: Tree, more: dict[str, bytes]) -> None:
        self._tree, self._more = tree, Memory(more)
        self._paths = sorted({*tree.paths(), *more})
        self.passed_over = tree.passed_over

    def paths(self) -> Sequence[str]:
        return self._paths

    def size(self, path: str) -> int:
        return self._of(path).size(path)

    def read(self, path: str, limit: int | None = None) -> bytes:
        return self._of(path).read(path, limit)

    def _of(self, path: str) -> Tree:
        return self._more if path in set(self._more.paths()) else self._tree
