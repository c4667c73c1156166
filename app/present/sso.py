"""Identity providers as administrators see them, and ways to sign in as members do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.access.context import Context
from app.domain.organizations import sso_requirements
from app.domain.sso import saml_providers
from app.domain.sso.saml_providers import Login
from app.domain.sso.sessions import SignedIn
from app.models.sso import SAMLProviderOut, SessionOut, SignedInOut, SSOLoginsOut
from app.present import links
from app.present.shape import shows
from app.present.teams import team
from app.present.users import user


@shows(SAMLProviderOut)
def provider(cx: Context, row: Any) -> dict[str, Any]:
    """A provider without what was not set; `defaultRole` may be null."""
    ours = saml_providers.addresses(cx, row.id)
    out: dict[str, Any] = {
        "object": "saml-provider",
        "id": row.id,
        "label": row.label,
        "defaultRole": row.default_role,
        "createdAt": row.created_at,
        "status": "active" if sso_requirements.is_active(row) else "pending",
        "service": {"acsURL": ours.acs_url, "startURL": ours.start_url, "entityID": ours.entity_id},
        "urls": links.saml_provider(cx, row),
    }
    optional = {
        "ssoURL": row.sso_url,
        "entityID": row.entity_id,
        "certificate": row.certificate,
        "defaultTeam": team(cx, row.default_team[0]) if row.default_team else None,
    }
    return out | {name: value for name, value in optional.items() if value is not None}


@shows(SSOLoginsOut)
def logins(cx: Context, found: Sequence[Login]) -> dict[str, Any]:
    """Every way to sign in."""
    return {"items": [{"id": one.id, "label": one.label, "startURL": one.start_url} for one in found]}


@shows(SignedInOut)
def signed_in(cx: Context, done: SignedIn) -> dict[str, Any]:
    """Who has signed in, and the token they got, which is shown this once."""
    return {"token": done.token, **session(cx, done)}


@shows(SessionOut)
def session(cx: Context, found: SignedIn) -> dict[str, Any]:
    """Who is signed in, for which organization and until when."""
    return {
        "expiresAt": found.until,
        "organization": found.organization_id,
        "user": user(cx, found.user),
    }
