"""Objects of Git: those of one fetch, commits and trees as git writes them, and changed files over a tree.

The objects of one fetch: expanded in one scratch file, in memory only where each of them lies.

Commits, tags and trees as git writes them: read with care, written plainly.

Changed files laid over a tree: only the folders on their way are read and written anew.
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from app.kit.git.limits import GitLimits, GitRefused, broken, too_large

COMMIT, TREE, BLOB, TAG = 1, 2, 3, 4
_NAMES = {COMMIT: b"commit", TREE: b"tree", BLOB: b"blob", TAG: b"tag"}


class StoredObject(NamedTuple):
    """The place of an object in the scratch file."""

    kind: int
    start: int
    size: int


class Objects:
    """Objects by id (20 bytes). Reading may happen from several threads."""

    def __init__(self, folder: Path, limits: GitLimits) -> None:
        self._file = (folder / "objects").open("w+b", buffering=0)
        self._places: dict[bytes, StoredObject] = {}
        self._end = 0
        self._limits = limits
        self._lock = threading.Lock()

    def __contains__(self, oid: bytes) -> bool:
        return oid in self._places

    def add(self, kind: int, content: bytes | bytearray) -> bytes:
        """Keep an object; gives its id. Raises TooLarge when all together pass the limit."""
        oid = object_id(kind, content)
        if oid not in self._places:
            if self._end + len(content) > self._limits.expanded:
                raise too_large("The repository's files are larger", self._limits.expanded)
            with self._lock:
                self._file.seek(self._end)
                written = self._file.write(content)
            if written != len(content):
                raise OSError("The disk is full.")
            self._places[oid] = StoredObject(kind, self._end, len(content))
            self._end += len(content)
        return oid

    def place(self, oid: bytes) -> StoredObject:
        """Return an object's kind and size; GitRefused when the repository did not send it."""
        if oid not in self._places:
            raise broken()
        return self._places[oid]

    def of_kind(self, oid: bytes, kind: int) -> bytes:
        """Return a whole object that must be of this kind, or GitRefused."""
        place = self.place(oid)
        if place.kind != kind:
            raise broken()
        return self.read(place, 0, place.size)

    def read(self, place: StoredObject, start: int, length: int) -> bytes:
        """Return a part of an object: at most `length` bytes from `start`."""
        length = min(length, place.size - start)
        with self._lock:
            self._file.seek(place.start + start)
            return self._file.read(length) if length > 0 else b""

    def close(self) -> None:
        """Let go of the scratch file."""
        self._file.close()


def object_id(kind: int, content: bytes | bytearray) -> bytes:
    """Return the id git gives to these bytes."""
    digest = hashlib.sha1(b"%s %d\0" % (_NAMES[kind], len(content)), usedforsecurity=False)
    digest.update(content)
    return digest.digest()


def blob_id(content: bytes) -> str:
    """Return the id, in hexadecimal, that a file with these bytes has in every repository."""
    return object_id(BLOB, content).hex()


FILE, EXECUTABLE, FOLDER, LINK, MODULE = 0o100644, 0o100755, 0o40000, 0o120000, 0o160000
MOST_COMMIT = 1 << 20
MOST_MESSAGE = 20_000
MOST_TAGS = 8

_ENTRY = re.compile(rb"([0-7]{1,6}) ([^\0]*)\0(.{20})", re.DOTALL)
_TREE = re.compile(rb"tree ([0-9a-f]{40})\n")
_TARGET = re.compile(rb"object ([0-9a-f]{40})\n")
_WHO = re.compile(rb"([^<>\n]*)<([^<>\n]*)> *(-?[0-9]{1,12})(?: |$)")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class CommitAuthor:
    """The author of a commit, as the commit says."""

    name: str
    email: str


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit: ids are 40 hexadecimal digits, `at` is when it was made, in UTC."""

    id: str
    tree: str
    author: CommitAuthor
    message: str
    at: datetime


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One name in a tree."""

    mode: int
    name: bytes
    oid: bytes

    @property
    def is_file(self) -> bool:
        """Tell whether it is a regular file, executable or not."""
        return self.mode & 0o170000 == 0o100000


def commit_at(objects: Objects, oid: bytes) -> Commit:
    """Return the commit with this id, or that a tag with this id leads to.
    Raises GitRefused for anything else.
    """
    for _ in range(MOST_TAGS):
        place = objects.place(oid)
        if place.kind == COMMIT:
            return _commit(oid, objects.read(place, 0, MOST_COMMIT))
        found = _TARGET.match(objects.read(place, 0, MOST_COMMIT)) if place.kind == TAG else None
        if found is None:
            raise GitRefused("The ref does not lead to a commit.", path="ref")
        oid = bytes.fromhex(found[1].decode())
    raise GitRefused("The ref does not lead to a commit.", path="ref")


def entries(objects: Objects, oid: bytes) -> Iterator[TreeEntry]:
    """Return what a tree holds, in its order. Raises GitRefused when it is no sound tree."""
    content = objects.of_kind(oid, TREE)
    position = 0
    while position < len(content):
        found = _ENTRY.match(content, position)
        if found is None:
            raise broken()
        yield TreeEntry(int(found[1], 8), found[2], found[3])
        position = found.end()


def tree_bytes(held: Iterable[TreeEntry]) -> bytes:
    """Return a tree with these entries, in git's order: folders sort as if their names ended with a slash."""
    ordered = sorted(held, key=lambda entry: entry.name + (b"/" if entry.mode == FOLDER else b""))
    return b"".join(b"%o %s\0%s" % (entry.mode, entry.name, entry.oid) for entry in ordered)


def commit_bytes(tree: bytes, parent: str | None, author: CommitAuthor, at: datetime, message: str) -> bytes:
    """Return a commit that is its author's own, at a time in UTC."""
    name, email = (
        re.sub(r"[<>\x00-\x1f\x7f]", "", part).strip(" .,") for part in (author.name, author.email)
    )
    who = f"{name or 'unknown'} <{email}> {int(at.timestamp())} +0000"
    parents = f"parent {parent}\n" if parent else ""
    text = _CONTROLS.sub("", message.replace("\r\n", "\n")).strip()[:MOST_MESSAGE]
    whole = f"tree {tree.hex()}\n{parents}author {who}\ncommitter {who}\n\n{text}\n"
    return whole.encode("utf-8", "replace")


def _commit(oid: bytes, content: bytes) -> Commit:
    head, _, message = content.partition(b"\n\n")
    tree = _TREE.match(head + b"\n")
    if tree is None:
        raise broken()
    author, _ = _who(head, b"author ")
    _, at = _who(head, b"committer ")
    return Commit(oid.hex(), tree[1].decode(), author, _text(message[:MOST_MESSAGE]), at)


def _who(head: bytes, title: bytes) -> tuple[CommitAuthor, datetime]:
    lines = (line.removeprefix(title) for line in head.split(b"\n") if line.startswith(title))
    found = _WHO.match(next(lines, b""))
    if found is None:
        return CommitAuthor("", ""), datetime.fromtimestamp(0, UTC)
    try:
        at = datetime.fromtimestamp(int(found[3]), UTC)
    except (ValueError, OverflowError, OSError):
        at = datetime.fromtimestamp(0, UTC)
    return CommitAuthor(_text(found[1])[:200], _text(found[2])[:200]), at


def _text(raw: bytes) -> str:
    return _CONTROLS.sub("", raw.decode("utf-8", "replace")).strip()


Change = tuple[list[str], bytes | None]


class Overlay:
    """A tree that changes are applied to. `made` lists the new objects: kind, id, content."""

    def __init__(self, objects: Objects, tree: bytes | None) -> None:
        self._objects = objects
        self._root = _TreeEdit(objects, tree)
        self.made: list[tuple[int, bytes, bytes]] = []

    def apply(self, changes: Iterable[Change]) -> bytes:
        """Delete and write files, deletions first; gives the id of the tree as it is then.

        Deleting what is not there, or is no file, changes nothing. Raises GitRefused for a file whose place
        is taken by a link, a submodule or a folder with files in it.
        """
        writes: list[tuple[list[str], bytes]] = []
        for parts, content in changes:
            if content is None:
                self._delete(parts)
            else:
                writes.append((parts, content))
        for parts, content in writes:
            self._write(parts, content)
        return self._finished(self._root) or self._made(b"")

    def _delete(self, parts: list[str]) -> None:
        folder: _TreeEdit | None = self._root
        for part in parts[:-1]:
            folder = folder and folder.below(part.encode())
        if folder:
            folder.delete(parts[-1].encode())

    def _write(self, parts: list[str], content: bytes) -> None:
        folder = self._root
        for part in parts[:-1]:
            folder = folder.below(part.encode()) or folder.add(part.encode())
        oid = object_id(BLOB, content)
        if folder.write(parts[-1].encode(), oid):
            self.made.append((BLOB, oid, content))

    def _finished(self, folder: _TreeEdit) -> bytes | None:
        """Write the folders that changed, the innermost first; a folder without files is none."""
        inner = {name: self._finished(opened) for name, opened in folder.opened.items()}
        if not folder.is_changed and all(oid == folder.opened[name].tree for name, oid in inner.items()):
            return folder.tree
        held = [TreeEntry(FOLDER, name, oid) for name, oid in inner.items() if oid]
        held += folder.held.values()
        return self._made(tree_bytes(held)) if held else None

    def _made(self, tree: bytes) -> bytes:
        oid = object_id(TREE, tree)
        if oid not in self._objects:
            self.made.append((TREE, oid, tree))
        return oid


class _TreeEdit:
    """A folder's entries: those untouched as they are, those entered as folders of their own."""

    def __init__(self, objects: Objects, tree: bytes | None) -> None:
        self._objects = objects
        self.tree = tree
        self.is_changed = False
        self.held = {entry.name: entry for entry in entries(objects, tree)} if tree else {}
        self.opened: dict[bytes, _TreeEdit] = {}

    def below(self, name: bytes) -> _TreeEdit | None:
        """Return the folder of this name, None when there is none."""
        if name not in self.opened and name in self.held and self.held[name].mode == FOLDER:
            self.opened[name] = _TreeEdit(self._objects, self.held.pop(name).oid)
        return self.opened.get(name)

    def add(self, name: bytes) -> _TreeEdit:
        """Return a new folder of this name."""
        if name in self.held:
            raise _taken(name)
        self.opened[name] = _TreeEdit(self._objects, None)
        return self.opened[name]

    def delete(self, name: bytes) -> None:
        """Take a file away."""
        if name in self.held and self.held[name].is_file:
            del self.held[name]
            self.is_changed = True

    def write(self, name: bytes, oid: bytes) -> bool:
        """Put a file here, its mode as before; whether that is a change."""
        before = self.held.get(name)
        folder = self.below(name)
        if (before and not before.is_file) or (folder and not folder.is_empty()):
            raise _taken(name)
        if before and before.oid == oid:
            return False
        self.opened.pop(name, None)
        self.held[name] = TreeEntry(before.mode if before else FILE, name, oid)
        self.is_changed = True
        return True

    def is_empty(self) -> bool:
        """Tell whether no file is left below."""
        return not self.held and all(folder.is_empty() for folder in self.opened.values())


def _taken(name: bytes) -> GitRefused:
    shown = name.decode("utf-8", "replace")[:100]
    return GitRefused(
        f"“{shown}” is a link, a submodule, a folder or a file in the way of what is to be written."
    )
