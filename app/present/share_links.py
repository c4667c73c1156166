"""A share link as administrators see it."""

from __future__ import annotations

from typing import Any

from app.access.context import Context
from app.domain.infrastructure import stored_secrets
from app.domain.sites.share_links import Shared
from app.models.share_links import ShareLinkOut
from app.present import links
from app.present.shape import shows


@shows(ShareLinkOut)
def share_link(cx: Context, shared: Shared) -> dict[str, Any]:
    """The key is part of the address; it works while the site is online and read by share links."""
    row = shared.row
    return {
        "object": "share-link",
        "id": row.id,
        "name": row.name,
        "active": row.active,
        "createdAt": row.created_at,
        "urls": {"published": links.shared_site(cx, shared.site, stored_secrets.share_key(cx, row))},
    }
