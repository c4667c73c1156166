"""Versions of an OpenAPI specification: which there are, what they say, and what blocks show of them.

Versions of an OpenAPI specification: which there are, what they say, their files by a stored address.

What `{% openapi %}` blocks show: operations and schemas of the newest version, ready to be shown.

For the reader, which has already judged who may see the page. Documents and views that were asked for last
are kept in memory by their version, which never changes.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import orjson
from cachetools import LRUCache
from sqlalchemy import ColumnElement, Select, and_, func, or_, select

from app.access.context import Context
from app.access.fetch import fetch_page, permit_in
from app.domain.infrastructure import blobs
from app.domain.openapi.openapi_specs import NONE, OPENAPI_FILES, OPENAPI_SPECS, OPENAPI_VERSIONS, is_named
from app.formats.openapi.operation import operation_view
from app.formats.openapi.schemas import schema_views
from app.formats.openapi.views import OperationView, SchemaView
from app.kit import workers
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import among, nested
from app.kit.database.statements import given, rows, table
from app.kit.errors import NotFound, OverBudget
from app.models.files import Blob
from app.models.openapi_specs import OpenAPIVersion
from app.models.organizations import Organization
from app.models.queries import PageQuery

LATEST = ""  # no version has this id
PUBLIC = "public"
NO_VERSION = "There is no such version of an OpenAPI specification."
BLOBS = table(Blob)
_spec = OPENAPI_SPECS.alias("meant")
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
    """Return a version with what is shown of its specification."""
    return [
        *OPENAPI_VERSIONS.c,
        OPENAPI_SPECS.c.slug,
        OPENAPI_SPECS.c.organization_id,
        OPENAPI_SPECS.c.visibility,
    ]


def _is_meant() -> ColumnElement[bool]:
    """Return the newest version, or that of the id."""
    version = given("version")
    return or_(
        and_(version == LATEST, OPENAPI_VERSIONS.c.id == OPENAPI_SPECS.c.last_version),
        OPENAPI_VERSIONS.c.id == version,
    )


def _one(*more: Any) -> Select[Any]:
    found = select(*_columns(), *more).join(OPENAPI_SPECS, OPENAPI_SPECS.c.id == OPENAPI_VERSIONS.c.spec_id)
    return found.where(is_named(), _is_meant())


def _in_organization() -> Select[Any]:
    named = or_(OPENAPI_SPECS.c.slug == given("spec"), OPENAPI_SPECS.c.id == given("spec"))
    found = select(*_columns()).join(OPENAPI_SPECS, OPENAPI_SPECS.c.id == OPENAPI_VERSIONS.c.spec_id)
    return found.where(OPENAPI_SPECS.c.organization_id == given("inside"), named)


def _spec_itself() -> Select[Any]:
    named = or_(_spec.c.slug == given("spec"), _spec.c.id == given("spec"))
    return select(_spec.c.id).where(_spec.c.organization_id == given("inside"), named)


_LIST: Listing[Any] = Listing(
    "versions of an OpenAPI specification",
    OpenAPIVersion,
    _in_organization,
    order=lambda: [OPENAPI_VERSIONS.c.id],
    descending=True,
    inside=Organization,
    beside=lambda: [nested(_spec_itself(), "specs")],
)
_ONE = rows(_one)
_BYTES = (BLOBS.c.id.label("blob_id"), BLOBS.c.data, BLOBS.c.place)
_CONTENT = rows(lambda: _one(*_BYTES).join(BLOBS, BLOBS.c.id == OPENAPI_VERSIONS.c.content_blob_id))
_RAW = rows(
    lambda: (
        _one(*_BYTES, OPENAPI_FILES.c.format)
        .join(
            OPENAPI_FILES,
            and_(OPENAPI_FILES.c.version_id == OPENAPI_VERSIONS.c.id, OPENAPI_FILES.c.entrypoint),
        )
        .join(BLOBS, BLOBS.c.id == OPENAPI_FILES.c.blob_id)
    )
)
_FILE = rows(
    lambda: (
        select(
            OPENAPI_FILES.c.name,
            OPENAPI_FILES.c.format,
            OPENAPI_FILES.c.size,
            OPENAPI_FILES.c.blob_id,
            OPENAPI_SPECS.c.visibility,
        )
        .join(OPENAPI_VERSIONS, OPENAPI_VERSIONS.c.id == OPENAPI_FILES.c.version_id)
        .join(OPENAPI_SPECS, OPENAPI_SPECS.c.id == OPENAPI_VERSIONS.c.spec_id)
        .where(OPENAPI_FILES.c.version_id == given("version"), OPENAPI_FILES.c.name == given("name"))
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
    """Return a file of a version without its bytes;
    raises NotFound for an address that is not good (any more).

    The address says `public`, which holds as long as the specification is, or carries a signature.
    """
    found = await cx.db.get_by_key(_FILE, version=version_id, name=name)
    if not found or not _is_good(cx, signature, version_id, found[0].visibility):
        raise NotFound("This address is not valid, or has expired.")
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


KEPT_DOCUMENTS = 8
KEPT_VIEWS = 1_000
SECONDS = 2.0  # of computing for one view
BYTES = 50  # of a document that are read in the time that a character of Markdown takes
OPERATION, SCHEMAS = 2_000, 50_000  # characters that making a view counts for
KINDS = {"openapi-operation": "operation", "openapi-webhook": "webhook"}
Shown = OperationView | list[SchemaView] | None


class BlockReference(NamedTuple):
    """A block: `spec` is a slug, an id or the address that a specification is read from.

    `kind` is the block's type; `names` are the schemas of an `openapi-schemas` block, none means all.
    """

    kind: str
    spec: str
    path: str = ""
    method: str = ""
    names: tuple[str, ...] = ()


def reference_of(block: dict[str, Any]) -> BlockReference | None:
    """Return what a block of a structured document asks for; None where it is no such block."""
    data = block.get("data") or {}
    kind = "openapi-operation" if block.get("type") == "swagger" else str(block.get("type"))
    spec = str(data.get("spec") or data.get("src") or "")
    if not spec or kind not in (*KINDS, "openapi-schemas"):
        return None
    names = tuple(name.strip() for name in str(data.get("schemas") or "").split(",") if name.strip())
    path = str(data.get("path") or data.get("name") or "")
    return BlockReference(kind, spec, path, str(data.get("method") or ""), names)


def _versions() -> Select[Any]:
    meant = or_(
        among(OPENAPI_SPECS.c.slug, "specs"),
        among(OPENAPI_SPECS.c.id, "specs"),
        among(OPENAPI_SPECS.c.source_url, "specs"),
    )
    blob = func.coalesce(OPENAPI_VERSIONS.c.bundle_blob_id, OPENAPI_VERSIONS.c.content_blob_id)
    found = select(
        OPENAPI_SPECS.c.id.label("spec_id"), OPENAPI_SPECS.c.slug, OPENAPI_SPECS.c.source_url,
        OPENAPI_VERSIONS.c.id, OPENAPI_VERSIONS.c.entry, OPENAPI_VERSIONS.c.bundle_blob_id,
        BLOBS.c.id.label("blob_id"), BLOBS.c.data, BLOBS.c.place,
    )  # fmt: skip
    unknown = and_(BLOBS.c.id == blob, ~among(OPENAPI_VERSIONS.c.id, "known"))
    return (
        found.join(OPENAPI_VERSIONS, OPENAPI_VERSIONS.c.id == OPENAPI_SPECS.c.last_version)
        .outerjoin(BLOBS, unknown)
        .where(OPENAPI_SPECS.c.organization_id == given("organization"), meant)
        .order_by(OPENAPI_SPECS.c.id)
    )


_VERSIONS = rows(_versions)
_documents: OrderedDict[str, dict[str, Any]] = OrderedDict()
_views: LRUCache[tuple[str, str | None, BlockReference], Shown] = LRUCache(KEPT_VIEWS)


async def shown(cx: Context, organization_id: str, blocks: Sequence[BlockReference]) -> list[Shown]:
    """Return what each block shows, in their order; None where there is no such thing (any more)."""
    specs = sorted({block.spec for block in blocks})
    if not specs:
        return []
    held = dict(_documents)
    found = await cx.db.all(_VERSIONS, organization=organization_id, specs=specs, known=list(held))
    by_name: dict[str, Any] = {}
    for row in found:
        for name in (row.source_url, row.spec_id, row.slug):
            if name:
                by_name[name] = row
    return [await _shown(cx, by_name.get(block.spec), block, held) for block in blocks]


async def _shown(cx: Context, version: Any, block: BlockReference, held: dict[str, dict[str, Any]]) -> Shown:
    if version is None:
        return None
    key = (version.id, version.source_url, block)
    if key not in _views:
        document = held.get(version.id) or await _document(cx, version)
        size = OPERATION if block.kind in KINDS else SCHEMAS
        try:
            source = version.source_url or ""
            _views[key] = await workers.run(size, _view, document, block, source, seconds=SECONDS)
        except OverBudget:
            _views[key] = None
    return _views[key]


def _view(document: dict[str, Any], block: BlockReference, source: str) -> Shown:
    if block.kind in KINDS:
        return operation_view(document, block.path, block.method or "post", KINDS[block.kind], source)
    return schema_views(document, list(block.names) or None)


async def _document(cx: Context, version: Any) -> dict[str, Any]:
    """Return the bundle of a version."""
    if version.id not in _documents:
        data = await blobs.whole(cx, version.blob_id, version.data, version.place)
        read = await workers.run(len(data) // BYTES, orjson.loads, data)
        _documents[version.id] = read if version.bundle_blob_id else read[version.entry]["specification"]
        while len(_documents) > KEPT_DOCUMENTS:
            _documents.popitem(last=False)
    _documents.move_to_end(version.id)
    return _documents[version.id]
