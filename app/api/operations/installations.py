"""REST rows of installations: in an organization, on spaces, on sites."""

from __future__ import annotations

from app.api.operation import family, get, listing, patch, post, remove
from app.domain.integrations import installations, placements
from app.models.installations import (
    InstallationUpdate,
    PlacementsQuery,
    PlacementUpdate,
    SitePlacementCreate,
    SpacePlacementCreate,
)
from app.present.installations import installation, on_site, on_space, token

N = "/integrations/{integrationName}/installations/{installationId}"
ON_SPACE, ON_SITE = f"{N}/spaces/{{spaceId}}", f"{N}/sites/{{siteId}}"

OPERATIONS = family(
    "Installations",
    get("getIntegrationInstallationById", N, installations.get, show=installation),
    patch(
        "updateIntegrationInstallation", N, installations.update, body=InstallationUpdate, show=installation
    ),
    remove("uninstallIntegration", N, installations.uninstall),
    post("createIntegrationInstallationToken", f"{N}/tokens", installations.create_token, show=token),
    listing(
        "listIntegrationInstallationSpaces",
        f"{N}/spaces",
        placements.list_spaces,
        query=PlacementsQuery,
        show=on_space,
    ),
    post(
        "installIntegrationOnSpace",
        f"{N}/spaces",
        placements.install_on_space,
        body=SpacePlacementCreate,
        show=on_space,
        status=201,
    ),
    get("getIntegrationSpaceInstallation", ON_SPACE, placements.get_on_space, show=on_space),
    patch(
        "updateIntegrationSpaceInstallation",
        ON_SPACE,
        placements.update_on_space,
        body=PlacementUpdate,
        show=on_space,
    ),
    remove("uninstallIntegrationFromSpace", ON_SPACE, placements.uninstall_from_space),
    listing(
        "listIntegrationInstallationSites",
        f"{N}/sites",
        placements.list_sites,
        query=PlacementsQuery,
        show=on_site,
    ),
    post(
        "installIntegrationOnSite",
        f"{N}/sites",
        placements.install_on_site,
        body=SitePlacementCreate,
        show=on_site,
        status=201,
    ),
    get("getIntegrationSiteInstallation", ON_SITE, placements.get_on_site, show=on_site),
    patch(
        "updateIntegrationSiteInstallation",
        ON_SITE,
        placements.update_on_site,
        body=PlacementUpdate,
        show=on_site,
    ),
    remove("uninstallIntegrationFromSite", ON_SITE, placements.uninstall_from_site),
)
