"""How visitors are let in where the visibility is `visitor-auth`: who signs them in, and the site's key.

The key signs the tokens (HS256) that visitors bring. Administrators see it, since they give it to whoever
signs visitors in; a new one makes all tokens worthless at once.
"""

from __future__ import annotations

import secrets
from typing import Any

from app.access.context import Context
from app.domain.site_rows import find, reading
from app.kit.errors import Invalid
from app.kit.statements import Statement, query
from app.models.publishing import PublishingAuthUpdate
from app.models.sites import Site

_INNER = ("visitor_key", "visitor_backend", "fallback_url", "logout_url")
_SITE: Statement[Any] = query(Site, lambda: reading(inner=_INNER))


async def get(cx: Context, organization_id: str, site_id: str) -> Any:
    """Get how visitors of a site sign in, with the site's private key."""
    return await find(cx, organization_id, site_id, can="admin", using=_SITE)


async def update(cx: Context, organization_id: str, site_id: str, change: PublishingAuthUpdate) -> Any:
    """Change how visitors of a site sign in."""
    site = await get(cx, organization_id, site_id)
    values = change.sent()
    backend: dict[str, Any] = {"backend": values.pop("backend")}
    integration = values.pop("integration", None)
    if (backend["backend"] == "integration") != bool(integration):
        raise Invalid("Name the integration, and only for that backend.", path="integration")
    if integration:
        backend["integration"] = integration
    await cx.tx.put(Site, {**values, "visitor_backend": backend, "updated_at": cx.now}, id=site.id)
    return await get(cx, organization_id, site_id)


async def regenerate(cx: Context, organization_id: str, site_id: str) -> Any:
    """Give a site a new private key; what was signed with the old one lets nobody in any more."""
    site = await get(cx, organization_id, site_id)
    await cx.tx.put(Site, {"visitor_key": secrets.token_urlsafe(32), "updated_at": cx.now}, id=site.id)
    return await get(cx, organization_id, site_id)
