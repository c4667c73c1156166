"""Redirects of a site: from a path where nothing is to where it is now."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field as Described
from pydantic import StringConstraints
from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Instant, Json, Key
from app.models.base import Change, Enumeration, Shape, Table, absent
from app.models.queries import ShareKeyQuery

SourcePath = Annotated[str, StringConstraints(min_length=1, max_length=512)]
TargetUrl = Annotated[str, StringConstraints(min_length=1, max_length=2048)]
RedirectResult = Literal["created", "updated"]


class Redirect(Table, table=True):
    """A redirect from `source`, which begins with a slash, and with `capture_wildcard` from all below it."""

    __tablename__ = "site_redirect"
    __table_args__ = (
        Index(None, "site_id", "id"),
        Index(None, "site_id", "source", unique=True),
    )

    id: str = Field(sa_type=Key, primary_key=True)
    site_id: str = Field(sa_type=Key, foreign_key="site.id")
    source: str = Field(sa_type=Key)
    destination: dict[str, Any] = Field(sa_type=Json)
    item_id: str | None = Field(default=None, sa_type=Key)  # what the destination names
    page_id: str | None = Field(default=None, sa_type=Key)
    permanent: bool
    capture_wildcard: bool
    created_at: datetime = Field(sa_type=Instant)
    updated_at: datetime = Field(sa_type=Instant)


class ToPage(Shape):
    """A page of a space of the site."""

    kind: Literal["site-page"]
    site_space: str
    page: str


class ToSection(Shape):
    """A section of the site."""

    kind: Literal["site-section"]
    site_section: str


class ToSpace(Shape):
    """A space of the site."""

    kind: Literal["site-space"]
    site_space: str


class ToPath(Shape):
    """A path of the site."""

    kind: Literal["path"]
    path: SourcePath


class ToExternal(Shape):
    """An address elsewhere: https or http, without a login in it."""

    kind: Literal["external"]
    url: TargetUrl


Destination = ToPage | ToSection | ToSpace | ToPath | ToExternal


class RedirectCreate(Change):
    """A new redirect. With `captureWildcard`, what is below the source leads below a path or an address."""

    source: SourcePath
    destination: Annotated[Destination, Described(discriminator="kind")]
    permanent: bool = False
    capture_wildcard: bool = False


class RedirectUpdate(Change):
    """Changes to a redirect."""

    source: SourcePath = absent()
    destination: Annotated[Destination, Described(discriminator="kind")] = absent()
    permanent: bool = absent()
    capture_wildcard: bool = absent()


class RedirectsPut(Change):
    """Redirects to add, or to put in the place of those with the same source."""

    redirects: Annotated[list[RedirectCreate], Described(min_length=1, max_length=500)]


class RedirectQuery(ShareKeyQuery):
    """Where does this path lead?"""

    source: str = Field(min_length=1, max_length=512)


class RedirectOut(Shape):
    """A redirect of a site. An `automatic` one nobody wrote: the page of its id was at its source once."""

    object: Literal["site-redirect"]
    id: str
    source: str
    destination: Destination
    permanent: bool
    capture_wildcard: bool
    automatic: bool | None = None
    created_at: datetime
    updated_at: datetime


class RedirectResultOut(Shape):
    """What became of one redirect."""

    source: str
    result: RedirectResult
    redirect: RedirectOut


class RedirectsOut(Shape):
    """What became of redirects that came together."""

    results: list[RedirectResultOut]


class ResolvedRedirectOut(Shape):
    """The redirect of a path, and the address it leads to."""

    redirect: RedirectOut
    target: str


ENUMERATIONS = (
    Enumeration(
        "SiteRedirectResult",
        RedirectResult,
        {
            "created": "",
            "updated": "",
        },
    ),
)
