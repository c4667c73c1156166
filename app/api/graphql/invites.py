"""GraphQL face of invites, and of joining an organization."""

from __future__ import annotations

from typing import Any

import strawberry
from strawberry import ID

from app.api.graphql.calls import FIRST, Connection, Info, body, pages, read, reads, write, writes
from app.api.graphql.shapes import input_of, output
from app.api.graphql.users import User  # noqa: F401 - declared before the first type that names people
from app.domain.organizations import invites, link_invites
from app.models.invites import (
    AcceptedOut,
    InvitedOut,
    InviteOut,
    InvitesCreate,
    LinkInviteCreate,
    LinkInviteUpdate,
)
from app.present.people import accepted, invited
from app.present.people import invite as show_invite

InvitesCreateInput: Any = input_of(InvitesCreate)
LinkInviteCreateInput: Any = input_of(LinkInviteCreate)
LinkInviteUpdateInput: Any = input_of(LinkInviteUpdate)


@output(InviteOut)
class Invite:
    """An invite into an organization."""


@output(InvitedOut)
class Invited:
    """What came of inviting."""


@output(AcceptedOut)
class AcceptedInvite:
    """The organization that the caller belongs to now."""


@strawberry.type
class OrganizationInvites:
    """The invites of an organization."""

    @reads(link_invites.get)
    async def link_invite(self: Any, info: Info, invite: ID) -> Invite | None:
        return await read(info, link_invites.get, self["id"], invite, show=show_invite)

    @reads(invites.list_pending)
    async def invites(
        self: Any, info: Info, first: int = FIRST, after: str | None = None
    ) -> Connection[Invite]:
        return await pages(info, invites.list_pending, self["id"], first=first, after=after, show=show_invite)

    @reads(link_invites.list_links)
    async def link_invites(
        self: Any, info: Info, first: int = FIRST, after: str | None = None
    ) -> Connection[Invite]:
        return await pages(
            info, link_invites.list_links, self["id"], first=first, after=after, show=show_invite
        )


@strawberry.type
class InviteMutation:
    @writes(invites.invite)
    async def invite_users(self, info: Info, organization: ID, new: InvitesCreateInput) -> Invited | None:
        asked = body(InvitesCreate, new)
        return await write(info, invites.invite, organization, asked, show=invited)

    @writes(invites.accept)
    async def accept_invite(self, info: Info, organization: ID, invite: ID) -> AcceptedInvite | None:
        return await write(info, invites.accept, organization, invite, show=accepted)

    @writes(invites.withdraw)
    async def withdraw_invite(self, info: Info, organization: ID, invite: ID) -> bool | None:
        return await write(info, invites.withdraw, organization, invite)

    @writes(invites.join)
    async def join_organization(self, info: Info, organization: ID) -> bool | None:
        return await write(info, invites.join, organization)

    @writes(link_invites.create)
    async def create_link_invite(
        self, info: Info, organization: ID, new: LinkInviteCreateInput
    ) -> Invite | None:
        asked = body(LinkInviteCreate, new)
        return await write(info, link_invites.create, organization, asked, show=show_invite)

    @writes(link_invites.update)
    async def update_link_invite(
        self, info: Info, organization: ID, invite: ID, change: LinkInviteUpdateInput
    ) -> Invite | None:
        asked = body(LinkInviteUpdate, change)
        return await write(info, link_invites.update, organization, invite, asked, show=show_invite)

    @writes(link_invites.delete)
    async def delete_link_invite(self, info: Info, organization: ID, invite: ID) -> bool | None:
        return await write(info, link_invites.delete, organization, invite)
