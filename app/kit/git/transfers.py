"""The files of one commit below a project directory, in the form the importer reads.

Regular files only: links, submodules and pointers to files kept elsewhere are told, not followed. A name that
leads out, or into git's own folder, refuses the repository.

Fetch the files of one commit, without its history; push changed files as one commit on top of it.

What is not changed stays as it is, entry by entry; the branch moves only from the commit that the caller saw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from types import TracebackType
from typing import Self

from app.kit.errors import Invalid
from app.kit.git.limits import (
    MOST_DEPTH,
    MOST_PATH,
    MOST_PATH_BYTES,
    GitLimits,
    GitProblem,
    GitRefused,
    RefMissing,
    RepositoryTooLarge,
    Stale,
    branch,
    broken,
    candidates,
    checked_directory,
    checked_path,
    checked_ref,
    checked_source,
    hostile,
    is_commit,
    plain,
    too_large,
)
from app.kit.git.objects import (
    BLOB,
    COMMIT,
    FOLDER,
    LINK,
    MODULE,
    TREE,
    Commit,
    CommitAuthor,
    Objects,
    Overlay,
    StoredObject,
    TreeEntry,
    commit_at,
    commit_bytes,
    entries,
    object_id,
)
from app.kit.git.transport import GitCredentials
from app.kit.git.work import Work, run_in_thread
from app.kit.http.outbound import Outbound

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
        """Return all file paths, sorted."""
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


@dataclass(frozen=True, slots=True)
class Checkout:
    """A fetched commit and its files, readable until closed; a context manager."""

    commit: Commit
    tree: Files
    _work: Work

    def close(self) -> None:
        """Remove what was fetched."""
        self._work.discard()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


async def fetch(
    url: str,
    ref: str,
    *,
    outbound: Outbound,
    limits: GitLimits | None = None,
    credentials: GitCredentials | None = None,
    directory: str = "",
    local: bool = False,
) -> Checkout:
    """Fetch a branch, a tag, `HEAD` or a full commit id; the files are those below `directory`.

    `local` makes `url` a folder or a file:// address of this machine instead.
    Raises GitProblem: GitRefused, Unreachable, AuthFailed, TooLarge, RefMissing, FolderMissing.
    """
    source = checked_source(url, outbound, local=local)
    wanted, inside = checked_ref(ref), checked_directory(directory)
    names = candidates(wanted)

    def choose(refs: dict[bytes, bytes]) -> bytes:
        for name in names:
            if name.encode() in refs:
                return refs[name.encode()]
        if not names:
            return wanted.encode()
        if b"HEAD" not in refs:
            raise RefMissing("The repository has no commit to start from.", empty=True)
        raise RefMissing("The repository has no such branch or tag.")

    def task(work: Work) -> Checkout:
        commit = commit_at(work.objects, work.receive(choose, [*names, "HEAD"]))
        files = files_below(work.objects, commit, inside, work.limits, work.patience.check)
        return Checkout(commit, files, work)

    return await run_in_thread(task, source, outbound, limits, credentials)


NOTHING = b"0" * 40
EMPTY = object_id(TREE, b"")


async def push(
    url: str,
    ref: str,
    *,
    base_commit: str | None,
    changes: Mapping[str, bytes | None],
    message: str,
    author: CommitAuthor,
    outbound: Outbound,
    limits: GitLimits | None = None,
    credentials: GitCredentials | None = None,
    directory: str = "",
    local: bool = False,
    at: datetime | None = None,
) -> str | None:
    """Push files (bytes) and deletions (None), by path below `directory`; gives the branch's new commit id.

    A missing branch begins at `base_commit`, or with a first commit where that is None. When nothing differs
    there is no commit, and the answer is `base_commit`; a branch that is missing is made there.
    Raises Stale when the branch is not at `base_commit`, and the GitProblems that `fetch` raises.
    """
    source, name = checked_source(url, outbound, local=local), branch(ref)
    inside = checked_directory(directory)
    wanted = [(inside + checked_path(path), content) for path, content in sorted(changes.items())]
    _refuse_unfit(base_commit, changes, limits or GitLimits())

    def task(work: Work) -> str | None:
        try:
            old, tree = _base(work, name, base_commit) if base_commit else (NOTHING, None)
            overlay = Overlay(work.objects, tree)
            written = overlay.apply(wanted)
            if written == (tree or EMPTY):
                if base_commit and old == NOTHING:
                    work.connection.push(name, old, base_commit.encode(), [])
                return base_commit
            content = commit_bytes(written, base_commit, author, at or datetime.now(UTC), message)
            oid = object_id(COMMIT, content)
            work.connection.push(name, old, oid.hex().encode(), [*overlay.made, (COMMIT, oid, content)])
            return oid.hex()
        finally:
            work.discard()

    return await run_in_thread(task, source, outbound, limits, credentials, pushing_to=name)


def _base(work: Work, name: str, commit: str) -> tuple[bytes, bytes]:
    """Return the branch's id (zeros when it is missing) and the tree at the commit,
    which the branch must be at.
    """
    found = [NOTHING]

    def choose(refs: dict[bytes, bytes]) -> bytes:
        found[0] = refs.get(name.encode(), NOTHING)
        if found[0] not in (NOTHING, commit.encode()):
            raise Stale("The branch changed meanwhile; fetch it again.")
        return commit.encode()

    received = work.receive(choose, [name], without_files=True)
    return found[0], bytes.fromhex(commit_at(work.objects, received).tree)


def _refuse_unfit(base: str | None, changes: Mapping[str, bytes | None], limits: GitLimits) -> None:
    if base is not None and not is_commit(base):
        raise GitRefused("The base is not a full commit id.")
    sizes = [len(content) for content in changes.values() if content is not None]
    if len(changes) > limits.files:
        raise RepositoryTooLarge(f"A push may change at most {limits.files:,} files.")
    if max(sizes, default=0) > limits.blob:
        raise too_large("A file is larger", limits.blob)
    if sum(sizes) > limits.pack:
        raise too_large("What is to be pushed is larger", limits.pack)
