"""Where a space or collection goes: parent and neighbour (specification, Endpoints rule 8)."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import ConfigDict, model_validator
from pydantic_core import PydanticCustomError

from app.models.base import Change, Shape, absent

SiblingType = Literal["space", "collection"]


def _one_of(*choices: dict[str, Any]) -> ConfigDict:
    """What a validator demands, said in JSON Schema too."""
    described: Any = [{"properties": choice, "required": list(choice)} for choice in choices]
    return ConfigDict(json_schema_extra={"oneOf": described})


class Side(Shape):
    """A neighbour: a space or a collection, named by its id under its type."""

    model_config = _one_of(
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


class Position(Shape):
    """Before one sibling or after another: exactly one of the two."""

    model_config = _one_of({"before": {"type": "object"}}, {"after": {"type": "object"}})

    before: Side | None = None
    after: Side | None = None

    @property
    def side(self) -> Side:
        """The neighbour that was named."""
        named = self.before or self.after
        assert named is not None, "the validator saw to it"
        return named

    @model_validator(mode="after")
    def _exactly_one_side(self) -> Self:
        if (self.before is None) == (self.after is None):
            raise PydanticCustomError("position", "give either `before` or `after`")
        return self


class Move(Change):
    """A new parent (null: the organization's root; absent: the same) and a position (absent: last)."""

    parent: str | None = None
    position: Position = absent()


class Transfer(Change):
    """Another organization, and optionally a collection of it, to hand an object to."""

    organization: str
    collection: str = absent()
