"""A person's standing: what their memberships, their grants and their token come to.

Grants are looked up only for members who have some, so that everybody else costs one statement.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

from sqlalchemy import ColumnElement, CompoundSelect, Select, false, func, or_, select, union_all
from sqlalchemy.sql.elements import Label
from sqlmodel import SQLModel

from app.access.context import Grants, Membership
from app.access.quotas import Own
from app.access.rights import Level, level
from app.kit.database.interface import Reader
from app.kit.database.sql import among, nested
from app.kit.database.statements import given, rows, table
from app.models.access import Grant
from app.models.organizations import Member, Organization
from app.models.teams import TeamMember

MEMBERS, ORGANIZATIONS, GRANTS, TEAM_MEMBERS = (
    table(Member),
    table(Organization),
    table(Grant),
    table(TeamMember),
)

OTHER_ORGANIZATION = "This token is limited to another organization."
NEEDS_SSO = "This organization asks for single sign-on; sign in there and use the token it gives."
DELETED = "This organization is deleted. Until it is removed for good, its administrators can restore it."


def needs_sso(organization_id: str) -> str:
    """Return why a token that was not got by single sign-on is of no use in this organization, and the way
    on."""
    return f"{NEEDS_SSO} Where to sign in: /v1/orgs/{organization_id}/sso"


COLUMNS: Sequence[ColumnElement[Any]] = (
    MEMBERS.c.organization_id,
    MEMBERS.c.role,
    MEMBERS.c.granted,
    ORGANIZATIONS.c.default_role,
    ORGANIZATIONS.c.quotas,
    or_(MEMBERS.c.sso, ORGANIZATIONS.c.sso).label("needs_sso"),
    ORGANIZATIONS.c.deleted_at.is_not(None).label("is_closed"),
)  # what `membership_of_row` needs of a member joined with the organization


class MemberRow(Protocol):
    """A member joined with the organization: a row of COLUMNS."""

    organization_id: str
    role: str | None
    granted: bool
    default_role: str | None
    quotas: Own
    needs_sso: bool
    is_closed: bool


class PlaceRow(MemberRow, Protocol):
    """A member of an organization who may be disabled."""

    disabled: bool


class UserPlaceRow(MemberRow, Protocol):
    """One of many members."""

    user_id: str


class GrantRow(Protocol):
    """A level granted on an object."""

    object_id: str
    object_kind: str
    level: int


class HeldGrantRow(GrantRow, Protocol):
    """A grant and to whom it was made: a person or a team."""

    grantee_id: str
    grantee_kind: str


class UserGrantRow(GrantRow, Protocol):
    """A grant that a person has, themselves or through a team."""

    user_id: str


class WithMembership(Protocol):
    """A row with the columns of `membership_columns`."""

    place_: Sequence[PlaceRow]
    held_: Sequence[HeldGrantRow]


class WithMemberships(Protocol):
    """A row with the columns of `memberships_columns`."""

    places_: Sequence[UserPlaceRow]
    held_: Sequence[UserGrantRow]


_of_teams = select(TEAM_MEMBERS.c.team_id).where(TEAM_MEMBERS.c.user_id == given("user"))
_GRANTS = rows(
    lambda: (
        select(
            GRANTS.c.organization_id,
            GRANTS.c.object_id,
            GRANTS.c.object_kind,
            func.max(GRANTS.c.level).label("level"),
        )
        .where(or_(GRANTS.c.grantee_id == given("user"), GRANTS.c.grantee_id.in_(_of_teams)))
        .group_by(GRANTS.c.organization_id, GRANTS.c.object_id, GRANTS.c.object_kind)
        .order_by(GRANTS.c.object_id)
    )
)


def _grants_of_many() -> CompoundSelect[Any]:
    columns = (GRANTS.c.organization_id, GRANTS.c.object_id, GRANTS.c.object_kind, GRANTS.c.level)
    own = select(GRANTS.c.grantee_id.label("user_id"), *columns).where(among(GRANTS.c.grantee_id, "users"))
    of_teams = select(TEAM_MEMBERS.c.user_id, *columns).join(
        TEAM_MEMBERS, TEAM_MEMBERS.c.team_id == GRANTS.c.grantee_id
    )
    return union_all(own, of_teams.where(among(TEAM_MEMBERS.c.user_id, "users")))


_GRANTS_OF_MANY = rows(_grants_of_many)


def _active(*conditions: ColumnElement[bool]) -> Select[Any]:
    return (
        select(*COLUMNS)
        .join(ORGANIZATIONS, ORGANIZATIONS.c.id == MEMBERS.c.organization_id)
        .where(MEMBERS.c.user_id == given("user"), MEMBERS.c.disabled == false(), *conditions)
    )


_ALL = rows(_active)
_ONE = rows(lambda: _active(MEMBERS.c.organization_id == given("organization")))


def membership_of_row(
    row: MemberRow, user_id: str, *, only: str | None = None, signed_in: str | None = None
) -> Membership:
    """Return a membership by a row of COLUMNS, for a token that is limited to or was got at an
    organization."""
    held, inherited = levels(row.role, row.default_role)
    closed = None
    if only not in (None, row.organization_id):
        closed = OTHER_ORGANIZATION
    elif row.needs_sso and signed_in != row.organization_id:
        closed = needs_sso(row.organization_id)
    elif row.is_closed and held < Level.ADMIN:
        closed = DELETED
    return Membership(
        row.organization_id,
        held,
        inherited,
        closed,
        user_id=user_id,
        quotas=row.quotas,
        deleted=bool(row.is_closed),
    )


def levels(role: str | None, default_role: str | None) -> tuple[Level, Level]:
    """Return a member's own level, and the one they have on content that inherits from the organization."""
    held = level(role)
    return held, max(held, level(default_role)) if held else Level.NONE


async def with_grants(db: Reader, user_id: str, found: Sequence[Membership]) -> list[Membership]:
    """Add to memberships all that the person was granted."""
    held: dict[str, list[Any]] = defaultdict(list)
    for row in await db.all(_GRANTS, user=user_id):
        held[row.organization_id].append(row)
    return [replace(m, grants=grants_of(held[m.organization_id])) for m in found]


async def with_grants_of_many(db: Reader, found: Sequence[Membership]) -> list[Membership]:
    """Add to memberships of several people all that each was granted."""
    held: dict[tuple[str, str], list[Any]] = defaultdict(list)
    users = sorted({membership.user_id for membership in found})
    for row in await db.all(_GRANTS_OF_MANY, users=users) if users else ():
        held[row.user_id, row.organization_id].append(row)
    return [replace(m, grants=grants_of(held[m.user_id, m.organization_id])) for m in found]


def grants_of(found: Sequence[GrantRow]) -> Grants:
    """Return what rows of grants to one person and their teams come to, in one organization."""
    levels: dict[str, Level] = {}
    for row in found:
        levels[row.object_id] = max(Level(row.level), levels.get(row.object_id, Level.NONE))
    handing = dict.fromkeys(row.object_id for row in found if row.object_kind == "collection")
    return Grants(levels, tuple(handing))


def membership_columns(content: type[SQLModel]) -> list[Label[Any]]:
    """Return a person's place in the organization of a row of content, and their grants there, as columns
    of it.

    The statement needs the value `user`; `membership_of_columns` reads what it finds.
    """
    t = table(content)
    place = (
        select(*COLUMNS, MEMBERS.c.disabled)
        .join(ORGANIZATIONS, ORGANIZATIONS.c.id == MEMBERS.c.organization_id)
        .where(MEMBERS.c.user_id == given("user"), MEMBERS.c.organization_id == t.c.organization_id)
    )
    held = select(
        GRANTS.c.object_id, GRANTS.c.object_kind, GRANTS.c.grantee_id, GRANTS.c.grantee_kind, GRANTS.c.level
    ).where(
        or_(GRANTS.c.grantee_id == given("user"), GRANTS.c.grantee_id.in_(_of_teams)),
        GRANTS.c.organization_id == t.c.organization_id,
    )
    return [nested(place.correlate(t), "place_"), nested(held.correlate(t), "held_")]


def membership_of_columns(row: WithMembership, user_id: str) -> Membership | None:
    """Return the standing of that person whatever their token; None for who is no active member."""
    if not row.place_ or row.place_[0].disabled:
        return None
    place = row.place_[0]
    membership = membership_of_row(place, user_id, signed_in=place.organization_id)
    return replace(membership, grants=grants_of(row.held_)) if place.granted else membership


def memberships_columns(t: Any) -> list[Label[Any]]:
    """Return the places and grants of many people in the organization of a row, as columns of it, like
    `membership_columns`.

    The statement needs the list `users`; `memberships_of_columns` reads what it finds.
    """
    places = (
        select(*COLUMNS, MEMBERS.c.user_id)
        .join(ORGANIZATIONS, ORGANIZATIONS.c.id == MEMBERS.c.organization_id)
        .where(
            MEMBERS.c.organization_id == t.c.organization_id,
            MEMBERS.c.disabled == false(),
            among(MEMBERS.c.user_id, "users"),
        )
    )
    who = func.coalesce(TEAM_MEMBERS.c.user_id, GRANTS.c.grantee_id)
    held = (
        select(GRANTS.c.object_id, GRANTS.c.object_kind, GRANTS.c.level, who.label("user_id"))
        .select_from(GRANTS.outerjoin(TEAM_MEMBERS, TEAM_MEMBERS.c.team_id == GRANTS.c.grantee_id))
        .where(GRANTS.c.organization_id == t.c.organization_id, among(who, "users"))
    )
    return [nested(places.correlate(t), "places_"), nested(held.correlate(t), "held_")]


def memberships_of_columns(row: WithMemberships) -> dict[str, Membership]:
    """Return the standing of those people whatever their tokens; who is no active member is left out."""
    held: dict[str, list[GrantRow]] = defaultdict(list)
    for grant in row.held_:
        held[grant.user_id].append(grant)
    return {
        place.user_id: replace(
            membership_of_row(place, place.user_id, signed_in=place.organization_id),
            grants=grants_of(held[place.user_id]),
        )
        for place in row.places_
    }


async def of_person(db: Reader, user_id: str, organization_id: str) -> Membership | None:
    """Return what a person may do in an organization whatever their token; None for who is no active
    member."""
    row = await db.first(_ONE, user=user_id, organization=organization_id)
    if row is None:
        return None
    membership = membership_of_row(row, user_id, signed_in=organization_id)
    return (await with_grants(db, user_id, [membership]))[0] if row.granted else membership


async def of_person_everywhere(db: Reader, user_id: str) -> list[Membership]:
    """Return what a person may do in each of their organizations whatever their token."""
    found = await db.all(_ALL, user=user_id)
    held = [membership_of_row(row, user_id, signed_in=row.organization_id) for row in found]
    return await with_grants(db, user_id, held)
