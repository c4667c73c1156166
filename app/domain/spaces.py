"""Spaces: made, changed, moved, copied, handed over, deleted and brought back."""

from __future__ import annotations

from app.access.context import Context
from app.access.fetch import fetch, permit
from app.access.levels import base_level
from app.domain import ordering, revisions
from app.kit.errors import Invalid
from app.kit.ids import new_id
from app.models.collections import Collection
from app.models.organizations import Organization
from app.models.queries import ShareKeyQuery
from app.models.spaces import Space, SpaceCreate, SpaceUpdate

ADMINISTRATIVE = {"default_level", "edit_mode"}


async def get(cx: Context, space_id: str, query: ShareKeyQuery) -> Space:
    """Get a space."""
    return await fetch(cx, Space, space_id)


async def update(cx: Context, space_id: str, change: SpaceUpdate) -> Space:
    """Change a space's title, icon, edit mode or default level."""
    space = await fetch(cx, Space, space_id, can="edit")
    values = change.sent()
    if ADMINISTRATIVE & values.keys():
        permit(cx, Space, space, can="admin")
    return await cx.tx.change(Space, {**values, "updated_at": cx.now}, id=space.id)


async def create(cx: Context, organization_id: str, new: SpaceCreate) -> Space:
    """Create a space, last in its parent, with an empty first revision."""
    parent = await parent_for(cx, organization_id, new.parent)
    space_id, revision_id = new_id(), new_id()
    space = await cx.tx.add(
        Space,
        id=space_id,
        organization_id=organization_id,
        parent_id=new.parent,
        rank=await ordering.last(cx, organization_id, new.parent),
        title=new.title,
        emoji=new.emoji,
        icon=new.icon,
        language=new.language,
        edit_mode=new.edit_mode,
        default_level="inherit",
        base_level=base_level("inherit", parent),
        revision_id=revision_id,
        revision_number=1,
        comments=0,
        change_requests=0,
        change_requests_open=0,
        change_requests_draft=0,
        git_sync=None,
        created_at=cx.now,
        updated_at=cx.now,
        deleted_at=None,
    )
    await revisions.begin(cx, space)
    return space


async def parent_for(cx: Context, organization_id: str, parent_id: str | None) -> Collection | None:
    """The place where the caller wants to put content, if they may create there.

    Raises Invalid for a collection of another organization; None is the organization's root.
    """
    await fetch(cx, Organization, organization_id, can="view" if parent_id else "createContent")
    if parent_id is None:
        return None
    parent = await fetch(cx, Collection, parent_id, can="create")
    if parent.organization_id != organization_id:
        raise Invalid("The collection belongs to another organization.", path="parent")
    return parent
