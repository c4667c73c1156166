"""REST rows of the members of organizations."""

from __future__ import annotations

from app.api.operation import family, get, listing, patch, post, put, remove
from app.domain.people import member_spaces, member_teams, members, visitor_claims
from app.models.members import (
    MemberSpacesQuery,
    MembersQuery,
    MemberTeamsQuery,
    MemberUpdate,
    SigningKeyUpdate,
)
from app.present.members import member, member_space, ping, signing_key
from app.present.team_members import member_team

ORGANIZATION = "/orgs/{organizationId}"
MEMBER = ORGANIZATION + "/members/{userId}"

OPERATIONS = family(
    "Organization members",
    listing(
        "listMembersInOrganizationById",
        f"{ORGANIZATION}/members",
        members.list_in_organization,
        query=MembersQuery,
        show=member,
    ),
    get("getMemberInOrganizationById", MEMBER, members.get, show=member),
    remove("removeMemberFromOrganizationById", MEMBER, members.remove, status=204),
    patch("updateMemberInOrganizationById", MEMBER, members.update_member, body=MemberUpdate, show=member),
    post("setUserAsSSOMemberForOrganization", f"{MEMBER}/sso", members.set_sso, show=member),
    listing(
        "listSpacesForOrganizationMember",
        f"{MEMBER}/spaces",
        member_spaces.list_spaces,
        query=MemberSpacesQuery,
        show=member_space,
    ),
    listing(
        "listTeamsForOrganizationMember",
        f"{MEMBER}/teams",
        member_teams.list_teams,
        query=MemberTeamsQuery,
        show=member_team,
    ),
    post("updateOrganizationMemberLastSeenAt", f"{ORGANIZATION}/ping", visitor_claims.ping, show=ping),
    put(
        "setOrganizationSigningKey",
        f"{ORGANIZATION}/signing-key",
        visitor_claims.set_key,
        body=SigningKeyUpdate,
        show=signing_key,
    ),
    remove("removeOrganizationSigningKey", f"{ORGANIZATION}/signing-key", visitor_claims.remove_key),
)
