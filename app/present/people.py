"""People as callers see them: users, members of organizations, teams, invites.

Who may do what, how people sign in and what they did, as callers see it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from app.access.context import Context
from app.access.rights import role
from app.domain.accounts.sessions import SignedIn
from app.domain.organizations import member_rows, sso_requirements
from app.domain.organizations.sso_requirements import ProviderRow
from app.domain.sso import identity_providers, oidc_providers
from app.domain.sso.identity_providers import Login
from app.models.audit import AuditEventOut
from app.models.grants import ExplanationOut, TeamPermissionOut, UserPermissionOut
from app.models.invites import AcceptedOut, Invite, InvitedOut, InviteOut
from app.models.members import MemberOut, MemberSpaceOut, MemberTeamOut, PingOut, SigningKeyOut, TeamMemberOut
from app.models.sso import (
    OIDCProviderOut,
    SAMLProviderOut,
    SessionOut,
    SignedInOut,
    SSOLoginOut,
    SSOLoginsOut,
)
from app.models.teams import TeamOut, TeamSpaceOut
from app.models.users import UserOut
from app.present import links
from app.present.shape import Presenter, When, presenter, shows
from app.present.spaces import space

if TYPE_CHECKING:
    from app.domain.audit.audit_events import AuditEventRow
    from app.domain.organizations.effective_access import Explanation
    from app.domain.organizations.grants import GranteeRow
    from app.domain.organizations.invites import Invited
    from app.domain.organizations.member_lists import MemberSpace, MemberTeamRow
    from app.domain.organizations.member_rows import ListedMemberRow, TeamRow
    from app.domain.organizations.team_spaces import TeamSpace
    from app.domain.organizations.teams import TeamMemberRow
    from app.domain.organizations.visitor_claims import MemberClaims, NewKey


class PersonRow(Protocol):
    """The columns of a user that are shown; a row may have columns of something else."""

    @property
    def id(self) -> str: ...

    @property
    def display_name(self) -> str: ...

    @property
    def email(self) -> str: ...

    @property
    def photo_url(self) -> str | None: ...


user: Presenter[Context, PersonRow] = presenter(
    UserOut,
    urls=lambda cx, row: links.user(cx, row.id),
    email=lambda _cx, row: row.email if "@" in row.email else None,  # integrations act without an address
)

member: Presenter[Context, ListedMemberRow] = presenter(MemberOut, user=lambda cx, row: user(cx, row.user[0]))

team: Presenter[Context, TeamRow] = presenter(
    TeamOut, permissions=member_rows.team_permissions, urls=links.team
)

team_member: Presenter[Context, TeamMemberRow] = presenter(
    TeamMemberOut,
    organization=member,
    team=lambda _cx, row: {"role": row.team_role},
    permissions=lambda _cx, _row: {"view": True},  # whoever lists them sees each of them
)

member_team: Presenter[Context, MemberTeamRow] = presenter(
    MemberTeamOut, team=team, member=lambda _cx, row: {"role": row.team_role}
)

member_space: Presenter[Context, MemberSpace] = presenter(
    MemberSpaceOut,
    permission=lambda _cx, seen: seen.level.name.lower(),
    space=lambda cx, seen: space(cx, seen.space),
)


team_space: Presenter[Context, TeamSpace] = presenter(
    TeamSpaceOut,
    permission=lambda _cx, granted: granted.level.name.lower(),
    space=lambda cx, granted: space(cx, granted.space),
)


@shows(PingOut)
def ping(_cx: Context, claims: MemberClaims) -> dict[str, Any]:
    """Return the claims of a visitor; nothing where the organization has no key."""
    return {"serviceVisitorClaims": claims.token} if claims.token else {}


@shows(SigningKeyOut)
def signing_key(_cx: Context, new: NewKey) -> dict[str, Any]:
    """Return a key that was made here; one that the caller sent is not sent back."""
    out = {"object": "signing-key"}
    return {**out, "key": new.made} if new.made else out


invite: Presenter[Context, Invite] = presenter(
    InviteOut,
    type=lambda _cx, row: "link" if row.email is None else "email",
    urls=links.invite,
    space=lambda _cx, row: row.object_id if row.object_kind == "space" else None,
    collection=lambda _cx, row: row.object_id if row.object_kind == "collection" else None,
)


@shows(InvitedOut)
def invited(cx: Context, made: Invited) -> dict[str, Any]:
    """Return what came of inviting."""
    return {
        "users": [user(cx, row) for row in made.users],
        "invited": [invite(cx, row) for row in made.invites],
        "failedSSOEmails": made.failed,
    }


@shows(AcceptedOut)
def accepted(_cx: Context, organization_id: str) -> dict[str, Any]:
    """Return where the caller belongs now."""
    return {"organization": organization_id}


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


def _audited(kind: str | None, id: str | None, title: str | None) -> dict[str, Any]:
    audited = {"type": kind, "id": id}
    return {**audited, "title": title} if title else audited


audit_event: Presenter[Context, AuditEventRow] = presenter(
    AuditEventOut,
    optional=("target", "address", "request"),
    id=lambda _cx, row: str(row.number),  # the chain has no other name for it
    actor=_actor,
    subject=lambda _cx, row: _audited(row.subject_kind, row.subject_id, row.subject_title),
    target=When("target_id", lambda _cx, row: _audited(row.target_kind, row.target_id, row.target_title)),
    urls=lambda cx, row: links.audit_event(cx, row.organization_id, row.number),
)


def _service(cx: Context, row: ProviderRow) -> dict[str, Any]:
    """Return what the identity provider has to be told of this server."""
    ours = identity_providers.saml_addresses(cx, row.id)
    return {"acsURL": ours.acs_url, "startURL": ours.start_url, "entityID": ours.entity_id}


provider: Presenter[Context, ProviderRow] = presenter(
    SAMLProviderOut,
    optional=("sso_url", "entity_id", "certificate", "default_team"),
    status=lambda _cx, row: "active" if sso_requirements.is_active(row) else "pending",
    service=_service,
    urls=links.saml_provider,
    default_team=lambda cx, row: team(cx, row.default_team[0]) if row.default_team else None,
)

oidc_provider: Presenter[Context, ProviderRow] = presenter(
    OIDCProviderOut,
    optional=("default_team",),
    service=lambda cx, row: oidc_providers.addresses(cx, row.id),
    urls=links.oidc_provider,
    default_team=lambda cx, row: team(cx, row.default_team[0]) if row.default_team else None,
)

_login: Presenter[Context, Login] = presenter(SSOLoginOut)


@shows(SSOLoginsOut)
def logins(cx: Context, found: Sequence[Login]) -> dict[str, Any]:
    """Return every way to sign in."""
    return {"items": [_login(cx, one) for one in found]}


session: Presenter[Context, SignedIn] = presenter(
    SessionOut, optional=("organization",), user=lambda cx, found: user(cx, found.user)
)
signed_in: Presenter[Context, SignedIn] = presenter(SignedInOut, user=lambda cx, found: user(cx, found.user))
