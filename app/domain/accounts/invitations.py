"""Invitations as the invited see them, and the mail that tells them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from app.access.context import Context
from app.domain import mail, notifications
from app.domain.accounts import sign_in_links
from app.domain.mail import Letter
from app.domain.organizations import invites
from app.domain.organizations.invites import Invited
from app.kit.database.statements import given, query, rows, table
from app.kit.errors import NotFound
from app.models.collections import Collection
from app.models.invites import Invite, InvitesCreate
from app.models.organizations import Organization
from app.models.spaces import Space
from app.models.users import User

INVITES, ORGANIZATIONS, USERS, SPACES, COLLECTIONS = (
    table(Invite),
    table(Organization),
    table(User),
    table(Space),
    table(Collection),
)
_INVITATION = rows(
    lambda: (
        select(
            *INVITES.c,
            ORGANIZATIONS.c.title.label("organization_title"),
            ORGANIZATIONS.c.invite_links,
            ORGANIZATIONS.c.deleted_at,
            USERS.c.display_name.label("inviter"),
            SPACES.c.title.label("space_title"),
            COLLECTIONS.c.title.label("collection_title"),
        )
        .join(ORGANIZATIONS, ORGANIZATIONS.c.id == INVITES.c.organization_id)
        .outerjoin(USERS, USERS.c.id == INVITES.c.created_by)
        .outerjoin(SPACES, (SPACES.c.id == INVITES.c.object_id) & SPACES.c.deleted_at.is_(None))
        .outerjoin(COLLECTIONS, COLLECTIONS.c.id == INVITES.c.object_id)
        .where(INVITES.c.id == given("id"), INVITES.c.organization_id == given("organization"))
    )
)
_ORGANIZATION = query(Organization, lambda: select(*ORGANIZATIONS.c).where(ORGANIZATIONS.c.id == given("id")))
_PERSON = query(User, lambda: select(*USERS.c).where(USERS.c.id == given("id")))


@dataclass(frozen=True, slots=True)
class Invitation:
    """An invitation. `title` is that of a space or collection if it is to one; `path` leads to
    it in the application."""

    email: str | None
    organization: str
    inviter: str | None
    role: str | None
    title: str | None
    path: str


async def find(cx: Context, organization_id: str, invite_id: str) -> Invitation:
    """Return the invitation whose id somebody knows, which is all that they need; raises NotFound."""
    found = await cx.db.first(_INVITATION, id=invite_id, organization=organization_id)
    if found is None or found.deleted_at or (found.email is None and not found.invite_links):
        raise NotFound("This invitation has been withdrawn or already accepted.")
    return Invitation(
        email=found.email,
        organization=found.organization_title,
        inviter=found.inviter,
        role=found.level or found.role,
        title=found.space_title or found.collection_title,
        path=_path(found),
    )


async def invite(cx: Context, organization_id: str, new: InvitesCreate) -> Invited:
    """Invite people by e-mail, and send each of them a link to accept if the server sends mail.

    Who belongs already is told in `users` and not invited again; a second invite to the same address changes
    the first. With `sso`, addresses outside the domains that the organization has proven are left out; raises
    Conflict where it has no active identity provider.
    """
    done = await invites.invite(cx, organization_id, new)
    await tell(cx, organization_id, done.invites)
    return done


async def tell(cx: Context, organization_id: str, invited: Sequence[Invite]) -> None:
    """Send each invited address what it is invited to, and a link: to accept, or to an account of its own."""
    if not cx.settings.sends_mail or not invited:
        return
    organization = await cx.db.first(_ORGANIZATION, id=organization_id)
    inviter = await cx.db.first(_PERSON, id=cx.actor.user_id)
    assert organization is not None
    who = inviter.display_name if inviter else organization.title
    unwanted = await notifications.without_invitations(cx, [invite.email or "" for invite in invited])
    for invite in invited:
        assert invite.email is not None
        if invite.email in unwanted:
            continue
        path = f"/o/{organization_id}/invite/{invite.id}"
        link = await sign_in_links.create(cx, invite.email, path=path, purpose="invitation")
        letter = Letter(
            subject=f"{who} invites you to {organization.title}",
            paragraphs=(f"{who} invites you to {organization.title} on Docyard.",),
            link=("See the invitation", link),
            closing=("If you do not know them, ignore this mail: nothing happens before you accept.",),
        )
        await mail.post(cx, invite.email, letter)


def _path(found: Any) -> str:
    if found.space_title:
        return f"/o/{found.organization_id}/s/{found.object_id}"
    return f"/o/{found.organization_id}"
