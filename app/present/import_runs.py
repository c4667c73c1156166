"""Import runs as callers see them."""

from __future__ import annotations

from typing import Any

from app.access.context import Context
from app.models.import_runs import ImportRunOut
from app.present import links
from app.present.shape import shows
from app.present.users import user


@shows(ImportRunOut)
def import_run(cx: Context, row: Any) -> dict[str, Any]:
    """A run; a list has no column of problems."""
    target = {"space": row.space_id, "changeRequest": row.change_request_id, "page": row.page_id}
    out: dict[str, Any] = {
        "object": "import-run",
        "id": row.id,
        "organization": row.organization_id,
        "status": row.status,
        "source": row.source,
        "target": {name: value for name, value in target.items() if value is not None},
        "progress": {"pagesRead": row.pages_read, "pagesFound": row.pages_found},
        "moreProblems": row.more_problems,
        "createdBy": user(cx, row.creator[0]),
        "createdAt": row.created_at,
        "urls": links.import_run(cx, row),
    }
    if row.result is not None:
        done = row.result
        out["result"] = {
            "revision": done["revision"],
            "importedResources": done["imported"],
            "totalResources": done["total"],
        }
    optional = {
        "site": row.site_id,
        "error": row.error,
        "problems": getattr(row, "problems", None),
        "startedAt": row.started_at,
        "endedAt": row.ended_at,
    }
    return out | {name: value for name, value in optional.items() if value is not None}
