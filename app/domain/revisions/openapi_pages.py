"""Pages computed from an OpenAPI specification: one that somebody places, and all those below it.

All of them depend on the specification (`computed.dependencies`); the placed page also says which version
it shows, and its seed is the specification's id. What is below it is named after what it shows, so that an
operation is the same page in every version: of a new version only what differs is written, and all else goes
on from revision to revision.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from hashlib import sha256
from typing import Any

import orjson
from sqlalchemy import select

from app.access.audit_actions import AuditAction
from app.access.context import Context
from app.domain import jobs
from app.domain.infrastructure import blobs
from app.domain.jobs import NOBODY, JobRuntime
from app.domain.openapi.openapi_specs import BY_ID, NONE, OPENAPI_SPECS, OPENAPI_VERSIONS, RENEW, find
from app.domain.revisions.branch import Branch
from app.domain.revisions.commit import commit
from app.domain.revisions.documents import document_id
from app.domain.revisions.drafts import PAGE_VERSIONS, Draft
from app.domain.revisions.records import PageRecord
from app.formats.openapi.pages import SPEC
from app.formats.repository.names import slug as slug_of
from app.kit.database.statements import given, query, rows, table
from app.kit.errors import Conflict, Invalid, NotFound
from app.kit.ids import rank_after, rank_between, spread_ranks
from app.models.change_requests import ChangeRequest
from app.models.jobs import Job
from app.models.openapi_specs import OpenAPISpec
from app.models.spaces import Space

TYPE = "builtin:openapi"
AT_ONCE = 1_000  # pages that are written while somebody waits
UNREAD = "The pages of this specification are being made.\n"
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


def is_placed(page: PageRecord) -> bool:
    """Tell whether a page is one that somebody placed, with what is computed below it."""
    return bool(page.computed and page.computed["props"].get("doc") == "info")


def shown_version(page: PageRecord) -> str | None:
    """Return the version that the pages below a placed page show."""
    found: str | None = (page.computed or {})["dependencies"]["spec"].get("version")
    return found


def check_change(page: PageRecord, path: str, *, body: bool = False) -> None:
    """Refuse to change what is computed: all but the place and the look of the page that was placed."""
    if page.computed and (body or not is_placed(page)):
        raise Conflict("This page is computed; change its source instead.", path=path)


def check_parent(page: PageRecord, path: str) -> None:
    """Refuse to put a page among those that are computed."""
    if page.computed:
        raise Invalid("The pages below this one are computed; no others can be added.", path=path)


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
        draft.write(page.page_id, UNREAD)
    else:
        await _fill(draft, page, spec.last_version, slug, found)
    if len(found) > AT_ONCE:
        await jobs.enqueue(draft.cx, RENEW, spec.id, spec.organization_id, due_at=draft.cx.now)


async def fill(draft: Draft, page: PageRecord, version_id: str) -> None:
    """Make what is below a placed page, and its own text, what a version says."""
    await _fill(draft, page, version_id, *await version_pages(draft.cx, version_id))


async def _fill(
    draft: Draft, page: PageRecord, version_id: str, slug: str, found: Sequence[dict[str, Any]]
) -> None:
    page_id, spec_id, props = page.page_id, page.computed_seed or "", (page.computed or {})["props"]
    page.computed = {"type": TYPE, "props": props, "dependencies": _depends(spec_id, version_id)}
    if props.get("models") is False:
        found = [each for each in found if each["props"].get("doc") != "models"]
    ids = {each["key"]: _id(page_id, each["key"]) for each in found}
    before = {row.page_id: row for row in await draft.under(page_id)}
    _rank(found, ids, before)
    for each in found:
        body = each["body"].replace(SPEC, slug)
        if each["parent"] is None:
            _write(draft, page, body)
        else:
            _write(draft, _computed(each, ids, draft, spec_id), body)
    for gone in before.keys() - ids.values():
        draft.pages[gone] = None
        draft.bodies.pop(gone, None)


def _id(page_id: str, key: str) -> str:
    """Return the id of what a key means below a placed page."""
    return page_id if key == "" else f"{page_id}-{sha256(key.encode()).hexdigest()[:16]}"


def _computed(each: dict[str, Any], ids: dict[str, str], draft: Draft, spec_id: str) -> PageRecord:
    """Return a computed page as it shall be, in the draft."""
    page_id, parent_id = ids[each["key"]], ids[each["parent"]]
    page = draft.pages.get(page_id) or PageRecord(
        page_id=page_id, kind="document", title="", slug="", parent_id=parent_id, rank=""
    )
    page.set(
        title=each["title"],
        slug=each["slug"],
        parent_id=parent_id,
        rank=each["rank"],
        description=each["description"] or None,
        computed={"type": TYPE, "props": each["props"], "dependencies": _depends(spec_id, None)},
        computed_seed=None,
    )
    draft.pages[page_id] = page
    return page


def _write(draft: Draft, page: PageRecord, body: str) -> None:
    """Give a page its text, unless it is the one that it has."""
    key = document_id(body)
    if page.computed_seed is None:
        page.computed_seed = key[:20]
    if page.document_id != key:
        draft.write(page.page_id, body)


def _rank(found: Sequence[dict[str, Any]], ids: dict[str, str], before: dict[str, PageRecord]) -> None:
    """Rank siblings in their order; those whose ranks are in order already keep them."""
    families: dict[str, list[dict[str, Any]]] = {}
    for each in found:
        if each["parent"] is not None:
            families.setdefault(each["parent"], []).append(each)
    for family in families.values():
        held = [before[page_id].rank if (page_id := ids[e["key"]]) in before else None for e in family]
        if not any(held):
            for each, fresh in zip(family, spread_ranks(len(family)), strict=True):
                each["rank"] = fresh
            continue
        last: str | None = None
        for n, each in enumerate(family):
            rank: str | None = held[n]
            if rank is None or (last is not None and rank <= last):
                following = (r for r in held[n + 1 :] if r is not None and (last is None or r > last))
                high = min(following, default=None)
                rank = rank_after(last) if high is None else rank_between(last, high)
            each["rank"] = last = rank


def source_slug(title: str) -> str:
    """Return the slug of a placed page that was given none."""
    return slug_of(title) or "api"


ACTION = AuditAction("job", "renewOpenAPIPages")
SPACES, CHANGE_REQUESTS = table(Space), table(ChangeRequest)
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
_SPACE = query(Space, lambda: select(*SPACES.c).where(SPACES.c.id == given("id")))
_REQUEST = query(ChangeRequest, lambda: select(*CHANGE_REQUESTS.c).where(CHANGE_REQUESTS.c.id == given("id")))


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


async def _line(cx: Context, line_id: str) -> Branch | None:
    """Return the line, if it may be written on; nobody else does meanwhile."""
    request = await cx.db.first(_REQUEST, id=line_id)
    if request is not None and request.status == "merged":
        return None
    space_id = request.space_id if request else line_id
    await cx.tx.lock(space_id)
    space = await cx.db.first(_SPACE, id=space_id)
    return None if space is None else Branch(space, request)
