"""Where a space or collection goes: parent and neighbour (specification, Endpoints rule 8)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from app.models.base import Change, Shape, absent


class SpaceSide(Shape):
    """A neighbouring space."""

    type: Literal["space"]
    space: str


class CollectionSide(Shape):
    """A neighbouring collection."""

    type: Literal["collection"]
    collection: str


Side = Annotated[SpaceSide | CollectionSide, Field(discriminator="type")]


class Position(Shape):
    """Before one sibling or after another: exactly one of the two."""

    before: Side | None = None
    after: Side | None = None


class Move(Change):
    """A new parent (null: the organization's root; absent: the same) and a position (absent: last)."""

    parent: str | None = None
    position: Position = absent()


class Transfer(Change):
    """Another organization, and optionally a collection of it, to hand an object to."""

    organization: str
    collection: str = absent()
