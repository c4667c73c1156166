"""Invites by e-mail, accepting invites of both kinds, and joining by e-mail domain.

Nobody is added without their own doing: people of this installation are invited like everybody else and
accept, and the answer does not tell who has an account here and who has not (threats, 13). No mail is sent;
the answer names each invite's address, so that the caller can send it. An address counts as its owner's,
since people are added by an operator or by single sign-on and cannot change it. An invite never lowers what
somebody has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import and_, delete, exists, or_, select, true

from app.access.context import Context
from app.access.fetch import fetch, permit_in
from app.access.rights import level
from app.domain.domains import domain_claims
from app.domain.organizations import organizations, sso_requirements
from app.domain.organizations.members import permit_giving
from app.domain.organizations.users import EMAIL
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import among
from app.kit.database.statements import command, given, query, rows, table
from app.kit.errors import Forbidden, Invalid, NotFound
from app.kit.http.urls import canonical_email
from app.kit.ids import new_id
from app.models.access import Grant
from app.models.collections import Collection
from app.models.invites import Invite, InvitesCreate
from app.models.organizations import Member, Organization
from app.models.queries import PageQuery
from app.models.spaces import Space
from app.models.teams import TeamInvite
from app.models.users import User

INVITES, MEMBERS, ORGANIZATIONS, USERS = table(Invite), table(Member), table(Organization), table(User)
COLLECTIONS, SPACES, GRANTS = table(Collection), table(Space), table(Grant)
_HERE = INVITES.c.organization_id == given("organization")

_PENDING = Listing(
    "invites by e-mail",
    Invite,
    lambda: select(*INVITES.c).where(_HERE, INVITES.c.email.is_not(None)),
    order=lambda: [INVITES.c.id],
)
_BELONGING = query(
    User,
    lambda: (
        select(*USERS.c)
        .join(MEMBERS, MEMBERS.c.user_id == USERS.c.id)
        .where(MEMBERS.c.organization_id == given("organization"), among(USERS.c.email, "emails"))
    ),
)
_OF_ADDRESSES = query(Invite, lambda: select(*INVITES.c).where(_HERE, among(INVITES.c.email, "emails")))
_WITHDRAW = rows(
    lambda: (
        delete(INVITES)
        .where(_HERE, INVITES.c.id == given("id"), INVITES.c.email.is_not(None))
        .returning(INVITES.c.id)
    )
)
_TAKE_DOWN = command(lambda: delete(INVITES).where(_HERE, among(INVITES.c.object_id, "objects")))


def _member_row() -> Any:
    """Return the caller beside an organization: their address, and their membership if they belong."""
    belongs = and_(MEMBERS.c.user_id == USERS.c.id, MEMBERS.c.organization_id == ORGANIZATIONS.c.id)
    return (
        select(
            USERS.c.email.label("address"),
            ORGANIZATIONS.c.invite_links,
            domain_claims.verified_domains(ORGANIZATIONS.c.id),
            ORGANIZATIONS.c.default_role,
            MEMBERS.c.user_id.label("member"),
            MEMBERS.c.role.label("held_role"),
            MEMBERS.c.disabled,
        )
        .join_from(USERS, ORGANIZATIONS, true())
        .outerjoin(MEMBERS, belongs)
        .where(USERS.c.id == given("user"), ORGANIZATIONS.c.id == given("organization"))
    )


def _accepting() -> Any:
    in_here = [
        and_(
            INVITES.c.object_kind == kind,
            exists().where(t.c.id == INVITES.c.object_id, t.c.organization_id == ORGANIZATIONS.c.id),
        )
        for kind, t in (("space", SPACES), ("collection", COLLECTIONS))
    ]
    there = or_(INVITES.c.object_kind.is_(None), *in_here)
    kept = ~exists().where(SPACES.c.id == INVITES.c.object_id, SPACES.c.deleted_at.is_not(None))
    return (
        _member_row()
        .add_columns(*INVITES.c)
        .join(INVITES, INVITES.c.organization_id == ORGANIZATIONS.c.id)
        .where(INVITES.c.id == given("id"), there, kept)
    )


_ACCEPTING = rows(_accepting)
_MEMBER_ROW = rows(_member_row)
_GRANTED = rows(
    lambda: select(GRANTS.c.level).where(
        GRANTS.c.object_id == given("object"), GRANTS.c.grantee_id == given("user")
    )
)


@dataclass(slots=True, frozen=True)
class Invited:
    """The outcome of inviting."""

    users: list[Any]
    invites: list[Invite]
    failed: list[str]


async def invite(cx: Context, organization_id: str, new: InvitesCreate) -> Invited:
    """Invite people by e-mail.

    Who belongs already is told in `users` and not invited again; a second invite to the same address changes
    the first. With `sso`, addresses outside the domains that the organization has proven are left out; raises
    Conflict where it has no active identity provider.
    """
    organization = await fetch(cx, Organization, organization_id, can="admin")
    wanted = _wanted(new, organization.default_role)
    for role in wanted.values():
        permit_giving(cx, organization_id, role)
    if new.sso:
        await sso_requirements.require_provider(cx, organization_id)
    failed = await sso_requirements.outsiders(cx, organization_id, wanted) if new.sso else []
    left = {address: role for address, role in wanted.items() if address not in failed}
    users = await cx.tx.all(_BELONGING, organization=organization_id, emails=left)
    for user in users:
        del left[user.email]
    invites = await _store(cx, organization_id, left, sso=new.sso)
    return Invited(users, invites, failed)


async def list_pending(cx: Context, organization_id: str, query: PageQuery) -> Page[Invite]:
    """List the invites by e-mail that nobody has accepted yet, oldest first."""
    permit_in(cx, organization_id, can="admin")
    return await _PENDING.page(cx.db, query.paging, cx.tokens, organization=organization_id)


async def withdraw(cx: Context, organization_id: str, invite_id: str) -> None:
    """Withdraw an invite by e-mail."""
    permit_in(cx, organization_id, can="admin")
    if not await cx.tx.all(_WITHDRAW, organization=organization_id, id=invite_id):
        raise NotFound("There is no such invite.")


async def take_down(cx: Context, organization_id: str, *object_ids: str) -> None:
    """Delete the links to objects that go, or go to another organization."""
    await cx.tx.run(_TAKE_DOWN, organization=organization_id, objects=object_ids)


async def accept(cx: Context, organization_id: str, invite_id: str) -> str:
    """Accept an invite: one to the caller's address, or a link.

    Who belongs already keeps what they have and gets what the invite gives beyond that.
    """
    _refuse_narrow_token(cx, organization_id)
    user = cx.actor.user_id
    found = await cx.tx.first(_ACCEPTING, organization=organization_id, id=invite_id, user=user)
    if found is None or not _is_for(found):
        raise NotFound("There is no such invite.")
    if found.disabled:
        raise Forbidden("You are disabled in this organization.")
    await organizations.refuse_deleted(cx, organization_id)
    cx.note("organization", organization_id, organization_id)
    if found.member is None:
        await organizations.add_member(cx, organization_id, user, found.role, sso=found.sso)
    elif level(found.role) > level(found.held_role):
        await cx.tx.put(Member, {"role": found.role}, organization_id=organization_id, user_id=user)
    if found.object_id is not None:
        await _grant(cx, found)
    if found.email is not None:
        await cx.tx.remove(Invite, id=found.id)
    return organization_id


async def join(cx: Context, organization_id: str) -> None:
    """Join the organization that has proven the caller's e-mail domain, with its default role."""
    _refuse_narrow_token(cx, organization_id)
    found = await cx.tx.first(_MEMBER_ROW, organization=organization_id, user=cx.actor.user_id)
    if found is None or (found.member is None and not domain_claims.is_verified(found, found.address)):
        raise NotFound("There is no such organization.")
    if found.disabled:
        raise Forbidden("You are disabled in this organization.")
    if found.member is None:
        cx.note("organization", organization_id, organization_id)
        await organizations.add_member(cx, organization_id, cx.actor.user_id, found.default_role)


def _wanted(new: InvitesCreate, default_role: str | None) -> dict[str, str | None]:
    """Return the role for each address."""
    general = new.role if "role" in new.model_fields_set else default_role
    wanted: dict[str, str | None] = {}
    for position, invitee in enumerate(new.emails):
        address, role = (invitee, general) if isinstance(invitee, str) else (invitee.email, invitee.role)
        if not EMAIL.fullmatch(address):
            raise Invalid("This is not an e-mail address.", path=f"emails.{position}")
        wanted[canonical_email(address)] = role
    return wanted


async def _store(
    cx: Context, organization_id: str, wanted: Mapping[str, str | None], *, sso: bool
) -> list[Invite]:
    pending = await cx.tx.all(_OF_ADDRESSES, organization=organization_id, emails=wanted)
    known = {row.email for row in pending}
    for row in pending:
        await cx.tx.put(Invite, {"role": wanted[row.email or ""], "sso": sso}, id=row.id)
    new = [
        new_invite(cx, organization_id, email=address, role=role, sso=sso)
        for address, role in wanted.items()
        if address not in known
    ]
    await cx.tx.add_many(Invite, new)
    stored = await cx.tx.all(_OF_ADDRESSES, organization=organization_id, emails=wanted)
    return sorted(stored, key=lambda row: list(wanted).index(row.email or ""))


async def invite_missing(
    cx: Context,
    organization_id: str,
    emails: Sequence[str],
    *,
    role: str | None = None,
    team_id: str | None = None,
) -> list[Invite]:
    """Invite those addresses that are not invited yet, and keep a place in a team for all of them.

    Asks for no right.
    """
    new = [new_invite(cx, organization_id, email=email, role=role) for email in emails]
    await cx.tx.add_many(Invite, new, missing=True)
    invited = await cx.tx.all(_OF_ADDRESSES, organization=organization_id, emails=emails)
    if team_id is not None:
        waiting = [{"team_id": team_id, "invite_id": invite.id} for invite in invited]
        await cx.tx.add_many(TeamInvite, waiting, missing=True)
    return invited


def new_invite(cx: Context, organization_id: str, **values: Any) -> dict[str, Any]:
    """Return the columns of an invite that is made now."""
    empty = dict.fromkeys(("email", "role", "level", "object_kind", "object_id"))
    return {
        "id": new_id(),
        "organization_id": organization_id,
        **empty,
        "sso": False,
        "created_by": cx.actor.user_id or None,
        "created_at": cx.now,
        **values,
    }


def _is_for(found: Any) -> bool:
    """Return whether the caller may use the invite."""
    return bool(found.invite_links if found.email is None else found.email == found.address)


async def _grant(cx: Context, found: Any) -> None:
    """Give the caller the level of a link, unless they were granted more."""
    here = {"object_id": found.object_id, "grantee_id": cx.actor.user_id}
    held = await cx.tx.first(_GRANTED, object=found.object_id, user=cx.actor.user_id)
    given_level = int(level(found.level))
    if held is not None:
        await cx.tx.put(Grant, {"level": max(held.level, given_level)}, **here)
        return
    await cx.tx.add_many(
        Grant,
        [
            {
                **here,
                "organization_id": found.organization_id,
                "object_kind": found.object_kind,
                "grantee_kind": "user",
                "level": given_level,
                "created_at": cx.now,
            }
        ],
    )
    marked = {"organization_id": found.organization_id, "user_id": cx.actor.user_id}
    await cx.tx.put(Member, {"granted": True}, **marked)


def _refuse_narrow_token(cx: Context, organization_id: str) -> None:
    if cx.actor.only_organization not in (None, organization_id):
        raise Forbidden("This token is limited to another organization.")
