"""Where content stands and may be put, with the rights that making, moving and transferring need there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import select

from app.access.context import Context
from app.access.fetch import fetch, permit_in
from app.access.levels import standing
from app.kit.errors import Conflict, Forbidden, Invalid, NotFound, PreconditionFailed
from app.kit.statements import Statement, given, query, table
from app.models.collections import Collection
from app.models.positions import Move, Transfer
from app.models.spaces import Space

Content = TypeVar("Content", Space, Collection)
_c = table(Collection)
_COLLECTION: Statement[Any] = query(Collection, lambda: select(*_c.c).where(_c.c.id == given("id")))


@dataclass(slots=True, frozen=True)
class Place:
    """A parent in an organization; without a collection it is the organization's root."""

    organization_id: str
    parent: Collection | None

    @property
    def parent_id(self) -> str | None:
        """The collection's id, or None at the root."""
        return self.parent.id if self.parent else None

    def standing(self, default_level: str | None) -> dict[str, Any]:
        """The columns that keep what a default level comes to here (see access.levels)."""
        return standing(default_level, self.parent)


async def for_new(cx: Context, organization_id: str, parent_id: str | None, *, path: str = "parent") -> Place:
    """The place where the caller wants to put content, if they may create there.

    Raises Invalid, naming `path`, for a collection of another organization; None is the organization's root.
    """
    permit_in(cx, organization_id, can="view" if parent_id else "createContent")
    if parent_id is None:
        return Place(organization_id, None)
    parent = await fetch(cx, Collection, parent_id, can="create")
    if parent.organization_id != organization_id:
        raise Invalid("The collection belongs to another organization.", path=path)
    return Place(organization_id, parent)


async def for_sibling(cx: Context, row: Content) -> Place:
    """Where content is now, if the caller may create there too."""
    try:
        return await for_new(cx, row.organization_id, row.parent_id)
    except NotFound:  # the content is seen, so its hidden parent is no secret to keep by a 404
        raise Forbidden("You may not create content where this is now.") from None


async def for_move(cx: Context, row: Content, to: Move) -> Place:
    """Where a move leads, if the caller may create both there and where the content is now."""
    here = await for_sibling(cx, row)
    if "parent" not in to.sent() or to.parent == row.parent_id:
        return here
    return await for_new(cx, row.organization_id, to.parent)


async def for_transfer(cx: Context, row: Content, to: Transfer) -> Place:
    """The place in another organization that content is handed to.

    Raises NotFound for what the caller does not see, Conflict where the content is in that organization
    already, PreconditionFailed where the caller may not create there.
    """
    permit_in(cx, to.organization)
    if to.organization == row.organization_id:
        raise Conflict("It belongs to this organization already; move it instead.", path="organization")
    try:
        return await for_new(cx, to.organization, to.collection or None, path="collection")
    except Forbidden as refusal:
        raise PreconditionFailed(refusal.message, path="organization") from None


async def of(cx: Context, row: Content) -> Place:
    """Where content is now, whether or not the caller sees its parent."""
    if row.parent_id is None:
        return Place(row.organization_id, None)
    parent: Collection | None = await cx.db.first(_COLLECTION, id=row.parent_id)
    return Place(row.organization_id, parent)
