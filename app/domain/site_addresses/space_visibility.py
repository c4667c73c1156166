"""Who may read a space as far as everybody may know: its effective visibility (specification, Space)."""

from __future__ import annotations

from typing import Any

from app.access.context import Context


def visibility(row: Any) -> str:
    """Who may read it: those of the site that shows it to most, else those who may read it here."""
    if row.site_visibility and not row.deleted_at:
        return str(row.site_visibility)
    return "in-collection" if row.parent_id and row.default_level == "inherit" else "private"


def compared(cx: Context, before: Any, after: Any) -> None:
    """Note for integrations where a change of a space changed that."""
    told(cx, after, visibility(before), visibility(after))


def told(cx: Context, row: Any, before: str, after: str) -> None:
    """The same, where both are known."""
    if before != after:
        what = {"previousVisibility": before, "visibility": after}
        cx.emit("space_visibility_updated", row.organization_id, "space", row.id, **what)
