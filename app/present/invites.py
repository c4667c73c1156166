"""Invites as callers see them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.access.context import Context
from app.models.invites import AcceptedOut, InvitedOut, InviteOut
from app.present import links
from app.present.shape import shows
from app.present.users import user

if TYPE_CHECKING:  # links are shown without inviting anybody
    from app.domain.organizations.invites import Invited


@shows(InviteOut)
def invite(cx: Context, row: Any) -> dict[str, Any]:
    """An invite by e-mail without a role invites a guest."""
    out: dict[str, Any] = {
        "object": "invite",
        "id": row.id,
        "type": "link" if row.email is None else "email",
        "organization": row.organization_id,
        "sso": row.sso,
        "createdAt": row.created_at,
        "urls": links.invite(cx, row),
    }
    optional = {"email": row.email, "role": row.role, "level": row.level}
    if row.object_kind:
        optional[row.object_kind] = row.object_id
    return out | {name: value for name, value in optional.items() if value is not None}


@shows(InvitedOut)
def invited(cx: Context, made: Invited) -> dict[str, Any]:
    """What came of inviting."""
    return {
        "users": [user(cx, row) for row in made.users],
        "invited": [invite(cx, row) for row in made.invites],
        "failedSSOEmails": made.failed,
    }


@shows(AcceptedOut)
def accepted(cx: Context, organization_id: str) -> dict[str, Any]:
    """Where the caller belongs now."""
    return {"organization": organization_id}
