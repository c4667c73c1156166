"""Redirects of a site as callers see them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.access.context import Context
from app.domain.site_addresses import addresses
from app.domain.sites.redirects import Resolved
from app.models.redirects import RedirectOut, RedirectsOut, ResolvedRedirectOut
from app.present.shape import shows


@shows(RedirectOut)
def redirect(cx: Context, row: Any) -> dict[str, Any]:
    """A redirect."""
    out = {
        "object": "site-redirect",
        "id": row.id,
        "source": row.source,
        "destination": row.destination,
        "permanent": row.permanent,
        "captureWildcard": row.capture_wildcard,
        "createdAt": row.created_at,
        "updatedAt": row.updated_at,
    }
    return {**out, "automatic": True} if getattr(row, "automatic", False) else out


@shows(RedirectsOut)
def redirects(cx: Context, done: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """What became of redirects that came together, in their order."""
    return {
        "results": [
            {"source": row.source, "result": result, "redirect": redirect(cx, row)} for result, row in done
        ]
    }


@shows(ResolvedRedirectOut)
def resolved(cx: Context, found: Resolved) -> dict[str, Any]:
    """Where a path leads, as a whole address; it has the share key only where it stays on the site."""
    if found.row.destination["kind"] == "external":
        target = found.target
    else:
        whole = addresses.whole(cx.settings, found.target)
        target = addresses.keyed(whole, found.site.visibility, found.share_key)
    return {"redirect": redirect(cx, found.row), "target": target}
