"""A space as callers see it (specification, Space)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from app.access.context import Context
from app.access.fetch import permissions
from app.domain.site_addresses.space_visibility import visibility
from app.models.spaces import Space, SpaceOut, is_synchronised
from app.present import links
from app.present.shape import shows


@shows(SpaceOut)
def space(cx: Context, row: Space) -> dict[str, Any]:
    """Fields without a value are left out; `defaultLevel` may be null."""
    out: dict[str, Any] = {
        "object": "space",
        "id": row.id,
        "title": row.title,
        "visibility": visibility(row),
        "createdAt": row.created_at,
        "updatedAt": row.updated_at,
        "editMode": row.edit_mode,
        "urls": links.space(cx, row),
        "organization": row.organization_id,
        "revision": row.revision_id,
        "defaultLevel": row.default_level,
        "comments": row.comments,
        "changeRequests": row.change_requests,
        "changeRequestsOpen": row.change_requests_open,
        "changeRequestsDraft": row.change_requests_draft,
        "permissions": permissions(cx, Space, row),
    }
    if row.emoji:
        out["emoji"] = row.emoji
    if row.language:
        out["language"] = row.language
    if row.parent_id:
        out["parent"] = row.parent_id
    if row.git_sync and is_synchronised(row.git_sync):
        out["gitSync"] = _git_sync(row.git_sync)
    if row.site_auth and not row.deleted_at:
        out["visitorAuth"] = row.site_auth
    if row.deleted_at:
        out["deletedAt"] = row.deleted_at
    return out


def _git_sync(held: dict[str, Any]) -> dict[str, Any]:
    """The repository of a sync (see `git_sync.Standing`)."""
    updated_at = datetime.fromisoformat(held["updated_at"])
    out = {"repoName": held["name"], "url": held["url"], "updatedAt": updated_at}
    return {**out, "installationProvider": held["provider"]} if held["provider"] else out
