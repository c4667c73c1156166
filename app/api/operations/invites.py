"""REST rows of invites, and of joining an organization."""

from __future__ import annotations

from app.api.operation import family, get, listing, patch, post, remove
from app.domain.people import invites, link_invites
from app.models.invites import InvitesCreate, LinkInviteCreate, LinkInviteUpdate
from app.present.invites import accepted, invite, invited

INVITES = "/orgs/{organizationId}/invites"
INVITE = INVITES + "/{inviteId}"
LINKS = "/orgs/{organizationId}/link-invites"
LINK = LINKS + "/{inviteId}"

OPERATIONS = family(
    "Organizations and invites",
    listing("listEmailInvitesInOrganization", INVITES, invites.list_pending, show=invite),
    post("inviteUsersToOrganization", INVITES, invites.invite, body=InvitesCreate, show=invited),
    post("joinOrganizationWithInvite", INVITE, invites.accept, show=accepted),
    remove("withdrawEmailInvite", INVITE, invites.withdraw),
    post("joinOrganizationByEmailDomain", "/orgs/{organizationId}/join", invites.join, status=204),
    listing("listOrganizationInvites", LINKS, link_invites.list_links, show=invite),
    post(
        "createOrganizationInvite",
        LINKS,
        link_invites.create,
        body=LinkInviteCreate,
        show=invite,
        status=201,
    ),
    get("getOrganizationInviteById", LINK, link_invites.get, show=invite),
    patch(
        "updateOrganizationInviteById",
        LINK,
        link_invites.update,
        body=LinkInviteUpdate,
        show=invite,
    ),
    remove("deleteOrganizationInviteById", LINK, link_invites.delete),
)
