"""Publishing as callers see it: how visitors sign in, and all that shows a site."""

from __future__ import annotations

from typing import Any

from app.access.context import Context
from app.domain.infrastructure import stored_secrets
from app.domain.publishing.published_sites import Published
from app.models.publishing import PreviewOut, PublishedContentSiteOut, PublishingAuthOut
from app.present.shape import shows
from app.present.site_items import site_structure
from app.present.sites import site


@shows(PublishingAuthOut)
def publishing_auth(cx: Context, row: Any) -> dict[str, Any]:
    """How visitors sign in; addresses that were not set are left out."""
    out = {"privateKey": stored_secrets.visitor_key(cx, row), **row.visitor_backend}
    if row.fallback_url:
        out["fallbackURL"] = row.fallback_url
    if row.logout_url:
        out["logoutURL"] = row.logout_url
    return out


@shows(PublishedContentSiteOut)
def published_site(cx: Context, published: Published) -> dict[str, Any]:
    """A published site with its structure, looks, and the scripts of integrations."""
    return {
        "object": "published-content-site",
        "site": site(cx, published.tree.site, published.tree.share_key),
        "structure": site_structure(cx, published.tree),
        "customizations": {"site": published.looks, "siteSpaces": published.looks_of_spaces},
        "scripts": list(published.scripts),
    }


@shows(PreviewOut)
def preview(cx: Context, url: str) -> dict[str, Any]:
    """An address to look at."""
    return {"url": url}
