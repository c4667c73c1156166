"""The addresses of integrations and their installations, as people, callers and scripts are told them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from app.domain.site_addresses import addresses
from app.kit.settings import Settings

if TYPE_CHECKING:
    from app.models.integration_environment import (
        EndpointUrls,
        InstallationEnvironmentUrls,
        IntegrationEnvironmentUrls,
        PlacementEnvironmentUrls,
    )


class PicturedRow(Protocol):
    """An integration with its manifest."""

    id: str
    name: str
    manifest: dict[str, Any]


def of_integration(settings: Settings, row: PicturedRow) -> IntegrationEnvironmentUrls:
    """Return the addresses of an integration."""
    endpoints = _endpoints(settings, row.name)
    urls: IntegrationEnvironmentUrls = {
        "location": f"{settings.api_base}/integrations/{row.name}",
        "app": f"{settings.app_base}/integrations/{row.name}",
        "assets": addresses.of_pictures(settings, row.id),
        "publicEndpoint": endpoints["publicEndpoint"],
        "publicContentEndpoint": endpoints["publicContentEndpoint"],
    }
    if icon := row.manifest.get("icon"):
        urls["icon"] = of_picture(settings, row.id, icon)
    return urls


def of_picture(settings: Settings, integration_id: str, name: str) -> str:
    """Return the address of a picture of an integration, or of somebody else as it is."""
    if name.startswith(("https://", "http://")):
        return name
    return f"{addresses.of_pictures(settings, integration_id)}/{name}"


def of_installation(
    settings: Settings, integration: str, organization_id: str, installation_id: str
) -> InstallationEnvironmentUrls:
    """Return the addresses of an installation of the integration with this name."""
    here = f"installations/{installation_id}"
    return {
        "location": f"{settings.api_base}/integrations/{integration}/{here}",
        "app": f"{settings.app_base}/o/{organization_id}/integrations/{integration}",
        **_endpoints(settings, integration, f"/{here}"),
    }


def of_placement(
    settings: Settings, integration: str, installation_id: str, kind: str, object_id: str
) -> PlacementEnvironmentUrls:
    """Return the addresses of an installation on a space or site."""
    here = f"installations/{installation_id}/{kind}s/{object_id}"
    return {
        "location": f"{settings.api_base}/integrations/{integration}/{here}",
        **_endpoints(settings, integration, f"/{here}"),
    }


def _endpoints(settings: Settings, integration: str, below: str = "") -> EndpointUrls:
    return {
        "publicEndpoint": f"{addresses.of_endpoints(settings, integration)}{below}/endpoint",
        "publicContentEndpoint": f"{addresses.of_own_endpoints(settings, integration)}{below}/endpoint",
    }
