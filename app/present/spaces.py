"""A space as callers see it (specification, Space)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from app.access.context import Context
from app.access.fetch import permissions_of
from app.domain.openness import visibility
from app.models.spaces import Space, SpaceOut, is_synchronised
from app.present import links
from app.present.shape import Presenter, When, presenter


def _git_sync(_cx: Context, row: Space) -> dict[str, Any] | None:
    """Return the repository of a space that is synchronised (see `git_sync.Standing`)."""
    held = row.git_sync or {}
    if not is_synchronised(held):
        return None
    updated_at = datetime.fromisoformat(held["updated_at"])
    out = {"repoName": held["name"], "url": held["url"], "updatedAt": updated_at}
    return {**out, "installationProvider": held["provider"]} if held["provider"] else out


space: Presenter[Context, Space] = presenter(
    SpaceOut,
    optional=("emoji", "language", "parent", "git_sync", "visitor_auth", "deleted_at"),
    visibility=lambda _cx, row: visibility(row),
    urls=links.space,
    permissions=permissions_of(Space),
    git_sync=When("git_sync", _git_sync),
    visitor_auth=When("site_auth", lambda _cx, row: None if row.deleted_at else row.site_auth),
)
