"""Searchable sections of the pages on a space's main line. Migrations make the index beside them."""

from __future__ import annotations

from typing import Annotated

from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Key
from app.models.base import Column, Shape, Table
from app.models.queries import PageQuery


class SearchSection(Table, table=True):
    """A heading and the text under it; with a `condition` (see `content.passages`) only for some visitors.

    `kind` tells a page's text from its description and from what is in a reusable content, which `page_id`
    names then.
    """

    __tablename__ = "search_section"
    __table_args__ = (
        Index(None, "space_id", "page_id", "position"),
        Index("ix_search_section_conditional", "space_id", info={"where": "condition IS NOT NULL"}),
    )

    id: int | None = Field(default=None, primary_key=True)
    space_id: str = Field(sa_type=Key)
    page_id: str = Field(sa_type=Key)
    position: int
    title: str
    heading: str | None = None
    anchor: str | None = None
    body: str
    condition: str | None = None
    kind: str = Field(sa_column_kwargs={"server_default": "text"})


class SearchInclusion(Table, table=True):
    """A reusable content that a page shows, itself or in another one; with a `condition` only to some."""

    __tablename__ = "search_inclusion"
    __table_args__ = (
        Index(None, "space_id", "reusable_id"),
        Index(None, "space_id", "page_id"),
        Index("ix_search_inclusion_conditional", "space_id", info={"where": "condition IS NOT NULL"}),
    )

    id: int | None = Field(default=None, primary_key=True)
    space_id: str = Field(sa_type=Key)
    page_id: str = Field(sa_type=Key)
    reusable_id: str = Field(sa_type=Key)
    condition: str | None = None


class SearchUrls(Shape):
    """Where a hit opens."""

    app: str


class SearchSectionOut(Shape):
    """The part of a page that matches."""

    id: str
    title: str
    path: str
    body: str
    urls: SearchUrls


class SearchItemOut(Shape):
    """A page that matches (specification, Space search item)."""

    id: Annotated[str, Column("page_id")]
    title: str
    path: str
    description: str | None = None
    score: float
    sections: list[SearchSectionOut]
    urls: SearchUrls


class OrganizationSearchItemOut(Shape):
    """A space with its pages that match (specification, Organization search item)."""

    type: str
    id: str
    title: str
    pages: list[SearchItemOut]


class SearchQuery(PageQuery):
    """Query of both searches."""

    query: str = Field(min_length=1, max_length=512)
