"""Operations on installations: in an organization, on spaces, on sites.

Operations on what is installed, and what can be, in an organization, a space, a site.
"""

from __future__ import annotations

from app.api.operation import family, get, listing, patch, post, remove
from app.domain.integrations import installations, integration_rows, placements, script_tokens
from app.domain.sites import site_integrations
from app.models.installations import (
    InstallationUpdate,
    PlacementsQuery,
    PlacementUpdate,
    SitePlacementCreate,
    SpacePlacementCreate,
)
from app.models.integrations import SearchedQuery
from app.present.integrations import installation, integration, on_site, on_space, token
from app.present.integrations import site_scripts as show_scripts

INSTALLATION = "/integrations/{integrationName}/installations/{installationId}"
ON_SPACE, ON_SITE = f"{INSTALLATION}/spaces/{{spaceId}}", f"{INSTALLATION}/sites/{{siteId}}"


ORGANIZATION = "/orgs/{organizationId}"
SITE = f"{ORGANIZATION}/sites/{{siteId}}"


OPERATIONS = [
    *family(
        "Installations",
        get(
            "getIntegrationInstallationById",
            INSTALLATION,
            installations.get,
            show=installation,
            field="Integration.installation",
            permission="organization:listInstallations",
            scope="always",
        ),
        patch(
            "updateIntegrationInstallation",
            INSTALLATION,
            installations.update,
            body=InstallationUpdate,
            show=installation,
            field="updateInstallation",
            permission="organization:installIntegration",
            scope="always",
        ),
        remove(
            "uninstallIntegration",
            INSTALLATION,
            installations.uninstall,
            field="uninstallIntegration",
            permission="organization:installIntegration",
        ),
        post(
            "createIntegrationInstallationToken",
            f"{INSTALLATION}/tokens",
            script_tokens.create,
            show=token,
            field="createInstallationToken",
            permission="organization:installIntegration",
            scope="always",
        ),
        listing(
            "listIntegrationInstallationSpaces",
            f"{INSTALLATION}/spaces",
            placements.list_spaces,
            query=PlacementsQuery,
            show=on_space,
            field="IntegrationInstallation.spaceInstallations",
            permission="organization:listInstallations",
            scope="always",
        ),
        post(
            "installIntegrationOnSpace",
            f"{INSTALLATION}/spaces",
            placements.install_on_space,
            body=SpacePlacementCreate,
            show=on_space,
            status=201,
            field="installOnSpace",
            permission="organization:installIntegration",
        ),
        get(
            "getIntegrationSpaceInstallation",
            ON_SPACE,
            placements.get_on_space,
            show=on_space,
            field="IntegrationInstallation.spaceInstallation",
            permission="organization:listInstallations+space:view",
            scope="always",
        ),
        patch(
            "updateIntegrationSpaceInstallation",
            ON_SPACE,
            placements.update_on_space,
            body=PlacementUpdate,
            show=on_space,
            field="updateSpaceInstallation",
            permission="organization:listInstallations+space:installIntegration",
            scope="always",
        ),
        remove(
            "uninstallIntegrationFromSpace",
            ON_SPACE,
            placements.uninstall_from_space,
            field="uninstallFromSpace",
            permission="organization:listInstallations+space:installIntegration",
        ),
        listing(
            "listIntegrationInstallationSites",
            f"{INSTALLATION}/sites",
            placements.list_sites,
            query=PlacementsQuery,
            show=on_site,
            field="IntegrationInstallation.siteInstallations",
            permission="organization:listInstallations",
            scope="always",
        ),
        post(
            "installIntegrationOnSite",
            f"{INSTALLATION}/sites",
            placements.install_on_site,
            body=SitePlacementCreate,
            show=on_site,
            status=201,
            field="installOnSite",
            permission="organization:installIntegration",
        ),
        get(
            "getIntegrationSiteInstallation",
            ON_SITE,
            placements.get_on_site,
            show=on_site,
            field="IntegrationInstallation.siteInstallation",
            permission="organization:listInstallations+site:view",
            scope="always",
        ),
        patch(
            "updateIntegrationSiteInstallation",
            ON_SITE,
            placements.update_on_site,
            body=PlacementUpdate,
            show=on_site,
            field="updateSiteInstallation",
            permission="organization:listInstallations+site:installIntegration",
            scope="always",
        ),
        remove(
            "uninstallIntegrationFromSite",
            ON_SITE,
            placements.uninstall_from_site,
            field="uninstallFromSite",
            permission="organization:listInstallations+site:installIntegration",
        ),
    ),
    *family(
        "Installations",
        listing(
            "listInstallationsInOrganization",
            f"{ORGANIZATION}/installations",
            installations.list_in_organization,
            query=SearchedQuery,
            show=installation,
            field="Organization.installations",
            permission="organization:listInstallations",
        ),
        listing(
            "listIntegrationsInOrganization",
            f"{ORGANIZATION}/integrations",
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
            f"{SITE}/integrations",
            placements.list_in_site,
            query=SearchedQuery,
            show=integration,
            field="Site.integrations",
            permission="site:view",
        ),
        get(
            "listSiteIntegrationScripts",
            f"{SITE}/integration-scripts",
            site_integrations.list_in_site,
            show=show_scripts,
            field="Site.integrationScripts",
            permission="site:view",
        ),
    ),
]
