"""People as callers see them: users, members of organizations, teams, invites."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from app.access.context import Context
from app.domain.organizations import team_rows
from app.models.invites import AcceptedOut, Invite, InvitedOut, InviteOut
from app.models.members import MemberOut, MemberSpaceOut, MemberTeamOut, PingOut, SigningKeyOut, TeamMemberOut
from app.models.teams import TeamOut
from app.models.users import UserOut
from app.present import links
from app.present.shape import Presenter, presenter, shows
from app.present.spaces import space

if TYPE_CHECKING:  # who shows people among other things needs none of it
    from app.domain.organizations.invites import Invited
    from app.domain.organizations.member_lists import MemberSpace, MemberTeamRow
    from app.domain.organizations.member_rows import MemberRow
    from app.domain.organizations.team_members import TeamMemberRow
    from app.domain.organizations.team_rows import TeamRow
    from app.domain.organizations.visitor_claims import MemberClaims, NewKey


class PersonRow(Protocol):
    """What is shown of a user, who may come with columns of something else."""

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

member: Presenter[Context, MemberRow] = presenter(MemberOut, user=lambda cx, row: user(cx, row.user[0]))

team: Presenter[Context, TeamRow] = presenter(TeamOut, permissions=team_rows.permissions, urls=links.team)

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
