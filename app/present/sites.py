"""Sites as callers see them: structure, customization, publishing, share links, redirects, translations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, get_args

from app.access.context import Context
from app.access.fetch import permissions_of
from app.domain.infrastructure import stored_secrets
from app.domain.site_addresses import addresses
from app.domain.sites import translations
from app.domain.sites.site_nodes import SiteNode, SiteTree
from app.models.page_feedback import PageFeedback, PageFeedbackOut
from app.models.publishing import (
    CustomizationOut,
    PreviewOut,
    PublishedContentSiteOut,
    PublishingAuthOut,
    ShareLinkOut,
    SiteAdaptiveSchemaOut,
    TemplateConditionsOut,
)
from app.models.redirects import Redirect, RedirectOut, RedirectsOut, ResolvedRedirectOut
from app.models.searches import PublishedUrlOut
from app.models.site_features import CustomizationId, FeatureId
from app.models.site_items import SiteSpaceOut
from app.models.site_structure import (
    SiteExternalLinkOut,
    SiteSectionGroupOut,
    SiteSectionOut,
    SiteStructureOut,
    SortedItemOut,
)
from app.models.sites import Site, SiteOut
from app.models.translations import TranslationSettings, TranslationSettingsOut
from app.present import links
from app.present.shape import Presenter, When, presenter, shows
from app.present.spaces import space

if TYPE_CHECKING:
    from app.domain.publishing.published_sites import Published, PublishedContent
    from app.domain.site_addresses.site_rows import SiteRow
    from app.domain.sites.moved_paths import MovedPage
    from app.domain.sites.redirects import ResolvedRedirect
    from app.domain.sites.visitor_access import AdaptiveSchema, ShareLinkWithKey


CUSTOMIZATIONS: dict[str, list[CustomizationId]] = {
    "sites-basic-customization": ["header-logo", "theme-preset", "custom-icons"],
    "sites-advanced-customization": [
        "header-primary-link", "footer-logo", "footer-links", "footer-copyright", "semantic-colors",
    ],
}  # fmt: skip


def _features(_cx: Context, row: SiteRow) -> list[dict[str, Any]]:
    """Return all features, which every site has: nothing depends on a plan."""
    return [_feature(row, name) for name in get_args(FeatureId)]


def _feature(row: SiteRow, name: str) -> dict[str, Any]:
    feature = {"id": name, "plan": row.type, "frozen": False}
    return {**feature, "customizations": CUSTOMIZATIONS[name]} if name in CUSTOMIZATIONS else feature


def _ads(_cx: Context, row: SiteRow) -> dict[str, Any] | None:
    return {"status": "pending", "submittable": False} if row.type == "sponsored" else None


def _proxy(cx: Context, row: SiteRow) -> dict[str, Any]:
    return {"origin": row.proxy, "target": addresses.whole(cx.settings, addresses.default_of(row))}


_site: Presenter[Context, SiteRow] = presenter(
    SiteOut,
    optional=("ads", "hostname", "basename", "proxy", "site_spaces"),
    adaptive_content=lambda _cx, row: {"enabled": row.adaptive_content},
    features=_features,
    urls=links.site,
    permissions=permissions_of(Site),
    ads=_ads,
    proxy=When("proxy", _proxy),
)


@shows(SiteOut)
def site(cx: Context, row: SiteRow) -> dict[str, Any]:
    """Return a site; whoever may only read what is published is not told of what it does not show yet."""
    out = _site(cx, row)
    if not out["permissions"]["view"]:
        for name in ("siteSpaces", "hostname", "proxy"):
            out.pop(name, None)
    return out


@shows(CustomizationOut)
def customization(_cx: Context, settings: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of how a site looks as they are kept: what was not chosen is left out."""
    return settings


adaptive_schema: Presenter[Context, AdaptiveSchema] = presenter(SiteAdaptiveSchemaOut)


@shows(TemplateConditionsOut)
def template_conditions(_cx: Context, found: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Return conditions with their descriptions."""
    return {"items": [{"description": words, "condition": condition} for words, condition in found]}


def _share_urls(cx: Context, shared: ShareLinkWithKey) -> dict[str, Any]:
    """Return the address, of which the key is a part; it works while the site is read by share links."""
    return {"published": links.shared_site(cx, shared.site, stored_secrets.share_key(cx, shared.row))}


share_link: Presenter[Context, ShareLinkWithKey] = presenter(ShareLinkOut, of="row", urls=_share_urls)


@shows(PublishingAuthOut)
def publishing_auth(cx: Context, row: Site) -> dict[str, Any]:
    """Return how visitors sign in; addresses that were not set are left out."""
    out = {"privateKey": stored_secrets.visitor_key(cx, row), **row.visitor_backend}
    if row.fallback_url:
        out["fallbackURL"] = row.fallback_url
    if row.logout_url:
        out["logoutURL"] = row.logout_url
    return out


@shows(PublishedContentSiteOut)
def published_site(cx: Context, published: Published) -> dict[str, Any]:
    """Return a published site with its structure, looks, and the scripts of integrations."""
    tree = published.tree
    return {
        "object": "published-content-site",
        "site": {**site(cx, tree.site), "urls": links.site(cx, tree.site, tree.share_key)},
        "structure": site_structure(cx, tree),
        "customizations": {"site": published.looks, "siteSpaces": published.looks_of_spaces},
        "scripts": list(published.scripts),
    }


@shows(PreviewOut)
def preview(_cx: Context, url: str) -> dict[str, Any]:
    """Return an address to look at."""
    return {"url": url}


@shows(PublishedUrlOut)
def published_url(cx: Context, found: PublishedContent) -> dict[str, Any]:
    """Return what is published at an address; an address to go on to is whole."""
    out: dict[str, Any] = {"organization": found.site.organization_id, "site": found.site.id}
    if found.target is not None:
        return {**out, "target": addresses.whole(cx.settings, found.target), "redirect": True}
    named = {
        "siteSection": found.section,
        "siteSpace": found.site_space,
        "space": found.space,
        "page": found.page,
        "basePath": found.base_path,
        "pathname": found.pathname,
    }
    return out | {name: value for name, value in named.items() if value is not None}


redirect: Presenter[Context, Redirect | MovedPage] = presenter(
    RedirectOut,
    automatic=lambda _cx, row: True if getattr(row, "automatic", False) else None,
)


feedback: Presenter[Context, PageFeedback] = presenter(PageFeedbackOut)


@shows(RedirectsOut)
def redirects(cx: Context, done: Sequence[tuple[str, Redirect]]) -> dict[str, Any]:
    """Return what became of redirects that came together, in their order."""
    return {
        "results": [
            {"source": row.source, "result": result, "redirect": redirect(cx, row)} for result, row in done
        ]
    }


@shows(ResolvedRedirectOut)
def resolved(cx: Context, found: ResolvedRedirect) -> dict[str, Any]:
    """Return where a path leads, as a whole address; it has the share key only where it stays on the site."""
    if found.row.destination["kind"] == "external":
        target = found.target
    else:
        whole = addresses.whole(cx.settings, found.target)
        target = addresses.keyed(whole, found.site.visibility, found.share_key)
    return {"redirect": redirect(cx, found.row), "target": target}


translation_settings: Presenter[Context, TranslationSettings] = presenter(
    TranslationSettingsOut, permissions=translations.permissions, urls=links.translation_settings
)


site_space: Presenter[Context, SiteNode] = presenter(
    SiteSpaceOut,
    of="row",
    first=("object", "id", "path", "title", "default", "has_advanced_customization_feature"),
    optional=("condition", "section", "draft"),
    has_advanced_customization_feature=lambda _cx, _node: True,
    space=lambda cx, node: space(cx, node.row.spaces[0]),
    urls=links.site_space,
    draft=lambda _cx, node: True if node.row.draft else None,
)

site_section: Presenter[Context, SiteNode] = presenter(
    SiteSectionOut,
    of="row",
    optional=("description", "condition", "icon", "section_group"),
    site_spaces=lambda cx, node: [site_space(cx, child) for child in node.children],
    urls=links.site_section,
)


@shows(SiteSectionGroupOut)
def site_section_group(cx: Context, node: SiteNode) -> dict[str, Any]:
    """Return a group of sections."""
    children = [_shown(cx, child) for child in node.children]
    out = {
        "object": "site-section-group",
        "id": node.row.id,
        "title": node.row.title,
        "sections": [child for child in children if child["object"] == "site-section"],
        "children": children,
    }
    return {**out, "icon": node.row.icon} if node.row.icon else out


site_external_link: Presenter[Context, SiteNode] = presenter(
    SiteExternalLinkOut, of="row", optional=("description", "condition", "icon", "parent")
)


@shows(SiteStructureOut)
def site_structure(cx: Context, tree: SiteTree) -> dict[str, Any]:
    """Return all that a site shows: `sections` as soon as there is one."""
    return {
        "type": "sections" if tree.has_sections else "siteSpaces",
        "structure": [_shown(cx, node) for node in tree.roots],
    }


@shows(SortedItemOut)
def sorted_item(cx: Context, node: SiteNode) -> dict[str, Any]:
    """Return the item that was moved."""
    return _shown(cx, node)


def _shown(cx: Context, node: SiteNode) -> dict[str, Any]:
    return _SHOW[node.kind](cx, node)


_SHOW = {
    "site-space": site_space,
    "site-section": site_section,
    "site-section-group": site_section_group,
    "site-external-link": site_external_link,
}
