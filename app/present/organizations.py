"""An organization as callers see it (specification, Organization)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.access.context import Context
from app.access.fetch import permissions
from app.models.organizations import Organization, OrganizationOut, OrganizationsOut, SubdomainOut
from app.present import links
from app.present.shape import shows


@shows(OrganizationOut)
def organization(cx: Context, row: Organization) -> dict[str, Any]:
    """Fields without a value are left out; `defaultRole` may be null."""
    out: dict[str, Any] = {
        "object": "organization",
        "id": row.id,
        "title": row.title,
        "createdAt": row.created_at,
        "emailDomains": row.email_domains,
        "type": row.type,
        "defaultRole": row.default_role,
        "sso": row.sso,
        "ai": row.ai,
        "inviteLinks": row.invite_links,
        "contentTransfers": row.content_transfers,
        "plan": row.plan,
        "urls": links.organization(cx, row),
        "trial": {"status": "notapplicable"},
        "permissions": permissions(cx, Organization, row),
    }
    optional = {
        "hostname": row.hostname,
        "useCase": row.use_case,
        "communityType": row.community_type,
        "defaultContent": row.default_content,
    }
    return out | {name: value for name, value in optional.items() if value is not None}


@shows(OrganizationsOut)
def organizations(cx: Context, rows: Sequence[Organization]) -> dict[str, Any]:
    """Organizations that are not cut into pages."""
    return {"organizations": [organization(cx, row) for row in rows]}


@shows(SubdomainOut)
def subdomain(cx: Context, row: Organization) -> dict[str, Any]:
    """The subdomain of an organization; one that is there is active."""
    return {
        "object": "subdomain",
        "subdomain": row.hostname,
        "target": {"type": "organization", "organization": row.id},
        "isActive": True,
    }
