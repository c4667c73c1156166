"""An integration as callers see it (specification, Integration): never its secrets, never its script."""

from __future__ import annotations

from typing import Any

from app.access.context import Context
from app.domain.integrations.integration_rows import permissions
from app.models.integrations import IntegrationOut
from app.present import links
from app.present.organizations import organization
from app.present.shape import shows


@shows(IntegrationOut)
def integration(cx: Context, row: Any) -> dict[str, Any]:
    """Pictures are shown by their addresses."""
    held = row.manifest
    out: dict[str, Any] = {
        "object": "integration",
        "name": row.name,
        "version": row.version,
        "runtime": row.runtime,
        "title": row.title,
        "description": row.description,
        "summary": held["summary"],
        "previewImages": [links.integration_picture(cx, row, name) for name in held["previewImages"]],
        "target": row.target,
        "verified": row.verified,
        "visibility": row.visibility,
        "scopes": row.scopes,
        "categories": row.categories,
        "blocks": [_pictured(cx, row, block) for block in held["blocks"]],
        "contentSources": [_pictured(cx, row, source) for source in held["contentSources"]],
        "configurations": held["configurations"],
        "externalLinks": held["externalLinks"],
        "owner": organization(cx, row.owner[0]),
        "urls": links.integration(cx, row),
        "permissions": permissions(cx, row),
    }
    policy = held["contentSecurityPolicy"]
    return {**out, "contentSecurityPolicy": policy} if policy else out


def _pictured(cx: Context, row: Any, item: dict[str, Any]) -> dict[str, Any]:
    return {**item, "icon": links.integration_picture(cx, row, item["icon"])} if "icon" in item else item
