"""What a sync fetches: a commit of the repository with its files."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from app.domain.git_sync.sync_state import SyncState
from app.formats.repository.file_tree import Memory
from app.formats.repository.import_plan import Plan, read_plan
from app.kit import workers
from app.kit.git.commits import Commit
from app.kit.git.files import FolderMissing
from app.kit.git.limits import RefMissing
from app.kit.git.transfers import Checkout, fetch
from app.kit.git.transport import GitCredentials
from app.kit.http.outbound import Outbound
from app.kit.settings import Settings


@dataclass(slots=True, frozen=True)
class FetchedCommit:
    """A commit and its files; none where the repository is empty. `is_there`: the branch and the folder."""

    commit: Commit | None
    checkout: Checkout | None
    is_there: bool

    @property
    def oids(self) -> dict[str, str]:
        """The ids of all files by path."""
        tree = self.checkout.tree if self.checkout else None
        return {path: tree.oid(path) for path in tree.paths()} if tree else {}

    async def plan(self) -> Plan:
        """Return what an import of the files would make."""
        return await workers.run_long(read_plan, self.checkout.tree if self.checkout else Memory({}))


@asynccontextmanager
async def fetch_commit(
    settings: Settings, standing: SyncState, *, is_import: bool, local: bool
) -> AsyncIterator[FetchedCommit]:
    """The repository's files; for an export also where it has no such branch or folder yet.

    `local`: the repository is on this machine. Raises RefMissing and FolderMissing for an import.
    """
    asked = {
        "outbound": outbound(settings),
        "credentials": credentials(settings, standing.url),
        "local": local,
    }
    is_there = True
    try:
        checkout = await fetch(standing.url, standing.ref, directory=standing.directory, **asked)  # type: ignore[arg-type]
    except RefMissing as missing:
        if is_import:
            raise
        if missing.empty:
            yield FetchedCommit(None, None, False)
            return
        is_there = False
        try:
            checkout = await fetch(standing.url, "HEAD", directory=standing.directory, **asked)  # type: ignore[arg-type]
        except FolderMissing as folder:
            yield FetchedCommit(folder.commit, None, False)
            return
    except FolderMissing as missing:
        if is_import:
            raise
        yield FetchedCommit(missing.commit, None, False)
        return
    with checkout:
        yield FetchedCommit(checkout.commit, checkout, is_there)


def outbound(settings: Settings) -> Outbound:
    """Return the bounds of requests to repositories."""
    return Outbound(settings.allowed_hosts, settings.outbound_timeout, settings.outbound_max_bytes)


def credentials(settings: Settings, url: str) -> GitCredentials | None:
    """Return the login for the repository at an address; None where there is none."""
    login = settings.git_login(url)
    return GitCredentials(*login) if login else None
