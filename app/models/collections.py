"""Collections: folders of spaces and of further collections, and places in them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Generic, Literal, Self, TypeVar

from pydantic import ConfigDict, RootModel, StringConstraints, model_validator
from pydantic import Field as ShapeField
from pydantic_core import PydanticCustomError
from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Instant, Key
from app.models.base import (
    Change,
    Column,
    DefaultLevel,
    Enumeration,
    Permissions,
    Shape,
    Table,
    absent,
    one_of,
)
from app.models.queries import PageQuery, QueryBool
from app.models.spaces import SpaceOut
from app.models.texts import Label

CollectionTitle = Annotated[str, Label(50)]
Description = Annotated[str, StringConstraints(max_length=100)]


class Collection(Table, table=True):
    """A folder. What `default_level` comes to is kept in two columns (see access.levels)."""

    __table_args__ = (
        Index(None, "organization_id", "rank", "id"),
        Index(None, "organization_id", "parent_id", "rank", "id"),
        Index(None, "parent_id", "rank", "id"),
    )

    id: str = Field(sa_type=Key, primary_key=True)
    organization_id: str = Field(sa_type=Key, foreign_key="organization.id")
    parent_id: str | None = Field(default=None, sa_type=Key, foreign_key="collection.id")
    rank: str = Field(sa_type=Key)
    title: str
    description: str | None = None
    default_level: str | None = None
    base_level: int
    lineage: str
    created_by: str | None = Field(default=None, sa_type=Key)
    created_at: datetime = Field(sa_type=Instant)
    updated_at: datetime = Field(sa_type=Instant)


class CollectionCreate(Change):
    """A new collection, last in its parent."""

    title: CollectionTitle = "Untitled collection"
    parent: str | None = None


class CollectionUpdate(Change):
    """Changes to a collection (specification, Collections)."""

    title: CollectionTitle = absent()
    description: Description | None = None
    default_level: DefaultLevel | None = None


class CollectionsQuery(PageQuery):
    """Which collections of an organization to list."""

    nested: QueryBool = Field(default=True, description="collections inside others too")


class CollectionPermissions(Permissions):
    """What the caller may do with a collection."""

    view: bool
    create: bool
    edit: bool
    delete: bool
    admin: bool
    view_invite_links: bool


class CollectionUrls(Shape):
    """Addresses of a collection."""

    location: str
    app: str


class CollectionOut(Shape):
    """A collection (specification, Collection)."""

    object: Literal["collection"]
    id: str
    title: str
    description: str | None = None
    organization: Annotated[str, Column("organization_id")]
    parent: Annotated[str | None, Column("parent_id")] = None
    default_level: DefaultLevel | None
    urls: CollectionUrls
    permissions: CollectionPermissions


class ChildOut(RootModel[Annotated[SpaceOut | CollectionOut, ShapeField(discriminator="object")]]):
    """A space or a collection, as `object` says."""


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
        """Return the neighbour's id."""
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
        """Return the neighbour that was named."""
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


ENUMERATIONS = (
    Enumeration(
        "SiblingType",
        SiblingType,
        {
            "space": "",
            "collection": "",
        },
    ),
)
