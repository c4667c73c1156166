"""Addresses of sites (decisions, Site address), as text that is kept or shown; who may read a space.

A site has an address by default: its organization's name there, then its own. Its host wins over that, and a
directory of somebody's domain that hands on to us wins over both. Below it, sections and their spaces have
their paths; what is the default is at the address of what it is in. Hosts and directories count once they are
proven (see live_hosts). Start-up imports this module, so it loads no statements (see `site_rows`).
"""

from __future__ import annotations

from datetime import datetime
from typing import Protocol
from urllib.parse import quote, urlsplit

from app.access.context import Context
from app.domain.site_addresses import own_origins
from app.kit.settings import Settings

RESERVED = frozenset({
    "", ".well-known", "account", "cli", "console", "docs", "exports", "files", "git", "graphql", "healthz",
    "integration-assets", "integration-scripts", "integrations", "mcp", "metrics", "o", "oauth", "oidc",
    "openapi", "pdf", "readyz", "sign-in", "sign-out", "sites", "sso", "static", "unsubscribe", "uploads",
    "v1",
})  # fmt: skip
"""First parts of the platform's own paths, which no organization may have as its name: sites may be published
at the root of the same host. The application refuses to have a route that is not among them."""
BESIDE = ENDPOINTS, PICTURES, SCRIPTS = "~integrations", "~integration-assets", "~integration-scripts"
"""Beside sites: what integrations answer, show and put into pages. No organization has such a name."""


LONG = 20  # characters, of what is no name of ours


def template(method: str, path: str) -> str:
    """Return what somebody asks for at the origin of sites, without names of sites and pages."""
    if "/~integration" in path:
        return f"{method} an integration"
    below = path.partition("/~/")[2].partition("/")[0]
    is_ours = below.isalpha() and len(below) < LONG
    return f"{method} a site's ~/{below}" if is_ours else f"{method} a site's page"


class SiteAddressRow(Protocol):
    """A site as far as its address goes."""

    id: str
    organization_id: str
    organization_hostname: str | None
    basename: str | None
    live_hostname: str | None
    live_proxy: str | None


class SpaceAddressRow(Protocol):
    """A space of a site, or a section, with the section that it is in."""

    path: str
    is_default: bool
    section_path: str | None
    section_default: bool | None


def default_of(site: SiteAddressRow) -> str:
    """Return a site's address by default, below what all of them begin with."""
    return f"{site.organization_hostname or site.organization_id}/{_part(site.basename or site.id)}"


def of_site(site: SiteAddressRow) -> str:
    """Return the address of a site: whole, or below what all of them begin with."""
    if own := site.live_proxy or site.live_hostname:
        return f"https://{own}"
    return default_of(site)


def of_section(site: SiteAddressRow, path: str, *, is_default: bool) -> str:
    """Return the address of a section."""
    return of_site(site) if is_default else f"{of_site(site)}/{_part(path)}"


def of_space(site: SiteAddressRow, row: SpaceAddressRow, *, path: str | None = None) -> str:
    """Return the address of a space of a site; the row knows its section as `section_path`,
    `section_default`."""
    path = row.path if path is None else path
    if row.section_path is None:
        return of_site(site) if row.is_default else f"{of_site(site)}/{_part(path)}"
    if row.is_default:
        return of_section(site, row.section_path, is_default=bool(row.section_default))
    return f"{of_site(site)}/{_part(row.section_path)}/{_part(path)}"


def of_endpoints(settings: Settings, integration: str) -> str:
    """Return the address that the public endpoints of an integration are below, for programs too."""
    if own_origins.for_programs(settings):
        return of_own_endpoints(settings, integration)
    return of_endpoints_beside(settings, integration)


def of_endpoints_beside(settings: Settings, integration: str) -> str:
    """Return the address of the same at the origin of sites."""
    return f"{settings.sites_base}/{ENDPOINTS}/{integration}"


def of_own_endpoints(settings: Settings, integration: str) -> str:
    """Return the same at the integration's own origin, where it has one."""
    origin = own_origins.of_integration(settings, integration)
    place = of_endpoints_beside(settings, integration)
    return f"{origin}{urlsplit(place).path}" if origin else place


def of_pictures(settings: Settings, integration_id: str) -> str:
    """Return the address that the pictures of an integration are below."""
    return f"{settings.sites_base}/{PICTURES}/{integration_id}"


def of_script(settings: Settings, installation_id: str, site_id: str, hash_: str) -> str:
    """Return the address of the script that an installation puts into the pages of a site."""
    return f"{settings.sites_base}/{SCRIPTS}/{installation_id}/{site_id}/{hash_}.js"


def whole(settings: Settings, address: str) -> str:
    """Return an address that was kept, as it is shown."""
    return address if address.startswith(("https://", "http://")) else f"{settings.sites_base}/{address}"


def keyed(address: str, visibility: str, share_key: str | None) -> str:
    """Return the address as a share link has it, where the site is read by such."""
    if share_key and visibility == "share-link":
        return f"{address}?shareKey={quote(share_key, safe='')}"
    return address


def _part(path: str) -> str:
    return quote(path, safe="")


class SpaceVisibilityRow(Protocol):
    """A space as far as its visibility goes."""

    id: str
    organization_id: str
    parent_id: str | None
    default_level: str | None
    deleted_at: datetime | None
    site_visibility: str | None


def visibility(row: SpaceVisibilityRow) -> str:
    """Return who may read it: those of the site that shows it to most, else those who may read it here."""
    if row.site_visibility and not row.deleted_at:
        return str(row.site_visibility)
    return "in-collection" if row.parent_id and row.default_level == "inherit" else "private"


def compare(cx: Context, before: SpaceVisibilityRow, after: SpaceVisibilityRow) -> None:
    """Emit an event for integrations where a change of a space changed its visibility."""
    was, now = visibility(before), visibility(after)
    if was != now:
        what = {"previousVisibility": was, "visibility": now}
        cx.emit("space_visibility_updated", after.organization_id, "space", after.id, **what)
