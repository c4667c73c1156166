"""Operations on members of an organization, and on the invites that make them."""

from __future__ import annotations

from app.api.operation import family, get, listing, patch, post, put, remove
from app.domain.accounts import invitations
from app.domain.organizations import invites, link_invites, member_lists, members, visitor_claims
from app.models.invites import InvitesCreate, LinkInviteCreate, LinkInviteUpdate
from app.models.members import (
    MemberSpacesQuery,
    MembersQuery,
    MemberTeamsQuery,
    MemberUpdate,
    SigningKeyUpdate,
)
from app.present.people import accepted, invite, invited, member, member_space, member_team, ping, signing_key

ORGANIZATION = "/orgs/{organizationId}"
MEMBER = ORGANIZATION + "/members/{userId}"


INVITES = "/orgs/{organizationId}/invites"
INVITE = INVITES + "/{inviteId}"
LINKS = "/orgs/{organizationId}/link-invites"
LINK = LINKS + "/{inviteId}"


OPERATIONS = [
    *family(
        "Organization members",
        listing(
            "listMembersInOrganizationById",
            f"{ORGANIZATION}/members",
            members.list_in_organization,
            query=MembersQuery,
            show=member,
            field="Organization.members",
            permission="organization:listMembers",
            tool="list_people",
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
    ),
    *family(
        "Organizations and invites",
        listing(
            "listEmailInvitesInOrganization",
            INVITES,
            invites.list_pending,
            show=invite,
            field="Organization.invites",
            permission="organization:admin",
        ),
        post(
            "inviteUsersToOrganization",
            INVITES,
            invitations.invite,
            body=InvitesCreate,
            show=invited,
            field="inviteUsers",
            permission="organization:admin",
        ),
        post(
            "joinOrganizationWithInvite",
            INVITE,
            invites.accept,
            show=accepted,
            field="acceptInvite",
            permission="anybody",
        ),
        remove(
            "withdrawEmailInvite",
            INVITE,
            invites.withdraw,
            field="withdrawInvite",
            permission="organization:admin",
        ),
        post(
            "joinOrganizationByEmailDomain",
            "/orgs/{organizationId}/join",
            invites.join,
            status=204,
            field="joinOrganization",
            permission="anybody",
        ),
        listing(
            "listOrganizationInvites",
            LINKS,
            link_invites.list_links,
            show=invite,
            field="Organization.linkInvites",
            permission="organization:admin",
        ),
        post(
            "createOrganizationInvite",
            LINKS,
            link_invites.create,
            body=LinkInviteCreate,
            show=invite,
            status=201,
            field="createLinkInvite",
            permission="organization:view+named space:admin",
        ),
        get(
            "getOrganizationInviteById",
            LINK,
            link_invites.get,
            show=invite,
            field="Organization.linkInvite",
            permission="organization:admin",
        ),
        patch(
            "updateOrganizationInviteById",
            LINK,
            link_invites.update,
            body=LinkInviteUpdate,
            show=invite,
            field="updateLinkInvite",
            permission="organization:admin",
        ),
        remove(
            "deleteOrganizationInviteById",
            LINK,
            link_invites.delete,
            field="deleteLinkInvite",
            permission="organization:admin",
        ),
    ),
]
