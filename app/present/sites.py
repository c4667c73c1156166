"""A site as callers see it (specification, Site)."""

from __future__ import annotations

from typing import Any

from app.access.context import Context
from app.access.fetch import permissions
from app.domain.site_addresses import addresses
from app.models.sites import Site, SiteOut
from app.present import links
from app.present.shape import shows

FEATURES = (
    "sites-adaptive-content", "sites-advanced-customization", "sites-basic-customization",
    "sites-custom-domain", "sites-custom-subdirectory", "sites-full-text-search", "sites-multivariant-site",
    "sites-pdf-export", "sites-public-visibility", "sites-redirects", "sites-sections", "sites-seo",
    "sites-share-links", "sites-unlisted-visibility", "sites-visitor-authentication",
)  # fmt: skip
CUSTOMIZATIONS = {
    "sites-basic-customization": ["header-logo", "theme-preset", "custom-icons"],
    "sites-advanced-customization": [
        "header-primary-link", "footer-logo", "footer-links", "footer-copyright", "semantic-colors",
    ],
}  # fmt: skip


@shows(SiteOut)
def site(cx: Context, row: Any, share_key: str | None = None) -> dict[str, Any]:
    """Fields without a value are left out; `icon` may be null."""
    out: dict[str, Any] = {
        "object": "site",
        "id": row.id,
        "type": row.type,
        "title": row.title,
        "icon": row.icon,
        "visibility": row.visibility,
        "published": row.published,
        "siteSpaces": row.site_spaces,
        "createdAt": row.created_at,
        "adaptiveContent": {"enabled": row.adaptive_content},
        "agentsContext": row.agents_context,
        "features": [_feature(row, name) for name in FEATURES],
        "urls": links.site(cx, row, share_key),
        "permissions": permissions(cx, Site, row),
    }
    if row.type == "sponsored":
        out["ads"] = {"status": "pending", "submittable": False}
    if row.hostname:
        out["hostname"] = row.hostname
    if row.basename:
        out["basename"] = row.basename
    if row.proxy:
        target = addresses.whole(cx.settings, addresses.default_of(row))
        out["proxy"] = {"origin": row.proxy, "target": target}
    return out


def _feature(row: Any, name: str) -> dict[str, Any]:
    """Nothing depends on a plan: every site has all features."""
    feature = {"id": name, "plan": row.type, "frozen": False}
    return {**feature, "customizations": CUSTOMIZATIONS[name]} if name in CUSTOMIZATIONS else feature
