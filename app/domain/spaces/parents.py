"""Parents of spaces and collections, with the permissions that creating, moving and transferring need there.

Children of a collection or of an organization's root: spaces and collections in the order they share.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from sqlalchemy import (
    CTE,
    ColumnElement,
    FromClause,
    Select,
    Subquery,
    and_,
    func,
    literal,
    or_,
    select,
    true,
    union_all,
)

from app.access.context import Context
from app.access.fetch import (
    fetch,
    fetch_named,
    fetch_page,
    level_on,
    may_in,
    permit_in,
    seeing,
    seeing_inside,
    visible,
)
from app.access.levels import level_columns
from app.access.rights import Level
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import among, holds, nested
from app.kit.database.statements import Statement, given, query, rows, shown, table
from app.kit.errors import Conflict, Forbidden, Invalid, NotFound, PreconditionFailed
from app.models.access import Grant
from app.models.collections import Collection, Move, SpaceTransfer
from app.models.organizations import Member, Organization
from app.models.queries import PageQuery
from app.models.spaces import Space
from app.models.teams import TeamMember

Content = TypeVar("Content", Space, Collection)
COLLECTIONS = table(Collection)
ORGANIZATIONS = table(Organization)
_COLLECTION: Statement[Any] = query(
    Collection, lambda: select(*COLLECTIONS.c).where(COLLECTIONS.c.id == given("id"))
)
_ALLOWS = rows(
    lambda: select(ORGANIZATIONS.c.id).where(
        ORGANIZATIONS.c.id == given("organization"), ORGANIZATIONS.c.content_transfers == true()
    )
)


@dataclass(slots=True, frozen=True)
class Parent:
    """A parent in an organization; without a collection it is the organization's root."""

    organization_id: str
    parent: Collection | None

    @property
    def parent_id(self) -> str | None:
        """Return the collection's id, or None at the root."""
        return self.parent.id if self.parent else None

    @property
    def depth(self) -> int:
        """Return how many collections are above what is here."""
        return len(self.parent.lineage.split()) + 1 if self.parent else 0

    def level_columns(self, default_level: str | None) -> dict[str, Any]:
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
    """Return where content is now, if the caller may create there too; raises Forbidden otherwise."""
    if row.parent_id is None:
        permit_in(cx, row.organization_id, can="createContent")
        return Parent(row.organization_id, None)
    try:
        return Parent(row.organization_id, await fetch(cx, Collection, row.parent_id, can="create"))
    except NotFound:  # the content is seen, so its hidden parent is no secret to keep by a 404
        raise Forbidden("You may not create content in the place where this is now.") from None


async def for_move(cx: Context, row: Content, to: Move) -> Parent:
    """Return where a move leads, if the caller may create both there and where the content is now."""
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
        raise Conflict("It already belongs to this organization; move it instead.", path="organization")
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
    """Return where content is now, whether or not the caller sees its parent."""
    if row.parent_id is None:
        return Parent(row.organization_id, None)
    parent: Collection | None = await cx.db.first(_COLLECTION, id=row.parent_id)
    return Parent(row.organization_id, parent)


SPACES, GRANTS, TEAM_MEMBERS, MEMBERS = table(Space), table(Grant), table(TeamMember), table(Member)
_MODELS: dict[str, Any] = {"collection": Collection, "space": Space}


async def permit_opening(cx: Context, row: Content, levels: Mapping[str, Any]) -> None:
    """Refuse a change of place that opens content to more people, unless the caller administrates it.

    `levels` are the columns of access.levels as they will be. Raises Forbidden.
    """
    membership = cx.actor.memberships[row.organization_id]
    held, giver = membership.ruling(row)
    if held == Level.ADMIN and (giver is not None or membership.level == Level.ADMIN):
        return  # they administrate all that is below it too
    model = type_of(row)
    if row.base_level == Level.NONE and levels["base_level"] != Level.NONE and held < Level.ADMIN:
        raise _refusal(model)
    before: list[str] = row.lineage.split()
    after: list[str] = levels["lineage"].split()
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
    below = select(COLLECTIONS.c.id).where(COLLECTIONS.c.id == given("root")).cte("below", recursive=True)
    child = COLLECTIONS.alias("child")
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
        return part("space", SPACES, SPACES.c.id == given("root")).cte("moved")
    below = select(below_root().c.id)
    inside = part("space", SPACES, SPACES.c.parent_id.in_(below))
    return union_all(part("collection", COLLECTIONS, COLLECTIONS.c.id.in_(below)), inside).cte("moved")


def _granted(*conditions: ColumnElement[bool]) -> Select[Any]:
    """Return the people whom grants of the organization reach, themselves or through a team."""
    return (
        select(_WHO)
        .select_from(GRANTS.outerjoin(TEAM_MEMBERS, TEAM_MEMBERS.c.team_id == GRANTS.c.grantee_id))
        .where(GRANTS.c.organization_id == given("organization"), *conditions)
    )


def _opened(model: type[Space] | type[Collection]) -> Select[Any]:
    moved = _moved(model)
    newcomers = (
        select(MEMBERS.c.user_id, MEMBERS.c.role)
        .where(
            MEMBERS.c.organization_id == given("organization"),
            or_(MEMBERS.c.role.is_(None), MEMBERS.c.role != "admin"),
            MEMBERS.c.user_id.in_(_granted(among(GRANTS.c.object_id, "new"))),
            MEMBERS.c.user_id.not_in(_granted(among(GRANTS.c.object_id, "known"))),
        )
        .cte("newcomers")
    )
    there = or_(GRANTS.c.object_id == moved.c.id, holds(moved.c.lineage, GRANTS.c.object_id))
    sees = _granted(there, newcomers.c.user_id == _WHO).correlate(moved, newcomers).exists()
    hidden = or_(newcomers.c.role.is_(None), moved.c.base_level == Level.NONE)
    return select(moved).where(select(newcomers).where(hidden, ~sees).correlate(moved).exists())


_WHO = func.coalesce(TEAM_MEMBERS.c.user_id, GRANTS.c.grantee_id)
_OPENED = {
    model: rows(lambda model=model: _opened(model))  # type: ignore[misc]
    for model in (Space, Collection)
}


SPACE_UNSEEN = ("rank", "title_folded", "revision_number", "comments_resolved")
COLLECTION_UNSEEN = ("rank", "created_at", "updated_at")
# Aliases, since the collection that is listed stands in the same statement.
_child_collection, _child_space = (
    table(Collection).alias("child_collection"),
    table(Space).alias("child_space"),
)


@cache
def _children(in_root: bool) -> Subquery:
    """Return the children that the caller sees, each as `kind`, `id` and `rank`."""

    def of(kind: str, t: FromClause, *conditions: ColumnElement[bool]) -> Select[Any]:
        seen = visible(t) if in_root else visible(t, inside=t)
        here = t.c.parent_id == given("inside")
        if in_root:
            here = and_(t.c.organization_id == given("organization"), t.c.parent_id.is_(None))
        return select(literal(kind).label("kind"), t.c.id, t.c.rank).where(here, seen, *conditions)

    collections, spaces = (
        of("collection", _child_collection),
        of("space", _child_space, _child_space.c.deleted_at.is_(None)),
    )
    return union_all(collections, spaces).subquery("children")


def _rows_of(found: CTE) -> Select[Any]:
    """Return the children of one page with what is shown of them: one `space` or one `collection` each."""

    def row(kind: str, model: Any, unseen: tuple[str, ...]) -> Any:
        columns, here = shown(model, besides=unseen), table(model).c.id == found.c.id
        return nested(select(*columns).where(found.c.kind == kind, here).correlate(found), kind)

    collection = row("collection", Collection, COLLECTION_UNSEEN)
    return select(*found.c, collection, row("space", Space, SPACE_UNSEEN))


def _listing(name: str, *, in_root: bool) -> Listing[Any]:
    return Listing(
        name,
        Space,
        lambda: select(*_children(in_root).c).select_from(_children(in_root)),
        order=lambda: [_children(in_root).c.rank, _children(in_root).c.id],
        inside=None if in_root else Collection,
        completed=_rows_of,
    )


IN_ROOT = _listing("children of an organization", in_root=True)
IN_COLLECTION = _listing("children of a collection", in_root=False)


async def list_children_of_organization(cx: Context, organization_id: str, query: PageQuery) -> Page[Any]:
    """List the spaces and collections at the root of an organization, together in their order."""
    permit_in(cx, organization_id)
    sight = seeing(cx, organization_id)
    page = await IN_ROOT.page(cx.db, query.paging, cx.tokens, sight=sight, organization=organization_id)
    return page.map(_child)


async def list_children_of_collection(cx: Context, collection_id: str, query: PageQuery) -> Page[Any]:
    """List the spaces and collections that are directly in a collection, together in their order."""
    sight = seeing_inside(cx)
    _, page = await fetch_page(cx, Collection, collection_id, IN_COLLECTION, query.paging, sight=sight)
    return page.map(_child)


def _child(row: Any) -> tuple[str, Any]:
    """Return the kind of a child, and its row."""
    return row.kind, getattr(row, row.kind)[0]
