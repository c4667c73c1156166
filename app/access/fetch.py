"""Finding and permitting in one call: what you may not see is 404, what you may see but not do is 403."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, TypeVar, cast

from sqlalchemy import ColumnElement, Integer, and_, case, or_, select
from sqlmodel import SQLModel

from app.access.context import Context, Membership
from app.access.rights import PERMISSIONS, TABLES, Level
from app.kit.errors import Conflict, Forbidden, NotFound
from app.kit.paging import Listing, Page, Paging
from app.kit.statements import Statement, among, given, query, table
from app.models.collections import Collection
from app.models.organizations import Organization
from app.models.spaces import Space

M = TypeVar("M", bound=SQLModel)
T = TypeVar("T")


@dataclass(slots=True, frozen=True)
class Kind:
    """How one kind of object is found and judged."""

    name: str
    statement: Statement[Any]
    owner: Callable[[Any], str]
    level: Callable[[Membership, Any], Level]
    permissions: Sequence[dict[str, bool]]  # what each level may do


async def fetch(
    cx: Context,
    model: type[M],
    id: str,
    *,
    can: str = "view",
    using: Statement[Any] | None = None,
    **values: Any,
) -> M:
    """The object, if the caller may do this to it.

    `using` is another statement that finds the row by `id` and brings more columns along, so that a read
    and its permission are one statement. Raises NotFound for what does not exist or must not be known to,
    Forbidden for what is seen but not allowed, Conflict for a deleted space that is not being restored.
    """
    kind = KINDS[model]
    found = await (cx.db.all(using, id=id, **values) if using else cx.db.point(kind.statement, id=id))
    if not found:
        raise NotFound(f"There is no such {kind.name}.")
    permit(cx, model, found[0], can=can)
    return cast(M, found[0])


async def fetch_page(
    cx: Context,
    model: type[M],
    id: str,
    listing: Listing[T],
    paging: Paging,
    *,
    can: str = "view",
    **values: Any,
) -> tuple[M, Page[T]]:
    """An object and one page of a list inside it, in one statement; raises like `fetch`."""
    found = await listing.page_inside(cx.db, paging, cx.tokens, inside=id, **values)
    if found is None:
        raise NotFound(f"There is no such {KINDS[model].name}.")
    permit(cx, model, found[0], can=can)
    return found


def permit_in(cx: Context, organization_id: str, *, can: str = "view") -> None:
    """Refuse unless the caller may do this in an organization; their membership tells, no statement."""
    membership = cx.actor.memberships.get(organization_id)
    if membership is None:
        raise NotFound("There is no such organization.")
    if membership.outside_token:
        raise Forbidden("This token is limited to another organization.")
    least = TABLES["organization"][can]
    if membership.level < least:
        raise Forbidden(f"This needs the level {least.name.lower()!r} in the organization.")


def permit(cx: Context, model: type[M], row: M, *, can: str) -> None:
    """Refuse unless the caller may do this to the row; raises like `fetch`."""
    kind = KINDS[model]
    membership = cx.actor.memberships.get(kind.owner(row))
    held = level_on(cx, model, row)
    if membership is None or held is None:
        raise NotFound(f"There is no such {kind.name}.")
    if membership.outside_token:
        raise Forbidden("This token is limited to another organization.")
    if getattr(row, "deleted_at", None) is not None:
        _permit_deleted(kind, held, can)
    least = TABLES[kind.name]["admin" if can == "restore" else can]
    if held < least:
        raise Forbidden(f"This needs the level {least.name.lower()!r} on the {kind.name}.")


def _permit_deleted(kind: Kind, held: Level, can: str) -> None:
    if held < Level.ADMIN:
        raise NotFound(f"There is no such {kind.name}.")
    if can not in ("view", "restore"):
        raise Conflict(f"The {kind.name} is deleted; restore it first.")


def level_on(cx: Context, model: type[SQLModel], row: Any) -> Level | None:
    """The caller's level on an object, or None where they may not see it."""
    kind = KINDS[model]
    membership = cx.actor.memberships.get(kind.owner(row))
    if membership is None:
        return None
    held = kind.level(membership, row)
    return held if held >= TABLES[kind.name]["view"] else None


def permissions(cx: Context, model: type[SQLModel], row: Any) -> dict[str, bool]:
    """The `permissions` of an object, from the table that refuses. Lists call this for every row."""
    kind = KINDS[model]
    membership = cx.actor.memberships.get(kind.owner(row))
    return kind.permissions[kind.level(membership, row) if membership else Level.NONE]


def organization_level(cx: Context, organization_id: str) -> Level:
    """The caller's level in an organization they belong to."""
    membership = cx.actor.memberships.get(organization_id)
    return membership.level if membership else Level.NONE


def visible(model: type[SQLModel], *, inside: type[SQLModel] | None = None) -> ColumnElement[bool]:
    """The rows of an organization's content that the caller sees; needs the values of `seeing`.

    In a list `inside` a row, only the statement knows the organization: it needs those of `seeing_inside`.
    """
    t = table(model)
    sees = given("sees", Integer()) if inside is None else _sight_inside(inside)
    return or_(sees == _EVERYTHING, and_(sees == _BY_LEVEL, t.c.base_level != Level.NONE))


def seeing(cx: Context, organization_id: str) -> dict[str, Any]:
    """The values that `visible` needs for this caller."""
    membership = cx.actor.memberships.get(organization_id)
    if membership is None or membership.outside_token or membership.inherited == Level.NONE:
        return {"sees": _NOTHING}
    return {"sees": _EVERYTHING if membership.level == Level.ADMIN else _BY_LEVEL}


def seeing_inside(cx: Context) -> dict[str, Any]:
    """The values that `visible` needs for this caller in a list inside a row."""
    sight = {known: seeing(cx, known)["sees"] for known in cx.actor.memberships}
    return {
        "sees_everything_in": sorted(known for known, sees in sight.items() if sees == _EVERYTHING),
        "sees_by_level_in": sorted(known for known, sees in sight.items() if sees == _BY_LEVEL),
    }


_NOTHING, _BY_LEVEL, _EVERYTHING = 0, 1, 2


def _sight_inside(owner: type[SQLModel]) -> ColumnElement[int]:
    organization = table(owner).c.organization_id
    return case(
        (among(organization, "sees_everything_in"), _EVERYTHING),
        (among(organization, "sees_by_level_in"), _BY_LEVEL),
        else_=_NOTHING,
    )


def _content_level(membership: Membership, row: Space | Collection) -> Level:
    return membership.on_content[row.base_level]


def _kind(
    name: str,
    model: type[SQLModel],
    owner: Callable[[Any], str],
    level: Callable[[Membership, Any], Level],
) -> Kind:
    t = table(model)
    by_id: Statement[Any] = query(model, lambda: select(*t.c).where(t.c.id == given("id")))
    return Kind(name, by_id, owner, level, PERMISSIONS[name])


KINDS: dict[type[SQLModel], Kind] = {
    Organization: _kind(
        "organization", Organization, attrgetter("id"), lambda membership, _row: membership.level
    ),
    Collection: _kind("collection", Collection, attrgetter("organization_id"), _content_level),
    Space: _kind("space", Space, attrgetter("organization_id"), _content_level),
}
