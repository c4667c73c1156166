"""Imports, Git syncs, PDF exports and uploads, as shown to callers."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from app.access.context import Context
from app.models.documents import PdfOut, SpaceExportOut
from app.models.files import UploadOut
from app.models.git_sync import GitInfoOut
from app.models.imports import ImportOut, ImportRunOut
from app.present import links, signed_links
from app.present.people import user
from app.present.shape import Presenter, presenter

if TYPE_CHECKING:
    from app.domain.git_sync.sync_state import SyncState
    from app.domain.imports.exports import SpaceExport
    from app.domain.imports.import_runs import ImportRunRow
    from app.domain.imports.tree_import import Imported
    from app.domain.pdf.pdf_exports import PdfAddress
    from app.domain.uploads.uploads import CreatedUpload


imported: Presenter[Context, Imported] = presenter(ImportOut)


def _target(_cx: Context, row: ImportRunRow) -> dict[str, Any]:
    target = {"space": row.space_id, "changeRequest": row.change_request_id, "page": row.page_id}
    return {name: value for name, value in target.items() if value is not None}


def _result(_cx: Context, row: ImportRunRow) -> dict[str, Any] | None:
    done = row.result
    if done is None:
        return None
    return {
        "revision": done["revision"],
        "importedResources": done["imported"],
        "totalResources": done["total"],
    }


def _problem_counts(_cx: Context, row: ImportRunRow) -> list[dict[str, Any]]:
    counts = (row.result or {}).get("problems", {})
    return [{"kind": kind, "count": n} for kind, n in sorted(counts.items(), key=lambda each: -each[1])]


def _problem_causes(_cx: Context, row: ImportRunRow) -> list[dict[str, Any]]:
    causes: list[dict[str, Any]] = (row.result or {}).get("causes", [])
    return causes


import_run: Presenter[Context, ImportRunRow] = presenter(
    ImportRunOut,
    optional=("result", "site", "error", "problems", "started_at", "ended_at"),
    target=_target,
    progress=lambda _cx, row: {"pagesRead": row.pages_read, "pagesFound": row.pages_found},
    created_by=lambda cx, row: user(cx, row.creator[0]),
    problem_counts=_problem_counts,
    problem_causes=_problem_causes,
    urls=links.import_run,
    result=_result,
    problems=lambda _cx, row: getattr(row, "problems", None),  # a list of runs has no such column
)


def _operation(cx: Context, sync: SyncState) -> dict[str, Any]:
    """Return how the last sync went."""
    out = {"state": sync.state(cx.now), "direction": sync.operation.direction}
    return {**out, "message": sync.operation.message} if sync.operation.message else out


git_info: Presenter[Context, SyncState] = presenter(
    GitInfoOut,
    first=("repo_name", "url", "operation"),
    operation=_operation,
    has_login=lambda _cx, sync: sync.login is not None,
    updated_at=lambda _cx, sync: datetime.fromisoformat(sync.updated_at),
)

pdf: Presenter[Context, PdfAddress] = presenter(PdfOut, url=signed_links.pdf)
space_export: Presenter[Context, SpaceExport] = presenter(SpaceExportOut, url=signed_links.space_export)


BYTES = "application/octet-stream"  # what no gateway in between takes for text


def _headers(_cx: Context, made: CreatedUpload) -> list[dict[str, str]]:
    kind = BYTES if made.destination.url is None else made.row.content_type
    return [{"name": "Content-Type", "value": kind}]


upload: Presenter[Context, CreatedUpload] = presenter(
    UploadOut,
    of="row",
    received=lambda _cx, made: made.row.blob_id is not None,
    upload_url=signed_links.upload,
    headers=_headers,
    expires_at=lambda _cx, made: made.expires_at,
)
