"""Domains and hosts of an organization as its administrators see them."""

from __future__ import annotations

from typing import Any

from app.access.context import Context
from app.domain import domain_claims
from app.models.domain_claims import DomainClaim, DomainOut
from app.present import links
from app.present.shape import shows


@shows(DomainOut)
def domain(cx: Context, row: DomainClaim) -> dict[str, Any]:
    """A claim, with the record that proves it."""
    out: dict[str, Any] = {
        "object": "domain",
        "id": row.id,
        "organization": row.organization_id,
        "kind": row.kind,
        "name": row.name,
        "status": row.status,
        "record": record(row),
        "createdAt": row.created_at,
        "urls": links.domain(cx, row),
    }
    optional = {
        "method": row.method,
        "problem": row.problem,
        "checkedAt": row.checked_at,
        "verifiedAt": row.verified_at if row.status == "verified" else None,
        "endsAt": row.ends_at,
    }
    return out | {name: value for name, value in optional.items() if value is not None}


def record(row: DomainClaim) -> dict[str, Any]:
    """The record that proves a claim."""
    return domain_claims.record_of(row).model_dump()
