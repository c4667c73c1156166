"""Fetching the files of one commit, without its history."""

from __future__ import annotations

from dataclasses import dataclass
from types import TracebackType
from typing import Self

from app.kit.git.commits import Commit, commit_at
from app.kit.git.errors import RefMissing
from app.kit.git.files import Files, files_below
from app.kit.git.limits import Limits
from app.kit.git.line import Credentials
from app.kit.git.names import candidates, checked_directory, checked_ref, checked_source
from app.kit.git.work import Work, at_work
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
    limits: Limits | None = None,
    credentials: Credentials | None = None,
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

    return await at_work(task, source, outbound, limits, credentials)
