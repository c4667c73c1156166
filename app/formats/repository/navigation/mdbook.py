"""Books of mdBook: `book.toml` names the folder of `SUMMARY.md`.

Rules: parts are groups, a chapter that is not written yet is a group without pages, and the chapters after
the list stand after its last part.
"""

from __future__ import annotations

import re
import tomllib

from app.formats.repository.file_tree import Tree
from app.formats.repository.import_report import Report
from app.formats.repository.navigation.navigation import Navigation, find, inside, read_text
from app.formats.repository.summary import parse_summary

CONFIGURATION = "book.toml"
MAX_CONTENTS = 20 << 20
_SUFFIX = re.compile(r"^(?P<item>[ \t]*[-*+][ \t].*\n)[ \t]*\n(?=\[)", re.MULTILINE)


def read_mdbook(tree: Tree, report: Report) -> Navigation | None:
    """Return the order that a book's `SUMMARY.md` gives, or None for what is no book."""
    path = find(tree, CONFIGURATION)
    if path is None or (text := read_text(tree, path, report)) is None:
        return None
    folder = _source_folder(path, text, report)
    summary = f"{folder}/SUMMARY.md" if folder else "SUMMARY.md"
    if summary not in set(tree.paths()):
        report.add("missing-file", path, f"“{summary[:200]}” is missing; the folders give the order.")
        return Navigation(path, folder, settings=[path])
    contents = read_text(tree, summary, report, MAX_CONTENTS) or ""
    entries = parse_summary(_SUFFIX.sub(r"\g<item>---\n", contents.replace("\r\n", "\n")), report, summary)
    return Navigation(summary, folder, entries, settings=[path, summary])


def _source_folder(path: str, text: str, report: Report) -> str:
    top = path.rpartition("/")[0]
    said: object = None
    try:
        book = tomllib.loads(text).get("book")
        said = book.get("src") if isinstance(book, dict) else None
    except (tomllib.TOMLDecodeError, RecursionError):
        report.add("unsupported", path, "The file is not valid TOML; its defaults are used.")
    folder = inside(top, said if said is not None else "src")
    if folder is None:
        report.add("unsupported", path, f"“{str(said)[:100]}” is not a folder inside the repository.")
        folder = inside(top, "src") or ""
    return folder
