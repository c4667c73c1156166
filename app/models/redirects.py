"""Redirects of a site: from a path where nothing is to where it is now."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Discriminator, StringConstraints
from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Instant, Json, Key
from app.models.base import Change, Enumeration, Names, Shape, Table, UrlOut, absent
from app.models.queries import PageQuery, ShareKeyQuery

SourcePath = Annotated[str, StringConstraints(min_length=1, max_length=512)]
TargetUrl = Annotated[str, StringConstraints(min_length=1, max_length=2048)]
RedirectResult = Literal["created", "updated"]
SOURCE = (
    "Path below the address of the site, which begins with a slash, unique among its redirects. At most 512"
    " characters."
)
PERMANENT = "Whether the redirect is permanent (status 308 instead of 307)."
CAPTURE_WILDCARD = "Whether every path below the source leads below the destination, or to the page."


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

    kind: Literal["site-page"] = Field(description="Kind of the destination: a page.")
    site_space: Annotated[str, Names("SiteSpace")] = Field(
        description="Space of the site that the page is in."
    )
    page: Annotated[str, Names("Page")] = Field(description="Page of that space, wherever it is moved to.")


class ToSection(Shape):
    """A section of the site."""

    kind: Literal["site-section"] = Field(description="Kind of the destination: a section.")
    site_section: Annotated[str, Names("SiteSection")] = Field(description="Section of the site.")


class ToSpace(Shape):
    """A space of the site."""

    kind: Literal["site-space"] = Field(description="Kind of the destination: a space.")
    site_space: Annotated[str, Names("SiteSpace")] = Field(description="Space of the site.")


class ToPath(Shape):
    """A path of the site."""

    kind: Literal["path"] = Field(description="Kind of the destination: a path.")
    path: SourcePath = Field(
        description="Path below the address of the site, which begins with a slash. At most 512 characters."
    )


class ToExternal(Shape):
    """An address elsewhere: https or http, without a login in it."""

    kind: Literal["external"] = Field(description="Kind of the destination: an address elsewhere.")
    url: TargetUrl = Field(
        description="Address that begins with `https://` or `http://`, at most 2,048 characters."
    )


RedirectDestination = ToPage | ToSection | ToSpace | ToPath | ToExternal


class RedirectCreate(Change):
    """A new redirect. With `captureWildcard`, paths below the source lead to paths below the destination."""

    source: SourcePath = Field(description=SOURCE)
    destination: Annotated[RedirectDestination, Discriminator("kind")] = Field(
        description="Where the source leads."
    )
    permanent: bool = Field(default=False, description=PERMANENT)
    capture_wildcard: bool = Field(default=False, description=CAPTURE_WILDCARD)


class RedirectUpdate(Change):
    """Changes to a redirect."""

    source: SourcePath = absent(SOURCE)
    destination: Annotated[RedirectDestination, Discriminator("kind")] = absent("Where the source leads.")
    permanent: bool = absent(PERMANENT)
    capture_wildcard: bool = absent(CAPTURE_WILDCARD)


class RedirectsPut(Change):
    """Redirects to add, or to put in the place of those with the same source."""

    redirects: Annotated[list[RedirectCreate], Field(min_length=1, max_length=500)] = Field(
        description="Redirects, each with another source. 1 to 500."
    )


class RedirectsQuery(PageQuery):
    """Query parameters that select the redirects to list."""

    search: str | None = Field(
        default=None,
        max_length=512,
        description="Lists only redirects whose source contains this text.",
    )


class RedirectQuery(ShareKeyQuery):
    """The path whose redirect is looked up."""

    source: str = Field(
        min_length=1,
        max_length=512,
        description="Path below the address of the site, which begins with a slash. At most 512 characters.",
    )


class RedirectOut(Shape):
    """A redirect of a site: from a path where nothing is to where it is now."""

    object: Literal["site-redirect"]
    id: str = Field(description="Identifier of the redirect; of an automatic one, that of the page.")
    source: str = Field(description="Path that leads elsewhere, below the address of the site.")
    destination: RedirectDestination = Field(description="Where the source leads.")
    permanent: bool = Field(description=PERMANENT)
    capture_wildcard: bool = Field(description=CAPTURE_WILDCARD)
    automatic: bool | None = Field(
        default=None,
        description="True if nobody wrote the redirect: the page was at its source once. Absent otherwise.",
    )
    created_at: datetime
    updated_at: datetime


class RedirectResultOut(Shape):
    """The outcome of one redirect."""

    source: str = Field(description="Source of the redirect.")
    result: RedirectResult = Field(description="Whether the redirect is new.")
    redirect: RedirectOut = Field(description="Redirect as it is now.")


class RedirectsOut(Shape):
    """The outcome of redirects that came together."""

    results: list[RedirectResultOut] = Field(
        description="Results in the order of the redirects that were sent."
    )


class ResolvedRedirectOut(Shape):
    """The redirect of a path and its target URL."""

    redirect: RedirectOut = Field(description="Redirect that the path meets; the nearest source counts.")
    target: UrlOut = Field(description="Full target URL of the path.")


ENUMERATIONS = (
    Enumeration(
        "SiteRedirectResult",
        RedirectResult,
        {
            "created": "The redirect is new.",
            "updated": "The redirect took the place of one with the same source.",
        },
    ),
)
