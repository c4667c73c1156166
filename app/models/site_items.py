"""Items of a site: the table of its sections, groups, links and spaces, and spaces as a site has them.

Items of a site: the table of its sections, groups, links and spaces, and what all of them have.

Spaces of a site: where each is found, and who sees it.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import StringConstraints
from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Instant, Key
from app.models.base import Change, Column, Enumeration, Names, Shape, Table, UrlOut, absent
from app.models.collections import Beside
from app.models.queries import PageQuery, QueryBool, ShareKeyQuery
from app.models.sites import AddressPart
from app.models.spaces import SpaceOut

ItemKind = Literal["site-space", "site-section", "site-section-group", "site-external-link"]
Condition = Annotated[str, StringConstraints(min_length=1, max_length=1024)]
CONDITION_SENT = (
    "Expression over the visitor's claims, at most 1,024 characters. Only visitors for whom it is true are"
    " shown the item. Null shows it to all."
)
CONDITION = (
    "Expression over the visitor's claims. Only visitors for whom it is true are shown the item. Absent if"
    " all are."
)


class SiteItem(Table, table=True):
    """A node of a site's tree. `position` is its parent's and its own rank, so that text order is tree order.

    `path` is unique in its `scope`: sections in the site (""), spaces in their section. Of the spaces of a
    section (or of a site without), one that can be seen has `is_default`; likewise of the sections of a site.
    """

    __tablename__ = "site_item"
    __table_args__ = (
        Index(None, "site_id", "position"),
        Index(None, "site_id", "scope", "path", unique=True),
        Index(None, "site_id", "scope", "space_id", unique=True),
    )

    id: str = Field(sa_type=Key, primary_key=True)
    site_id: str = Field(sa_type=Key, foreign_key="site.id")
    kind: str
    parent_id: str | None = Field(default=None, sa_type=Key)
    position: str = Field(sa_type=Key)
    scope: str | None = Field(default=None, sa_type=Key)
    path: str | None = Field(default=None, sa_type=Key)
    space_id: str | None = Field(default=None, sa_type=Key, foreign_key="space.id", index=True)
    is_default: bool
    draft: bool
    title: str | None = None
    description: str | None = None
    icon: str | None = None
    condition: str | None = None
    url: str | None = None
    created_at: datetime = Field(sa_type=Instant)
    updated_at: datetime = Field(sa_type=Instant)


class SiteItemsQuery(PageQuery, ShareKeyQuery):
    """A page of a list of what a site shows."""


class SiteItemUrls(Shape):
    """Addresses of a section or space of a site."""

    published: UrlOut | None = Field(
        default=None,
        description="Public URL. Absent while the site is not published.",
    )


class SiteSpacesQuery(SiteItemsQuery):
    """Query parameters that select the spaces of a site to list."""

    default: QueryBool | None = Field(
        default=None,
        description="Lists only the default space of the site if true, only the others if false.",
    )


class SiteSpaceCreate(Change):
    """A space to add: to a section, else to the default one, or to a site without sections."""

    space_id: Annotated[str, Names("Space")] = Field(
        description="Id of a space of the organization. Needs the level `create` on the space."
    )
    section_id: Annotated[str, Names("SiteSection")] = absent(
        "Id of the section to add it to. By default the default section, or the site itself while it has no"
        " sections."
    )


class SiteSpaceUpdate(Change):
    """Changes to a space of a site; null removes `condition`. A draft is not shown to visitors."""

    path: AddressPart = absent(
        "Path segment of the space in URLs, unique in its section. 1 to 100 characters."
    )
    condition: Condition | None = Field(default=None, description=CONDITION_SENT)
    space_id: Annotated[str, Names("Space")] = absent(
        "Id of the space to show in its place, under the same path."
    )
    section_id: Annotated[str, Names("SiteSection")] = absent(
        "Id of another section to move the space to, where it comes last. Its path gets a number if it is"
        " taken there."
    )
    draft: bool = absent("Whether the space is hidden from visitors.")


class SiteSpaceCopy(Change):
    """The options of a copy: a draft is not shown to visitors."""

    draft: bool = Field(default=False, description="Whether the copy is hidden from visitors.")


class SiteSpaceOut(Shape):
    """A space of a site (specification, SiteSpace).

    Spaces of one section, or of a site without sections, are variants of each other, such as versions or
    languages.
    """

    object: Literal["site-space"]
    id: str
    path: str = Field(description="Path segment of the space in URLs, unique in its section.")
    section: Annotated[str | None, Column("parent_id"), Names("SiteSection")] = Field(
        default=None, description="Section that the space is in. Absent on a site without sections."
    )
    space: SpaceOut = Field(description="Space whose content is shown.")
    title: Annotated[str, Column("space_title")] = Field(description="Title of the space.")
    default: Annotated[bool, Column("is_default")] = Field(
        description="Whether it is shown at the address of its section, or of a site without sections."
    )
    condition: str | None = Field(default=None, description=CONDITION)
    draft: bool | None = Field(
        default=None, description="True while the space is hidden from visitors. Absent otherwise."
    )
    has_advanced_customization_feature: bool = Field(
        description="Whether the space may look different from the site. Always true."
    )
    urls: SiteItemUrls


class SiteSpaceSide(Shape):
    """A neighbouring space of the site."""

    type: Literal["site-space"] = Field(description="Type of the neighbour.")
    site_space: Annotated[str, Names("SiteSpace")] = Field(
        description="Id of the neighbouring space of the site."
    )

    @property
    def id(self) -> str:
        """Return the neighbour's id."""
        return self.site_space


class SiteSpacePosition(Beside[SiteSpaceSide]):
    """Before or after another space of the same section."""


class SiteSpaceMove(Change):
    """A space's new place in its section; last without a position."""

    position: SiteSpacePosition = absent("Place of the space beside another one. Last if left out.")


ENUMERATIONS = (
    Enumeration(
        "SiteItemType",
        ItemKind,
        {
            "site-space": "A space that the site shows.",
            "site-section": "A section: a part of the site with a path of its own, around some spaces.",
            "site-section-group": "A group: a title over sections and links in the navigation.",
            "site-external-link": "A link in the navigation that leads elsewhere.",
        },
    ),
)
