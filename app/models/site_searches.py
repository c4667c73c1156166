"""Searching a site, and finding what is published at an address."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from app.models.base import Change, Shape
from app.models.searches import SearchSectionOut

SearchMode = Literal["default", "specific", "all"]


class SearchScope(Shape):
    """Which spaces of a site to search: the default of each section (and the current one), these, or all."""

    mode: SearchMode
    current_site_space: str | None = None
    site_space_ids: Annotated[list[str], Field(max_length=100)] = Field(default_factory=list)


class Visitor(Shape):
    """What is known of a visitor: by a token that the site's key signed, and by what they say themselves."""

    type: Literal["visitor"] = "visitor"
    jwt_token: Annotated[str, Field(max_length=8192)] | None = None
    unsigned_claims: dict[str, Any] = Field(default_factory=dict)


class SiteSearch(Change):
    """What to look for, and where; for a `visitor`, only in what they are shown."""

    query: str = Field(min_length=1, max_length=512)
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

    url: str = Field(min_length=1, max_length=4096)
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
