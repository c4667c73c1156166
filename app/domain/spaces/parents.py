"""Where content stands and may be put, with the rights that making, moving and transferring need there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import CTE, ColumnElement, Select, func, literal, or_, select, true, union_all

from app.access.context import Context
from app.access.fetch import fetch, fetch_named, level_on, may_in, permit_in
from app.access.levels import level_columns
from app.access.rights import Level
from app.kit.database.sql import among, holds
from app.kit.database.statements import Statement, given, query, rows, table
from app.kit.errors import Conflict, Forbidden, Invalid, NotFound, PreconditionFailed
from app.models.access import Grant
from app.models.collections import Collection, Move, SpaceTransfer
from app.models.organizations import Member, Organization
from app.models.spaces import Space
from app.models.teams import TeamMember

Content = TypeVar("Content", Space, Collection)
_c = table(Collection)
_o = table(Organization)
_COLLECTION: Statement[Any] = query(Collection, lambda: select(*_c.c).where(_c.c.id == given("id")))
_ALLOWS = rows(
    lambda: select(_o.c.id).where(_o.c.id == given("organization"), _o.c.content_transfers == true())
)


@dataclass(slots=True, frozen=True)
class Parent:
    """A parent in an organization; without a collection it is the organization's root."""

    organization_id: str
    parent: Collection | None

    @property
    def parent_id(self) -> str | None:
        """The collection's id, or None at the root."""
        return self.parent.id if self.parent else None

    @property
    def depth(self) -> int:
        """How many collections are above what is here."""
        return len(self.parent.lineage.split()) + 1 if self.parent else 0

    def standing(self, default_level: str | None) -> dict[str, Any]:
        """Return the columns that keep what a default level comes to here (see access.levels)."""
        return level_columns(default_level, self.parent)


async def for_new(
    cx: Context, organization_id: str, parent_id: str | None, *, path: str = "parent"
) -> Parent:
    """Return the place where the caller wants to put content, if they may create there.

    Raises Invalid, naming `path`, for a collection that they do not see or that is of another organization;
    None is the organization's root.
    """
    permit_in(cx, organization_id, can="view" if parent_id else "createContent")
    if parent_id is None:
        return Parent(organization_id, None)
    parent = await fetch_named(cx, Collection, parent_id, path=path, can="create")
    if parent.organization_id != organization_id:
        raise Invalid("The collection belongs to another organization.", path=path)
    return Parent(organization_id, parent)


async def for_sibling(cx: Context, row: Content) -> Parent:
    """Where content is now, if the caller may create there too."""
    if row.parent_id is None:
        permit_in(cx, row.organization_id, can="createContent")
        return Parent(row.organization_id, None)
    try:
        return Parent(row.organization_id, await fetch(cx, Collection, row.parent_id, can="create"))
    except NotFound:  # the content is seen, so its hidden parent is no secret to keep by a 404
        raise Forbidden("You may not create content where this is now.") from None


async def for_move(cx: Context, row: Content, to: Move) -> Parent:
    """Where a move leads, if the caller may create both there and where the content is now."""
    here = await for_sibling(cx, row)
    if "parent" not in to.sent() or to.parent == row.parent_id:
        return here
    return await for_new(cx, row.organization_id, to.parent)


async def for_transfer(cx: Context, row: Content, to: SpaceTransfer) -> Parent:
    """Return the place in another organization that content is handed to: a collection, or else its root.

    Who administrates both organizations may do so. Where the content's organization allows transfers, so may
    who administrates the content, which they are asked elsewhere, and may create there. Raises Invalid for
    what the caller does not see, Conflict where the content is in that organization already, Forbidden where
    transfers are not allowed, PreconditionFailed where the caller may not create there.
    """
    target, collection = to.sent().get("organization"), to.sent().get("collection")
    if target is None:
        target = (await fetch_named(cx, Collection, to.collection, path="collection")).organization_id
    if cx.actor.memberships.get(target) is None:
        raise Invalid("There is no such organization.", path="organization")
    permit_in(cx, target)
    if target == row.organization_id:
        raise Conflict("It belongs to this organization already; move it instead.", path="organization")
    both = may_in(cx, row.organization_id, can="admin") and may_in(cx, target, can="admin")
    if not both and not await cx.db.all(_ALLOWS, organization=row.organization_id):
        raise Forbidden(
            "This needs an administrator of both organizations: content of this one goes to others by its"
            " administrators only, who may change that (`contentTransfers`)."
        )
    try:
        return await for_new(cx, target, collection, path="collection")
    except Forbidden as refusal:
        raise PreconditionFailed(refusal.message, path="organization") from None


async def of(cx: Context, row: Content) -> Parent:
    """Where content is now, whether or not the caller sees its parent."""
    if row.parent_id is None:
        return Parent(row.organization_id, None)
    parent: Collection | None = await cx.db.first(_COLLECTION, id=row.parent_id)
    return Parent(row.organization_id, parent)


_s, _g, _tm, _m = table(Space), table(Grant), table(TeamMember), table(Member)
_MODELS: dict[str, Any] = {"collection": Collection, "space": Space}


async def permit_opening(cx: Context, row: Content, standing: Mapping[str, Any]) -> None:
    """Refuse a change of place that opens content to more people, unless the caller administrates it.

    `standing` are the columns of access.levels as they will be. Raises Forbidden.
    """
    membership = cx.actor.memberships[row.organization_id]
    held, giver = membership.ruling(row)
    if held == Level.ADMIN and (giver is not None or membership.level == Level.ADMIN):
        return  # they administrate all that is below it too
    model = type_of(row)
    if row.base_level == Level.NONE and standing["base_level"] != Level.NONE and held < Level.ADMIN:
        raise _refusal(model)
    before: list[str] = row.lineage.split()
    after: list[str] = standing["lineage"].split()
    new = [above for above in after if above not in before]
    if not new:
        return
    for opened in await cx.db.all(
        _OPENED[model],
        root=row.id,
        organization=row.organization_id,
        new=new,
        known=[row.id, *before],
    ):
        if level_on(cx, _MODELS[opened.kind], opened) != Level.ADMIN:
            raise _refusal(_MODELS[opened.kind])


def type_of(row: Content) -> type[Space] | type[Collection]:
    """Tell the model that a row of content is of: only spaces have content of their own."""
    return Space if hasattr(row, "revision_id") else Collection


def below_root() -> CTE:
    """Return the collection `root` and every collection inside it, however deep."""
    below = select(_c.c.id).where(_c.c.id == given("root")).cte("below", recursive=True)
    child = _c.alias("child")
    return below.union(select(child.c.id).where(child.c.parent_id == below.c.id))


def _refusal(model: type[Space] | type[Collection]) -> Forbidden:
    name = next(name for name, known in _MODELS.items() if known is model)
    return Forbidden(f"There more people would see it: this needs the level 'admin' on the {name}.")


def _moved(model: type[Space] | type[Collection]) -> Any:
    """Return what moves with the root: itself, and for a collection all that it holds."""

    def part(kind: str, t: Any, *conditions: ColumnElement[bool]) -> Select[Any]:
        columns = t.c.id, t.c.organization_id, t.c.base_level, t.c.lineage
        return select(literal(kind).label("kind"), *columns).where(*conditions)

    if model is Space:
        return part("space", _s, _s.c.id == given("root")).cte("moved")
    below = select(below_root().c.id)
    inside = part("space", _s, _s.c.parent_id.in_(below))
    return union_all(part("collection", _c, _c.c.id.in_(below)), inside).cte("moved")


def _granted(*conditions: ColumnElement[bool]) -> Select[Any]:
    """Return the people whom grants of the organization reach, themselves or through a team."""
    return (
        select(_WHO)
        .select_from(_g.outerjoin(_tm, _tm.c.team_id == _g.c.grantee_id))
        .where(_g.c.organization_id == given("organization"), *conditions)
    )


def _opened(model: type[Space] | type[Collection]) -> Select[Any]:
    moved = _moved(model)
    newcomers = (
        select(_m.c.user_id, _m.c.role)
        .where(
            _m.c.organization_id == given("organization"),
            or_(_m.c.role.is_(None), _m.c.role != "admin"),
            _m.c.user_id.in_(_granted(among(_g.c.object_id, "new"))),
            _m.c.user_id.not_in(_granted(among(_g.c.object_id, "known"))),
        )
        .cte("newcomers")
    )
    there = or_(_g.c.object_id == moved.c.id, holds(moved.c.lineage, _g.c.object_id))
    sees = _granted(there, newcomers.c.user_id == _WHO).correlate(moved, newcomers).exists()
    hidden = or_(newcomers.c.role.is_(None), moved.c.base_level == Level.NONE)
    return select(moved).where(select(newcomers).where(hidden, ~sees).correlate(moved).exists())


_WHO = func.coalesce(_tm.c.user_id, _g.c.grantee_id)
_OPENED = {
    model: rows(lambda model=model: _opened(model))  # type: ignore[misc]
    for model in (Space, Collection)
}
