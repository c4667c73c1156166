"""Where content stands and may be put, with the rights that making, moving and transferring need there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import select, true

from app.access.context import Context
from app.access.fetch import fetch, fetch_named, may_in, permit_in
from app.access.levels import level_columns
from app.kit.database.statements import Statement, given, query, rows, table
from app.kit.errors import Conflict, Forbidden, Invalid, NotFound, PreconditionFailed
from app.models.collections import Collection, Move, SpaceTransfer
from app.models.organizations import Organization
from app.models.spaces import Space

Content = TypeVar("Content", Space, Collection)
_c, _o = table(Collection), table(Organization)
_COLLECTION: Statement[Any] = query(Collection, lambda: select(*_c.c).where(_c.c.id == given("id")))
_ALLOWS = rows(
    lambda: select(_o.c.id).where(_o.c.id == given("organization"), _o.c.content_transfers == true())
)


@dataclass(slots=True, frozen=True)
class Place:
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
        """The columns that keep what a default level comes to here (see access.levels)."""
        return level_columns(default_level, self.parent)


async def for_new(cx: Context, organization_id: str, parent_id: str | None, *, path: str = "parent") -> Place:
    """The place where the caller wants to put content, if they may create there.

    Raises Invalid, naming `path`, for a collection that they do not see or that is of another organization;
    None is the organization's root.
    """
    permit_in(cx, organization_id, can="view" if parent_id else "createContent")
    if parent_id is None:
        return Place(organization_id, None)
    parent = await fetch_named(cx, Collection, parent_id, path=path, can="create")
    if parent.organization_id != organization_id:
        raise Invalid("The collection belongs to another organization.", path=path)
    return Place(organization_id, parent)


async def for_sibling(cx: Context, row: Content) -> Place:
    """Where content is now, if the caller may create there too."""
    if row.parent_id is None:
        permit_in(cx, row.organization_id, can="createContent")
        return Place(row.organization_id, None)
    try:
        return Place(row.organization_id, await fetch(cx, Collection, row.parent_id, can="create"))
    except NotFound:  # the content is seen, so its hidden parent is no secret to keep by a 404
        raise Forbidden("You may not create content where this is now.") from None


async def for_move(cx: Context, row: Content, to: Move) -> Place:
    """Where a move leads, if the caller may create both there and where the content is now."""
    here = await for_sibling(cx, row)
    if "parent" not in to.sent() or to.parent == row.parent_id:
        return here
    return await for_new(cx, row.organization_id, to.parent)


async def for_transfer(cx: Context, row: Content, to: SpaceTransfer) -> Place:
    """The place in another organization that content is handed to: a collection, or else its root.

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


async def of(cx: Context, row: Content) -> Place:
    """Where content is now, whether or not the caller sees its parent."""
    if row.parent_id is None:
        return Place(row.organization_id, None)
    parent: Collection | None = await cx.db.first(_COLLECTION, id=row.parent_id)
    return Place(row.organization_id, parent)
