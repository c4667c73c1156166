"""A revision without its content, as callers see it."""

from __future__ import annotations

from typing import Any

from app.access.context import Context
from app.domain.content.history import Entry
from app.models.history import HistoryEntryOut
from app.present import links
from app.present.shape import shows
from app.present.users import user


@shows(HistoryEntryOut)
def history_entry(cx: Context, entry: Entry) -> dict[str, Any]:
    """A revision of a line, with its author and contributors; some are made by nobody."""
    row = entry.revision
    out: dict[str, Any] = {
        "object": "revision",
        "id": row.id,
        "number": row.number,
        "type": row.type,
        "parents": row.parents,
        "createdAt": row.created_at,
        "contributors": [user(cx, each) for each in entry.contributors],
        "urls": links.revision(cx, entry, row),
    }
    for name, value in (("mergedFrom", row.merged_from), ("git", row.git)):
        if value:
            out[name] = value
    return {**out, "author": user(cx, entry.author)} if entry.author else out
