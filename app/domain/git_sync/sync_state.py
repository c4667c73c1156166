"""Synchronising spaces with Git repositories: asked for here, done by a job (`sync_runs`).

One sync of a space runs at a time. How it stands is kept with the space: the repository, the commit that was
synchronised last with the state of the content that equals it, and the operation.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Self
from urllib.parse import urlsplit

from sqlalchemy import select

from app.access.context import Context
from app.access.fetch import fetch
from app.domain import jobs
from app.domain.infrastructure import stored_secrets
from app.kit.database.statements import given, query, rows, table
from app.kit.errors import Conflict, NotFound, Problem
from app.kit.ids import new_id
from app.models.change_events import JobAction
from app.models.git_sync import GitExport, GitImport, GitLogin
from app.models.integrations import Integration
from app.models.spaces import Space

SYNC = "git_sync"
PATIENCE = timedelta(minutes=15)  # after which an operation that tells nothing has died
INTEGRATIONS = table(Integration)
SPACES = table(Space)
_SPACE = query(Space, lambda: select(*SPACES.c).where(SPACES.c.id == given("id")))
_CALLING = rows(lambda: select(INTEGRATIONS.c.name).where(INTEGRATIONS.c.id == given("id")))
_PROVIDERS = {"github": "github", "gitlab": "gitlab"}
_TOKEN_USERS = {"github": "x-access-token", "github-legacy": "x-access-token", "gitlab": "oauth2"}
FORGET = ""  # in the place of a login


class Superseded(Problem):
    """Another operation has taken the place of this one, or the sync was ended: there is nothing to do."""


@dataclass(slots=True, frozen=True)
class SyncedCommit:
    """The state that was synchronised last, and the content that equals it.

    That is the main line at a number or, where the space has more than the repository, the line of a sync's
    change request at its own number `at`.
    """

    url: str
    directory: str
    commit: str
    number: int
    line: str | None = None
    at: int = 0


@dataclass(slots=True, frozen=True)
class SyncOperation:
    """One sync; `message` says how it ended."""

    id: str
    direction: str
    state: str
    started_at: str
    message: str | None = None


@dataclass(slots=True, frozen=True)
class SyncState:
    """The state of a space's sync: all that is kept of it. `by` is who asked for it, and `integration` the
    integration that did so. `login` is the encrypted user and token for `url`."""

    url: str
    ref: str
    directory: str
    name: str
    provider: str | None
    commit_url: str
    by: str
    updated_at: str
    operation: SyncOperation
    synced: SyncedCommit | None = None
    integration: str | None = None
    login: str | None = None

    @classmethod
    def of(cls, space: Space) -> Self | None:
        """Return the sync of a space, None where it has none."""
        if space.git_sync is None:
            return None
        held = dict(space.git_sync)
        synced = held.pop("synced")
        operation = SyncOperation(**held.pop("operation"))
        return cls(**held, operation=operation, synced=SyncedCommit(**synced) if synced else None)

    @property
    def base(self) -> SyncedCommit | None:
        """Return what was synchronised last, if from the same place."""
        known = self.synced
        if known is None or (known.url, known.directory) != (self.url, self.directory):
            return None
        return known

    def state(self, now: datetime) -> str:
        """Return the state of the operation; one that died has run out of time."""
        started = datetime.fromisoformat(self.operation.started_at)
        is_dead = self.operation.state == "running" and started + PATIENCE <= now
        return "timeout" if is_dead else self.operation.state

    def ended(self, state: str, message: str, now: datetime) -> Self:
        """Return the same when the operation has ended."""
        operation = replace(self.operation, state=state, message=message)
        return replace(self, operation=operation, updated_at=now.isoformat())


async def import_content(cx: Context, space_id: str, body: GitImport) -> None:
    """Import a space's content from a Git repository.

    It is done soon after; `GET …/git/info` tells how it went. Where the space changed since the last sync,
    both sides are merged. What they both changed stays as the space has it, and is left in a change request.
    Raises Conflict where the space is locked, or a sync is running.
    """
    space = await fetch(cx, Space, space_id, can="triggerGitSync")
    if space.edit_mode == "locked":
        raise Conflict("The space is locked. Unlock it first.")
    await _ask(cx, space, "import", body, {"force": body.force, "standalone": body.standalone})


async def export_content(cx: Context, space_id: str, body: GitExport) -> None:
    """Export a space's content to a branch of a Git repository, in one commit.

    It is done soon after; `GET …/git/info` tells how it went. What is new on the branch is imported before.
    Files that the space does not know of stay as they are. Raises Conflict where a sync is running.
    """
    space = await fetch(cx, Space, space_id, can="triggerGitSync")
    await _ask(cx, space, "export", body, {"force": body.force, "message": body.commit_message})


async def info(cx: Context, space_id: str) -> SyncState:
    """Get the Git sync status of a space."""
    sync = SyncState.of(await fetch(cx, Space, space_id))
    if sync is None:
        raise NotFound("The space is not synced with a repository.")
    return sync


async def end(cx: Context, space_id: str) -> None:
    """End the sync of a space with a Git repository. Content and repository stay as they are."""
    space = await fetch(cx, Space, space_id, can="admin")
    sync = SyncState.of(space)
    if sync is None:
        raise NotFound("The space is not synced with a repository.")
    await cx.tx.change(Space, {"git_sync": None}, id=space.id)
    _note_change(cx, "deleted", space, sync.operation.id)


async def cancel(cx: Context, space_id: str, operation_id: str) -> None:
    """Note that a sync was cancelled, unless it has ended: what it would have written is not written."""
    space = await cx.db.first(_SPACE, id=space_id)
    if space is None:
        return
    try:
        sync = running(space, operation_id)
    except Superseded:
        return
    await keep(cx, space, sync.ended("failure", "The sync was cancelled.", cx.now))


async def _ask(cx: Context, space: Space, direction: str, body: GitImport, wish: dict[str, Any]) -> None:
    from app.kit.git.limits import checked_address
    from app.kit.http.outbound import Outbound, load_client

    await load_client()
    url = checked_address(body.url, Outbound(cx.settings.allowed_hosts))
    provider = body.git_info.provider if "git_info" in body.model_fields_set else None
    login = None
    if "login" in body.model_fields_set:
        login = sealed_login(cx, space.id, url, provider, body.login) if body.login else FORGET
    sync = await begin(
        cx,
        space,
        direction,
        url=url,
        ref=body.ref,
        directory=body.repo_project_directory,
        commit_url=body.repo_commit_url,
        provider=provider,
        login=login,
    )
    payload = {"operation": sync.operation.id, "direction": direction, **wish}
    await jobs.enqueue(cx, SYNC, space.id, space.organization_id, due_at=cx.now, payload=payload)


async def begin(
    cx: Context,
    space: Space,
    direction: str,
    *,
    url: str,
    ref: str,
    directory: str = "",
    commit_url: str | None = None,
    provider: str | None = None,
    login: str | None = None,
) -> SyncState:
    """Note that a sync begins, for the caller, with a repository whose address has been checked.

    The encrypted `login` is by default the one that is kept, if the address is the same; FORGET removes it.
    Raises Invalid for a ref or directory that cannot be one, Conflict where a sync is running.
    """
    from app.kit.git.limits import branch, checked_directory, checked_ref

    (checked_ref if direction == "import" else branch)(ref)
    inside = "/".join(checked_directory(directory))
    before = SyncState.of(space)
    if before is not None and before.state(cx.now) == "running":
        raise Conflict("The space is being synced. Try again when the sync has ended.")
    known = provider or _provider(url)
    if login is None and before is not None and before.url == url:
        login = before.login
    operation = SyncOperation(new_id(), direction, "running", cx.now.isoformat())
    sync = SyncState(
        url=url,
        ref=ref,
        directory=inside,
        name=_name(url),
        provider=known,
        commit_url=commit_url or _commit_url(url, known),
        by=cx.actor.user_id,
        updated_at=cx.now.isoformat(),
        operation=operation,
        synced=before.synced if before else None,
        integration=await _integration(cx),
        login=login or None,
    )
    await keep(cx, space, sync)
    return sync


def sealed_login(cx: Context, space_id: str, url: str, provider: str | None, login: GitLogin) -> str:
    """Return a login for a repository as it is kept: encrypted, for this space and this address."""
    user = login.user or _TOKEN_USERS.get(provider or _provider(url) or "", "git")
    return cx.signer.seal(stored_secrets.GIT_LOGIN, json.dumps([url, user, login.token]), space_id)


def opened_login(cx: Context, space_id: str, sync: SyncState) -> tuple[str, str] | None:
    """Return the user and token that are kept for the repository of a space, None where there are none.

    Raises Conflict where they cannot be decrypted.
    """
    if sync.login is None:
        return None
    opened = cx.signer.unseal(stored_secrets.GIT_LOGIN, sync.login, space_id)
    url, user, token = json.loads(opened) if opened else ("", "", "")
    if url != sync.url:
        raise Conflict("The token of the repository cannot be decrypted any more; enter it again.")
    return user, token


def _provider(url: str) -> str | None:
    """Return the kind of a repository's host, None where its name does not tell."""
    host = urlsplit(url).hostname or ""
    return next((_PROVIDERS[name] for name in _PROVIDERS if name in host), None)


async def _integration(cx: Context) -> str | None:
    """Return the name of the integration that calls, if one does."""
    caller = cx.actor.installation
    found = await cx.db.first(_CALLING, id=caller.integration_id) if caller else None
    return found.name if found else None


async def keep(cx: Context, space: Space, sync: SyncState) -> None:
    """Keep how the sync stands."""
    now = await cx.tx.change(Space, {"git_sync": asdict(sync)}, id=space.id)
    commit = {"revisionId": now.revision_id, "commitId": sync.synced.commit if sync.synced else ""}
    operation, before = sync.operation, SyncState.of(space)
    if operation.state == "running":
        if before is None or before.operation.id != operation.id:
            cx.emit("space_gitsync_started", now.organization_id, "space", now.id, **commit)
            _note_change(cx, "started", now, operation.id)
        return
    _note_change(cx, "completed" if operation.state == "success" else "failed", now, operation.id)
    state = "success" if operation.state == "success" else "failure"
    cx.emit("space_gitsync_completed", now.organization_id, "space", now.id, **commit, state=state)


def _note_change(cx: Context, action: JobAction, space: Space, operation_id: str) -> None:
    cx.changed("git-sync", action, space.organization_id, space_id=space.id, job_id=operation_id)


def running(space: Space, operation_id: str) -> SyncState:
    """Return how the sync stands while this operation runs; raises Superseded where it does not any more."""
    sync = SyncState.of(space)
    if sync is None or (sync.operation.id, sync.operation.state) != (operation_id, "running"):
        raise Superseded("The sync was ended or started again meanwhile.")
    return sync


def _name(url: str) -> str:
    """Return what people call the repository: the last names of its address."""
    path = urlsplit(url).path.rstrip("/").removesuffix(".git")
    names = [name for name in path.split("/") if name]
    return re.sub(r"[^\w./-]", "", "/".join(names[-2:])) or "repository"


def _commit_url(url: str, provider: str | None) -> str:
    """Return what a commit's id is put behind for an address that people can open; "" where nobody knows."""
    if provider is None or not url.startswith("http"):
        return ""
    inside = "/-/commit/" if provider == "gitlab" else "/commit/"
    return url.removesuffix(".git") + inside
