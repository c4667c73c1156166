"""Where the files of a repository come from, behind one small interface.

Rules: paths are relative, with `/`, and safe to join to a folder. Symbolic links are never followed, `.git`
is never entered, and nothing outside the folder is read. What is passed over is told with its reason.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

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
        """All file paths, sorted."""

    def size(self, path: str) -> int:
        """The file's length in bytes."""

    def read(self, path: str, limit: int | None = None) -> bytes:
        """The file's bytes, or its first `limit` ones."""


def unfit(path: str) -> str | None:
    """Why a path may not be in a tree, or None when it may."""
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


def _known(files: Mapping[str, Value], path: str) -> Value:
    try:
        return files[path]
    except KeyError:
        raise Invalid("There is no such file.", path=path) from None
