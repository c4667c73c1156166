"""Commits, tags and trees as git writes them: read with care, written plainly."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from app.kit.git.limits import GitRefused, broken
from app.kit.git.objects import COMMIT, TAG, TREE, Objects

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
    """Who wrote a commit, as the commit says."""

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
    """The commit with this id, or that a tag with this id leads to. Raises GitRefused for anything else."""
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
