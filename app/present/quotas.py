"""Quotas of an organization as its administrators see them."""

from __future__ import annotations

from typing import Any

from app.access.context import Context
from app.domain.organizations.quotas import Quota, Quotas
from app.models.quotas import QuotasOut
from app.present import links
from app.present.shape import shows


@shows(QuotasOut)
def quotas(cx: Context, found: Quotas) -> dict[str, Any]:
    """All quotas of an organization."""
    return {
        "object": "quotas",
        "organization": found.organization_id,
        **{name: _quota(quota) for name, quota in found.by_name.items()},
        "urls": links.quotas(cx, found.organization_id),
    }


def _quota(quota: Quota) -> dict[str, Any]:
    optional = {"limit": quota.limit or None, "window": quota.window, "resetAt": quota.reset_at}
    return {"used": quota.used} | {name: value for name, value in optional.items() if value is not None}
