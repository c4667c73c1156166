"""A new version of a specification comes to every space that shows it: a `computed` revision of each line.

A job's work (see `work`), one transaction for each line: spaces' main lines, and those of change requests
that are not merged. A locked space is renewed too, since nobody edits it; so are deleted spaces and archived
requests, which come back as they are.
"""

from __future__ import annotations

from functools import partial

from sqlalchemy import select

from app.access.audit_actions import AuditAction
from app.access.context import Context
from app.domain.jobs.job_runtime import NOBODY, JobRuntime
from app.domain.openapi.openapi_specs import BY_ID
from app.domain.writing.committing import commit
from app.domain.writing.drafts import Draft, p_
from app.domain.writing.line import Line
from app.domain.writing.openapi_pages import fill, is_placed, shown_version
from app.kit.database.statements import given, query, rows, table
from app.models.change_requests import ChangeRequest
from app.models.openapi_specs import OpenAPISpec
from app.models.service import Job
from app.models.spaces import Space

ACTION = AuditAction("job", "renewOpenAPIPages")
_s, _q = table(Space), table(ChangeRequest)
_SHOWING = rows(
    lambda: (
        select(p_.c.line_id).distinct().where(p_.c.computed_seed == given("spec"), p_.c.valid_to.is_(None))
    )
)
_PLACED = rows(
    lambda: select(p_.c.page_id).where(
        p_.c.computed_seed == given("spec"), p_.c.valid_to.is_(None), p_.c.line_id == given("line")
    )
)
_SPACE = query(Space, lambda: select(*_s.c).where(_s.c.id == given("id")))
_REQUEST = query(ChangeRequest, lambda: select(*_q.c).where(_q.c.id == given("id")))


async def renew(runtime: JobRuntime, job: Job) -> None:
    """Bring every line that shows a specification up to its last version; a deleted one has no pages."""
    cx = runtime.context(NOBODY)
    spec = await cx.db.first(BY_ID, id=job.subject)
    if spec is not None and spec.last_version is None:
        return
    for row in await cx.db.all(_SHOWING, spec=job.subject):
        change = partial(_renew_line, spec=spec) if spec else partial(_clear_line, spec_id=job.subject)
        await runtime.write(NOBODY, partial(change, line_id=row.line_id), ACTION)


async def _clear_line(cx: Context, *, spec_id: str, line_id: str) -> None:
    """Take away the pages that were computed from a specification that is gone."""
    line = await _line(cx, line_id)
    if line is None:
        return
    draft = Draft(cx, line)
    placed = [row.page_id for row in await cx.db.all(_PLACED, spec=spec_id, line=line_id)]
    if not placed:
        return
    await draft.read(placed)
    for page_id in placed:
        await draft.delete(page_id)
    cx.note("space", line.space.id, line.space.organization_id, line.space.title)
    await commit(draft, type="computed")


async def _renew_line(cx: Context, *, spec: OpenAPISpec, line_id: str) -> None:
    line, latest = await _line(cx, line_id), spec.last_version
    if line is None or latest is None or line.space.organization_id != spec.organization_id:
        return
    draft = Draft(cx, line)
    ids = [row.page_id for row in await cx.db.all(_PLACED, spec=spec.id, line=line_id)]
    await draft.read(ids)
    for page_id in ids:
        page = draft.pages.get(page_id)
        if page and is_placed(page) and shown_version(page) != latest:
            await fill(draft, page, latest)
    if draft.changed or draft.bodies:
        cx.note("space", line.space.id, line.space.organization_id, line.space.title)
        await commit(draft, type="computed")


async def _line(cx: Context, line_id: str) -> Line | None:
    """The line, if it may be written on; nobody else does meanwhile."""
    request = await cx.db.first(_REQUEST, id=line_id)
    if request is not None and request.status == "merged":
        return None
    space_id = request.space_id if request else line_id
    await cx.tx.lock(space_id)
    space = await cx.db.first(_SPACE, id=space_id)
    return None if space is None else Line(space, request)
