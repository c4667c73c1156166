"""Import runs: asked for here, done by a job (`import_jobs`). The newest first, kept for thirty days.

Who started a run sees it and may cancel it, as may the administrators of the organization. A run writes its
content in one transaction at the end, which needs the run to be in progress still: a cancelled one leaves
nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from hashlib import sha256
from typing import Any, Literal, Protocol

from sqlalchemy import ColumnElement, Integer, Select, delete, or_, select

from app.access.context import Context
from app.access.fetch import fetch_named, may_in, named, organization_level, permit, permit_in
from app.domain import jobs
from app.domain.change_requests import change_requests
from app.domain.content.views import Where
from app.domain.imports import import_sources
from app.domain.infrastructure import blobs
from app.domain.organizations import quotas
from app.domain.revisions import branch
from app.domain.sites import site_spaces, structure
from app.domain.uploads import uploads
from app.formats.repository.file_tree import unfit
from app.kit.database.columns import Instant
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import days_ago, nested
from app.kit.database.statements import Statement, command, given, query, rows, shown, table
from app.kit.errors import Conflict, Invalid, NotFound
from app.kit.ids import new_id
from app.models.base import wire_name
from app.models.change_events import JobAction
from app.models.files import LARGEST_UPLOAD
from app.models.imports import ImportFile, ImportRun, ImportRunCreate, ImportRunSourceSent, ImportTargetSent
from app.models.queries import PageQuery
from app.models.spaces import Space
from app.models.users import User

RUN = "run_import"  # the job
KEPT = timedelta(days=30)
UNENDED = ("pending", "in-progress")
RunEnd = Literal["completed", "failed", "cancelled"]
IMPORT_RUNS, IMPORT_FILES, USERS = table(ImportRun), table(ImportFile), table(User)


def _theirs() -> ColumnElement[bool]:
    """Return the runs of the organization that the caller sees; needs `organization`,
    `all_of_them` and `user`.
    """
    mine = or_(given("all_of_them", Integer()) == 1, IMPORT_RUNS.c.created_by == given("user"))
    return (IMPORT_RUNS.c.organization_id == given("organization")) & mine


class ImportRunRow(Protocol):
    """An import run with the person who began it, in a list of one."""

    id: str
    organization_id: str
    space_id: str | None
    change_request_id: str | None
    page_id: str | None
    pages_read: int
    pages_found: int
    result: dict[str, Any] | None
    creator: Sequence[User]


def _creator() -> Any:
    return nested(select(*USERS.c).where(USERS.c.id == IMPORT_RUNS.c.created_by), "creator")


def _list() -> Select[Any]:
    found = select(*shown(ImportRun, besides=("problems",)), _creator())
    return found.where(_theirs(), IMPORT_RUNS.c.created_at >= days_ago(KEPT.days))


_ALL: Listing[ImportRun] = Listing(
    "import runs", ImportRun, _list, order=lambda: [IMPORT_RUNS.c.id], descending=True
)
_ONE: Statement[Any] = query(
    ImportRun, lambda: select(*IMPORT_RUNS.c, _creator()).where(_theirs(), IMPORT_RUNS.c.id == given("id"))
)
_BY_ID = query(ImportRun, lambda: select(*IMPORT_RUNS.c).where(IMPORT_RUNS.c.id == given("id")))
_FORGET_OLD = command(
    lambda: delete(IMPORT_RUNS).where(
        IMPORT_RUNS.c.organization_id == given("organization"),
        IMPORT_RUNS.c.created_at < given("until", Instant()),
        IMPORT_RUNS.c.ended_at.is_not(None),
    )
)
_TAKE_FILES = rows(
    lambda: (
        delete(IMPORT_FILES).where(IMPORT_FILES.c.run_id == given("run")).returning(IMPORT_FILES.c.blob_id)
    )
)


async def list_in_organization(cx: Context, organization_id: str, query: PageQuery) -> Page[ImportRun]:
    """List the import runs of an organization that the caller started, newest first, for thirty days.

    Administrators of the organization see those of everybody.
    """
    permit_in(cx, organization_id)
    return await _ALL.page(
        cx.db, query.paging, cx.tokens, sight=_sight(cx, organization_id), organization=organization_id
    )


async def get(cx: Context, organization_id: str, import_run_id: str) -> Any:
    """Get an import run with its progress, its result and what was left out."""
    permit_in(cx, organization_id)
    values = {"organization": organization_id, "id": import_run_id, **_sight(cx, organization_id)}
    found = await cx.db.first(_ONE, **values)
    if found is None:
        raise NotFound("There is no such import run.")
    return found


async def receive(cx: Context, organization_id: str, new: ImportRunCreate) -> Mapping[str, bytes]:
    """Return the bytes of the files that were sent, by their names; raises Invalid."""
    permit_in(cx, organization_id)
    sent = new.source.files if new.source.type == "file" and "files" in new.source.model_fields_set else []
    found: dict[str, bytes] = {}
    for index, file in enumerate(sent):
        path = f"source.files.{index}"
        if reason := unfit(file.name):
            raise Invalid(f"The file cannot be imported: {reason}.", path=f"{path}.name")
        if any(file.name.casefold() == other.name.casefold() for other in sent[:index]):
            raise Invalid("Another file has this name.", path=f"{path}.name")
        if len(file.model_fields_set & {"url", "base64", "upload"}) != 1:
            raise Invalid("Give one of `url`, `base64` and `upload`.", path=path)
        if "base64" in file.model_fields_set:
            found[file.name] = await blobs.decoded(file.base64, f"{path}.base64")
    uploaded = await uploads.find(cx, organization_id, _uploaded(new))
    if sum(upload.size for upload in uploaded.values()) > LARGEST_UPLOAD:
        together = f"The uploads of an import may have at most {LARGEST_UPLOAD:,} bytes together."
        raise Invalid(together, path="source.files")
    return found


def _uploaded(new: ImportRunCreate) -> dict[str, str]:
    """Return the ids of the uploads that an import names, by the path of each."""
    files = enumerate(new.source.files if "files" in new.source.model_fields_set else ())
    return {f"source.files.{n}.upload": file.upload for n, file in files if "upload" in file.model_fields_set}


async def start(
    cx: Context, organization_id: str, new: ImportRunCreate, received: Mapping[str, bytes]
) -> Any:
    """Start an import run: pages of a website or files become pages of a space, soon after.

    `GET …/imports/{importRunId}` tells how far it is. It needs the right to edit the target, or to create
    content in the organization where it names no space. The content is written at once when all of it has
    been read; a run that is cancelled or fails leaves nothing.
    """
    permit_in(cx, organization_id, can="view" if "space" in new.target.sent() else "createContent")
    source = _source(new.source)
    if new.enhance:
        raise Invalid("Imported content is not rewritten; leave this out.", path="enhance")
    space_id, request_id = await _check_target(cx, organization_id, new.target)
    opens = "change_request_subject" in new.target.sent()
    if "site" in new.sent():
        await _check_site(cx, organization_id, new, space_id)
    run = await cx.tx.add(
        ImportRun,
        id=new_id(),
        organization_id=organization_id,
        created_by=cx.actor.user_id,
        source=source,
        space_id=space_id,
        change_request_id=request_id,
        change_request_subject=new.target.change_request_subject if opens else None,
        agent_task_id=change_requests.task_of(cx),
        page_id=new.target.page,
        site_id=new.site,
        status="pending",
        attempt=0,
        pages_read=0,
        pages_found=0,
        result=None,
        error=None,
        problems=None,
        more_problems=0,
        created_at=cx.now,
        started_at=None,
        ended_at=None,
    )
    await _keep_files(cx, run, new, received)
    await jobs.enqueue(cx, RUN, run.id, organization_id, due_at=cx.now)
    note_change(cx, "created", run)
    await cx.tx.run(_FORGET_OLD, organization=organization_id, until=cx.now - KEPT)
    return await get(cx, organization_id, run.id)


async def _keep_files(
    cx: Context, run: ImportRun, new: ImportRunCreate, received: Mapping[str, bytes]
) -> None:
    """Keep the files that were sent until the run ends."""
    kept = {name: sha256(data).hexdigest() for name, data in received.items()}
    if received:
        data_by_id = {kept[name]: data for name, data in received.items()}
        await blobs.keep(cx, data_by_id, run.organization_id, run.id)
    taken = await uploads.take(cx, run.organization_id, run.id, _uploaded(new))
    kept |= {file.name: taken[file.upload] for file in new.source.files or () if file.upload in taken}
    await cx.tx.add_many(
        ImportFile, [{"run_id": run.id, "name": name, "blob_id": blob} for name, blob in kept.items()]
    )


async def cancel(cx: Context, organization_id: str, import_run_id: str) -> Any:
    """Cancel an import run that has not ended: it writes nothing any more, and has written nothing.

    Raises Conflict where it has ended otherwise.
    """
    run = await get(cx, organization_id, import_run_id)
    if run.status == "cancelled":
        return run
    if run.status not in UNENDED:
        raise Conflict(f"The import run has already ended: it is {run.status}.")
    await jobs.cancel(cx, RUN, run.id)
    await end(cx, run, "cancelled")
    return await get(cx, organization_id, import_run_id)


async def abandon(cx: Context, run_id: str) -> None:
    """Note that a run was cancelled whose job is gone, unless it has ended."""
    run = await cx.db.first(_BY_ID, id=run_id)
    if run is not None and run.status in UNENDED:
        await end(cx, run, "cancelled")


async def end(cx: Context, run: ImportRun, status: RunEnd, **values: Any) -> None:
    """Keep how a run has ended, and give back what was kept for it."""
    ended = await cx.tx.change(ImportRun, {"status": status, "ended_at": cx.now, **values}, id=run.id)
    note_change(cx, status, ended)
    held = [row.blob_id for row in await cx.db.all(_TAKE_FILES, run=run.id)]
    await quotas.release(cx, run.id)
    await blobs.remove_unused(cx, held)


def note_change(cx: Context, action: JobAction, run: ImportRun) -> None:
    """Note a change of a run for the feed."""
    ids = {"space_id": run.space_id, "change_request_id": run.change_request_id, "page_id": run.page_id}
    cx.changed("import-run", action, run.organization_id, job_id=run.id, **ids)


def _sight(cx: Context, organization_id: str) -> dict[str, Any]:
    return {"all_of_them": int(may_in(cx, organization_id, can="admin")), "user": cx.actor.user_id}


def _source(source: ImportRunSourceSent) -> dict[str, Any]:
    """Return the source as it is kept, without the bytes of files;
    raises Invalid where it is not one thing.
    """
    wanted, other = ("url", "files") if source.type == "website" else ("files", "url")
    if wanted not in source.model_fields_set:
        raise Invalid(f"A source of the type {source.type} needs `{wanted}`.", path=f"source.{wanted}")
    if other in source.model_fields_set:
        raise Invalid(f"A source of the type {source.type} has no `{other}`.", path=f"source.{other}")
    if source.type == "website":
        return {"type": "website", "url": source.url}
    files = [file.model_dump(include={"name", "url"}, exclude_none=True) for file in source.files]
    return {"type": "file", "files": files}


async def _check_target(
    cx: Context, organization_id: str, target: ImportTargetSent
) -> tuple[str | None, str | None]:
    """Return the ids of the target's space and change request, if the caller may write there."""
    sent = target.sent()
    if "space" not in sent:
        for name in ("change_request", "change_request_subject", "page"):
            if name in sent:
                raise Invalid("This needs the space that it is in.", path=f"target.{wire_name(name)}")
        return None, None
    if sent.keys() >= {"change_request", "change_request_subject"}:
        raise Invalid("Name a change request, or open one, not both.", path="target.changeRequestSubject")
    space = await fetch_named(cx, Space, target.space, path="target.space", can="view")
    if space.organization_id != organization_id:
        raise Invalid("The space belongs to another organization.", path="target.space")
    if "change_request_subject" in sent:
        permit(cx, Space, space, can="edit")
        where = Where(space.id)
    else:
        with named("target.changeRequest"):
            where = (await branch.writable(cx, Where(space.id, sent.get("change_request")))).where
    if "page" in sent:
        with named("target.page"):
            await import_sources.check_page(cx, where, target.page)
    return space.id, where.change_request


async def _check_site(cx: Context, organization_id: str, new: ImportRunCreate, space_id: str | None) -> None:
    """Refuse a site that the caller may not show the space on."""
    if new.target.sent().keys() & {"change_request", "change_request_subject"}:
        raise Invalid("A site shows a space, not its change requests.", path="site")
    with named("site"):
        whole = await structure.of(cx, organization_id, new.site, can="create")
    if space_id is None:
        whole.permit_levels([organization_level(cx, organization_id)])
    elif not whole.shows(space_id):
        await site_spaces.publishable(whole, space_id, "target.space")
