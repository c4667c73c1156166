"""Integrations as callers see them (specification, Integration): never their secrets, never their scripts.

What an installation is configured with is for those who may configure it.

OpenAPI specifications and their versions as callers see them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlmodel import SQLModel

from app.access.context import Context
from app.domain.integrations.installations import (
    InstallationRow,
    configures,
    configures_on,
)
from app.domain.integrations.integration_rows import IntegrationRow, permissions
from app.domain.integrations.placements import PlacementRow, ShownPlacement
from app.domain.integrations.script_tokens import CreatedInstallationToken
from app.domain.openapi import openapi_specs
from app.domain.openapi.openapi_versions import RawVersion, VersionContent, VersionRow
from app.models.installations import (
    InstallationOut,
    InstallationTokenOut,
    IntegrationSiteInstallationOut,
    IntegrationSpaceInstallationOut,
)
from app.models.integration_events import EventDetailOut, IntegrationEventOut, SiteScriptsOut
from app.models.integration_rendering import RenderOutput
from app.models.integrations import (
    Integration,
    IntegrationDevelopmentOut,
    IntegrationOut,
    IntegrationSecretsOut,
    IntegrationVersion,
    IntegrationVersionOut,
)
from app.models.openapi_specs import (
    OpenAPIContentOut,
    OpenAPIRawOut,
    OpenAPISpec,
    OpenAPISpecOut,
    OpenAPISpecVersionOut,
)
from app.models.sites import Site
from app.models.spaces import Space
from app.present import links
from app.present.organizations import organization
from app.present.shape import Presenter, When, presenter, shows
from app.present.sites import site
from app.present.spaces import space

if TYPE_CHECKING:
    from app.domain.integrations.component_rendering import Rendered
    from app.domain.integrations.integration_events import IntegrationEventRow


def _pictured(cx: Context, row: IntegrationRow, name: str) -> list[dict[str, Any]]:
    """Return what the manifest lists under a name, with the addresses of its icons."""
    items: list[dict[str, Any]] = row.manifest[name]
    return [
        {**item, "icon": links.integration_picture(cx, row, item["icon"])} if "icon" in item else item
        for item in items
    ]


def _previews(cx: Context, row: IntegrationRow) -> list[str]:
    return [links.integration_picture(cx, row, name) for name in row.manifest["previewImages"]]


def _warnings(cx: Context, row: IntegrationRow) -> list[dict[str, Any]] | None:
    """Return the warnings of a manifest to those who may publish it."""
    found = row.manifest.get("warnings")
    return found if found and permissions(cx, row)["admin"] else None


integration: Presenter[Context, IntegrationRow] = presenter(
    IntegrationOut,
    summary=lambda _cx, row: row.manifest["summary"],
    preview_images=_previews,
    blocks=lambda cx, row: _pictured(cx, row, "blocks"),
    content_sources=lambda cx, row: _pictured(cx, row, "contentSources"),
    configurations=lambda _cx, row: row.manifest["configurations"],
    external_links=lambda _cx, row: row.manifest["externalLinks"],
    owner=lambda cx, row: organization(cx, row.owner[0]),
    urls=links.integration,
    permissions=permissions,
    content_security_policy=lambda _cx, row: row.manifest["contentSecurityPolicy"] or None,
    warnings=_warnings,
)


integration_version: Presenter[Context, IntegrationVersion] = presenter(IntegrationVersionOut)
development: Presenter[Context, Integration] = presenter(IntegrationDevelopmentOut)


@shows(IntegrationSecretsOut)
def secrets(_cx: Context, names: Sequence[str]) -> dict[str, Any]:
    """Return the names of secrets."""
    return {"object": "integration-secrets", "names": list(names)}


def _configuration(cx: Context, row: InstallationRow) -> dict[str, Any] | None:
    return row.configuration if configures(cx, row.organization_id) else None


installation: Presenter[Context, InstallationRow] = presenter(
    InstallationOut,
    urls=links.installation,
    target=lambda _cx, row: {"organization": row.organization_id},
    configuration=_configuration,
)

token: Presenter[Context, CreatedInstallationToken] = presenter(InstallationTokenOut)


@shows(IntegrationSpaceInstallationOut)
def on_space(cx: Context, shown: ShownPlacement) -> dict[str, Any]:
    """Return an installation on a space."""
    row = shown.row
    return {
        **_placement(cx, Space, row),
        "space": space(cx, row.objects[0]) if shown.extended else row.object_id,
    }


@shows(IntegrationSiteInstallationOut)
def on_site(cx: Context, shown: ShownPlacement) -> dict[str, Any]:
    """Return an installation on a site."""
    row = shown.row
    return {
        **_placement(cx, Site, row),
        "site": site(cx, row.objects[0]) if shown.extended else row.object_id,
    }


def _placement(cx: Context, model: type[SQLModel], row: PlacementRow) -> dict[str, Any]:
    out: dict[str, Any] = {
        "integration": row.integration_name,
        "installation": row.installation_id,
        "status": row.status,
        "externalIds": row.external_ids,
        "urls": links.placement(cx, row),
    }
    if configures_on(cx, row.organization_id, model, row.objects[0]):
        out["configuration"] = row.configuration
    return out


event: Presenter[Context, IntegrationEventRow] = presenter(
    IntegrationEventOut, status=lambda _cx, row: row.status or "pending"
)


@shows(EventDetailOut)
def event_detail(cx: Context, row: IntegrationEventRow) -> dict[str, Any]:
    """Return an event with the trace of its last delivery."""
    logs = [{**line, "timestamp": _time(line["timestamp"])} for line in row.logs]
    return {"event": event(cx, row), "trace": {"logs": logs}}


@shows(RenderOutput)
def rendered(_cx: Context, found: Rendered) -> dict[str, Any]:
    """Return what was rendered, which was checked before."""
    return found.output


@shows(SiteScriptsOut)
def site_scripts(_cx: Context, found: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the scripts of a site."""
    return list(found)


def _time(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


spec: Presenter[Context, OpenAPISpec] = presenter(
    OpenAPISpecOut,
    optional=(
        "source_url", "last_version", "last_processed_at", "last_processed_warnings",
        "last_process_error_code", "last_processed_errors",
    ),
    permissions=openapi_specs.permissions,
    urls=links.openapi_spec,
    last_processed_warnings=When("warnings", lambda _cx, row: row.warnings),
    last_process_error_code=When("errors", lambda _cx, row: (row.errors or [{}])[0].get("code")),
    last_processed_errors=When("errors", lambda _cx, row: row.errors),
)  # fmt: skip

version: Presenter[Context, VersionRow] = presenter(
    OpenAPISpecVersionOut, url=links.openapi_file, urls=links.openapi_version
)

content: Presenter[Context, VersionContent] = presenter(
    OpenAPIContentOut, url=lambda cx, read: links.openapi_file(cx, read.version)
)

raw: Presenter[Context, RawVersion] = presenter(OpenAPIRawOut)
