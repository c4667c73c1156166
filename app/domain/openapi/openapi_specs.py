"""OpenAPI specifications of an organization: made, read again, removed (specification, Endpoints).

Members see them; who may create content there changes them. What is asked for is processed by a job (see
`openapi_jobs`): the state is `pending` until it begins.
"""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import ColumnElement, Select, and_, case, or_, select

from app.access.context import Context
from app.access.fetch import permissions_at, permit_in
from app.domain import jobs
from app.domain.infrastructure import blobs
from app.domain.organizations import quotas
from app.kit.database.paging import Listing, Page
from app.kit.database.statements import given, query, rows, table
from app.kit.errors import Conflict, Invalid, NotFound
from app.kit.ids import new_id
from app.models.change_events import JobAction
from app.models.openapi_specs import (
    LONGEST_SLUG,
    SLUG_PATTERN,
    OpenAPIFile,
    OpenAPISource,
    OpenAPISpec,
    OpenAPISpecCreate,
    OpenAPISpecPut,
    OpenAPISpecUpdate,
    OpenAPIVersion,
)
from app.models.queries import PageQuery

SLUG = re.compile(SLUG_PATTERN)
_ID = re.compile(r"[0-9][0-9a-z]{19}")
PROCESS = "process_openapi"
RENEW = "renew_openapi_pages"
NONE = "There is no such OpenAPI specification."
OPENAPI_SPECS, OPENAPI_VERSIONS, OPENAPI_FILES = table(OpenAPISpec), table(OpenAPIVersion), table(OpenAPIFile)


def is_named() -> ColumnElement[bool]:
    """Return the specifications of the organization that a slug or an id means: values `organization`,
    `spec`.
    """
    mine = OPENAPI_SPECS.c.organization_id == given("organization")
    return and_(mine, or_(OPENAPI_SPECS.c.slug == given("spec"), OPENAPI_SPECS.c.id == given("spec")))


def named() -> Select[Any]:
    """Return the one that is meant: a slug that looks like another's id is a slug."""
    by_slug = case((OPENAPI_SPECS.c.slug == given("spec"), 0), else_=1)
    return select(*OPENAPI_SPECS.c).where(is_named()).order_by(by_slug).limit(1)


LIST: Listing[OpenAPISpec] = Listing(
    "OpenAPI specifications",
    OpenAPISpec,
    lambda: select(*OPENAPI_SPECS.c).where(OPENAPI_SPECS.c.organization_id == given("organization")),
    order=lambda: [OPENAPI_SPECS.c.id],
)
_ONE = query(OpenAPISpec, named)
BY_ID = query(OpenAPISpec, lambda: select(*OPENAPI_SPECS.c).where(OPENAPI_SPECS.c.id == given("id")))
_BLOBS = rows(
    lambda: (
        select(
            OPENAPI_VERSIONS.c.content_blob_id,
            OPENAPI_VERSIONS.c.bundle_blob_id,
            OPENAPI_VERSIONS.c.pages_blob_id,
            OPENAPI_FILES.c.blob_id,
        )
        .outerjoin(OPENAPI_FILES, OPENAPI_FILES.c.version_id == OPENAPI_VERSIONS.c.id)
        .where(OPENAPI_VERSIONS.c.spec_id == given("id"))
    )
)


async def list_specs(cx: Context, organization_id: str, query: PageQuery) -> Page[OpenAPISpec]:
    """List the OpenAPI specifications of an organization, oldest first."""
    permit_in(cx, organization_id, can="listTeams")
    return await LIST.page(cx.db, query.paging, cx.tokens, organization=organization_id)


async def get(cx: Context, organization_id: str, spec_slug: str) -> OpenAPISpec:
    """Get an OpenAPI specification by its slug or id."""
    permit_in(cx, organization_id, can="listTeams")
    return await find(cx, organization_id, spec_slug)


async def create(cx: Context, organization_id: str, new: OpenAPISpecCreate) -> OpenAPISpec:
    """Add an OpenAPI specification, from an address or a text; it is processed soon after.

    One from an address is read again by schedule. Raises Conflict where the slug is taken.
    """
    permit_in(cx, organization_id, can="createOpenAPISpec")
    spec_id = new_id()
    source = await _source(cx, new.source, organization_id, spec_id)
    if await cx.db.first(_ONE, organization=organization_id, spec=new.slug) is not None:
        raise Conflict("The organization has an OpenAPI specification with this slug.", path="slug")
    return await _add(cx, organization_id, spec_id, new.slug, source)


async def put(cx: Context, organization_id: str, spec_slug: str, change: OpenAPISpecPut) -> OpenAPISpec:
    """Set the source of an OpenAPI specification, which is made where there is none; read it again.

    The same source as before has it processed again.
    """
    permit_in(cx, organization_id, can="createOpenAPISpec")
    held = await cx.db.first(_ONE, organization=organization_id, spec=spec_slug)
    spec_id = new_id() if held is None else held.id
    source = await _source(cx, change.source, organization_id, spec_id)
    if held is None:
        if not is_slug(spec_slug):
            raise NotFound(NONE)  # it can only be an id
        return await _add(cx, organization_id, spec_id, spec_slug, source)
    values = {**source, "state": "pending", "run": new_id(), "updated_at": cx.now}
    changed = await cx.tx.change(OpenAPISpec, values, id=held.id)
    await _forget(cx, [held.text_blob_id])
    await ask(cx, changed)
    note_change(cx, "updated", changed)
    return changed


async def update(cx: Context, organization_id: str, spec_slug: str, change: OpenAPISpecUpdate) -> OpenAPISpec:
    """Set who may read the files of an OpenAPI specification."""
    permit_in(cx, organization_id, can="createOpenAPISpec")
    held = await find(cx, organization_id, spec_slug)
    values = {"visibility": change.visibility, "updated_at": cx.now}
    note_change(cx, "updated", held)
    return await cx.tx.change(OpenAPISpec, values, id=held.id)


async def delete(cx: Context, organization_id: str, spec_slug: str) -> None:
    """Delete an OpenAPI specification with its versions; a job deletes the pages made of it."""
    permit_in(cx, organization_id, can="createOpenAPISpec")
    held = await find(cx, organization_id, spec_slug)
    kept = {each for row in await cx.db.all(_BLOBS, id=held.id) for each in row if each}
    await jobs.cancel(cx, PROCESS, held.id)
    await jobs.cancel(cx, RENEW, held.id)
    await jobs.enqueue(cx, RENEW, held.id, organization_id, due_at=cx.now)
    await cx.tx.remove(OpenAPISpec, id=held.id)  # with versions and files
    note_change(cx, "deleted", held)
    await quotas.release(cx, held.id)
    await _forget(cx, [held.text_blob_id, *kept])


async def find(cx: Context, organization_id: str, spec_slug: str) -> OpenAPISpec:
    """Return a specification of the organization; raises NotFound. Whether it may be seen is asked before."""
    found = await cx.db.first(_ONE, organization=organization_id, spec=spec_slug)
    if found is None:
        raise NotFound(NONE)
    return found


def is_slug(text: str) -> bool:
    """Return whether a specification that is made by naming it could be called so:
    what looks like an id is one.
    """
    return len(text) <= LONGEST_SLUG and SLUG.fullmatch(text) is not None and not _ID.fullmatch(text)


def permissions(cx: Context, row: OpenAPISpec) -> dict[str, bool]:
    """Return the `permissions` of a specification, from the table that refuses."""
    membership = cx.actor.memberships.get(row.organization_id)
    return permissions_at(cx, "openapi", row.organization_id, membership.level if membership else 0)


async def ask(cx: Context, row: OpenAPISpec) -> None:
    """Have a specification processed now, whenever it was to be."""
    await jobs.cancel(cx, PROCESS, row.id)
    await jobs.enqueue(cx, PROCESS, row.id, row.organization_id, due_at=cx.now, payload={"run": row.run})


async def _add(
    cx: Context, organization_id: str, spec_id: str, slug: str, source: dict[str, Any]
) -> OpenAPISpec:
    made = await cx.tx.add(
        OpenAPISpec,
        id=spec_id,
        organization_id=organization_id,
        slug=slug,
        **source,
        visibility="private",
        state="pending",
        run=new_id(),
        last_version=None,
        processed_at=None,
        errors=None,
        warnings=None,
        created_at=cx.now,
        updated_at=cx.now,
    )
    await ask(cx, made)
    note_change(cx, "created", made)
    return made


def note_change(cx: Context, action: JobAction, spec: OpenAPISpec) -> None:
    """Note a change of a specification, or of its processing, for the feed."""
    cx.changed("openapi-spec", action, spec.organization_id, job_id=spec.id)


async def _source(cx: Context, source: OpenAPISource, organization_id: str, spec_id: str) -> dict[str, Any]:
    """Return the columns of a source; raises Invalid where it is not one thing."""
    sent = source.model_fields_set
    if len(sent & {"url", "text"}) != 1:
        raise Invalid("A source is either a url or a text.", path="source")
    if "url" in sent:
        _check_address(source.url)
        return {"source_url": source.url, "text_blob_id": None}
    data = source.text.encode("utf-8", "surrogatepass")
    if len(data) > cx.settings.openapi_max_bytes:
        most = f"{cx.settings.openapi_max_bytes:,}"
        raise Invalid(f"A specification may have at most {most} bytes.", path="source.text")
    key = sha256(data).hexdigest()
    await blobs.keep(cx, {key: data}, organization_id, spec_id)
    return {"source_url": None, "text_blob_id": key}


def _check_address(url: str) -> None:
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
    if not host:
        raise Invalid("The address is not a valid URL.", path="source.url")
    if "@" in parts.netloc:  # everybody who sees the specification sees its address
        raise Invalid("The address may not contain a user name or password.", path="source.url")


async def _forget(cx: Context, blob_ids: list[str | None]) -> None:
    """Remove bytes that nothing holds any more."""
    await blobs.remove_unused(cx, [blob_id for blob_id in blob_ids if blob_id is not None])
