"""Pushing changed files as one commit on top of the commit they were made for.

What is not changed stays as it is, entry by entry; the branch moves only from the commit that the caller saw.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from app.kit.git.commits import Person, commit_at, commit_bytes
from app.kit.git.errors import GitRefused, Stale, TooLarge
from app.kit.git.limits import Limits, too_large
from app.kit.git.line import Credentials
from app.kit.git.names import branch, checked_directory, checked_path, checked_source, is_commit
from app.kit.git.objects import COMMIT, TREE, object_id
from app.kit.git.overlay import Overlay
from app.kit.git.work import Work, at_work
from app.kit.http.outbound import Outbound

NOTHING = b"0" * 40
EMPTY = object_id(TREE, b"")


async def push(
    url: str,
    ref: str,
    *,
    base_commit: str | None,
    changes: Mapping[str, bytes | None],
    message: str,
    author: Person,
    outbound: Outbound,
    limits: Limits | None = None,
    credentials: Credentials | None = None,
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
    _refuse_unfit(base_commit, changes, limits or Limits())

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

    return await at_work(task, source, outbound, limits, credentials, pushing_to=name)


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


def _refuse_unfit(base: str | None, changes: Mapping[str, bytes | None], limits: Limits) -> None:
    if base is not None and not is_commit(base):
        raise GitRefused("The base is not a full commit id.")
    sizes = [len(content) for content in changes.values() if content is not None]
    if len(changes) > limits.files:
        raise TooLarge(f"A push may change at most {limits.files:,} files.")
    if max(sizes, default=0) > limits.blob:
        raise too_large("A file is larger", limits.blob)
    if sum(sizes) > limits.pack:
        raise too_large("What is to be pushed is larger", limits.pack)
