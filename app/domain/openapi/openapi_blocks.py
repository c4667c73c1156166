"""What `{% openapi %}` blocks show: operations and schemas of the newest version, ready to be shown.

For the reader, which has already judged who may see the page. Documents and views that were asked for last
are kept in memory by their version, which never changes.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, NamedTuple

import orjson
from cachetools import LRUCache
from sqlalchemy import Select, and_, func, or_, select

from app.access.context import Context
from app.domain.infrastructure import blobs
from app.domain.openapi.openapi_specs import o_, v_
from app.formats.openapi.operation import operation_view
from app.formats.openapi.schemas import schema_views
from app.formats.openapi.views import OperationView, SchemaView
from app.kit import workers
from app.kit.database.sql import among
from app.kit.database.statements import given, rows, table
from app.kit.errors import OverBudget
from app.models.files import Blob

KEPT_DOCUMENTS = 8
KEPT_VIEWS = 1_000
b_ = table(Blob)
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
    meant = or_(among(o_.c.slug, "specs"), among(o_.c.id, "specs"), among(o_.c.source_url, "specs"))
    blob = func.coalesce(v_.c.bundle_blob_id, v_.c.content_blob_id)
    found = select(
        o_.c.id.label("spec_id"), o_.c.slug, o_.c.source_url, v_.c.id, v_.c.entry, v_.c.bundle_blob_id,
        b_.c.id.label("blob_id"), b_.c.data, b_.c.place,
    )  # fmt: skip
    unknown = and_(b_.c.id == blob, ~among(v_.c.id, "known"))
    return (
        found.join(v_, v_.c.id == o_.c.last_version)
        .outerjoin(b_, unknown)
        .where(o_.c.organization_id == given("organization"), meant)
        .order_by(o_.c.id)
    )


_VERSIONS = rows(_versions)
_documents: OrderedDict[str, dict[str, Any]] = OrderedDict()
_views: LRUCache[tuple[str, BlockReference], Shown] = LRUCache(KEPT_VIEWS)


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
    key = (version.id, block)
    if key not in _views:
        document = held.get(version.id) or await _document(cx, version)
        size = OPERATION if block.kind in KINDS else SCHEMAS
        try:
            _views[key] = await workers.run(size, _view, document, block, seconds=SECONDS)
        except OverBudget:
            _views[key] = None
    return _views[key]


def _view(document: dict[str, Any], block: BlockReference) -> Shown:
    if block.kind in KINDS:
        return operation_view(document, block.path, block.method or "post", KINDS[block.kind])
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
