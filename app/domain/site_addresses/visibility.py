"""Who may read a space, in one word: as its sites have it, else as it is here (specification, Space)."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from app.access.context import Context


class SpaceVisibilityRow(Protocol):
    """A space as far as its visibility goes."""

    id: str
    organization_id: str
    parent_id: str | None
    default_level: str | None
    deleted_at: datetime | None
    site_visibility: str | None


def visibility(row: SpaceVisibilityRow) -> str:
    """Return who may read it: those of the site that shows it to most, else those who may read it here."""
    if row.site_visibility and not row.deleted_at:
        return str(row.site_visibility)
    return "in-collection" if row.parent_id and row.default_level == "inherit" else "private"


def compare(cx: Context, before: SpaceVisibilityRow, after: SpaceVisibilityRow) -> None:
    """Emit an event for integrations where a change of a space changed its visibility."""
    was, now = visibility(before), visibility(after)
    if was != now:
        what = {"previousVisibility": was, "visibility": now}
        cx.emit("space_visibility_updated", after.organization_id, "space", after.id, **what)
