"""Items of a site: the table of its sections, groups, links and spaces, and what all of them have."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import StringConstraints
from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Instant, Key
from app.models.base import Enumeration, Shape, Table
from app.models.queries import PageQuery, ShareKeyQuery

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

    published: str | None = Field(
        default=None,
        description="Address at which visitors find it. Absent while the site is not published.",
    )


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
