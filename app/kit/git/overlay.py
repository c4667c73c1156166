"""Changed files laid over a tree: only the folders on their way are read and written anew."""

from __future__ import annotations

from collections.abc import Iterable

from app.kit.git.commits import FILE, FOLDER, TreeEntry, entries, tree_bytes
from app.kit.git.limits import GitRefused
from app.kit.git.objects import BLOB, TREE, Objects, object_id

Change = tuple[list[str], bytes | None]


class Overlay:
    """A tree that changes are applied to. `made` lists the new objects: kind, id, content."""

    def __init__(self, objects: Objects, tree: bytes | None) -> None:
        self._objects = objects
        self._root = _Folder(objects, tree)
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
        folder: _Folder | None = self._root
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

    def _finished(self, folder: _Folder) -> bytes | None:
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


class _Folder:
    """A folder's entries: those untouched as they are, those entered as folders of their own."""

    def __init__(self, objects: Objects, tree: bytes | None) -> None:
        self._objects = objects
        self.tree = tree
        self.is_changed = False
        self.held = {entry.name: entry for entry in entries(objects, tree)} if tree else {}
        self.opened: dict[bytes, _Folder] = {}

    def below(self, name: bytes) -> _Folder | None:
        """Return the folder of this name, None when there is none."""
        if name not in self.opened and name in self.held and self.held[name].mode == FOLDER:
            self.opened[name] = _Folder(self._objects, self.held.pop(name).oid)
        return self.opened.get(name)

    def add(self, name: bytes) -> _Folder:
        """Return a new folder of this name."""
        if name in self.held:
            raise _taken(name)
        self.opened[name] = _Folder(self._objects, None)
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
