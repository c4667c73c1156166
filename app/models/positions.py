"""Where a space or collection goes: parent and neighbour (specification, Endpoints rule 8)."""

from __future__ import annotations

from typing import Generic, Literal, Self, TypeVar

from pydantic import ConfigDict, model_validator
from pydantic_core import PydanticCustomError

from app.models.base import Change, Shape, absent, one_of

SiblingType = Literal["space", "collection"]
S = TypeVar("S", bound=Shape)


class Side(Shape):
    """A neighbour: a space or a collection, named by its id under its type."""

    model_config = one_of(
        {"type": {"const": "space"}, "space": {"type": "string", "minLength": 1}},
        {"type": {"const": "collection"}, "collection": {"type": "string", "minLength": 1}},
    )

    type: SiblingType
    space: str | None = None
    collection: str | None = None

    @property
    def id(self) -> str:
        """The neighbour's id."""
        return (self.space if self.type == "space" else self.collection) or ""

    @model_validator(mode="after")
    def _named_under_its_type(self) -> Self:
        if not self.id:
            raise PydanticCustomError("side", "name the neighbour under the name of its type")
        return self


class Beside(Shape, Generic[S]):
    """Before one neighbour or after another: exactly one of the two."""

    model_config = one_of({"before": {}}, {"after": {}}, only=True)

    before: S = absent()
    after: S = absent()

    @property
    def side(self) -> S:
        """The neighbour that was named."""
        named = self.before or self.after
        assert named is not None, "the validator saw to it"
        return named

    @model_validator(mode="after")
    def _exactly_one_side(self) -> Self:
        if (self.before is None) == (self.after is None):
            raise PydanticCustomError("position", "give either `before` or `after`")
        return self


class Position(Beside[Side]):
    """Before one sibling or after another: exactly one of the two."""


class Move(Change):
    """A new parent (null: the organization's root; absent: the same) and a position (absent: last)."""

    parent: str | None = None
    position: Position = absent()


class SpaceTransfer(Change):
    """Another organization, a collection of it, or both, to hand a space to."""

    model_config = ConfigDict(
        json_schema_extra={"anyOf": [{"required": ["organization"]}, {"required": ["collection"]}]}
    )

    organization: str = absent()
    collection: str = absent()

    @model_validator(mode="after")
    def _somewhere(self) -> Self:
        if not self.model_fields_set:
            raise PydanticCustomError("transfer", "name `organization`, `collection` or both")
        return self


class Transfer(SpaceTransfer):
    """Another organization, and optionally a collection of it, to hand a collection to."""

    organization: str
