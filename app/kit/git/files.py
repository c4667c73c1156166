"""The files of one commit below a project directory, in the form the importer reads.

Regular files only: links, submodules and pointers to files kept elsewhere are told, not followed. A name that
leads out, or into git's own folder, refuses the repository.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from app.kit.errors import Invalid
from app.kit.git.commits import FOLDER, LINK, MODULE, Commit, TreeEntry, entries
from app.kit.git.limits import GitLimits, GitProblem, GitRefused, RepositoryTooLarge, broken
from app.kit.git.names import MOST_DEPTH, MOST_PATH, MOST_PATH_BYTES, hostile, plain
from app.kit.git.objects import BLOB, Objects, StoredObject

_POINTER = b"version https://git-lfs.github.com/spec/v1\n"
_MOST_POINTER = 1024


class FolderMissing(GitProblem, Invalid):
    """The commit was found, but it has no such project directory."""

    def __init__(self, message: str, commit: Commit) -> None:
        super().__init__(message, path="repoProjectDirectory")
        self.commit = commit


class Files:
    """Files by path, relative to the project directory. `passed_over`: what is not read, and why."""

    def __init__(
        self, objects: Objects, found: Mapping[str, bytes], passed_over: list[tuple[str, str]]
    ) -> None:
        self._objects = objects
        self._ids = dict(sorted(found.items()))
        self.passed_over = sorted(passed_over)

    def paths(self) -> Iterable[str]:
        """All file paths, sorted."""
        return self._ids

    def size(self, path: str) -> int:
        """Return the file's length in bytes. Raises Invalid for a path that is not there, as `read` does."""
        return self._place(path).size

    def read(self, path: str, limit: int | None = None) -> bytes:
        """Return the file's bytes, or its first `limit` ones."""
        place = self._place(path)
        return self._objects.read(place, 0, place.size if limit is None else limit)

    def oid(self, path: str) -> str:
        """Return the id of the file's bytes, 40 hexadecimal digits: equal ids are equal bytes."""
        if path not in self._ids:
            raise Invalid("There is no such file.", path=path)
        return self._ids[path].hex()

    def _place(self, path: str) -> StoredObject:
        return self._objects.place(bytes.fromhex(self.oid(path)))


def files_below(
    objects: Objects, commit: Commit, directory: list[str], limits: GitLimits, check: Callable[[], None]
) -> Files:
    """Return the files of a commit below a directory. Raises FolderMissing, GitRefused or TooLarge."""
    found: dict[str, bytes] = {}
    passed_over: list[tuple[str, str]] = []
    folders = [("", _folder(objects, commit, directory))]
    seen = 0
    while folders:
        prefix, oid = folders.pop()
        taken: set[bytes] = set()
        for entry in entries(objects, oid):
            check()
            seen += 1
            if seen > limits.files:
                raise RepositoryTooLarge(f"The repository has more than {limits.files:,} files.")
            if entry.name in taken:
                raise broken()
            taken.add(entry.name)
            path = prefix + _name(entry)
            if reason := _unfit(objects, entry, path):
                passed_over.append((path, reason))
            elif entry.mode == FOLDER:
                folders.append((path + "/", entry.oid))
            else:
                found[path] = entry.oid
    return Files(objects, found, passed_over)


def _folder(objects: Objects, commit: Commit, directory: list[str]) -> bytes:
    oid = bytes.fromhex(commit.tree)
    for name in directory:
        held = (entry for entry in entries(objects, oid) if entry.name == name.encode("utf-8", "replace"))
        entry = next(held, None)
        if entry is None or entry.mode != FOLDER:
            raise FolderMissing("The repository has no such folder.", commit)
        oid = entry.oid
    return oid


def _name(entry: TreeEntry) -> str:
    name = entry.name.decode("utf-8", "surrogateescape")
    if hostile(name):
        raise GitRefused("The repository has a file name that leads outside, or into git's own folder.")
    return name


def _unfit(objects: Objects, entry: TreeEntry, path: str) -> str | None:
    """Return why an entry is passed over, or None."""
    if entry.mode == LINK:
        return "links are not followed"
    if entry.mode == MODULE:
        return "it is a submodule, which is another repository"
    if entry.mode != FOLDER and not entry.is_file:
        return "it is not a regular file"
    if len(path) > MOST_PATH or path.count("/") >= MOST_DEPTH:
        return "its path is too long or too deep"
    if len(path.encode("utf-8", "surrogateescape")) > MOST_PATH_BYTES:
        return "its path is too long or too deep"
    if reason := plain(path.rpartition("/")[2]):
        return reason
    if entry.is_file and _is_pointer(objects, entry.oid):
        return "it is only a pointer to a file kept elsewhere (LFS)"
    return None


def _is_pointer(objects: Objects, oid: bytes) -> bool:
    place = objects.place(oid)
    if place.kind != BLOB:
        raise broken()
    return place.size <= _MOST_POINTER and objects.read(place, 0, len(_POINTER)) == _POINTER
