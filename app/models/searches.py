"""Searches of content and of sites."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field as ShapeField
from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Key
from app.models.base import Change, Column, Enumeration, Shape, Table
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


SearchMode = Literal["default", "specific", "all"]


class SearchScope(Shape):
    """Which spaces of a site to search: the default of each section (and the current one), these, or all."""

    mode: SearchMode
    current_site_space: str | None = None
    site_space_ids: Annotated[list[str], ShapeField(max_length=100)] = ShapeField(default_factory=list)


class Visitor(Shape):
    """What is known of a visitor: by a token that the site's key signed, and by what they say themselves."""

    type: Literal["visitor"] = "visitor"
    jwt_token: Annotated[str, ShapeField(max_length=8192)] | None = None
    unsigned_claims: dict[str, Any] = ShapeField(default_factory=dict)


class SiteSearch(Change):
    """What to look for, and where; for a `visitor`, only in what they are shown."""

    query: str = ShapeField(min_length=1, max_length=512)
    scope: SearchScope
    visitor: Visitor | None = None


class SiteSearchUrls(Shape):
    """Where a hit opens: in the application, and on the site while that is online."""

    app: str
    published: str | None = None


class SiteSearchItemOut(Shape):
    """A page of a site that matches."""

    id: str
    title: str
    path: str
    description: str | None = None
    site_space: str
    space: str
    score: float
    sections: list[SearchSectionOut]
    urls: SiteSearchUrls


class PublishedUrl(Change):
    """An address, and what is known of who opens it; without `visitor` conditions hide nothing.

    A token that is of no use is refused, or (`redirectOnError`) leads to where visitors sign in.
    """

    url: str = ShapeField(min_length=1, max_length=4096)
    redirect_on_error: bool = False
    visitor: Visitor | None = None


class PublishedUrlOut(Shape):
    """What is published at an address, or (`redirect`) the address to go on to."""

    organization: str
    site: str
    site_section: str | None = None
    site_space: str | None = None
    space: str | None = None
    page: str | None = None
    base_path: str | None = None
    pathname: str | None = None
    target: str | None = None
    redirect: bool | None = None


ENUMERATIONS = (
    Enumeration(
        "SiteSearchMode",
        SearchMode,
        {
            "default": "",
            "specific": "",
            "all": "",
        },
    ),
)
