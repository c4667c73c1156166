"""Operations on what is installed, and what can be, in an organization, a space, a site."""

from __future__ import annotations

from app.api.operation import family, get, listing
from app.domain.integrations import installations, integration_rows, placements
from app.domain.sites import site_integrations
from app.models.integrations import SearchedQuery
from app.present.integrations import installation, integration
from app.present.integrations import site_scripts as show_scripts

O = "/orgs/{organizationId}"  # noqa: E741 - as the list of operations has it
T = f"{O}/sites/{{siteId}}"

OPERATIONS = family(
    "Installations",
    listing(
        "listInstallationsInOrganization",
        f"{O}/installations",
        installations.list_in_organization,
        query=SearchedQuery,
        show=installation,
        field="Organization.installations",
        permission="organization:listInstallations",
    ),
    listing(
        "listIntegrationsInOrganization",
        f"{O}/integrations",
        integration_rows.list_in_organization,
        query=SearchedQuery,
        show=integration,
        field="Organization.integrations",
        permission="organization:listIntegrations",
    ),
    listing(
        "listSpaceIntegrations",
        "/spaces/{spaceId}/integrations",
        placements.list_in_space,
        query=SearchedQuery,
        show=integration,
        field="Space.integrations",
        permission="space:view",
    ),
    listing(
        "listSiteIntegrations",
        f"{T}/integrations",
        placements.list_in_site,
        query=SearchedQuery,
        show=integration,
        field="Site.integrations",
        permission="site:view",
    ),
    get(
        "listSiteIntegrationScripts",
        f"{T}/integration-scripts",
        site_integrations.list_in_site,
        show=show_scripts,
        field="Site.integrationScripts",
        permission="site:view",
    ),
)
