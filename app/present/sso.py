"""Identity providers as administrators see them, ways to sign in, and sessions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.access.context import Context
from app.domain.organizations import sso_requirements
from app.domain.organizations.sso_requirements import ProviderRow
from app.domain.sso import saml_providers
from app.domain.sso.saml_providers import Login
from app.domain.sso.sessions import SignedIn
from app.models.sso import SAMLProviderOut, SessionOut, SignedInOut, SSOLoginOut, SSOLoginsOut
from app.present import links
from app.present.people import team, user
from app.present.shape import Presenter, presenter, shows


def _service(cx: Context, row: ProviderRow) -> dict[str, Any]:
    """Return what the identity provider has to be told of this server."""
    ours = saml_providers.addresses(cx, row.id)
    return {"acsURL": ours.acs_url, "startURL": ours.start_url, "entityID": ours.entity_id}


provider: Presenter[Context, ProviderRow] = presenter(
    SAMLProviderOut,
    optional=("sso_url", "entity_id", "certificate", "default_team"),
    status=lambda _cx, row: "active" if sso_requirements.is_active(row) else "pending",
    service=_service,
    urls=links.saml_provider,
    default_team=lambda cx, row: team(cx, row.default_team[0]) if row.default_team else None,
)

_login: Presenter[Context, Login] = presenter(SSOLoginOut)


@shows(SSOLoginsOut)
def logins(cx: Context, found: Sequence[Login]) -> dict[str, Any]:
    """Return every way to sign in."""
    return {"items": [_login(cx, one) for one in found]}


session: Presenter[Context, SignedIn] = presenter(SessionOut, user=lambda cx, found: user(cx, found.user))
signed_in: Presenter[Context, SignedIn] = presenter(SignedInOut, user=lambda cx, found: user(cx, found.user))
