"""Pages computed from an OpenAPI specification: one that somebody places, and all those below it.

All of them depend on the specification (`computed.dependencies`); the placed page also says which version
it shows, and its seed is the specification's id. What is below it is named after what it shows, so that an
operation is the same page in every version: of a new version only what differs is written, and all else goes
on from revision to revision.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import orjson
from sqlalchemy import select

from app.access.audit_actions import AuditAction
from app.access.context import Context
from app.domain import jobs
from app.domain.infrastructure import blobs
from app.domain.integrations import outbox
from app.domain.jobs import NOBODY, JobRuntime
from app.domain.openapi.openapi_specs import BY_ID, NONE, OPENAPI_SPECS, OPENAPI_VERSIONS, RENEW, find
from app.domain.revisions import computed_pages
from app.domain.revisions.commit import commit
from app.domain.revisions.computed_pages import ComputedPage, is_placed, line_to_write
from app.domain.revisions.documents import document_id
from app.domain.revisions.drafts import PAGE_VERSIONS, Draft
from app.domain.revisions.records import PageRecord
from app.formats.openapi.pages import SPEC
from app.formats.repository.names import slug as slug_of
from app.kit.database.statements import given, rows
from app.kit.errors import Invalid, NotFound
from app.models.jobs import Job
from app.models.openapi_specs import OpenAPISpec

TYPE = "builtin:openapi"
AT_ONCE = 1_000  # pages that are written while somebody waits
UNREAD = "The pages of this specification are being made.\n"
UNREADABLE = "This specification cannot be read, so it has no pages.\n"
_PAGES = rows(
    lambda: (
        select(OPENAPI_VERSIONS.c.pages_blob_id, OPENAPI_SPECS.c.slug)
        .join(OPENAPI_SPECS, OPENAPI_SPECS.c.id == OPENAPI_VERSIONS.c.spec_id)
        .where(OPENAPI_VERSIONS.c.id == given("id"))
    )
)


async def named(cx: Context, organization_id: str, name: str, path: str) -> OpenAPISpec:
    """Return the specification that a change names, of the space's organization; raises Invalid."""
    try:
        return await find(cx, organization_id, name)
    except NotFound:
        raise Invalid(NONE, path=path) from None


def placed(spec: OpenAPISpec, *, models: bool) -> dict[str, Any]:
    """Return what makes a page the one that a specification's pages are below."""
    props = {"doc": "info", "page": "info", **({} if models else {"models": False})}
    return {
        "computed": {"type": TYPE, "props": props, "dependencies": _depends(spec.id, None)},
        "computed_seed": spec.id,
    }


def _depends(spec_id: str, version_id: str | None) -> dict[str, Any]:
    """Return the dependency of a page on a specification, and on a version of it if one is given."""
    version = {"version": version_id} if version_id else {}
    return {"spec": {"ref": {"kind": "openapi", "spec": spec_id}, **version}}


def shown_version(page: PageRecord) -> str | None:
    """Return the version that the pages below a placed page show."""
    found: str | None = (page.computed or {})["dependencies"]["spec"].get("version")
    return found


async def version_pages(cx: Context, version_id: str) -> tuple[str, list[dict[str, Any]]]:
    """Return the slug of a version's specification, and the pages that the version becomes."""
    found = await cx.db.first(_PAGES, id=version_id)
    if found is None:
        raise NotFound(NONE)
    return found.slug, orjson.loads(await blobs.read(cx, found.pages_blob_id))


async def place(draft: Draft, page: PageRecord, spec: OpenAPISpec) -> None:
    """Fill a new page with what its specification says, or have a job do so where that is much."""
    slug, found = await version_pages(draft.cx, spec.last_version) if spec.last_version else ("", [])
    if spec.last_version is None or len(found) > AT_ONCE:
        draft.write(page.page_id, _in_place_of_pages(spec))
    else:
        await _fill(draft, page, spec.last_version, slug, found)
    if spec.last_version is None or len(found) > AT_ONCE:  # a version may come while this is written
        await jobs.enqueue(draft.cx, RENEW, spec.id, spec.organization_id, due_at=draft.cx.now)


def _in_place_of_pages(spec: OpenAPISpec) -> str:
    """Return the text of a placed page while there are no pages below it."""
    return UNREADABLE if spec.last_version is None and spec.errors else UNREAD


async def fill(draft: Draft, page: PageRecord, version_id: str) -> None:
    """Make what is below a placed page, and its own text, what a version says."""
    await _fill(draft, page, version_id, *await version_pages(draft.cx, version_id))


async def _fill(
    draft: Draft, page: PageRecord, version_id: str, slug: str, found: Sequence[dict[str, Any]]
) -> None:
    spec_id, props = page.computed_seed or "", (page.computed or {})["props"]
    page.computed = {"type": TYPE, "props": props, "dependencies": _depends(spec_id, version_id)}
    if props.get("models") is False:
        found = [each for each in found if each["props"].get("doc") not in ("models", "model")]
    own = next((each["body"].replace(SPEC, slug) for each in found if each["parent"] is None), None)
    below = [_computed(each, slug, spec_id) for each in found if each["parent"] is not None]
    await computed_pages.fill(draft, page, own, below)


def _computed(each: dict[str, Any], slug: str, spec_id: str) -> ComputedPage:
    """Return a page that a specification becomes; its seed is a hash of its text."""
    body = each["body"].replace(SPEC, slug)
    return ComputedPage(
        key=each["key"],
        parent=each["parent"],
        title=each["title"],
        slug=each["slug"],
        description=each["description"] or None,
        computed={"type": TYPE, "props": each["props"], "dependencies": _depends(spec_id, None)},
        seed=document_id(body)[:20],
        body=body,
    )


def source_slug(title: str) -> str:
    """Return the slug of a placed page that was given none."""
    return slug_of(title) or "api"


ACTION = AuditAction("job", "renewOpenAPIPages")
_SHOWING = rows(
    lambda: (
        select(PAGE_VERSIONS.c.line_id)
        .distinct()
        .where(PAGE_VERSIONS.c.computed_seed == given("spec"), PAGE_VERSIONS.c.valid_to.is_(None))
    )
)
_PLACED = rows(
    lambda: select(PAGE_VERSIONS.c.page_id).where(
        PAGE_VERSIONS.c.computed_seed == given("spec"),
        PAGE_VERSIONS.c.valid_to.is_(None),
        PAGE_VERSIONS.c.line_id == given("line"),
    )
)


async def renew(runtime: JobRuntime, job: Job) -> None:
    """Bring every line that shows a specification up to its last version; a deleted one has no pages."""
    cx = runtime.context(NOBODY)
    spec = await cx.db.first(BY_ID, id=job.subject)
    for row in await cx.db.all(_SHOWING, spec=job.subject):
        change = partial(_renew_line, spec=spec) if spec else partial(_clear_line, spec_id=job.subject)
        await runtime.write(NOBODY, partial(change, line_id=row.line_id), ACTION)
    ask = partial(outbox.renew_sources_of, organization_id=job.organization_id)
    await runtime.write(NOBODY, ask, ACTION)


async def _clear_line(cx: Context, *, spec_id: str, line_id: str) -> None:
    """Take away the pages that were computed from a specification that is gone."""
    line = await line_to_write(cx, line_id)
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
    line, latest = await line_to_write(cx, line_id), spec.last_version
    if line is None or line.space.organization_id != spec.organization_id:
        return
    draft = Draft(cx, line)
    ids = [row.page_id for row in await cx.db.all(_PLACED, spec=spec.id, line=line_id)]
    await draft.read(ids)
    for page_id in ids:
        page = draft.pages.get(page_id)
        if page and is_placed(page) and latest is None:
            computed_pages.write(draft, page, _in_place_of_pages(spec))
        elif page and latest is not None and is_placed(page) and shown_version(page) != latest:
            await fill(draft, page, latest)
    if draft.changed or draft.bodies:
        cx.note("space", line.space.id, line.space.organization_id, line.space.title)
        await commit(draft, type="computed")
