"""Access of visitors to a site: share links, the site's key, and the schema of their claims.

Share links of a site: made, listed and withdrawn by its administrators, who may see their keys again.

How visitors are let in where the visibility is `visitor-auth`: who signs them in, and the site's key.

The key signs the tokens (HS256) that visitors bring. Administrators see it, since they give it to whoever
signs visitors in; a new one makes all tokens worthless at once.

A site's schema of claims: what it may know of its visitors, and what conditions are held to.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson
from sqlalchemy import Select, or_, select

from app.access.context import Context
from app.access.scopes import VISITOR_AUTH, in_force
from app.domain.infrastructure import stored_secrets
from app.domain.integrations.installations import PLACEMENTS
from app.domain.integrations.integration_rows import INSTALLATIONS, INTEGRATIONS, by_name
from app.domain.site_addresses import publication
from app.domain.site_addresses.site_rows import SITES, find, listing, page_of, reading
from app.domain.sites import structure
from app.formats.expressions import conditions
from app.kit.database.columns import Key
from app.kit.database.paging import Page
from app.kit.database.sql import contains_one, nested
from app.kit.database.statements import Statement, given, query, rows, table
from app.kit.errors import Conflict, Invalid, NotFound
from app.kit.ids import new_id
from app.models.publishing import (
    AdaptiveSchemaUpdate,
    PublishingAuthUpdate,
    ShareLink,
    ShareLinkCreate,
    ShareLinksQuery,
    ShareLinkUpdate,
)
from app.models.sites import Site

SHARE_LINKS = table(ShareLink)


@dataclass(slots=True, frozen=True)
class ShareLinkWithKey:
    """A share link with its site."""

    site: Any
    row: ShareLink


def _of_site() -> Select[Any]:
    wanted = or_(given("name", Key) == "", contains_one(SHARE_LINKS.c.name_folded, "names"))
    return select(*SHARE_LINKS.c).where(SHARE_LINKS.c.site_id == SITES.c.id, wanted)


_LIST = listing("share-links", _of_site, lambda: [SHARE_LINKS.c.id])
_WITH_LINK: Statement[Any] = query(
    Site,
    lambda: reading(
        nested(
            select(*SHARE_LINKS.c)
            .where(SHARE_LINKS.c.site_id == SITES.c.id, SHARE_LINKS.c.id == given("link"))
            .correlate(SITES),
            "links",
        )
    ),
)


async def list_share_links(
    cx: Context, organization_id: str, site_id: str, query: ShareLinksQuery
) -> Page[ShareLinkWithKey]:
    """List the share links of a site, oldest first."""
    name = (query.search or "").casefold()
    site, page = await page_of(
        cx, organization_id, site_id, _LIST, query.paging, can="admin", name=name, names=[name]
    )
    return page.map(lambda row: ShareLinkWithKey(site, row))


async def create_share_link(
    cx: Context, organization_id: str, site_id: str, new: ShareLinkCreate
) -> ShareLinkWithKey:
    """Create a share link."""
    site = await find(cx, organization_id, site_id, can="admin")
    link_id = new_id()
    made = await cx.tx.add(
        ShareLink,
        id=link_id,
        site_id=site.id,
        name=new.name,
        name_folded=new.name.casefold(),
        active=True,
        created_at=cx.now,
        **stored_secrets.share_key_columns(cx.signer, link_id, stored_secrets.new_share_key()),
    )
    return ShareLinkWithKey(site, made)


async def update_share_link(
    cx: Context, organization_id: str, site_id: str, share_link_id: str, change: ShareLinkUpdate
) -> ShareLinkWithKey:
    """Rename a share link, or make it open the site no more, or again."""
    site = await _found(cx, organization_id, site_id, share_link_id)
    values = change.sent()
    if "name" in values:
        values["name_folded"] = values["name"].casefold()
    if not values:
        return ShareLinkWithKey(site, site.links[0])
    return ShareLinkWithKey(site, await cx.tx.change(ShareLink, values, id=share_link_id))


async def delete_share_link(cx: Context, organization_id: str, site_id: str, share_link_id: str) -> None:
    """Delete a share link. It stops working."""
    await _found(cx, organization_id, site_id, share_link_id)
    await cx.tx.remove(ShareLink, id=share_link_id)


async def _found(cx: Context, organization_id: str, site_id: str, share_link_id: str) -> Any:
    site = await find(cx, organization_id, site_id, can="admin", using=_WITH_LINK, link=share_link_id)
    if not site.links:
        raise NotFound("There is no such share link.")
    return site


_INNER = ("visitor_key", "visitor_backend", "fallback_url", "logout_url")
_SITE: Statement[Any] = query(Site, lambda: reading(inner=_INNER))
_ON_SITE = rows(
    lambda: (
        select(INTEGRATIONS.c.scopes, INSTALLATIONS.c.agreed)
        .join(INSTALLATIONS, INSTALLATIONS.c.integration_id == INTEGRATIONS.c.id)
        .join(PLACEMENTS, PLACEMENTS.c.installation_id == INSTALLATIONS.c.id)
        .where(by_name(), PLACEMENTS.c.object_id == given("site", Key))
    )
)


async def get_publishing_auth(cx: Context, organization_id: str, site_id: str) -> Any:
    """Get how visitors of a site sign in, with the site's private key."""
    return await find(cx, organization_id, site_id, can="admin", using=_SITE)


async def update_publishing_auth(
    cx: Context, organization_id: str, site_id: str, change: PublishingAuthUpdate
) -> Any:
    """Change how visitors of a site sign in.

    Raises Invalid for an integration that is not installed on the site, or has no scope for it.
    """
    site = await get_publishing_auth(cx, organization_id, site_id)
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
    return await get_publishing_auth(cx, organization_id, site_id)


async def regenerate_key(cx: Context, organization_id: str, site_id: str) -> Any:
    """Give a site a new private key; what was signed with the old one lets nobody in any more."""
    site = await get_publishing_auth(cx, organization_id, site_id)
    key = cx.signer.seal(stored_secrets.VISITOR_KEY, stored_secrets.new_visitor_key(), site.id)
    await cx.tx.put(Site, {"visitor_key": key, "updated_at": cx.now}, id=site.id)
    return await get_publishing_auth(cx, organization_id, site_id)


_ADAPTIVE_SITE: Statement[Any] = query(Site, lambda: reading(inner=("adaptive_schema", "adaptive_schema_at")))


@dataclass(slots=True, frozen=True)
class AdaptiveSchema:
    """A schema and when it was set; a site's first one, which knows nothing, is as old as the site."""

    json_schema: dict[str, Any]
    updated_at: datetime


async def get_adaptive_schema(cx: Context, organization_id: str, site_id: str) -> AdaptiveSchema:
    """Get the schema of what a site may know of its visitors."""
    site = await find(cx, organization_id, site_id, can="viewAdaptiveSchema", using=_ADAPTIVE_SITE)
    schema = orjson.loads(site.adaptive_schema) if site.adaptive_schema else conditions.empty()
    return AdaptiveSchema(schema, site.adaptive_schema_at or site.created_at)


async def update_adaptive_schema(
    cx: Context, organization_id: str, site_id: str, change: AdaptiveSchemaUpdate
) -> AdaptiveSchema:
    """Set the schema of what a site may know of its visitors.

    Raises Invalid naming the place that is not of the form, Conflict where a condition of the site would
    make no sense any more.
    """
    whole = await structure.of(cx, organization_id, site_id, can="editAdaptiveSchema")
    known = conditions.read_claims(change.json_schema)
    for item in whole.conditions():
        try:
            conditions.check(item.condition or "", known)
        except Invalid as refused:
            raise Conflict(f"“{item.title}” has a condition that would not fit: {refused.message}") from None
    schema = {"$schema": conditions.DRAFT, **change.json_schema}
    text = orjson.dumps(schema).decode()
    await cx.tx.put(Site, {"adaptive_schema": text, "adaptive_schema_at": cx.now}, id=site_id)
    return AdaptiveSchema(schema, cx.now)


async def list_template_conditions(cx: Context, organization_id: str, site_id: str) -> list[tuple[str, str]]:
    """List conditions that suggest themselves by the schema, each with its description."""
    schema = await get_adaptive_schema(cx, organization_id, site_id)
    return list(conditions.templates(conditions.read_claims(schema.json_schema)))


def check_condition(site: Any, condition: str | None, *, path: str = "condition") -> None:
    """Refuse a condition that is none, or gives no boolean by the site's schema of claims."""
    if condition:
        known = conditions.read_claims(orjson.loads(site.adaptive_schema)) if site.adaptive_schema else None
        conditions.check(condition, known, path=path)
