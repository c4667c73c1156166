"""Operations on invites and on joining an organization."""

from __future__ import annotations

from app.api.operation import family, get, listing, patch, post, remove
from app.domain.organizations import invites, link_invites
from app.models.invites import InvitesCreate, LinkInviteCreate, LinkInviteUpdate
from app.present.people import accepted, invite, invited

INVITES = "/orgs/{organizationId}/invites"
INVITE = INVITES + "/{inviteId}"
LINKS = "/orgs/{organizationId}/link-invites"
LINK = LINKS + "/{inviteId}"

OPERATIONS = family(
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
        invites.invite,
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
)
