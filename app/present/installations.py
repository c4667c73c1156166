"""Installations as callers see them; what they are configured with only for who may configure them."""

from __future__ import annotations

from typing import Any

from sqlmodel import SQLModel

from app.access.context import Context
from app.domain.integrations.installations import Made, configures, configures_on
from app.domain.integrations.placements import Shown
from app.models.installations import (
    InstallationOut,
    InstallationTokenOut,
    IntegrationSiteInstallationOut,
    IntegrationSpaceInstallationOut,
)
from app.models.sites import Site
from app.models.spaces import Space
from app.present import links
from app.present.shape import shows
from app.present.sites import site
from app.present.spaces import space


@shows(InstallationOut)
def installation(cx: Context, row: Any) -> dict[str, Any]:
    """An installation in an organization."""
    out: dict[str, Any] = {
        "id": row.id,
        "integration": row.integration_name,
        "status": row.status,
        "space_selection": row.space_selection,
        "site_selection": row.site_selection,
        "spaces": row.spaces,
        "createdAt": row.created_at,
        "updatedAt": row.updated_at,
        "urls": links.installation(cx, row),
        "externalIds": row.external_ids,
        "target": {"organization": row.organization_id},
    }
    if configures(cx, row.organization_id):
        out["configuration"] = row.configuration
    return out


@shows(IntegrationSpaceInstallationOut)
def on_space(cx: Context, shown: Shown) -> dict[str, Any]:
    """An installation on a space."""
    row = shown.row
    return {
        **_placement(cx, Space, row),
        "space": space(cx, row.objects[0]) if shown.extended else row.object_id,
    }


@shows(IntegrationSiteInstallationOut)
def on_site(cx: Context, shown: Shown) -> dict[str, Any]:
    """An installation on a site."""
    row = shown.row
    return {
        **_placement(cx, Site, row),
        "site": site(cx, row.objects[0]) if shown.extended else row.object_id,
    }


@shows(InstallationTokenOut)
def token(cx: Context, made: Made) -> dict[str, Any]:
    """A token, this once."""
    return {"token": made.token, "expiresAt": made.until}


def _placement(cx: Context, model: type[SQLModel], row: Any) -> dict[str, Any]:
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
