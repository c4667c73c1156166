"""Sources of a repository's files behind one small interface.

Rules: paths are relative, with `/`, and safe to join to a folder. Symbolic links are never followed, `.git`
is never entered, and nothing outside the folder is read. What is passed over is told with its reason.

The settings file of a repository: where the documentation is and how it begins.

Rules: `.gitbook.yaml` first; without it `book.json`, of which only `root` and `structure` count. Paths are
relative to the root, the root to the settings file, and none leads out of the tree.
"""

from __future__ import annotations

import json
import os
import re
import stat
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

from app.formats.repository.front_matter import Unreadable, load_yaml
from app.formats.repository.import_report import Report
from app.formats.repository.names import MAX_PATH_BYTES
from app.kit.errors import Invalid

MAX_PATH = 1024
MAX_PATH_DEPTH = 64

Value = TypeVar("Value")

# Controls, halves of characters, and the marks that turn the direction of what follows.
_NOT_IN_PATHS = re.compile("[\x00-\x1f\x7f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")


class Tree(Protocol):
    """Files by path. `read` raises Invalid for a file that is not there or cannot be read."""

    @property
    def passed_over(self) -> Sequence[tuple[str, str]]:
        """Paths that are there but not read, each with its reason."""

    def paths(self) -> Iterable[str]:
        """Return all file paths, sorted."""

    def size(self, path: str) -> int:
        """Return the file's length in bytes."""

    def read(self, path: str, limit: int | None = None) -> bytes:
        """Return the file's bytes, or its first `limit` ones."""


def unfit(path: str) -> str | None:
    """Return why a path may not be in a tree, or None where it may."""
    if not path or path.startswith("/") or "\\" in path or path[1:2] == ":":
        return "its name is not a relative path"
    if len(path) > MAX_PATH or path.count("/") >= MAX_PATH_DEPTH:
        return "its path is too long or too deep"
    if not path.isprintable() and _NOT_IN_PATHS.search(path):
        return "its name has characters that are not text, or hide how it reads"
    if not path.isascii() and len(path.encode()) > MAX_PATH_BYTES:
        return "its path is too long or too deep"
    if any(part in ("", ".", "..") for part in path.split("/")):
        return "its name leads outside the folder"
    return None


class Memory:
    """A tree of bytes already in memory. Raises Invalid for a path that is no path."""

    passed_over: Sequence[tuple[str, str]] = ()

    def __init__(self, files: Mapping[str, bytes]) -> None:
        for path in files:
            if reason := unfit(path):
                raise Invalid(f"A file cannot be used: {reason}.", path=path)
        self._files = dict(sorted(files.items()))

    def paths(self) -> Iterable[str]:
        return self._files

    def size(self, path: str) -> int:
        return len(_known(self._files, path))

    def read(self, path: str, limit: int | None = None) -> bytes:
        return _known(self._files, path)[:limit]


class Folder:
    """A folder on disk, listed once when made."""

    def __init__(self, path: Path) -> None:
        self._root = path.resolve()
        self.passed_over: list[tuple[str, str]] = []
        try:
            self._sizes = dict(sorted(self._walk()))
        except OSError as error:
            raise Invalid(f"The folder cannot be read: {error.strerror}.", path=str(path)) from None

    def paths(self) -> Iterable[str]:
        return self._sizes

    def size(self, path: str) -> int:
        return _known(self._sizes, path)

    def read(self, path: str, limit: int | None = None) -> bytes:
        _known(self._sizes, path)
        try:
            # Listed as a regular file; should it have become a link since, opening it fails.
            handle = os.open(f"{self._root}/{path}", os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
            with open(handle, "rb") as file:
                return file.read() if limit is None else file.read(limit)
        except OSError as error:
            raise Invalid(f"The file cannot be read: {error.strerror}.", path=path) from None

    def _walk(self) -> Iterator[tuple[str, int]]:
        folders = [""]
        while folders:
            prefix = folders.pop()
            with os.scandir(self._root / prefix) as entries:
                for entry in entries:
                    path = prefix + entry.name
                    if entry.name == ".git":
                        continue
                    reason = unfit(path)
                    mode = entry.stat(follow_symlinks=False)
                    if reason or not (stat.S_ISDIR(mode.st_mode) or stat.S_ISREG(mode.st_mode)):
                        is_link = stat.S_ISLNK(mode.st_mode)
                        why = "links are not followed" if is_link else "it is not a regular file"
                        self.passed_over.append((path, reason or why))
                    elif stat.S_ISDIR(mode.st_mode):
                        folders.append(path + "/")
                    else:
                        yield path, mode.st_size


class Under:
    """The part of a tree below one of its folders, with paths relative to that folder."""

    def __init__(self, tree: Tree, folder: str) -> None:
        self._tree = tree
        self._prefix = folder.strip("/") + "/"
        self._paths = [p.removeprefix(self._prefix) for p in tree.paths() if p.startswith(self._prefix)]
        self.passed_over = [
            (path.removeprefix(self._prefix), why)
            for path, why in tree.passed_over
            if path.startswith(self._prefix)
        ]

    def paths(self) -> Iterable[str]:
        return self._paths

    def size(self, path: str) -> int:
        return self._tree.size(self._prefix + path)

    def read(self, path: str, limit: int | None = None) -> bytes:
        return self._tree.read(self._prefix + path, limit)


class TreeOfTexts(ABC):
    """The files of a tree at their paths; a subclass reads some of their texts as others."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self.passed_over = tree.passed_over

    def paths(self) -> Sequence[str]:
        return list(self._tree.paths())

    def size(self, path: str) -> int:
        return self._tree.size(path)

    @abstractmethod
    def read(self, path: str, limit: int | None = None) -> bytes:
        """Return the file's bytes as this tree has them, or its first `limit` ones."""


class Moved:
    """Files of a tree at other paths, given as the path in the tree by the new one."""

    def __init__(
        self, tree: Tree, places: Mapping[str, str], passed_over: Sequence[tuple[str, str]] = ()
    ) -> None:
        self._tree = tree
        self._places = dict(sorted(places.items()))
        self.passed_over = passed_over

    def paths(self) -> Iterable[str]:
        return self._places

    def size(self, path: str) -> int:
        return self._tree.size(_known(self._places, path))

    def read(self, path: str, limit: int | None = None) -> bytes:
        return self._tree.read(_known(self._places, path), limit)


def _known(files: Mapping[str, Value], path: str) -> Value:
    try:
        return files[path]
    except KeyError:
        raise Invalid("There is no such file.", path=path) from None


SETTINGS = ".gitbook.yaml"
OLD_SETTINGS = "book.json"
MAX_SETTINGS = 1 << 20
_KNOWN = {"root", "structure", "redirects"}


@dataclass(frozen=True, slots=True)
class RepositorySettings:
    """The settings of a repository. `root` is "" for the tree itself; `raw` is None without a file."""

    root: str = ""
    readme: str = "README.md"
    summary: str = "SUMMARY.md"
    redirects: dict[str, str] = field(default_factory=dict)
    raw: str | None = None


def read_settings(tree: Tree, report: Report) -> RepositorySettings:
    """Return the settings of a tree, with what could not be used noted in the report."""
    present = [name for name in (SETTINGS, OLD_SETTINGS) if name in set(tree.paths())]
    for name in present:
        content = tree.read(name, MAX_SETTINGS + 1)
        if len(content) > MAX_SETTINGS:
            report.add("skipped", name, "The settings file is larger than 1 MB and was not read.")
            continue
        try:
            raw = content.decode("utf-8")
        except UnicodeDecodeError:
            report.add("undecodable", name, "The settings file is not valid UTF-8 and was not read.")
            continue
        if name == SETTINGS:
            return parse_settings(raw, report)
        values = _json_object(raw)
        if values.keys() & {"root", "structure"}:
            return _settings(values, raw, name, report)
    return RepositorySettings()


def parse_settings(raw: str, report: Report) -> RepositorySettings:
    """Return the settings in a settings file's text.
    Text that is a JSON object is taken for an old `book.json`.
    """
    if raw.lstrip().startswith("{") and (values := _json_object(raw)):
        return _settings(values, raw, OLD_SETTINGS, report)
    try:
        loaded = load_yaml(raw, MAX_SETTINGS)
    except Unreadable as error:
        report.add("unsupported", SETTINGS, f"The settings file {error.message}.", error.line)
        return RepositorySettings(raw=raw)
    if loaded is not None and not isinstance(loaded, dict):
        report.add("unsupported", SETTINGS, "The settings file is not a list of `key: value` lines.")
    return _settings(loaded if isinstance(loaded, dict) else {}, raw, SETTINGS, report)


def settings_name(raw: str) -> str:
    """Return the name of the file this settings text came from."""
    return OLD_SETTINGS if raw.lstrip().startswith("{") and _json_object(raw) else SETTINGS


def resolve(path: str, folder: str = "") -> str | None:
    """Return a path as written, seen from a folder, as a path in the tree ("" is its top);
    None when it leads out.

    A leading slash means the top of the tree.
    """
    parts = [] if path.startswith("/") else [part for part in folder.split("/") if part]
    for part in path.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _settings(values: dict[str, Any], raw: str, name: str, report: Report) -> RepositorySettings:
    structure = values.get("structure")
    structure = structure if isinstance(structure, dict) else {}
    if name == SETTINGS:
        for key in values.keys() - _KNOWN:
            report.add("unsupported", name, f"The setting “{key[:100]}” is not known.")
    return RepositorySettings(
        root=_path(values.get("root"), "", name, report),
        readme=_path(structure.get("readme"), "README.md", name, report),
        summary=_path(structure.get("summary"), "SUMMARY.md", name, report),
        redirects=_redirects(values.get("redirects"), name, report) if name == SETTINGS else {},
        raw=raw,
    )


def _path(value: object, otherwise: str, name: str, report: Report) -> str:
    if value is None:
        return otherwise
    found = resolve(value) if isinstance(value, str) and "\\" not in value and "\0" not in value else None
    if found is None:
        report.add("unsupported", name, f"“{str(value)[:100]}” is not a path inside the repository.")
        return otherwise
    return found or otherwise


def _redirects(value: object, name: str, report: Report) -> dict[str, str]:
    if not isinstance(value, dict):
        if value is not None:
            report.add("unsupported", name, "`redirects` is not a list of `old: new` lines.")
        return {}
    for key, target in value.items():
        if not isinstance(target, str):
            report.add("unsupported", name, f"The redirect “{key[:100]}” has no target.")
    return {key: target for key, target in value.items() if isinstance(target, str)}


def _json_object(raw: str) -> dict[str, Any]:
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
