"""How visitors are let in where the visibility is `visitor-auth`: who signs them in, and the site's key.

The key signs the tokens (HS256) that visitors bring. Administrators see it, since they give it to whoever
signs visitors in; a new one makes all tokens worthless at once.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import select

from app.access.context import Context
from app.access.scopes import VISITOR_AUTH, in_force
from app.domain.infrastructure import stored_secrets
from app.domain.integrations.installations import p_
from app.domain.integrations.integration_rows import by_name, i_, n_
from app.domain.site_addresses import publication
from app.domain.site_addresses.site_rows import find, reading
from app.kit.database.columns import Key
from app.kit.database.statements import Statement, given, query, rows
from app.kit.errors import Invalid
from app.models.publishing import PublishingAuthUpdate
from app.models.sites import Site

_INNER = ("visitor_key", "visitor_backend", "fallback_url", "logout_url")
_SITE: Statement[Any] = query(Site, lambda: reading(inner=_INNER))
_ON_SITE = rows(
    lambda: (
        select(i_.c.scopes, n_.c.agreed)
        .join(n_, n_.c.integration_id == i_.c.id)
        .join(p_, p_.c.installation_id == n_.c.id)
        .where(by_name(), p_.c.object_id == given("site", Key))
    )
)


async def get(cx: Context, organization_id: str, site_id: str) -> Any:
    """Get how visitors of a site sign in, with the site's private key."""
    return await find(cx, organization_id, site_id, can="admin", using=_SITE)


async def update(cx: Context, organization_id: str, site_id: str, change: PublishingAuthUpdate) -> Any:
    """Change how visitors of a site sign in.

    Raises Invalid for an integration that is not installed on the site, or has no scope for it.
    """
    site = await get(cx, organization_id, site_id)
    values = change.sent()
    backend: dict[str, Any] = {"backend": values.pop("backend")}
    integration = values.pop("integration", None)
    if (backend["backend"] == "integration") != bool(integration):
        raise Invalid("Name the integration, and only for that backend.", path="integration")
    if integration:
        found = await cx.db.first(_ON_SITE, name=integration, site=site.id)
        if found is None:
            raise Invalid("The integration is not installed on the site.", path="integration")
        if VISITOR_AUTH not in in_force(found.scopes, found.agreed):
            raise Invalid(f"The integration has no scope {VISITOR_AUTH} there.", path="integration")
        backend["integration"] = integration
    await cx.tx.put(Site, {**values, "visitor_backend": backend, "updated_at": cx.now}, id=site.id)
    if backend != site.visitor_backend:
        await publication.refresh_site(cx, site.id)
    return await get(cx, organization_id, site_id)


async def regenerate(cx: Context, organization_id: str, site_id: str) -> Any:
    """Give a site a new private key; what was signed with the old one lets nobody in any more."""
    site = await get(cx, organization_id, site_id)
    key = cx.signer.seal(stored_secrets.VISITOR_KEY, stored_secrets.new_visitor_key(), site.id)
    await cx.tx.put(Site, {"visitor_key": key, "updated_at": cx.now}, id=site.id)
    return await get(cx, organization_id, site_id)
