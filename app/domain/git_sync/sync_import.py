"""Imports the commits of a repository into its space, directly or by a change request that is merged at once.

If only the repository changed since the last sync, the main content becomes equal to it. If the space changed
too, a change request is opened at the last synchronized state, set to the content of the repository and
merged: where both changed, the space keeps its version, and the change request stays open for the conflict.
If the last synchronized state is no revision of the main branch, the branch begins with the rows of an
earlier sync's branch, at number 0, which do not count as changes.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from sqlalchemy import Insert, Integer, insert, literal, or_, select

from app.access.context import Context
from app.domain.change_requests import change_requests
from app.domain.content.views import Where
from app.domain.git_sync.sync_state import SyncedCommit, SyncState
from app.domain.imports.import_texts import Progress, prepare_in_thread
from app.domain.imports.tree_import import Imported, import_tree
from app.domain.revisions import branch, merge
from app.domain.revisions.branch import INITIAL_NUMBER, Branch, BranchContent
from app.domain.revisions.commit import KEPT_BY_VALIDITY
from app.domain.revisions.documents import SkippedFiles
from app.formats.repository.import_plan import Plan
from app.kit.database.columns import Key
from app.kit.database.statements import command, given, rows, table
from app.kit.errors import Conflict
from app.kit.git.objects import Commit
from app.models.change_requests import ChangeRequest, ChangeRequestCreate
from app.models.revisions import Revision
from app.models.spaces import Space

REVISIONS = table(Revision)
_REVISION = rows(
    lambda: select(REVISIONS.c.id).where(
        REVISIONS.c.line_id == given("line"), REVISIONS.c.number == given("number", Integer())
    )
)

CHANGE_REQUESTS = table(ChangeRequest)
_OPEN = rows(
    lambda: (
        select(CHANGE_REQUESTS.c.number)
        .where(CHANGE_REQUESTS.c.space_id == given("space"), CHANGE_REQUESTS.c.status == literal("open"))
        .where(CHANGE_REQUESTS.c.subject == given("subject"))
        .order_by(CHANGE_REQUESTS.c.number.desc())
        .limit(1)
    )
)


async def open_request(cx: Context, space: Space, synced: SyncedCommit, subject: str) -> Branch:
    """Return a new, open change request whose content is what was synchronised last.

    Raises Conflict where the space has no revision of that any more.
    """
    base = await cx.db.first(_REVISION, line=space.id, number=synced.number)
    if base is None:
        raise Conflict("The commit of the last sync no longer exists; import again with `force`.")
    made = await change_requests.create(cx, space.id, ChangeRequestCreate(subject=subject[:100]))
    await change_requests.set_status(cx, made, "open")
    columns = {
        "status": "open",
        "base_number": synced.number,
        "base_revision_id": base.id,
        "revision_initial": base.id,
        "revision_id": base.id,
    }
    request = await cx.tx.change(ChangeRequest, columns, id=made.request.id)
    if synced.line is not None:
        for statement in _BEGIN:
            await cx.tx.run(statement, from_line=synced.line, number=synced.at, to_line=request.id)
    return Branch((await change_requests.get(cx, Where(space.id, request.id))).space, request)


async def number_of_open(cx: Context, space: Space, subject: str) -> int | None:
    """Return the number of the space's open change request with this subject."""
    found = await cx.db.first(_OPEN, space=space.id, subject=subject[:100])
    return None if found is None else int(found.number)


async def set_merged(cx: Context, on: Branch) -> None:
    """Mark a change request merged whose content the main line has already."""
    found = await change_requests.get(cx, Where(on.space.id, on.id))
    await change_requests.set_status(cx, found, "merged")
    done: dict[str, Any] = {"status": "merged", "merged_by": cx.actor.user_id, "merged_at": cx.now}
    await cx.tx.change(ChangeRequest, {**done, "revision_merged": found.space.revision_id}, id=on.id)


def _begin(t: Any) -> Insert:
    """Return what a line had at one of its numbers, as what another begins with."""
    number = given("number", Integer())
    changed = {
        "line_id": given("to_line", Key),
        "valid_from": literal(INITIAL_NUMBER),
        "valid_to": literal(None, t.c.valid_to.type),
    }
    values = [changed.get(column.name, column) for column in t.c]
    valid = or_(t.c.valid_to.is_(None), t.c.valid_to > number)
    held = select(*values).where(t.c.line_id == given("from_line"), t.c.valid_from <= number, valid)
    return insert(t).from_select([column.name for column in t.c], held)


_BEGIN = [command(partial(_begin, table(model))) for model in KEPT_BY_VALIDITY]


SHORT = 7  # digits of a commit's id that people are shown
NAMED = 5  # files whose reason is told
LONGEST_NAME = 200


@dataclass(slots=True, frozen=True)
class SyncResult:
    """The outcome of an import: a sentence, and what is synchronised now (None: what was before)."""

    message: str
    synced: SyncedCommit | None


@dataclass(slots=True, frozen=True)
class IncomingCommit:
    """A commit and the plan of its files, on its way into a space that stands like this."""

    cx: Context
    space: Space
    sync: SyncState
    commit: Commit
    plan: Plan
    progress: Progress
    leaving: SkippedFiles = field(default_factory=SkippedFiles)

    @property
    def short(self) -> str:
        """Return the commit, as people are shown it."""
        return self.commit.id[:SHORT]

    @property
    def git(self) -> dict[str, Any]:
        """Return the commit, as a revision keeps it (specification, Revision)."""
        url = f"{self.sync.commit_url}{self.commit.id}" if self.sync.commit_url else None
        said = {"oid": self.commit.id, "message": self.commit.message, "createdByService": False}
        return {**said, **({"url": url} if url else {}), "ref": self.sync.ref}

    @property
    def synced(self) -> SyncedCommit:
        """This commit, equal to the main line as it is."""
        sync = self.sync
        return SyncedCommit(sync.url, sync.directory, self.commit.id, self.space.revision_number)

    async def into(self, on: Branch, *, mirror: bool) -> Imported:
        """Write the files to a line."""
        return await import_tree(
            self.cx,
            on,
            self.plan,
            mirror=mirror,
            git=self.git,
            leaving=self.leaving,
            preparing=prepare_in_thread,
            progress=self.progress,
        )


def is_new(sync: SyncState, commit: Commit) -> bool:
    """Tell whether a commit is another than the one that was synchronised last."""
    return sync.base is None or sync.base.commit != commit.id


async def import_commit(coming: IncomingCommit, *, force: bool, standalone: bool) -> SyncResult:
    """Bring a commit into its space, in the transaction of `coming`, and tell what was left out of it.

    Raises Conflict where the space is locked.
    """
    if coming.leaving.faults:
        return await _bring_rest(coming)
    brought = await _bring(coming, force=force, standalone=standalone)
    return replace(brought, message=brought.message + _left_out(coming.plan))


async def _bring(coming: IncomingCommit, *, force: bool, standalone: bool) -> SyncResult:
    base, space = coming.sync.base, coming.space
    if not is_new(coming.sync, coming.commit) and not (force or standalone):
        return SyncResult(f"The commit {coming.short} was synchronised already.", None)
    if space.edit_mode == "locked":
        raise Conflict("The repository has changes, but the space is locked. Unlock it first.")
    if standalone:
        return await _propose(coming, base or coming.synced)
    if force or (base and base.line is None and base.number == space.revision_number):
        return await _replace(coming)
    if base is not None:
        return await _merge(coming, base)
    held = await branch.read_content(coming.cx, Branch(space))
    if held.pages or held.files or held.reusable:
        return await _add(coming)
    return await _replace(coming)


async def _replace(coming: IncomingCommit) -> SyncResult:
    """Return the main content becomes what the repository is."""
    done = await coming.into(Branch(coming.space), mirror=True)
    number = coming.space.revision_number + done.changed
    return SyncResult(_told(coming, done.changed), replace(coming.synced, number=number))


async def _add(coming: IncomingCommit) -> SyncResult:
    """Sync a space with content for the first time: what the repository has is added, and wins.

    A change request keeps what the repository is, where the space has more.
    """
    main = Branch(coming.space)
    done = await coming.into(main, mirror=False)
    coming = replace(coming, space=await _again(coming))
    if _is_all(coming.plan, await branch.read_content(coming.cx, Branch(coming.space))):
        return SyncResult(_told(coming, done.changed), coming.synced)
    on = await open_request(coming.cx, coming.space, coming.synced, _subject(coming))
    await coming.into(on, mirror=True)
    await set_merged(coming.cx, on)
    return SyncResult(_told(coming, done.changed), replace(coming.synced, line=on.id, at=on.number))


async def _merge(coming: IncomingCommit, base: SyncedCommit) -> SyncResult:
    """Merge where both sides changed since `base`, or the space has more than the repository."""
    on = await open_request(coming.cx, coming.space, base, _subject(coming))
    done = await coming.into(on, mirror=True)
    if not done.changed:
        raise NothingNew
    synced = replace(base, commit=coming.commit.id, line=on.id, at=on.number)
    outcome = await merge.merge_undisputed(coming.cx, Where(on.space.id, on.id), git=coming.git)
    assert on.request is not None
    told = f"Merged the commit {coming.short} into the space"
    if outcome.done:
        return SyncResult(f"{told}.", synced)
    count = _count(len(outcome.conflicts), "conflict")
    where = f"{count} in change request #{on.request.number}, which is open"
    return SyncResult(f"{told}, except where both changed the same: {where}.", synced)


async def _propose(coming: IncomingCommit, base: SyncedCommit) -> SyncResult:
    """Return a change request that nobody merges: the main content stays as it is."""
    on = await open_request(coming.cx, coming.space, base, _subject(coming))
    done = await coming.into(on, mirror=coming.sync.base is not None)
    if not done.changed:
        raise NothingNew
    assert on.request is not None
    return SyncResult(f"The commit {coming.short} is in change request #{on.request.number}.", None)


async def _bring_rest(coming: IncomingCommit) -> SyncResult:
    """Return what can be imported of a commit with faults: in a change request,
    of which there is one to a commit.

    Somebody decides about it; the space stays as it is, and the commit is not taken for synchronised.
    """
    if coming.space.edit_mode == "locked":
        raise Conflict("The repository has changes, but the space is locked. Unlock it first.")
    number = await number_of_open(coming.cx, coming.space, _subject(coming))
    if number is not None:
        rest = f"The rest of the commit {coming.short} is in change request #{number}."
        return SyncResult(f"{coming.leaving.told} {rest}", None)
    proposed = await _propose(coming, coming.sync.base or coming.synced)
    rest = proposed.message.replace("The commit", "The rest of the commit", 1)
    return SyncResult(f"{coming.leaving.told} {rest}", None)


class NothingNew(Exception):
    """The files of the commit are those that were synchronised last: what was begun is to be undone."""


async def _again(coming: IncomingCommit) -> Space:
    from app.access.fetch import fetch

    return await fetch(coming.cx, Space, coming.space.id)


def _is_all(plan: Plan, held: BranchContent) -> bool:
    """Tell whether a line that has all of a plan has nothing else."""
    properties = held.properties
    counts = (len(held.pages), len(held.files), len(held.reusable))
    return (*counts, properties.variables, properties.redirects) == (
        len(plan.pages), len(plan.files), len(plan.reusable), plan.variables, plan.redirects,
    )  # fmt: skip


def _subject(coming: IncomingCommit) -> str:
    return f"Sync {coming.sync.name[:80]}@{coming.short}"


def _told(coming: IncomingCommit, changed: bool) -> str:
    if not changed:
        return f"The space holds what the commit {coming.short} has already."
    return f"Imported the commit {coming.short}."


def _left_out(plan: Plan) -> str:
    """Return a sentence on the files that were passed over, the first of them with the reason."""
    skipped = [problem for problem in plan.report.problems if problem.kind == "skipped"]
    if not skipped:
        return ""
    reasons = [each.message.removeprefix("Left out: ").rstrip(".") for each in skipped[:NAMED]]
    named = "; ".join(
        f"{each.file[:LONGEST_NAME]}: {why}" for each, why in zip(skipped, reasons, strict=False)
    )
    more = f"; and {len(skipped) - NAMED} more" if len(skipped) > NAMED else ""
    return f" {_count(len(skipped), 'file')} not taken over ({named}{more})."


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
