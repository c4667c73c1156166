"""Spaces and collections as callers see them (specification, Space and Collection)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from app.access.context import Context
from app.access.fetch import permissions_of
from app.domain.site_addresses.addresses import visibility
from app.models.collections import ChildOut, Collection, CollectionOut
from app.models.spaces import Space, SpaceOut, is_synchronised
from app.present import links
from app.present.shape import PARTS, Presenter, When, presenter, shows


def _git_sync(_cx: Context, row: Space) -> dict[str, Any] | None:
    """Return the repository of a space that is synchronised (see `sync_state.SyncState`)."""
    held = row.git_sync or {}
    if not is_synchronised(held):
        return None
    updated_at = datetime.fromisoformat(held["updated_at"])
    out = {"repoName": held["name"], "url": held["url"], "updatedAt": updated_at}
    more = {"installationProvider": held["provider"], "integration": held.get("integration")}
    return {**out, **{name: value for name, value in more.items() if value}}


_space: Presenter[Context, Space] = presenter(
    SpaceOut,
    optional=(
        *("emoji", "language", "parent", "git_sync", "visitor_auth", "deleted_at"),
        *("comments", "change_requests", "change_requests_open", "change_requests_draft"),
    ),
    visibility=lambda _cx, row: visibility(row),
    urls=links.space,
    permissions=permissions_of(Space),
    git_sync=When("git_sync", _git_sync),
    visitor_auth=When("site_auth", lambda _cx, row: None if row.deleted_at else row.site_auth),
)

_UNPUBLISHED = (
    *("parent", "gitSync", "visitorAuth"),
    *("comments", "changeRequests", "changeRequestsOpen", "changeRequestsDraft"),
)


@shows(SpaceOut, parts=PARTS[_space].besides((*_UNPUBLISHED, "defaultLevel")))
def space(cx: Context, row: Space) -> dict[str, Any]:
    """Return a space; whoever may only read what is published is not told how it is worked on."""
    out = _space(cx, row)
    if not out["permissions"]["view"]:
        for name in _UNPUBLISHED:
            out.pop(name, None)
        out["defaultLevel"] = None
    return out


collection: Presenter[Context, Collection] = presenter(
    CollectionOut,
    description=lambda _cx, row: row.description,  # an empty one is shown
    urls=links.collection,
    permissions=permissions_of(Collection),
)


@shows(ChildOut)
def child(cx: Context, found: tuple[str, Any]) -> dict[str, Any]:
    """Return a space or a collection of a place, by its kind."""
    kind, row = found
    return space(cx, row) if kind == "space" else collection(cx, row)
