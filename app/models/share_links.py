"""Share links: secrets that open a site whose visibility is `share-link`."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Instant, Key
from app.models.base import Change, Shape, Table, absent
from app.models.queries import PageQuery
from app.models.texts import Label

LinkName = Annotated[str, Label(50)]


class ShareLink(Table, table=True):
    """A share link. Its key is encrypted, since administrators see its address again, and found by a hash."""

    __tablename__ = "site_share_link"
    __table_args__ = (Index(None, "site_id", "id"),)

    id: str = Field(sa_type=Key, primary_key=True)
    site_id: str = Field(sa_type=Key, foreign_key="site.id")
    name: str
    name_folded: str
    active: bool
    key: str
    key_hash: str = Field(sa_type=Key)
    created_at: datetime = Field(sa_type=Instant)


class ShareLinkCreate(Change):
    """A new share link."""

    name: LinkName


class ShareLinkUpdate(Change):
    """Changes to a share link; one that is not active opens nothing."""

    name: LinkName = absent()
    active: bool = absent()


class ShareLinksQuery(PageQuery):
    """Which share links to list."""

    search: str | None = Field(default=None, max_length=50, description="only names that contain this")


class ShareLinkUrls(Shape):
    """Where the share link leads."""

    published: str


class ShareLinkOut(Shape):
    """A share link of a site."""

    object: Literal["share-link"]
    id: str
    name: str
    active: bool
    created_at: datetime
    urls: ShareLinkUrls
