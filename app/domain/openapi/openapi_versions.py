"""Versions of an OpenAPI specification: which there are, what they say, their files by a stored address."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import orjson
from sqlalchemy import ColumnElement, Select, and_, or_, select

from app.access.context import Context
from app.access.fetch import fetch_page, permit_in
from app.domain.infrastructure import blobs
from app.domain.openapi.openapi_specs import NONE, f_, is_named, o_, v_
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import nested
from app.kit.database.statements import given, rows, table
from app.kit.errors import NotFound
from app.models.files import Blob
from app.models.openapi_specs import OpenAPIVersion
from app.models.organizations import Organization
from app.models.queries import PageQuery

LATEST = ""  # no version has this id
PUBLIC = "public"
NO_VERSION = "There is no such version of an OpenAPI specification."
_b = table(Blob)
_spec = o_.alias("meant")
_SIGNATURE = re.compile(r"([0-9]{1,9})\.([0-9A-Za-z_-]+)")


class VersionRow(Protocol):
    """A version with what is shown of its specification (see `_columns`)."""

    id: str
    entry: str
    slug: str
    organization_id: str
    visibility: str


class VersionContent(NamedTuple):
    """The files of a version as data."""

    version: VersionRow
    filesystem: dict[str, Any]


@dataclass(slots=True, frozen=True)
class RawVersion:
    """The file that a version begins with, as text."""

    text: str
    format: str


@dataclass(slots=True, frozen=True)
class StoredFile:
    """A file of a version, to be sent; `public` is for everybody who has the address."""

    name: str
    format: str
    size: int
    blob_id: str
    public: bool


def _columns() -> list[Any]:
    """A version with what is shown of its specification."""
    return [*v_.c, o_.c.slug, o_.c.organization_id, o_.c.visibility]


def _is_meant() -> ColumnElement[bool]:
    """Return the newest version, or that of the id."""
    version = given("version")
    return or_(and_(version == LATEST, v_.c.id == o_.c.last_version), v_.c.id == version)


def _one(*more: Any) -> Select[Any]:
    found = select(*_columns(), *more).join(o_, o_.c.id == v_.c.spec_id)
    return found.where(is_named(), _is_meant())


def _in_organization() -> Select[Any]:
    named = or_(o_.c.slug == given("spec"), o_.c.id == given("spec"))
    found = select(*_columns()).join(o_, o_.c.id == v_.c.spec_id)
    return found.where(o_.c.organization_id == given("inside"), named)


def _spec_itself() -> Select[Any]:
    named = or_(_spec.c.slug == given("spec"), _spec.c.id == given("spec"))
    return select(_spec.c.id).where(_spec.c.organization_id == given("inside"), named)


_LIST: Listing[Any] = Listing(
    "versions of an OpenAPI specification",
    OpenAPIVersion,
    _in_organization,
    order=lambda: [v_.c.id],
    descending=True,
    inside=Organization,
    beside=lambda: [nested(_spec_itself(), "specs")],
)
_ONE = rows(_one)
_BYTES = (_b.c.id.label("blob_id"), _b.c.data, _b.c.place)
_CONTENT = rows(lambda: _one(*_BYTES).join(_b, _b.c.id == v_.c.content_blob_id))
_RAW = rows(
    lambda: (
        _one(*_BYTES, f_.c.format)
        .join(f_, and_(f_.c.version_id == v_.c.id, f_.c.entrypoint))
        .join(_b, _b.c.id == f_.c.blob_id)
    )
)
_FILE = rows(
    lambda: (
        select(f_.c.name, f_.c.format, f_.c.size, f_.c.blob_id, o_.c.visibility)
        .join(v_, v_.c.id == f_.c.version_id)
        .join(o_, o_.c.id == v_.c.spec_id)
        .where(f_.c.version_id == given("version"), f_.c.name == given("name"))
    )
)


async def list_versions(cx: Context, organization_id: str, spec_slug: str, query: PageQuery) -> Page[Any]:
    """List the versions of an OpenAPI specification, newest first."""
    permit_in(cx, organization_id, can="listTeams")
    owner: Any
    owner, page = await fetch_page(cx, Organization, organization_id, _LIST, query.paging, spec=spec_slug)
    if not owner.specs:
        raise NotFound(NONE)
    return page


async def get_latest(cx: Context, organization_id: str, spec_slug: str) -> Any:
    """Get the newest version of an OpenAPI specification."""
    return await get(cx, organization_id, spec_slug, LATEST)


async def get(cx: Context, organization_id: str, spec_slug: str, version_id: str) -> Any:
    """Get a version of an OpenAPI specification."""
    return await _found(cx, _ONE, organization_id, spec_slug, version_id)


async def get_latest_content(cx: Context, organization_id: str, spec_slug: str) -> VersionContent:
    """Get the files of the newest version of an OpenAPI specification, as data."""
    return await get_content(cx, organization_id, spec_slug, LATEST)


async def get_content(cx: Context, organization_id: str, spec_slug: str, version_id: str) -> VersionContent:
    """Get the files of a version of an OpenAPI specification, as data."""
    found = await _found(cx, _CONTENT, organization_id, spec_slug, version_id)
    return VersionContent(found, orjson.loads(await blobs.whole(cx, found.blob_id, found.data, found.place)))


async def get_latest_raw(cx: Context, organization_id: str, spec_slug: str) -> RawVersion:
    """Get the file that the newest version of an OpenAPI specification begins with, as it came."""
    found = await _found(cx, _RAW, organization_id, spec_slug, LATEST)
    data = await blobs.whole(cx, found.blob_id, found.data, found.place)
    return RawVersion(data.decode("utf-8", "replace"), found.format)


async def get_file(cx: Context, signature: str, version_id: str, name: str) -> StoredFile:
    """A file of a version without its bytes; raises NotFound for an address that is not good (any more).

    The address says `public`, which holds as long as the specification is, or carries a signature.
    """
    found = await cx.db.get_by_key(_FILE, version=version_id, name=name)
    if not found or not _is_good(cx, signature, version_id, found[0].visibility):
        raise NotFound("This address is not valid, or not any more.")
    file = found[0]
    return StoredFile(file.name, file.format, file.size, file.blob_id, signature == PUBLIC)


def _is_good(cx: Context, signature: str, version_id: str, visibility: str) -> bool:
    if signature == PUBLIC:
        return bool(visibility == PUBLIC)
    said = _SIGNATURE.fullmatch(signature)
    if said is None or int(said[1]) < cx.now.toordinal():
        return False
    return cx.signer.good("openapi", f"{version_id} {said[1]}", said[2])


async def _found(cx: Context, using: Any, organization_id: str, spec_slug: str, version_id: str) -> Any:
    permit_in(cx, organization_id, can="listTeams")
    asked = {"organization": organization_id, "spec": spec_slug, "version": version_id}
    found = await cx.db.first(using, **asked)
    if found is None:
        raise NotFound(NO_VERSION)
    return found
