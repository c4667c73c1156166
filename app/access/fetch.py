"""Finding and permitting in one call: what you may not see is 404, what you may see but not do is 403."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

from sqlalchemy import ColumnElement, FromClause, Integer, and_, case, or_
from sqlmodel import SQLModel

from app.access import scopes
from app.access.context import Context, Membership
from app.access.object_kinds import KINDS, ObjectKind
from app.access.rights import (
    NONE_AT_ALL,
    READ_PUBLISHED,
    TABLES,
    WHILE_DELETED,
    Level,
    ObjectState,
    least,
    permissions_of_level,
)
from app.kit.database.paging import Listing, Page, Paging
from app.kit.database.sql import among, contains_one
from app.kit.database.statements import Statement, given, table
from app.kit.errors import SEND_A_TOKEN, Conflict, Forbidden, Invalid, NotFound, Problem, Unauthenticated
from app.models.organizations import Organization

M = TypeVar("M", bound=SQLModel)
T = TypeVar("T")
Content = type[SQLModel] | FromClause
"""A table of content, by its model or as it stands in a statement."""


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
    a locked space refuses is the matter of who would write there. To nobody everything that is not public is
    Unauthenticated, whether there is anything or not.
    """
    kind = KINDS[model]
    found = await (
        cx.db.read_inline(using, id=id, **values) if using else cx.db.get_by_key(kind.statement, id=id)
    )
    if not found:
        raise _unknown(cx, kind)
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
        raise _unknown(cx, KINDS[model])
    permit(cx, model, found[0], can=can)
    return found


def _unknown(cx: Context, kind: ObjectKind) -> Problem:
    """Return what is said of an object that is not there, or that the caller must not know of."""
    return Unauthenticated(SEND_A_TOKEN) if cx.actor.is_nobody else NotFound(f"There is no such {kind.name}.")


def permit_in(cx: Context, organization_id: str, *, can: str = "view") -> None:
    """Refuse unless the caller may do this in an organization; their membership tells, no statement."""
    membership = cx.actor.memberships.get(organization_id)
    if membership is None:
        raise _unknown(cx, KINDS[Organization])
    if membership.closed:
        raise Forbidden(membership.closed)
    cx.count_request(membership)
    needed = least("organization", can)
    if membership.level < needed:
        raise Forbidden(f"This needs the level {needed.name.lower()!r} in the organization.")
    if can != "restore":
        _refuse_change(cx, membership)
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
        raise _unknown(cx, KINDS[model]) if cx.actor.is_nobody else refused
    if membership is not None:
        _refuse_change(cx, membership)
    if cx.notes is not None:
        found: Any = row
        cx.note(KINDS[model].name, found.id, KINDS[model].owner(row), getattr(row, "title", None))


def _refuse_change(cx: Context, membership: Membership) -> None:
    """Refuse a call that changes something in an organization that is deleted."""
    if membership.deleted and cx.notes is not None:
        raise Conflict("The organization is deleted; restore it first.")


def refusal(membership: Membership | None, model: type[SQLModel], row: object, *, can: str) -> Problem | None:
    """Return why somebody may not do this to the row; None where they may."""
    kind = KINDS[model]
    if can == READ_PUBLISHED and kind.is_public(row):
        return None
    if membership is None:
        return NotFound(f"There is no such {kind.name}.")
    held, state = kind.level(membership, row), kind.state(membership, row)
    deleted = bool(state & ObjectState.DELETED)
    if held < least(kind.name, "restore" if deleted else "view", state):
        return NotFound(f"There is no such {kind.name}.")
    if membership.closed:
        return Forbidden(membership.closed)
    if deleted and can not in WHILE_DELETED:
        return Conflict(f"The {kind.name} is deleted; restore it first.")
    if held < (needed := least(kind.name, can, state)):
        return Forbidden(f"This needs the level {needed.name.lower()!r} on the {kind.name}.")
    return None


def may(cx: Context, model: type[SQLModel], row: object, *, can: str) -> bool:
    """Tell whether the caller may do this to the row."""
    membership = cx.actor.memberships.get(KINDS[model].owner(row))
    return refusal(membership, model, row, can=can) is None


def level_on(cx: Context, model: type[SQLModel], row: object) -> Level | None:
    """Return the caller's level on an object, or None where they may not see it."""
    kind = KINDS[model]
    membership = cx.actor.memberships.get(kind.owner(row))
    if membership is None:
        return None
    held = kind.level(membership, row)
    return held if held >= TABLES[kind.name]["view"] else None


def reads_as_visitor(cx: Context, model: type[SQLModel], row: object) -> bool:
    """Tell whether the caller reads an object only because it is public: as a visitor of whom nothing is
    known."""
    membership = cx.actor.memberships.get(KINDS[model].owner(row))
    return membership is None or membership.closed is not None or level_on(cx, model, row) is None


def permissions_of(model: type[SQLModel]) -> Callable[[Context, Any], dict[str, bool]]:
    """Return what tells the `permissions` of an object of this kind, from the table that refuses."""

    def permissions(cx: Context, row: object) -> dict[str, bool]:  # lists call this for every row
        kind, actor = KINDS[model], cx.actor
        membership = actor.memberships.get(kind.owner(row))
        if membership is None or membership.closed:
            return NONE_AT_ALL[kind.name]
        level, state = kind.level(membership, row), kind.state(membership, row)
        if membership.deleted:
            state |= ObjectState.CLOSED
        return permissions_of_level(kind.name, level, state, scopes.rights_of(actor))

    return permissions


def permissions_at(cx: Context, kind: str, organization_id: str, held: int) -> dict[str, bool]:
    """Return the `permissions` at a level on an object of an organization, as far as the caller's token
    goes."""
    membership = cx.actor.memberships.get(organization_id)
    state = ObjectState.CLOSED if membership and membership.deleted else ObjectState.PLAIN
    return permissions_of_level(kind, held, state, scopes.rights_of(cx.actor))


def organization_level(cx: Context, organization_id: str) -> Level:
    """Return the caller's level in an organization they belong to."""
    membership = cx.actor.memberships.get(organization_id)
    return membership.level if membership else Level.NONE


def visible(
    content: Content, *, inside: Content | None = None, organization: ColumnElement[str] | None = None
) -> ColumnElement[bool]:
    """Return the rows of an organization's content that the caller sees; needs the values of `seeing`.

    In a list `inside` a row, only the statement knows the organization: it needs those of `seeing_inside`,
    as it does where the statement says itself which `organization` that is.
    """
    t = _table(content)
    within = _table(inside).c.organization_id if inside is not None else organization
    sees = given("sees", Integer()) if within is None else _sight_in(within)
    by_level = and_(sees == _BY_LEVEL, t.c.base_level != Level.NONE)
    by_grant = or_(among(t.c.id, "granted"), and_(t.c.lineage != "", contains_one(t.c.lineage, "granting")))
    return or_(sees == _EVERYTHING, by_level, by_grant)


def seeing(cx: Context, organization_id: str) -> dict[str, Any]:
    """Return the values that `visible` needs for this caller."""
    membership = cx.actor.memberships.get(organization_id)
    if membership is None or membership.closed:
        return {"sees": _NOTHING, "granted": (), "granting": ()}
    grants = membership.grants
    return {"sees": _sight(membership), "granted": tuple(grants.levels), "granting": grants.collections}


def seeing_everything() -> dict[str, Any]:
    """Return the values with which `visible` asks for no level: for rows chosen as visitors see them."""
    return {"sees": _EVERYTHING, "granted": (), "granting": ()}


def seeing_everything_inside(organization_id: str) -> dict[str, Any]:
    """Return the same values for a list inside a row of an organization."""
    return {"sees_everything_in": [organization_id], "sees_by_level_in": [], "granted": [], "granting": []}


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


def _sight_in(organization: ColumnElement[str]) -> ColumnElement[int]:
    return case(
        (among(organization, "sees_everything_in"), _EVERYTHING),
        (among(organization, "sees_by_level_in"), _BY_LEVEL),
        else_=_NOTHING,
    )
