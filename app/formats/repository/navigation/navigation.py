"""The order of pages by a tool's own files, and the places where such files are looked for.

Rules: only data is read, and no code of a repository ever runs. What cannot be read is told, and the folders
give the order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from app.formats.repository.file_tree import Tree, resolve
from app.formats.repository.import_report import Report
from app.formats.repository.summary import Entry

MAX_CONFIGURATION = 1 << 20  # bytes of a file that configures a tool
MOST_NESTED = 32
# Folders in which a repository of code keeps its documentation; elsewhere such files are examples.
FOLDERS = ("", "docs", "doc", "documentation", "website", "site", "book", "guide")
MARKDOWN = (".md", ".mdx", ".markdown")


@dataclass(slots=True)
class Navigation:
    """The order of the pages below `folder`, which is a path of the tree ("" is its top).

    The targets of `entries` are paths below `folder`; without entries the folders give the order. `file` is
    what said so. What is below one of the `assets` folders is addressed as if it were in `folder`. `settings`
    are files that only configure the tool: they are not imported.
    """

    file: str
    folder: str
    entries: list[Entry] = field(default_factory=list)
    assets: Sequence[str] = ()
    settings: Sequence[str] = ()


Reader = Callable[[Tree, Report], Navigation | None]


def find(tree: Tree, *names: str) -> str | None:
    """Return the path of the file with one of these names in a folder where documentation is configured."""
    paths = set(tree.paths())
    places = (f"{folder}/{name}" if folder else name for folder in FOLDERS for name in names)
    return next((path for path in places if path in paths), None)


def read_text(
    tree: Tree, path: str, report: Report, limit: int = MAX_CONFIGURATION, *, encoding: str = "utf-8-sig"
) -> str | None:
    """Return a file's text; None, told in the report, where it is longer than `limit` bytes or no text.

    With the encoding `utf-8` a byte order mark stays in the text.
    """
    content = tree.read(path, limit + 1)
    if len(content) > limit:
        report.add("skipped", path, f"Larger than {limit >> 20} MB; not read.")
        return None
    try:
        return content.decode(encoding)
    except UnicodeDecodeError:
        report.add("undecodable", path, "Not valid UTF-8; not read.")
        return None


def inside(folder: str, path: object) -> str | None:
    """Return the path of a folder that is named from another one; None for what leads out, or is no path."""
    return resolve(path, folder) if isinstance(path, str) and "\\" not in path and "\0" not in path else None


def below(tree: Tree, folder: str) -> list[str]:
    """Return the paths of the files below a folder, seen from it."""
    prefix = f"{folder}/" if folder else ""
    return [path.removeprefix(prefix) for path in tree.paths() if path.startswith(prefix)]


def is_markdown(path: str) -> bool:
    """Tell whether a file is a page of Markdown, by its name."""
    return path.lower().endswith(MARKDOWN)


def without_ending(path: str) -> str:
    """Return the path of a page without the ending of its file."""
    return path.rpartition(".")[0] if is_markdown(path) else path


def targets(entries: Iterable[Entry]) -> Iterator[str]:
    """Yield the targets of all pages in the entries."""
    stack = list(entries)[::-1]
    while stack:
        entry = stack.pop()
        if entry.kind == "page" and entry.target is not None:
            yield entry.target
        stack.extend(reversed(entry.children))
