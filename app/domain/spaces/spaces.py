"""Spaces: made, changed, moved, copied, handed over, deleted and brought back.

What only some of that needs is imported where it is needed: reading a space should not load all of it.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sqlalchemy import Select, select

from app.access.context import Context
from app.access.fetch import fetch, fetch_page, permit, permit_in, seeing, seeing_inside, visible
from app.access.rights import READ_PUBLISHED
from app.domain.site_addresses import addresses
from app.domain.spaces import parents, sibling_order
from app.domain.spaces.parents import SPACE_UNSEEN, Parent, permit_opening
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import contains_one
from app.kit.database.statements import given, shown, table
from app.kit.errors import Conflict, NotFound, PreconditionFailed
from app.kit.ids import new_id
from app.models.collections import Collection, Move, SpaceTransfer
from app.models.queries import PageQuery, ShareKeyQuery
from app.models.spaces import Space, SpaceCreate, SpacesQuery, SpaceUpdate, is_synchronised

ADMINISTRATIVE = {"default_level", "edit_mode"}
COPY_SUFFIX = " (copy)"
LONGEST_TITLE = 50
COLLECTIONS, SPACES = table(Collection), table(Space)


def _of_organization() -> Select[Any]:
    return select(*shown(Space, besides=SPACE_UNSEEN)).where(
        SPACES.c.organization_id == given("organization"), SPACES.c.deleted_at.is_(None), visible(Space)
    )


IN_ORGANIZATION = Listing(
    "spaces of an organization",
    Space,
    _of_organization,
    order=lambda: [SPACES.c.rank, SPACES.c.id],
)
TITLED = Listing(
    "spaces of an organization by title",
    Space,
    lambda: _of_organization().where(contains_one(SPACES.c.title_folded, "titles")),
    order=lambda: [SPACES.c.rank, SPACES.c.id],
)
IN_COLLECTION = Listing(
    "spaces of a collection",
    Space,
    lambda: select(*shown(Space, besides=SPACE_UNSEEN)).where(
        SPACES.c.parent_id == COLLECTIONS.c.id,
        SPACES.c.deleted_at.is_(None),
        visible(Space, inside=Collection),
    ),
    order=lambda: [SPACES.c.rank, SPACES.c.id],
    inside=Collection,
)


async def get(cx: Context, space_id: str, query: ShareKeyQuery) -> Space:
    """Get a space."""
    space = await fetch(cx, Space, space_id, can=READ_PUBLISHED)
    if not query.share_key:
        return space
    from app.domain.site_addresses import publication  # few reads bring one

    address = await publication.address_of_space(cx, space, query.share_key)
    return space._replace(site_url=address)  # type: ignore[attr-defined, no-any-return]


async def list_in_organization(cx: Context, organization_id: str, query: SpacesQuery) -> Page[Space]:
    """List the spaces of an organization, those in collections too; siblings come in their order."""
    permit_in(cx, organization_id)
    sight = seeing(cx, organization_id)
    listing, titles = IN_ORGANIZATION, {}
    if query.title:
        listing, titles = TITLED, {"titles": [query.title.casefold()]}
    return await listing.page(
        cx.db, query.paging, cx.tokens, sight=sight, organization=organization_id, **titles
    )


async def list_in_collection(cx: Context, collection_id: str, query: PageQuery) -> Page[Space]:
    """List the spaces that are directly in a collection, in their order."""
    sight = seeing_inside(cx)
    _, page = await fetch_page(cx, Collection, collection_id, IN_COLLECTION, query.paging, sight=sight)
    return page


async def create(cx: Context, organization_id: str, new: SpaceCreate) -> Space:
    """Create a space, last in its parent, with an empty first revision."""
    place = await parents.for_new(cx, organization_id, new.parent)
    settings = {name: getattr(new, name) for name in ("title", "emoji", "icon", "language", "edit_mode")}
    return await _add(cx, place, default_level="inherit", **settings)


async def update(cx: Context, space_id: str, change: SpaceUpdate) -> Space:
    """Change a space's title, icon, language, edit mode or default level."""
    space = await fetch(cx, Space, space_id, can="edit")
    values = change.sent()
    if not values:
        return space
    if ADMINISTRATIVE & values.keys():
        permit(cx, Space, space, can="admin")
    for given_one, other in (("icon", "emoji"), ("emoji", "icon")):
        if values.get(given_one):
            values.setdefault(other, None)
    if "title" in values:
        values["title_folded"] = values["title"].casefold()
    if "default_level" in values:
        place = await parents.of(cx, space)
        values |= place.level_columns(change.default_level)
    changed = await cx.tx.change(Space, {**values, "updated_at": cx.now}, id=space.id)
    cx.changed("space", "updated", space.organization_id, space_id=space.id)
    addresses.compare(cx, space, changed)
    return changed


async def duplicate(cx: Context, space_id: str) -> Space:
    """Duplicate a space: its current content, without comments, change requests and history.

    Whoever may do something with the space may do the same with the copy: grants are copied too.
    """
    from app.domain.organizations import grants, quotas
    from app.domain.revisions import commit

    space = await fetch(cx, Space, space_id, can="access")
    place = await parents.for_sibling(cx, space)
    copy = await _add(
        cx,
        place,
        title=space.title[: LONGEST_TITLE - len(COPY_SUFFIX)] + COPY_SUFFIX,
        emoji=space.emoji,
        icon=space.icon,
        language=space.language,
        edit_mode=space.edit_mode,
        default_level=space.default_level,
    )
    await grants.copy(cx, space.id, copy.id)
    await commit.copy_content(cx, space, copy)
    await quotas.copy(cx, space.id, copy)
    return copy


async def move(cx: Context, space_id: str, to: Move) -> Space:
    """Move a space to another parent or position in its organization.

    Where more people would see it there, this needs its administrator.
    """
    space = await fetch(cx, Space, space_id, can="access")
    place = await parents.for_move(cx, space, to)
    await permit_opening(cx, space, place.level_columns(space.default_level))
    rank = await sibling_order.at(cx, place, space, to.position)
    return await _put(cx, space, place, rank)


async def transfer(cx: Context, space_id: str, to: SpaceTransfer) -> Space:
    """Transfer a space to another organization; what was granted on it ends.

    This needs who administrates both organizations, or where its organization allows transfers, the space.
    """
    from app.domain.integrations import placements
    from app.domain.organizations import grants, invites, quotas
    from app.domain.revisions import source_renewals
    from app.domain.search import search_index
    from app.domain.site_addresses import publication

    space = await fetch(cx, Space, space_id, can="admin")
    place = await parents.for_transfer(cx, space, to)
    if is_synchronised(space.git_sync):
        raise PreconditionFailed("The space is synchronised with a repository; end that first.")
    if await publication.on_a_site(cx, space.id):
        raise PreconditionFailed("A site shows the space; remove it there first.")
    await grants.withdraw_on(cx, space.id)
    await invites.take_down(cx, space.organization_id, space.id)
    await placements.withdraw_on(cx, space.id)
    if space.git_sync is not None:  # of a sync that never succeeded
        await cx.tx.change(Space, {"git_sync": None}, id=space.id)
    handed_over = await _put(cx, space, place, await sibling_order.last(cx, place))
    await search_index.hand_over(cx, space, handed_over)
    await quotas.hand_over(cx, [space.id], space.organization_id, place.organization_id)
    await source_renewals.hand_over(cx, [space.id], space.organization_id, place.organization_id)
    return handed_over


async def delete(cx: Context, space_id: str) -> None:
    """Delete a space; for seven days it can be restored."""
    from app.domain import jobs
    from app.domain.site_addresses import publication
    from app.domain.spaces import purge

    space = await fetch(cx, Space, space_id, can="delete")
    addresses.compare(cx, space, await cx.tx.change(Space, {"deleted_at": cx.now}, id=space.id))
    cx.changed("space", "deleted", space.organization_id, space_id=space.id)
    await publication.reassign_defaults(cx, space.id)
    due_at = cx.now + _kept(cx)
    await jobs.enqueue(cx, purge.PURGE_SPACE, space.id, space.organization_id, due_at=due_at)


async def restore(cx: Context, space_id: str) -> Space:
    """Restore a space that was deleted in the last seven days."""
    from app.domain import jobs
    from app.domain.site_addresses import publication
    from app.domain.spaces import purge

    space = await fetch(cx, Space, space_id, can="restore")
    if space.deleted_at is None:
        raise Conflict("The space is not deleted.")
    if space.deleted_at + _kept(cx) <= cx.now:
        raise NotFound("The space was deleted too long ago.")
    await jobs.cancel(cx, purge.PURGE_SPACE, space.id)
    restored = await cx.tx.change(Space, {"deleted_at": None, "updated_at": cx.now}, id=space.id)
    cx.changed("space", "restored", space.organization_id, space_id=space.id)
    addresses.compare(cx, space, restored)
    if not await publication.reassign_defaults(cx, space.id):
        return restored
    return await fetch(cx, Space, space.id)  # a site shows it again


async def _add(
    cx: Context,
    place: Parent,
    *,
    title: str,
    emoji: str | None,
    icon: str | None,
    language: str | None,
    edit_mode: str,
    default_level: str | None,
) -> Space:
    from app.domain.revisions import commit

    space = await cx.tx.add(
        Space,
        id=new_id(),
        organization_id=place.organization_id,
        parent_id=place.parent_id,
        rank=await sibling_order.last(cx, place),
        title=title,
        title_folded=title.casefold(),
        emoji=emoji,
        icon=icon,
        language=language,
        edit_mode=edit_mode,
        default_level=default_level,
        **place.level_columns(default_level),
        revision_id=new_id(),
        revision_number=1,
        comments=0,
        change_requests=0,
        change_requests_open=0,
        change_requests_draft=0,
        git_sync=None,
        created_by=cx.actor.user_id or None,
        created_at=cx.now,
        updated_at=cx.now,
        deleted_at=None,
    )
    await commit.begin(cx, space)
    cx.changed("space", "created", space.organization_id, space_id=space.id)
    return space


async def _put(cx: Context, space: Space, place: Parent, rank: str) -> Space:
    columns = {
        "organization_id": place.organization_id,
        "parent_id": place.parent_id,
        "rank": rank,
        **place.level_columns(space.default_level),
        "updated_at": cx.now,
    }
    put = await cx.tx.change(Space, columns, id=space.id)
    cx.changed("space", "moved", put.organization_id, space_id=space.id)
    addresses.compare(cx, space, put)
    return put


def _kept(cx: Context) -> timedelta:
    return timedelta(days=cx.settings.purge_after_days)
