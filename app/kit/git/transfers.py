"""Fetch the files of one commit, without its history; push changed files as one commit on top of it.

What is not changed stays as it is, entry by entry; the branch moves only from the commit that the caller saw.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from types import TracebackType
from typing import Self

from app.kit.git.commits import Commit, CommitAuthor, commit_at, commit_bytes
from app.kit.git.files import Files, files_below
from app.kit.git.limits import GitLimits, GitRefused, RefMissing, RepositoryTooLarge, Stale, too_large
from app.kit.git.names import (
    branch,
    candidates,
    checked_directory,
    checked_path,
    checked_ref,
    checked_source,
    is_commit,
)
from app.kit.git.objects import COMMIT, TREE, object_id
from app.kit.git.overlay import Overlay
from app.kit.git.transport import GitCredentials
from app.kit.git.work import Work, run_in_thread
from app.kit.http.outbound import Outbound


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
    """The branch's id (zeros when it is missing) and the tree at the commit, which the branch must be at."""
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
