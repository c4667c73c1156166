"""Files as callers see them (specification, File)."""

from __future__ import annotations

from typing import Any

from app.access.context import Context
from app.domain.content.content import Content
from app.models.files import FileOut, FileVersion
from app.present import links
from app.present.shape import shows


@shows(FileOut)
def file(cx: Context, content: Content) -> dict[str, Any]:
    """One file."""
    return bare_file(cx, content, content.files[0], metadata=content.metadata)


def bare_file(cx: Context, held: links.Place, row: FileVersion, *, metadata: bool = True) -> dict[str, Any]:
    """A file that was read there; in a change request or a revision its address leads to these very bytes."""
    version = "" if held.at is None else row.blob_id
    out: dict[str, Any] = {
        "id": row.file_id,
        "name": row.name,
        "contentType": row.content_type,
        "downloadURL": links.download(cx, held.space.id, row.file_id, row.name, version),
        "size": row.size,
    }
    if row.width and row.height:
        out["dimensions"] = {"width": row.width, "height": row.height}
    if metadata and row.git_oid:
        out["git"] = {"oid": row.git_oid, "path": row.source}
    return out
