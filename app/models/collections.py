"""Collections: folders of spaces and of further collections."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field as OneOf
from pydantic import RootModel, StringConstraints
from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Instant, Key
from app.models.base import Change, Column, DefaultLevel, Permissions, Shape, Table, absent
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


class ChildOut(RootModel[Annotated[SpaceOut | CollectionOut, OneOf(discriminator="object")]]):
    """A space or a collection, as `object` says."""
