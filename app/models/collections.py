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
    Choice,
    Choices,
    Column,
    DefaultLevel,
    Enumeration,
    Names,
    Permissions,
    Shape,
    Table,
    UrlOut,
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
    created_by: str | None = Field(default=None, sa_type=Key, index=True)
    created_at: datetime = Field(sa_type=Instant)
    updated_at: datetime = Field(sa_type=Instant)


class CollectionCreate(Change):
    """A new collection, last in its parent."""

    title: CollectionTitle = Field(
        default="Untitled collection", description="Title of the collection, 1 to 50 characters."
    )
    parent: Annotated[str, Names("Collection")] | None = Field(
        default=None,
        description="Collection to create it in. Null or left out, it is created at the root of the "
        "organization.",
    )


class CollectionUpdate(Change):
    """Changes to a collection (specification, Collections)."""

    title: CollectionTitle = absent("Title of the collection, 1 to 50 characters.")
    description: Description | None = Field(
        default=None, description="Description of the collection, at most 100 characters. Null removes it."
    )
    default_level: DefaultLevel | None = Field(
        default=None,
        description="Level that members of the organization have without a grant, in spaces and collections "
        "that inherit from this one too. Null gives them no access.",
    )


class CollectionsQuery(PageQuery):
    """Query parameters that select the collections of an organization to list."""

    nested: QueryBool = Field(
        default=True, description="Whether to list collections inside other collections too."
    )


class CollectionPermissions(Permissions):
    """The permissions of the caller for a collection."""

    view: bool = Field(description="Whether the caller may see the collection.")
    create: bool = Field(
        description="Whether the caller may create spaces and collections in it, and move others into it."
    )
    edit: bool = Field(description="Whether the caller may change its title and description.")
    delete: bool = Field(description="Whether the caller may delete the collection.")
    admin: bool = Field(description="Whether the caller may change its default level and grant roles on it.")
    view_invite_links: bool = Field(description="Whether the caller may see its invite links.")


class CollectionUrls(Shape):
    """Addresses of a collection."""

    location: UrlOut
    app: UrlOut


class CollectionOut(Shape):
    """A collection: a folder of spaces and of further collections (specification, Collection)."""

    object: Literal["collection"]
    id: str
    title: str = Field(description="Title of the collection.")
    description: str | None = Field(
        default=None, description="Description of the collection. Absent if it has none."
    )
    organization: Annotated[str, Column("organization_id"), Names("Organization")] = Field(
        description="Organization that owns the collection."
    )
    parent: Annotated[str | None, Column("parent_id"), Names("Collection")] = Field(
        default=None,
        description="Collection that contains this one. Absent at the root of the organization.",
    )
    default_level: DefaultLevel | None = Field(
        description="Level that members of the organization have without a grant, in spaces and collections "
        "that inherit from this one too. Null if they have no access."
    )
    urls: CollectionUrls
    permissions: CollectionPermissions


Child = SpaceOut | CollectionOut


class ChildOut(RootModel[Child]):
    """A space or a collection, told apart by `object`."""

    model_config = ConfigDict(defer_build=True)

    root: Annotated[Child, ShapeField(discriminator="object")]


SiblingType = Literal["space", "collection"]
S = TypeVar("S", bound=Shape)


class Side(Shape):
    """A sibling: a space or a collection, named by its identifier under its type."""

    model_config = one_of(
        {"type": {"const": "space"}, "space": {"type": "string", "minLength": 1}},
        {"type": {"const": "collection"}, "collection": {"type": "string", "minLength": 1}},
    )

    choices = Choices(
        {
            "space": Choice("space", "Space beside which to put the object.", {"type": "space"}),
            "collection": Choice(
                "collection", "Collection beside which to put the object.", {"type": "collection"}
            ),
        }
    )

    type: SiblingType = Field(description="Type of the sibling.")
    space: Annotated[str, Names("Space")] | None = Field(
        default=None, description="Identifier of the space. Required if `type` is `space`."
    )
    collection: Annotated[str, Names("Collection")] | None = Field(
        default=None, description="Identifier of the collection. Required if `type` is `collection`."
    )

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
    choices = Choices(
        {
            "before": Choice("before", "Sibling before which to put the object."),
            "after": Choice("after", "Sibling after which to put the object."),
        }
    )

    before: S = absent("Sibling before which to put the object.")
    after: S = absent("Sibling after which to put the object.")

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
    """A new place of a space or a collection: another parent, another position, or both."""

    parent: Annotated[str, Names("Collection")] | None = Field(
        default=None,
        description="Collection to move it into. Null moves it to the root of the organization; left out, it "
        "stays in its parent.",
    )
    position: Position = absent("Position among its siblings. Left out, it comes last.")


class SpaceTransfer(Change):
    """The target of a transfer of a space: another organization, a collection of it, or both."""

    model_config = ConfigDict(
        json_schema_extra={"anyOf": [{"required": ["organization"]}, {"required": ["collection"]}]}
    )

    organization: Annotated[str, Names("Organization")] = absent(
        "Organization to transfer it to. May be left out if `collection` is given."
    )
    collection: Annotated[str, Names("Collection")] = absent(
        "Collection of the other organization to put it in. Left out, it comes to the root of the "
        "organization."
    )

    @model_validator(mode="after")
    def _somewhere(self) -> Self:
        if not self.model_fields_set:
            raise PydanticCustomError("transfer", "name `organization`, `collection` or both")
        return self


class Transfer(SpaceTransfer):
    """The target of a transfer of a collection: another organization, and optionally a collection of it."""

    organization: Annotated[str, Names("Organization")] = Field(description="Organization to transfer it to.")


ENUMERATIONS = (
    Enumeration(
        "SiblingType",
        SiblingType,
        {
            "space": "The sibling is a space.",
            "collection": "The sibling is a collection.",
        },
    ),
)
