"""Operations on the members of organizations."""

from __future__ import annotations

from app.api.operation import family, get, listing, patch, post, put, remove
from app.domain.organizations import member_lists, members, visitor_claims
from app.models.members import (
    MemberSpacesQuery,
    MembersQuery,
    MemberTeamsQuery,
    MemberUpdate,
    SigningKeyUpdate,
)
from app.present.people import member, member_space, member_team, ping, signing_key

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
        field="Organization.members",
        permission="organization:listMembers",
    ),
    get(
        "getMemberInOrganizationById",
        MEMBER,
        members.get,
        show=member,
        field="Organization.member",
        permission="organization:listMembers",
    ),
    remove(
        "removeMemberFromOrganizationById",
        MEMBER,
        members.remove,
        status=204,
        field="removeMember",
        permission="organization:admin",
    ),
    patch(
        "updateMemberInOrganizationById",
        MEMBER,
        members.update_member,
        body=MemberUpdate,
        show=member,
        field="updateMember",
        permission="organization:admin",
    ),
    post(
        "setUserAsSSOMemberForOrganization",
        f"{MEMBER}/sso",
        members.set_sso,
        show=member,
        field="setSSOMember",
        permission="organization:admin",
    ),
    listing(
        "listSpacesForOrganizationMember",
        f"{MEMBER}/spaces",
        member_lists.list_spaces,
        query=MemberSpacesQuery,
        show=member_space,
        field="Member.spaces",
        permission="organization:listMembers",
    ),
    listing(
        "listTeamsForOrganizationMember",
        f"{MEMBER}/teams",
        member_lists.list_teams,
        query=MemberTeamsQuery,
        show=member_team,
        field="Member.teams",
        permission="organization:listTeams",
    ),
    post(
        "updateOrganizationMemberLastSeenAt",
        f"{ORGANIZATION}/ping",
        visitor_claims.ping,
        show=ping,
        field="ping",
        permission="organization:view",
    ),
    put(
        "setOrganizationSigningKey",
        f"{ORGANIZATION}/signing-key",
        visitor_claims.set_key,
        body=SigningKeyUpdate,
        show=signing_key,
        field="setSigningKey",
        permission="organization:admin",
    ),
    remove(
        "removeOrganizationSigningKey",
        f"{ORGANIZATION}/signing-key",
        visitor_claims.remove_key,
        field="removeSigningKey",
        permission="organization:admin",
    ),
)
