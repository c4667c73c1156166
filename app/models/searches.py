"""Searches of content and of sites."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field as ShapeField
from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Key
from app.models.base import Change, Column, Enumeration, Names, Shape, Table, UrlOut
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


class SearchTitle(Table, table=True):
    """The title of a page in words as searches compare them: cut where it is very long."""

    __tablename__ = "search_title"
    __table_args__ = (Index(None, "space_id", "title"), Index(None, "space_id", "page_id"))

    id: int | None = Field(default=None, primary_key=True)
    space_id: str = Field(sa_type=Key)
    page_id: str = Field(sa_type=Key)
    title: str


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


class SearchWord(Table, table=True):
    """A word of a space's search index, and how many sections have it."""

    __tablename__ = "search_word"
    __table_args__ = ({"sqlite_with_rowid": False},)

    space_id: str = Field(sa_type=Key, primary_key=True)
    word: str = Field(sa_type=Key, primary_key=True)
    uses: int


class SearchSpelling(Table, table=True):
    """A key under which a misspelled word finds one of these words (see `formats.text.spellings`)."""

    __tablename__ = "search_spelling"
    __table_args__ = ({"sqlite_with_rowid": False},)

    space_id: str = Field(sa_type=Key, primary_key=True)
    key: str = Field(sa_type=Key, primary_key=True)
    word: str = Field(sa_type=Key, primary_key=True)


class SearchUrls(Shape):
    """Addresses of a search result."""

    app: UrlOut


class SearchSectionOut(Shape):
    """A section of a page that matches: a heading and the text below it."""

    id: str = ShapeField(
        description="Id of the section in the index. It may be another one once the page is changed."
    )
    title: str = ShapeField(
        description="Heading of the section, or title of the page above its first heading."
    )
    path: str = ShapeField(description="Path of the page, with the anchor of the section behind `#`.")
    body: str = ShapeField(description="Text around the first match.")
    urls: SearchUrls


class SearchItemOut(Shape):
    """A page that matches a search (specification, Space search item)."""

    id: Annotated[str, Column("page_id"), Names("Page")] = ShapeField(description="Id of the page.")
    title: str = ShapeField(description="Title of the page.")
    path: str = ShapeField(description="Path of the page.")
    description: str | None = ShapeField(
        default=None, description="Description of the page. Absent if there is none."
    )
    score: float = ShapeField(
        description="How well the page matches: the higher, the better. It can be compared within one "
        "search only."
    )
    sections: list[SearchSectionOut] = ShapeField(
        description="Sections that match, the best first. At most five."
    )
    urls: SearchUrls


class OrganizationSearchItemOut(Shape):
    """A space with its pages that match a search (specification, Organization search item)."""

    type: Literal["space"] = ShapeField(description="Type of the item.")
    id: Annotated[str, Names("Space")] = ShapeField(description="Id of the space.")
    title: str = ShapeField(description="Title of the space.")
    pages: list[SearchItemOut] = ShapeField(description="Pages that match, the best first. At most ten.")


class SearchTotals(Shape):
    """The facts that a search tells besides its items."""

    is_partial: bool = ShapeField(
        description="True if more than 20,000 sections or titles match, in a search of one space 4,000 "
        "sections. Others are neither ranked nor counted, so `count` is the number of pages that are listed."
    )


SearchText = Annotated[
    str,
    ShapeField(
        min_length=1,
        max_length=512,
        description="Words to look for, from 1 to 512 characters. All of them must be found in one section; "
        "words in quotation marks must follow each other.",
    ),
]


class SearchQuery(PageQuery):
    """A search."""

    query: SearchText


SearchMode = Literal["default", "specific", "all"]


class SearchScope(Shape):
    """The spaces of a site to search."""

    mode: SearchMode = ShapeField(description="Which spaces to search.")
    current_site_space: Annotated[str, Names("SiteSpace")] | None = ShapeField(
        default=None, description="Id of the site space that the reader is in. It is searched in every mode."
    )
    site_space_ids: Annotated[list[str], ShapeField(max_length=100), Names("SiteSpace")] = ShapeField(
        default_factory=list,
        description="Ids of site spaces to search, at most 100. They are searched in every mode.",
    )


class Visitor(Shape):
    """The known properties of a visitor of a site."""

    type: Literal["visitor"] = ShapeField(default="visitor", description="Kind of the visitor.")
    jwt_token: Annotated[str, ShapeField(max_length=8192)] | None = ShapeField(
        default=None,
        description="JSON Web Token (HS256) that is signed with the private key of the site and has an "
        "expiry (`exp`).",
    )
    unsigned_claims: dict[str, Any] = ShapeField(
        default_factory=dict,
        description="Unsigned claims of the visitor. Conditions read them under `unsigned`.",
    )


class SiteSearch(Change):
    """A search on a site, with the part to search in."""

    query: SearchText
    scope: SearchScope = ShapeField(description="Spaces to search.")
    visitor: Visitor | None = ShapeField(
        default=None,
        description="Visitor to search as. Only content shown to this visitor is found. If left out, all "
        "content that the caller may see.",
    )


class SiteSearchUrls(Shape):
    """Addresses of a page that matches a search of a site."""

    app: UrlOut
    published: UrlOut | None = ShapeField(
        default=None, description="Address on the site. Absent while the site is not published."
    )


class SiteSearchItemOut(Shape):
    """A page of a site that matches a search."""

    id: Annotated[str, Names("Page")] = ShapeField(description="Id of the page.")
    title: str = ShapeField(description="Title of the page.")
    path: str = ShapeField(description="Path of the page in its space.")
    description: str | None = ShapeField(
        default=None, description="Description of the page. Absent if there is none."
    )
    site_space: Annotated[str, Names("SiteSpace")] = ShapeField(description="Site space that shows the page.")
    space: Annotated[str, Names("Space")] = ShapeField(description="Space that the page is in.")
    score: float = ShapeField(
        description="How well the page matches: the higher, the better. It can be compared within one "
        "search only."
    )
    sections: list[SearchSectionOut] = ShapeField(
        description="Sections that match, the best first. At most five."
    )
    urls: SiteSearchUrls


class PublishedUrl(Change):
    """An address of a published site to look up."""

    url: str = ShapeField(
        min_length=1, max_length=4096, description="Absolute address, up to 4,096 characters."
    )
    redirect_on_error: bool = ShapeField(
        default=False,
        description="True answers with the address where visitors sign in if the token of the visitor is "
        "of no use, and the site has one. Otherwise that is refused.",
    )
    visitor: Visitor | None = ShapeField(
        default=None,
        description="Visitor who opens the URL. Content whose conditions exclude this visitor is hidden. If "
        "left out, no content is hidden by conditions.",
    )


class PublishedUrlOut(Shape):
    """The content published at a URL, or the URL that it redirects to."""

    organization: Annotated[str, Names("Organization")] = ShapeField(description="Organization of the site.")
    site: Annotated[str, Names("Site")] = ShapeField(description="Site at the address.")
    site_section: Annotated[str, Names("SiteSection")] | None = ShapeField(
        default=None, description="Section of the site at the URL. Absent if there is none."
    )
    site_space: Annotated[str, Names("SiteSpace")] | None = ShapeField(
        default=None,
        description="Site space at the URL. Absent if the URL redirects or points to none.",
    )
    space: Annotated[str, Names("Space")] | None = ShapeField(
        default=None, description="Space that is shown there. Absent if there is none."
    )
    page: Annotated[str, Names("Page")] | None = ShapeField(
        default=None, description="Page at the address. Absent if there is none."
    )
    base_path: str | None = ShapeField(
        default=None, description="Base path of the space on the site. Absent if there is none."
    )
    pathname: str | None = ShapeField(
        default=None,
        description="Rest of the path, within the space. It begins with `/`. Absent if there is no space.",
    )
    target: UrlOut | None = ShapeField(
        default=None, description="Absolute URL of the redirect. Absent unless the URL redirects."
    )
    redirect: bool | None = ShapeField(
        default=None, description="True if the address redirects. Absent otherwise."
    )


ENUMERATIONS = (
    Enumeration(
        "SiteSearchMode",
        SearchMode,
        {
            "default": "The default space of each section, and the spaces that are named.",
            "specific": "The spaces that are named.",
            "all": "All spaces of the site.",
        },
    ),
)
