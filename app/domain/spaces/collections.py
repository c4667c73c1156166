"""Collections: made, changed, moved, handed over with all they hold, and dissolved into their parent."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Select, Table, Update, case, func, null, select

from app.access.context import Context
from app.access.fetch import fetch, level_on, permit, permit_in, seeing, visible
from app.access.levels import forget, refresh_below
from app.access.rights import Level
from app.domain.site_addresses import addresses
from app.domain.spaces import parents, sibling_order
from app.domain.spaces.parents import COLLECTION_UNSEEN, Parent, below_root, permit_opening
from app.kit.database.columns import Key
from app.kit.database.paging import Listing, Page
from app.kit.database.statements import command, given, query, rows, shown, table
from app.kit.errors import Conflict, Forbidden, Invalid, PreconditionFailed
from app.kit.ids import new_id, spread_ranks
from app.models.collections import (
    Collection,
    CollectionCreate,
    CollectionsQuery,
    CollectionUpdate,
    Move,
    Side,
    Transfer,
)
from app.models.spaces import Space, is_synchronised

COLLECTIONS, SPACES = table(Collection), table(Space)
MOST_NESTED = 30  # collections inside each other; a row keeps the ids of all above it in an index


def _of_organization() -> Select[Any]:
    seen = shown(Collection, besides=COLLECTION_UNSEEN)
    return select(*seen).where(COLLECTIONS.c.organization_id == given("organization"), visible(Collection))


ALL = Listing(
    "collections", Collection, _of_organization, order=lambda: [COLLECTIONS.c.rank, COLLECTIONS.c.id]
)
ROOTS = Listing(
    "collections at the root",
    Collection,
    lambda: _of_organization().where(COLLECTIONS.c.parent_id.is_(None)),
    order=lambda: [COLLECTIONS.c.rank, COLLECTIONS.c.id],
)


async def get(cx: Context, collection_id: str) -> Collection:
    """Get a collection."""
    return await fetch(cx, Collection, collection_id)


async def list_in_organization(
    cx: Context, organization_id: str, query: CollectionsQuery
) -> Page[Collection]:
    """List the collections of an organization, with or without those inside others.

    Siblings come in their order.
    """
    permit_in(cx, organization_id)
    listing = ALL if query.nested else ROOTS
    sight = seeing(cx, organization_id)
    return await listing.page(cx.db, query.paging, cx.tokens, sight=sight, organization=organization_id)


async def create(cx: Context, organization_id: str, new: CollectionCreate) -> Collection:
    """Create a collection, last in its parent."""
    place = await parents.for_new(cx, organization_id, new.parent)
    _refuse_deep(place.depth + 1)
    return await cx.tx.add(
        Collection,
        id=new_id(),
        organization_id=organization_id,
        parent_id=new.parent,
        rank=await sibling_order.last(cx, place),
        title=new.title,
        description=None,
        default_level="inherit",
        **place.level_columns("inherit"),
        created_by=cx.actor.user_id or None,
        created_at=cx.now,
        updated_at=cx.now,
    )


async def update(cx: Context, collection_id: str, change: CollectionUpdate) -> Collection:
    """Change a collection's title, description or default level."""
    collection = await fetch(cx, Collection, collection_id, can="edit")
    values = change.sent()
    if not values:
        return collection
    if "default_level" in values:
        permit(cx, Collection, collection, can="admin")
        place = await parents.of(cx, collection)
        values |= place.level_columns(change.default_level)
    return await _change(cx, collection, values)


async def move(cx: Context, collection_id: str, to: Move) -> Collection:
    """Move a collection, with all it holds, to another parent or position in its organization.

    Where more people would see some of it there, this needs the administrator of that.
    """
    collection = await fetch(cx, Collection, collection_id)
    place = await parents.for_move(cx, collection, to)
    if place.parent_id and await cx.db.all(_INSIDE, root=collection.id, id=place.parent_id):
        raise Conflict("A collection cannot be moved into itself.", path="parent")
    await permit_opening(cx, collection, place.level_columns(collection.default_level))
    rank = await sibling_order.at(cx, place, collection, to.position)
    return await _put(cx, collection, place, rank)


async def transfer(cx: Context, collection_id: str, to: Transfer) -> Collection:
    """Transfer a collection, with all it holds, to another organization.

    This needs who administrates both organizations, or where its organization allows transfers, everything
    in it: nobody gains sight of what was kept from them. What was granted on any of it ends.
    """
    from app.domain.integrations import placements
    from app.domain.organizations import grants, invites, quotas
    from app.domain.revisions import source_renewals
    from app.domain.search import search_index

    collection = await fetch(cx, Collection, collection_id, can="admin")
    place = await parents.for_transfer(cx, collection, to)
    inside, spaces = await _transferable(cx, collection)
    moving = [row.id for row in [collection, *inside, *spaces]]
    await grants.withdraw_on(cx, *moving)
    await invites.take_down(cx, collection.organization_id, *moving)
    await placements.withdraw_on(cx, *(row.id for row in spaces))
    for statement in _HAND_OVER:
        await cx.tx.run(statement, root=collection.id, organization=place.organization_id)
    moved = await _put(cx, collection, place, await sibling_order.last(cx, place))
    moved_spaces = [row.id for row in spaces]
    await quotas.hand_over(cx, moved_spaces, collection.organization_id, place.organization_id)
    await source_renewals.hand_over(cx, moved_spaces, collection.organization_id, place.organization_id)
    for space in spaces:
        await search_index.hand_over(cx, space, space._replace(organization_id=place.organization_id))
        cx.changed("space", "moved", place.organization_id, space_id=space.id)
    return moved


async def delete(cx: Context, collection_id: str) -> None:
    """Delete a collection; what it holds takes its place in the parent.

    Nobody gains or loses sight of any of it: its default level and what was granted on it become those of
    all that was directly in it.
    """
    from app.domain.organizations import grants, invites

    collection = await fetch(cx, Collection, collection_id, can="delete")
    place = await parents.of(cx, collection)
    here = Side(type="collection", collection=collection.id)
    room = await sibling_order.gap(cx, place, here, forward=True)
    held = await sibling_order.children(cx, Parent(collection.organization_id, collection))
    before = await cx.db.all(_SPACES_HELD, collection=collection.id)
    await grants.hand_down(cx, collection.id)
    await sibling_order.rerank(cx, held, [room.middle + rank for rank in spread_ranks(len(held))])
    for statement in _LIFT:
        await cx.tx.run(
            statement, parent=place.parent_id, collection=collection.id, level=collection.default_level
        )
    for space in before:
        level = collection.default_level if space.default_level == "inherit" else space.default_level
        addresses.compare(cx, space, space._replace(parent_id=place.parent_id, default_level=level))
        cx.changed("space", "moved", space.organization_id, space_id=space.id)
    await forget(cx, collection)
    await grants.withdraw_on(cx, collection.id)
    await invites.take_down(cx, collection.organization_id, collection.id)
    await cx.tx.remove(Collection, id=collection.id)


async def _transferable(cx: Context, collection: Collection) -> tuple[list[Any], list[Any]]:
    from app.domain.site_addresses import publication

    inside = await cx.db.all(_COLLECTIONS_BELOW, root=collection.id)
    spaces = await cx.db.all(_SPACES_BELOW, root=collection.id)
    levels = [
        level_on(cx, model, row) for model, found in ((Collection, inside), (Space, spaces)) for row in found
    ]
    if any(held != Level.ADMIN for held in levels):
        raise Forbidden("The collection contains something that you do not administer.")
    if any(is_synchronised(space.git_sync) for space in spaces):
        raise PreconditionFailed(
            "A space in the collection is synchronised with a repository; end that first."
        )
    if await publication.on_a_site(cx, *(space.id for space in spaces)):
        raise PreconditionFailed("A site shows a space in the collection; remove it there first.")
    return inside, spaces


async def _put(cx: Context, collection: Collection, place: Parent, rank: str) -> Collection:
    depth = len(collection.lineage.split())
    if place.depth > depth:  # what is too deep already may always come up
        (below,) = await cx.db.all(_DEEPEST_BELOW, root=collection.id)
        _refuse_deep(place.depth + 1 + below.depth - depth)
    columns = {
        "organization_id": place.organization_id,
        "parent_id": place.parent_id,
        "rank": rank,
        **place.level_columns(collection.default_level),
    }
    return await _change(cx, collection, columns)


def _refuse_deep(depth: int) -> None:
    if depth > MOST_NESTED:
        raise Invalid(f"Collections are nested at most {MOST_NESTED} deep.", path="parent")


async def _change(cx: Context, collection: Collection, values: dict[str, Any]) -> Collection:
    changed = await cx.tx.change(Collection, {**values, "updated_at": cx.now}, id=collection.id)
    if (changed.base_level, changed.lineage) != (collection.base_level, collection.lineage):
        await refresh_below(cx, collection.id)
    return changed


def _hand_over(t: Table, column: ColumnElement[str]) -> Update:
    below = select(below_root().c.id)
    values: dict[str, ColumnElement[Any]] = {"organization_id": given("organization", Key)}
    if "git_sync" in t.c:  # of syncs that never succeeded
        values["git_sync"] = null()
    return t.update().values(values).where(column.in_(below))


def _lift(t: Table) -> Update:
    level = case((t.c.default_level == "inherit", given("level", Key)), else_=t.c.default_level)
    held = t.c.parent_id == given("collection")
    return t.update().values(parent_id=given("parent", Key), default_level=level).where(held)


def _depth(lineage: ColumnElement[str]) -> ColumnElement[int]:
    """Return how many collections a lineage has."""
    blanks = func.length(lineage) - func.length(func.replace(lineage, " ", ""))
    return case((lineage == "", 0), else_=blanks + 1)


_DEEPEST_BELOW = rows(
    lambda: select(func.max(_depth(COLLECTIONS.c.lineage)).label("depth")).where(
        COLLECTIONS.c.id.in_(select(below_root().c.id))
    )
)
_INSIDE = rows(lambda: select((b := below_root()).c.id).where(b.c.id == given("id")))
_COLLECTIONS_BELOW = query(
    Collection, lambda: select(*COLLECTIONS.c).where(COLLECTIONS.c.id.in_(select(below_root().c.id)))
)
_SPACES_BELOW: Any = query(
    Space, lambda: select(*SPACES.c).where(SPACES.c.parent_id.in_(select(below_root().c.id)))
)
_SPACES_HELD: Any = query(
    Space,
    lambda: select(*SPACES.c).where(SPACES.c.parent_id == given("collection"), SPACES.c.deleted_at.is_(None)),
)
_HAND_OVER = [
    command(lambda: _hand_over(COLLECTIONS, COLLECTIONS.c.id)),
    command(lambda: _hand_over(SPACES, SPACES.c.parent_id)),
]
_LIFT = [command(lambda: _lift(COLLECTIONS)), command(lambda: _lift(SPACES))]
