"""The environment that scripts receive with each event.

The names are those of the wire, since scripts read them. `tests/integrations/test_public_runtime.py` compares
what is sent with the types of the runtime that scripts are built with.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class EndpointUrls(TypedDict):
    """The public addresses at which the script is called, and at which browsers show its answers."""

    publicEndpoint: str
    publicContentEndpoint: str


class PlacementEnvironmentUrls(EndpointUrls):
    """Addresses of an installation on a space or site."""

    location: str


class InstallationEnvironmentUrls(PlacementEnvironmentUrls):
    """Addresses of an installation."""

    app: str


class IntegrationEnvironmentUrls(InstallationEnvironmentUrls):
    """Addresses of an integration."""

    assets: str
    icon: NotRequired[str]


class EnvironmentOwner(TypedDict):
    """The organization that published an integration."""

    object: Literal["organization"]
    id: str
    title: str
    createdAt: str
    hostname: NotRequired[str]


class EnvironmentIntegration(TypedDict):
    """The integration itself, as it is published."""

    object: Literal["integration"]
    name: str
    version: int
    title: str
    description: str
    summary: str
    previewImages: list[str]
    target: str
    verified: bool
    visibility: str
    scopes: list[str]
    categories: list[str]
    blocks: list[dict[str, Any]]
    contentSources: list[dict[str, Any]]
    configurations: dict[str, Any]
    externalLinks: list[dict[str, Any]]
    owner: EnvironmentOwner
    urls: IntegrationEnvironmentUrls
    permissions: dict[str, bool]
    contentSecurityPolicy: NotRequired[str]


class ConfiguredEnvironment(TypedDict):
    """The fields that an installation, and one on a space or site, have in common."""

    status: str
    configuration: dict[str, Any]
    externalIds: list[str]


class EnvironmentTarget(TypedDict):
    """The place where an integration is installed."""

    organization: str


class EnvironmentInstallation(ConfiguredEnvironment):
    """The installation that an event is for. `spaces` counts those that it is installed on."""

    id: str
    space_selection: str
    site_selection: str
    spaces: int
    createdAt: str
    updatedAt: str
    target: EnvironmentTarget
    urls: InstallationEnvironmentUrls


class EnvironmentPlacement(ConfiguredEnvironment):
    """The installation on the space or site that an event is for: one of `space` and `site` is its id."""

    integration: str
    installation: str
    space: NotRequired[str]
    site: NotRequired[str]
    urls: PlacementEnvironmentUrls


class ApiTokens(TypedDict):
    """Tokens to call the API with: as the integration, and as the installation that an event is for."""

    integration: str
    installation: NotRequired[str]


class SigningSecrets(TypedDict):
    """Keys to sign with, and to check signatures: one of the integration, and one for each place below it.

    That of a site is the key that visitors' tokens are signed with, for those who sign visitors in.
    """

    integration: str
    installation: NotRequired[str]
    spaceInstallation: NotRequired[str]
    siteInstallation: NotRequired[str]


class IntegrationEnvironment(TypedDict):
    """All that a script learns of its surroundings. `authToken` and `signingSecret` are older names."""

    apiEndpoint: str
    apiTokens: ApiTokens
    authToken: str
    integration: EnvironmentIntegration
    installation: NotRequired[EnvironmentInstallation]
    spaceInstallation: NotRequired[EnvironmentPlacement]
    siteInstallation: NotRequired[EnvironmentPlacement]
    secrets: dict[str, str]
    signingSecret: str
    signingSecrets: SigningSecrets
