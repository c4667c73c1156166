"""The objects of one fetch: expanded in one scratch file, in memory only where each of them lies."""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path
from typing import NamedTuple

from app.kit.git.limits import GitLimits, broken, too_large

COMMIT, TREE, BLOB, TAG = 1, 2, 3, 4
_NAMES = {COMMIT: b"commit", TREE: b"tree", BLOB: b"blob", TAG: b"tag"}


class StoredObject(NamedTuple):
    """Where an object lies in the scratch file."""

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
