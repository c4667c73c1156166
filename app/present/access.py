"""Who may do what, how people sign in and what they did, as callers see it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from app.access.context import Context
from app.access.rights import role
from app.domain.organizations import sso_requirements
from app.domain.organizations.sso_requirements import ProviderRow
from app.domain.sso import saml_providers
from app.domain.sso.saml_providers import Login
from app.domain.sso.sessions import SignedIn
from app.models.audit import AuditEventOut
from app.models.grants import ExplanationOut, TeamPermissionOut, UserPermissionOut
from app.models.sso import SAMLProviderOut, SessionOut, SignedInOut, SSOLoginOut, SSOLoginsOut
from app.present import links
from app.present.people import team, user
from app.present.shape import Presenter, When, presenter, shows

if TYPE_CHECKING:
    from app.domain.audit.audit_events import AuditEventRow
    from app.domain.organizations.effective_access import Explanation
    from app.domain.organizations.grants import GranteeRow

user_permission: Presenter[Context, GranteeRow] = presenter(
    UserPermissionOut,
    permission=lambda _cx, row: role(row.level),
    user=lambda cx, row: user(cx, row.grantee[0]),
)

team_permission: Presenter[Context, GranteeRow] = presenter(
    TeamPermissionOut,
    permission=lambda _cx, row: role(row.level),
    team=lambda cx, row: team(cx, row.grantee[0]),
)


def _source(_cx: Context, found: Explanation) -> dict[str, Any]:
    """Return the object whose rule decided, with the team that it was granted to if it was one."""
    kind, id_ = found.source
    source = {"object": kind, "id": id_}
    return {**source, "team": found.team_id} if found.team_id else source


explanation: Presenter[Context, Explanation] = presenter(
    ExplanationOut,
    level=lambda _cx, found: role(found.needed),
    permission=lambda _cx, found: role(found.held),  # null for who has no access
    source=_source,
)


def _actor(cx: Context, row: AuditEventRow) -> dict[str, Any]:
    actor: dict[str, Any] = {"type": row.actor}
    if row.person:
        actor["user"] = user(cx, row.person[0])
    if row.token_id:
        actor["token"] = row.token_id
    return actor


def _subject(_cx: Context, row: AuditEventRow) -> dict[str, Any]:
    subject = {"type": row.subject_kind, "id": row.subject_id}
    return {**subject, "title": row.subject_title} if row.subject_title else subject


audit_event: Presenter[Context, AuditEventRow] = presenter(
    AuditEventOut,
    optional=("target", "address", "request"),
    id=lambda _cx, row: str(row.number),  # the chain has no other name for it
    actor=_actor,
    subject=_subject,
    target=When("target_id", lambda _cx, row: {"type": row.target_kind, "id": row.target_id}),
    urls=lambda cx, row: links.audit_event(cx, row.organization_id, row.number),
)


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
