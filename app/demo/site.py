"""The demo's site: the guide, online for everybody."""

from __future__ import annotations

from app.access.context import Context
from app.domain.site_addresses import addresses
from app.domain.sites import customizations, sites
from app.kit.settings import Settings
from app.models.customizations import CustomizationSettings
from app.models.sites import SiteCreate, SiteUpdate

TITLE, NAME = "Docyard", "docyard"
REFERENCE = "/docs"


async def publish(cx: Context, organization_id: str, space_id: str) -> str:
    """Publish the space; the site's id."""
    site = await sites.create(cx, organization_id, SiteCreate(title=TITLE, spaces=[space_id]))
    change = SiteUpdate.model_validate({"basename": NAME, "icon": "book-open"})
    await sites.update(cx, organization_id, site.id, change)
    await customizations.put(cx, organization_id, site.id, looks(cx.settings.base_url))
    await sites.publish(cx, organization_id, site.id)
    return site.id


def address(settings: Settings, organization_id: str, site_id: str) -> str:
    """Where the site is read; its names may change, its ids do not."""
    return addresses.whole(settings, f"{organization_id}/{site_id}")


def looks(base_url: str) -> CustomizationSettings:
    """How the site looks: mostly as every new one does, with links of its own."""
    given: dict[str, object] = {
        "styling": {"primaryColor": {"light": "#0f6e84", "dark": "#5cc3d9"}},
        "footer": {"copyright": "This is Docyard's own guide, published by Docyard."},
    }
    if base_url:
        given["header"] = {
            "links": [{"title": "GraphiQL", "url": f"{base_url}/graphql"}],
            "primaryLink": {"title": "API reference", "url": f"{base_url}{REFERENCE}"},
        }
    return CustomizationSettings.model_validate(given)
