"""Finding and permitting in one call: what you may not see is 404, what you may see but not do is 403."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import Any, Protocol, TypeVar, cast

from sqlalchemy import ColumnElement, FromClause, Integer, and_, case, or_, select
from sqlmodel import SQLModel

from app.access.context import Context, Membership
from app.access.rights import (
    NONE_AT_ALL,
    PERMISSIONS,
    PERMISSIONS_TO_READ,
    TABLES,
    WHILE_DELETED,
    Level,
    ObjectState,
    least,
)
from app.kit.database.paging import Listing, Page, Paging
from app.kit.database.sql import among, contains_one
from app.kit.database.statements import Statement, given, query, table
from app.kit.errors import Conflict, Forbidden, Invalid, NotFound, Problem
from app.models.collections import Collection
from app.models.organizations import Organization
from app.models.sites import Site
from app.models.spaces import Space

M = TypeVar("M", bound=SQLModel)
T = TypeVar("T")
Content = type[SQLModel] | FromClause
"""A table of content, by its model or as it stands in a statement."""


@dataclass(slots=True, frozen=True)
class ObjectKind:
    """How one kind of object is found and judged."""

    name: str
    statement: Statement[Any]
    owner: Callable[[Any], str]
    level: Callable[[Membership, Any], Level]
    state: Callable[[Membership, Any], int]


async def fetch(
    cx: Context,
    model: type[M],
    id: str,
    *,
    can: str = "view",
    using: Statement[Any] | None = None,
    **values: Any,
) -> M:
    """Return the object, if the caller may do this to it.

    `using` is another statement that finds the row by `id` and brings more columns along, so that a read
    and its permission are one statement. Raises NotFound for what does not exist or must not be known to,
    Forbidden for what is seen but not allowed, Conflict for a deleted space that is not being restored. What
    a locked space refuses is the matter of who would write there.
    """
    kind = KINDS[model]
    found = await (cx.db.all(using, id=id, **values) if using else cx.db.get_by_key(kind.statement, id=id))
    if not found:
        raise NotFound(f"There is no such {kind.name}.")
    permit(cx, model, found[0], can=can)
    return cast(M, found[0])


async def fetch_named(
    cx: Context,
    model: type[M],
    id: str,
    *,
    path: str,
    can: str = "view",
    using: Statement[Any] | None = None,
    **values: Any,
) -> M:
    """Return the object that a body names at `path`, if the caller may do this to it.

    Raises like `named`, otherwise like `fetch`, which is for objects of the address.
    """
    with named(path):
        return await fetch(cx, model, id, can=can, using=using, **values)


@contextmanager
def named(path: str) -> Iterator[None]:
    """Find what a body names at `path`: what is not found there is Invalid, and no 404 of the address."""
    try:
        yield
    except NotFound as unknown:
        raise Invalid(unknown.message, path=path) from None


async def fetch_page(
    cx: Context,
    model: type[M],
    id: str,
    listing: Listing[T],
    paging: Paging,
    *,
    can: str = "view",
    sight: dict[str, Any] | None = None,
    **filters: Any,
) -> tuple[M, Page[T]]:
    """Return an object and one page of a list inside it, in one statement; raises like `fetch`.

    `sight` are the values that say what the caller sees of the list (`seeing`, `seeing_inside`).
    """
    found = await listing.page_inside(cx.db, paging, cx.tokens, sight=sight, inside=id, **filters)
    if found is None:
        raise NotFound(f"There is no such {KINDS[model].name}.")
    permit(cx, model, found[0], can=can)
    return found


def permit_in(cx: Context, organization_id: str, *, can: str = "view") -> None:
    """Refuse unless the caller may do this in an organization; their membership tells, no statement."""
    membership = cx.actor.memberships.get(organization_id)
    if membership is None:
        raise NotFound("There is no such organization.")
    if membership.closed:
        raise Forbidden(membership.closed)
    cx.count_request(membership)
    needed = least("organization", can)
    if membership.level < needed:
        raise Forbidden(f"This needs the level {needed.name.lower()!r} in the organization.")
    if cx.notes is not None:
        cx.note("organization", organization_id, organization_id)


def permit_content_in(cx: Context, organization_id: str) -> None:
    """Refuse unless the caller may edit some content of an organization, by their role or by a grant."""
    permit_in(cx, organization_id)
    membership = cx.actor.memberships[organization_id]
    if max(membership.level, *membership.grants.levels.values(), Level.NONE) < Level.EDIT:
        raise Forbidden("This needs the level 'edit' in the organization, or on some content of it.")


def may_in(cx: Context, organization_id: str, *, can: str) -> bool:
    """Tell whether the caller may do this in an organization."""
    membership = cx.actor.memberships.get(organization_id)
    return membership is not None and not membership.closed and membership.level >= least("organization", can)


def permit(cx: Context, model: type[M], row: M, *, can: str) -> None:
    """Refuse unless the caller may do this to the row; raises like `fetch`."""
    membership = cx.actor.memberships.get(KINDS[model].owner(row))
    if membership is not None and not membership.closed:
        cx.count_request(membership)
    refused = refusal(membership, model, row, can=can)
    if refused is not None:
        raise refused
    if cx.notes is not None:
        found: Any = row
        cx.note(KINDS[model].name, found.id, KINDS[model].owner(row), getattr(row, "title", None))


def refusal(membership: Membership | None, model: type[SQLModel], row: object, *, can: str) -> Problem | None:
    """Return why somebody may not do this to the row; None where they may."""
    kind = KINDS[model]
    unknown = NotFound(f"There is no such {kind.name}.")
    if membership is None:
        return unknown
    held, state = kind.level(membership, row), kind.state(membership, row)
    deleted = bool(state & ObjectState.DELETED)
    if held < least(kind.name, "restore" if deleted else "view", state):
        return unknown
    if membership.closed:
        return Forbidden(membership.closed)
    if deleted and can not in WHILE_DELETED:
        return Conflict(f"The {kind.name} is deleted; restore it first.")
    if held < (needed := least(kind.name, can, state)):
        return Forbidden(f"This needs the level {needed.name.lower()!r} on the {kind.name}.")
    return None


def level_on(cx: Context, model: type[SQLModel], row: object) -> Level | None:
    """Return the caller's level on an object, or None where they may not see it."""
    kind = KINDS[model]
    membership = cx.actor.memberships.get(kind.owner(row))
    if membership is None:
        return None
    held = kind.level(membership, row)
    return held if held >= TABLES[kind.name]["view"] else None


def permissions_of(model: type[SQLModel]) -> Callable[[Context, Any], dict[str, bool]]:
    """Return what tells the `permissions` of an object of this kind, from the table that refuses."""

    def permissions(cx: Context, row: object) -> dict[str, bool]:  # lists call this for every row
        kind, actor = KINDS[model], cx.actor
        membership = actor.memberships.get(kind.owner(row))
        if membership is None or membership.closed:
            return NONE_AT_ALL[kind.name]
        table = PERMISSIONS_TO_READ if actor.read_only else PERMISSIONS
        return table[kind.name][kind.state(membership, row)][kind.level(membership, row)]

    return permissions


def permissions_at(cx: Context, kind: str, held: int, state: int = 0) -> dict[str, bool]:
    """Return the `permissions` at a level on an object in this state, as far as the caller's token goes."""
    return (PERMISSIONS_TO_READ if cx.actor.read_only else PERMISSIONS)[kind][state][held]


def organization_level(cx: Context, organization_id: str) -> Level:
    """Return the caller's level in an organization they belong to."""
    membership = cx.actor.memberships.get(organization_id)
    return membership.level if membership else Level.NONE


def visible(content: Content, *, inside: Content | None = None) -> ColumnElement[bool]:
    """Return the rows of an organization's content that the caller sees; needs the values of `seeing`.

    In a list `inside` a row, only the statement knows the organization: it needs those of `seeing_inside`.
    """
    t = _table(content)
    sees = given("sees", Integer()) if inside is None else _sight_inside(_table(inside))
    by_level = and_(sees == _BY_LEVEL, t.c.base_level != Level.NONE)
    by_grant = or_(among(t.c.id, "granted"), and_(t.c.lineage != "", contains_one(t.c.lineage, "granting")))
    return or_(sees == _EVERYTHING, by_level, by_grant)


def seeing(cx: Context, organization_id: str) -> dict[str, Any]:
    """Return the values that `visible` needs for this caller."""
    membership = cx.actor.memberships.get(organization_id)
    if membership is None or membership.closed:
        return {"sees": _NOTHING, "granted": (), "granting": ()}
    grants = membership.grants
    return {"sees": _sight(membership), "granted": grants.levels.keys(), "granting": grants.collections}


def seeing_inside(cx: Context) -> dict[str, Any]:
    """Return the values that `visible` needs for this caller in a list inside a row."""
    standings = [known for known in cx.actor.memberships.values() if not known.closed]
    sight = {known.organization_id: _sight(known) for known in standings}
    return {
        "sees_everything_in": sorted(known for known, sees in sight.items() if sees == _EVERYTHING),
        "sees_by_level_in": sorted(known for known, sees in sight.items() if sees == _BY_LEVEL),
        "granted": [granted for known in standings for granted in known.grants.levels],
        "granting": [granting for known in standings for granting in known.grants.collections],
    }


def _sight(membership: Membership) -> int:
    if membership.inherited == Level.NONE:
        return _NOTHING
    return _EVERYTHING if membership.level == Level.ADMIN else _BY_LEVEL


_NOTHING, _BY_LEVEL, _EVERYTHING = 0, 1, 2


def _table(content: Content) -> FromClause:
    return content if isinstance(content, FromClause) else table(content)


def _sight_inside(owner: FromClause) -> ColumnElement[int]:
    organization = owner.c.organization_id
    return case(
        (among(organization, "sees_everything_in"), _EVERYTHING),
        (among(organization, "sees_by_level_in"), _BY_LEVEL),
        else_=_NOTHING,
    )


class CreatedRow(Protocol):
    """An object that keeps who created it."""

    created_by: str | None


class SpaceStateRow(CreatedRow, Protocol):
    """A space as far as its state goes."""

    deleted_at: datetime | None
    edit_mode: str


def created(membership: Membership, row: CreatedRow) -> int:
    """Return the state of an object that only differs by who the caller is: its creator, or a guest."""
    state = (
        ObjectState.CREATED
        if membership.user_id and row.created_by == membership.user_id
        else ObjectState.PLAIN
    )
    return state if membership.level else state | ObjectState.GUEST


def _state_of_space(membership: Membership, row: SpaceStateRow) -> int:
    state = created(membership, row)
    if row.deleted_at is not None:
        state |= ObjectState.DELETED
    return state | ObjectState.LOCKED if row.edit_mode == "locked" else state


def _plain(_membership: Membership, _row: object) -> int:
    return ObjectState.PLAIN


def kind_of(
    name: str,
    model: type[SQLModel],
    owner: Callable[[Any], str],
    level: Callable[[Membership, Any], Level],
    state: Callable[[Membership, Any], int] = _plain,
) -> ObjectKind:
    """Return a kind of object that is found by its id."""
    t = table(model)
    by_id: Statement[Any] = query(model, lambda: select(*t.c).where(t.c.id == given("id")))
    return ObjectKind(name, by_id, owner, level, state)


KINDS: dict[type[SQLModel], ObjectKind] = {
    Organization: kind_of(
        "organization", Organization, attrgetter("id"), lambda membership, _row: membership.level
    ),
    Collection: kind_of("collection", Collection, attrgetter("organization_id"), Membership.on, created),
    Space: kind_of("space", Space, attrgetter("organization_id"), Membership.on, _state_of_space),
    Site: kind_of("site", Site, attrgetter("organization_id"), Membership.on, created),
}
