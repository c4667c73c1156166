"""One sync of a space with its repository, from the outside to one transaction: fetch, import, push.

Fetching and pushing happen outside transactions; what is written is written in one that begins again where
the space changed meanwhile. Whatever goes wrong ends the operation with its reason, and nothing half done.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from sqlalchemy import select

from app.access.audit_actions import AuditAction
from app.access.context import Actor, Context, Membership
from app.access.rights import Level
from app.domain.git_sync import sync_state
from app.domain.git_sync.sync_import import (
    LONGEST_NAME,
    NAMED,
    SHORT,
    IncomingCommit,
    NothingNew,
    SyncResult,
    import_commit,
    is_new,
)
from app.domain.git_sync.sync_state import PATIENCE, Superseded, SyncedCommit, SyncState
from app.domain.git_sync.sync_transfers import (
    ExportedTree,
    FetchedCommit,
    covered_by,
    credentials,
    export_tree,
    fetch_commit,
    foreign_files,
    note_ids,
    outbound,
)
from app.domain.imports.import_texts import Progress
from app.domain.infrastructure import circuit_breakers
from app.domain.jobs import NOBODY, JobRuntime
from app.domain.organizations import users
from app.domain.revisions.documents import SkippedFiles, around_faults
from app.formats.repository.file_tree import Memory
from app.kit.database.statements import given, query, table
from app.kit.errors import Conflict, NotFound, Problem, Unprocessable
from app.kit.git.limits import Stale, Unreachable
from app.kit.git.objects import CommitAuthor
from app.kit.git.transfers import push
from app.models.jobs import Job
from app.models.spaces import Space
from app.models.users import User

log = logging.getLogger("docyard.sync")
PUSHES = 3
SECONDS = PATIENCE.total_seconds() * 2 / 3  # so that one that runs on is told from one that died
SYNCED = AuditAction("sync", "syncSpace")
SPACES = table(Space)
SPACE = query(Space, lambda: select(*SPACES.c).where(SPACES.c.id == given("id")))


@dataclass(slots=True, frozen=True)
class SyncRequest:
    """One operation on a space that has begun. `local`: the repository is on this machine."""

    space_id: str
    operation_id: str
    direction: str
    force: bool = False
    standalone: bool = False
    message: str = ""
    local: bool = False


async def perform(runtime: JobRuntime, job: Job) -> None:
    """Do what was asked for, and keep how it went. What goes wrong is not tried again: the caller is told."""
    wish = SyncRequest(
        job.subject,
        job.payload["operation"],
        job.payload["direction"],
        force=bool(job.payload.get("force")),
        standalone=bool(job.payload.get("standalone")),
        message=job.payload.get("message") or "",
    )
    if job.attempts > 1:  # whoever had it before has died
        await fail(runtime, wish, "timeout", "The sync was interrupted; start it again.")
        return
    try:
        await _run_guarded(runtime, wish)
    except TimeoutError:
        await fail(runtime, wish, "timeout", "The sync took too long.")
    except Problem as problem:
        await fail(runtime, wish, "failure", problem.message)
    except Exception:
        log.exception("the sync of space %s failed", wish.space_id)
        await fail(runtime, wish, "failure", "Something went wrong in Docyard; its log says what.")


async def _run_guarded(runtime: JobRuntime, wish: SyncRequest) -> None:
    """Synchronise a space unless the repository's server fails all the time; raises like `run`."""
    space = await _space(runtime, wish)
    url = sync_state.running(space, wish.operation_id).url
    circuit = circuit_breakers.key_of("git", space.organization_id, urlsplit(url).netloc)
    async with circuit_breakers.guarded(runtime.db, circuit, runtime.clock(), seconds=SECONDS) as asked:
        try:
            await run(runtime, wish)
        except Unreachable as unreachable:
            asked.failed = unreachable.outage
            raise


async def fail(runtime: JobRuntime, wish: SyncRequest, state: str, message: str) -> None:
    """Keep that the operation has ended badly, unless it has ended already."""

    async def keep(cx: Context) -> None:
        space = await cx.db.first(SPACE, id=wish.space_id)
        if space is None:
            return
        try:
            sync = sync_state.running(space, wish.operation_id)
        except Superseded:
            return
        await sync_state.keep(cx, space, sync.ended(state, message, cx.now))

    await runtime.write(NOBODY, keep, SYNCED)


async def run(runtime: JobRuntime, wish: SyncRequest, progress: Progress = lambda _done: None) -> str:
    """Synchronise a space; how that went, as a sentence.

    Raises Problem with the reason why it did not, TimeoutError after ten minutes; the operation goes on then.
    """
    async with asyncio.timeout(SECONDS):
        for _ in range(PUSHES):
            sync = sync_state.running(await _space(runtime, wish), wish.operation_id)
            async with fetch_commit(
                runtime.context(NOBODY),
                wish.space_id,
                sync,
                is_import=wish.direction == "import",
                local=wish.local,
            ) as found:
                try:
                    if wish.direction == "import":
                        return (await _import(runtime, wish, found, progress)).message
                    return await _export(runtime, wish, found, progress)
                except Stale:
                    log.info("the branch of space %s moved while it was pushed to", wish.space_id)
    raise Conflict("The branch is being pushed to continually; try again.")


async def _space(runtime: JobRuntime, wish: SyncRequest) -> Space:
    space = await runtime.context(NOBODY).db.first(SPACE, id=wish.space_id)
    if space is None:
        raise NotFound("There is no such space.")
    return space


async def _import(
    runtime: JobRuntime, wish: SyncRequest, found: FetchedCommit, progress: Progress, *, goes_on: bool = False
) -> SyncResult:
    """Bring in what was fetched; unless it `goes_on` the operation is a success then.

    Raises Unprocessable where files cannot be imported; what can is in a change request then.
    """
    assert found.commit is not None
    commit = found.commit

    async def attempt(leaving: SkippedFiles) -> SyncResult:
        plan = await found.plan()

        async def write(nobody: Context) -> SyncResult:
            cx, space, sync = await _begun(nobody, wish)
            coming = IncomingCommit(cx, space, sync, commit, plan, progress, leaving)
            brought = await import_commit(coming, force=wish.force, standalone=wish.standalone)
            if not leaving.faults:
                await _keep(cx, sync, space, brought, goes_on=goes_on)
            return brought

        try:
            brought: SyncResult = await runtime.write(NOBODY, write, SYNCED)
        except NothingNew:
            if leaving.faults:
                raise Unprocessable(f"{leaving.told} Nothing else is new.") from None
            raise
        if leaving.faults:
            raise Unprocessable(brought.message)
        return brought

    async def note(nobody: Context) -> SyncResult:
        cx, space, sync = await _begun(nobody, wish)
        synced = replace(sync.base, commit=commit.id) if sync.base else None
        brought = SyncResult(f"The commit {commit.id[:SHORT]} changes nothing here.", synced)
        await _keep(cx, sync, space, brought, goes_on=goes_on)
        return brought

    try:
        return await around_faults(attempt)
    except NothingNew:
        noted: SyncResult = await runtime.write(NOBODY, note, SYNCED)
        return noted


async def _begun(nobody: Context, wish: SyncRequest) -> tuple[Context, Space, SyncState]:
    """Return a Context of who asked for the sync, with what a sync may do; the space, and how it stands."""
    space = await nobody.db.first(SPACE, id=wish.space_id)
    if space is None or space.deleted_at is not None:
        raise NotFound("There is no such space.")
    await nobody.tx.lock(space.id)
    nobody.note("space", space.id, space.organization_id, space.title)
    sync = sync_state.running(space, wish.operation_id)
    return acting(nobody, space, sync.by), space, sync


def acting(cx: Context, space: Space, user_id: str) -> Context:
    """Return the same Context for a person who may do in the space's organization what a sync needs."""
    membership = Membership(space.organization_id, Level.ADMIN, Level.ADMIN)
    return replace(cx, actor=Actor(user_id, memberships={space.organization_id: membership}))


async def _keep(cx: Context, sync: SyncState, space: Space, brought: SyncResult, *, goes_on: bool) -> None:
    now = sync if goes_on else sync.ended("success", brought.message, cx.now)
    await sync_state.keep(cx, space, replace(now, synced=brought.synced or sync.synced))


async def _export(runtime: JobRuntime, wish: SyncRequest, found: FetchedCommit, progress: Progress) -> str:
    sync = sync_state.running(await _space(runtime, wish), wish.operation_id)
    told = []
    if found.is_there and found.commit and is_new(sync, found.commit) and not wish.force:
        told.append((await _import(runtime, wish, found, progress, goes_on=True)).message)
        sync = sync_state.running(await _space(runtime, wish), wish.operation_id)
    # Only what was imported, or pushed, from here can have been deleted here.
    plan = await found.plan()
    covered = covered_by(plan) if sync.base and found.is_there else set()
    beside = foreign_files(plan, found.checkout.tree if found.checkout else Memory({}))
    reading = runtime.context(NOBODY)
    reading = acting(reading, await _space(runtime, wish), sync.by)
    made = await export_tree(reading, wish.space_id, found.oids, covered, beside)
    pushed = await push(
        sync.url,
        sync.ref,
        base_commit=found.commit.id if found.commit else None,
        changes=made.changes,
        message=wish.message,
        author=await _author(reading),
        outbound=outbound(runtime.settings),
        credentials=credentials(reading, wish.space_id, sync),
        directory=sync.directory,
        local=wish.local,
    )
    is_same = pushed == (found.commit.id if found.commit else None)
    told.append("The branch has all of it." if is_same else f"Pushed the commit {str(pushed)[:SHORT]}.")
    if made.left:
        told.append(_left(made.left))
    await _keep_pushed(runtime, wish, made, pushed, " ".join(told))
    return " ".join(told)


def _left(paths: list[str]) -> str:
    """Return a sentence on the files that were not pushed."""
    named = ", ".join(path[:LONGEST_NAME] for path in paths[:NAMED])
    more = f" and {len(paths) - NAMED} more" if len(paths) > NAMED else ""
    return f"Not pushed, since the repository has something else there: {named}{more}."


async def _author(cx: Context) -> CommitAuthor:
    user: User = await users.me(cx)
    return CommitAuthor(user.display_name, user.email)


async def _keep_pushed(
    runtime: JobRuntime, wish: SyncRequest, made: ExportedTree, commit: str | None, message: str
) -> None:
    """Keep what was pushed: the operation is a success then."""

    async def write(nobody: Context) -> None:
        cx, space, sync = await _begun(nobody, wish)
        await note_ids(cx, made)
        synced = None
        if commit is not None:
            synced = SyncedCommit(sync.url, sync.directory, commit, made.space.revision_number)
        await _keep(cx, sync, space, SyncResult(message, synced), goes_on=False)

    await runtime.write(NOBODY, write, SYNCED)
