"""Kinds of the files under a repository's root: pages, reusable contents, files, or nothing of ours.

Rules: Markdown is a page; Markdown in `.gitbook/includes`, or wanted only by `{% include %}`, is reusable
content; everything else is a file. Names with a leading dot are left alone, `.gitbook` excepted. The table
of contents, the settings and the variables are none of these.

A tree does not say what was renamed. So what is gone is compared with what is new, as git does it: first what
is the same to the byte, then what is alike in at least half of what it says (`same`, `alike`).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field

from app.formats.repository.file_tree import RepositorySettings, Tree, resolve, settings_name
from app.formats.repository.import_report import Report
from app.formats.repository.source_text import MAX_MARKDOWN, read_title

VARIABLES = ".gitbook/vars.yaml"
INCLUDES = ".gitbook/includes/"
ASSETS = ".gitbook/assets/"
MAX_FILE = 50 << 20

_MARKDOWN = (".md", ".markdown", ".mdx")
_FOLDER_PAGES = ("readme", "index")
_INCLUDE = re.compile(rb"\{%-?\s*include\s+[\"']([^\"'\r\n]{1,1024})[\"']", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PlannedFile:
    """A file to keep: its path under the root, its name, its length in bytes."""

    source: str
    name: str
    size: int


@dataclass(frozen=True, slots=True)
class PlannedReusable:
    """Reusable content: its path under the root, its title, its length in bytes."""

    source: str
    title: str
    size: int


@dataclass(slots=True)
class Inventory:
    """The files under a root, sorted into what they are. `folder_pages` maps a folder to its page's path.

    `oversized` are those of all kinds that are too large for what they are.
    """

    pages: dict[str, int] = field(default_factory=dict)
    reusable: dict[str, int] = field(default_factory=dict)
    files: dict[str, int] = field(default_factory=dict)
    folder_pages: dict[str, str] = field(default_factory=dict)
    first: str | None = None
    has_variables: bool = False
    oversized: set[str] = field(default_factory=set)

    def title_name(self, source: str) -> str:
        """Return the name a page is called by when it has no title: its file's, or its folder's."""
        folder, _, name = source.rpartition("/")
        if folder and self.folder_pages.get(folder) == source:
            return name_of(folder)
        return stem(name)


def take_inventory(tree: Tree, settings: RepositorySettings, report: Report) -> Inventory:
    """Sort a tree's files, noting what is left out."""
    found = Inventory()
    skip = {settings.summary}
    if settings.raw is not None and not settings.root:
        skip.add(settings_name(settings.raw))
    for path in tree.paths():
        if path == VARIABLES:
            found.has_variables = True
        elif path not in skip and not _is_private(path):
            _sort_in(path, tree.size(path), found)
    for path, reason in tree.passed_over:
        report.add("skipped", path, f"Left out: {reason}.")
    find_folder_pages(found, settings.readme)
    return found


def stem(name: str) -> str:
    """Return a Markdown file's name without its ending."""
    return name.rpartition(".")[0] or name


def folder_of(path: str) -> str:
    """Return the folder a path is in, "" for the top."""
    return path.rpartition("/")[0]


def name_of(path: str) -> str:
    """Return the last part of a path."""
    return path.rpartition("/")[2]


def set_fragments_apart(
    found: Inventory, listed: Set[str | None], tree: Tree, known: Set[str] | None
) -> None:
    """Make reusable content of the pages not listed that some file includes (or that are known to be)."""
    candidates = found.pages.keys() - listed - {found.first}
    if not candidates:
        return
    wanted = set(known) if known is not None else set(_included(found, tree))
    for source in sorted(wanted & candidates):
        found.reusable[source] = found.pages.pop(source)
        if found.folder_pages.get(folder_of(source)) == source:
            del found.folder_pages[folder_of(source)]


def reusable_contents(found: Inventory, tree: Tree) -> list[PlannedReusable]:
    """Return the reusable contents with their titles, by path."""
    return [
        PlannedReusable(source, read_title(tree, source, stem(name_of(source))), size)
        for source, size in sorted(found.reusable.items())
    ]


def _is_private(path: str) -> bool:
    return "." in path and any(part.startswith(".") and part != ".gitbook" for part in path.split("/"))


def _sort_in(path: str, size: int, found: Inventory) -> None:
    kind, most = found.files, MAX_FILE
    if path.lower().endswith(_MARKDOWN):
        if f"/{path}".find(f"/{INCLUDES}") >= 0:
            kind, most = found.reusable, MAX_MARKDOWN
        elif ".gitbook" not in path.split("/"):
            kind, most = found.pages, MAX_MARKDOWN
    kind[path] = size
    if size > most:
        found.oversized.add(path)


def find_folder_pages(found: Inventory, readme: str) -> None:
    """Settle which page is each folder's, and which is the first of all."""
    ranks: dict[str, tuple[int, bool, str]] = {}
    for path in found.pages:
        folder, _, name = path.rpartition("/")
        if (base := stem(name).lower()) in _FOLDER_PAGES:
            rank = (_FOLDER_PAGES.index(base), name != "README.md", path)
            if folder not in ranks or rank < ranks[folder]:
                ranks[folder] = rank
    found.folder_pages = {folder: rank[2] for folder, rank in ranks.items()}
    found.first = readme if readme in found.pages else found.folder_pages.get("")


def _included(found: Inventory, tree: Tree) -> Iterator[str]:
    """Yield the paths that `{% include %}` names anywhere, seen from the including file and from the root."""
    for source in (found.pages.keys() | found.reusable.keys()) - found.oversized:
        content = tree.read(source)
        if b"include" not in content:
            continue
        for target in _INCLUDE.findall(content):
            text = target.decode("utf-8", "replace")
            for path in (resolve(text, folder_of(source)), resolve(text)):
                if path and path != source:
                    yield path


ALIKE = 0.5
MOST_PAIRS = 10_000
LONGEST = 200_000  # characters of a text that is compared
# The folders in an address, which change where a file goes to another folder: `](../a/b.md)` says `b.md`.
_FOLDERS = re.compile(r"(?<=[(\"'])(?:[^\s()\"'/]*/)+")


def same(new: Mapping[str, str], gone: Mapping[str, str]) -> dict[str, str]:
    """Return the old path by the new one of what is the same; both are given with a hash of what is there.

    Where several are the same, those whose name stayed belong together, and what is left only if it is one.
    """
    alone: defaultdict[str, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    named: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for path, digest in sorted(gone.items(), reverse=True):
        named[digest, name_of(path)].append(path)
    found: dict[str, str] = {}
    for path, digest in sorted(new.items()):
        if namesakes := named[digest, name_of(path)]:
            found[path] = namesakes.pop()
        else:
            alone[digest][0].append(path)
    for (digest, _), paths in named.items():
        alone[digest][1].extend(paths)
    found |= {fresh[0]: old[0] for fresh, old in alone.values() if len(fresh) == len(old) == 1}
    return found


def alike(new: Mapping[str, str], gone: Mapping[str, str]) -> dict[str, str]:
    """Return the old path by the new one of texts that are alike, those that are most alike first.

    Nothing is compared where that would be too much.
    """
    fresh, old = _lines(new), _lines(gone)
    if len(fresh) * len(old) > MOST_PAIRS:
        return {}
    pairs = []
    for path, lines in fresh.items():
        for other, before in old.items():
            likeness = _likeness(lines, before)
            if likeness >= ALIKE:
                pairs.append((-likeness, name_of(path) != name_of(other), path, other))
    found: dict[str, str] = {}
    taken: set[str] = set()
    for _, _, path, other in sorted(pairs):
        if path not in found and other not in taken:
            found[path] = other
            taken.add(other)
    return found


def _lines(texts: Mapping[str, str]) -> dict[str, Counter[str]]:
    """Return how often each line stands in each text, without what is too long to be compared."""
    return {
        path: Counter(line for line in (each.strip() for each in _FOLDERS.sub("", text).split("\n")) if line)
        for path, text in texts.items()
        if len(text) <= LONGEST
    }


def _likeness(one: Counter[str], other: Counter[str]) -> float:
    """Return how much of two texts is in both, by characters: from 0 to 1."""
    whole = _length(one) + _length(other)
    return 2 * _length(one & other) / whole if whole else 0.0


def _length(lines: Counter[str]) -> int:
    return sum(len(line) * count for line, count in lines.items())
