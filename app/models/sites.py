"""Docs sites: what publishes spaces, and to whom."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, StringConstraints
from pydantic import Field as Part
from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Instant, Json, Key
from app.kit.http.urls import canonical_host
from app.models.base import Change, Enumeration, Permissions, Shape, Table, Url, absent
from app.models.queries import PageQuery, QueryBool
from app.models.texts import Emoji, Form, Label

SiteType = Literal["basic", "premium", "ultimate", "sponsored", "legacy-basic", "legacy-premium"]
SiteVisibility = Literal["public", "unlisted", "share-link", "visitor-auth"]
AgentsContext = Literal["excluded", "included"]
NewSpace = Literal["sample", "empty"]
SiteTitle = Annotated[str, Label(128, shortest=2)]
IconName = Annotated[str, StringConstraints(min_length=1, max_length=50)]
# One part of an address: no slash, no question, nothing that a browser reads as something else.
AddressPart = Annotated[
    str,
    StringConstraints(min_length=1, max_length=100),
    Form(
        r"^[^\s/?#\\%~.\x00-\x1f][^\s/?#\\%\x00-\x1f]*$",
        "one part of an address: no blanks, none of / ? # \\ %, and neither ~ nor . at its beginning",
    ),
]
_HOSTNAME = r"^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?[.]){2,}[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$"


def _hostname(text: str) -> str:
    name = canonical_host(text)
    if re.fullmatch(_HOSTNAME, name) is None:
        raise ValueError("A host of a site's own has three parts at least, such as docs.example.org.")
    return name


def _directory(text: str) -> str:
    host, _, path = text.partition("/")
    return f"{canonical_host(host)}/{path.lower()}"


Hostname = Annotated[
    str,
    StringConstraints(max_length=512),
    AfterValidator(_hostname),
    Part(json_schema_extra={"pattern": _HOSTNAME}),
]
Proxy = Annotated[
    str,
    StringConstraints(max_length=512),
    Form(
        r"^([\w-]+\.)*[\w-]+\.[a-zA-Z][\w-]+(/[\w-]+)+$",
        "a host and a directory of it, such as example.org/docs",
    ),
    AfterValidator(_directory),
]


class Site(Table, table=True):
    """A site. What it shows hangs on it as items (see `site_items`); its level is inherited, or granted.

    `hostname` and `proxy` are what its administrators state; the `live_` ones are the same once the host is
    proven, and alone have an effect.
    """

    __table_args__ = (
        Index(None, "organization_id", "id"),
        Index(None, "organization_id", "basename", unique=True),
        Index(None, "hostname"),
    )

    id: str = Field(sa_type=Key, primary_key=True)
    organization_id: str = Field(sa_type=Key, foreign_key="organization.id")
    type: str
    title: str
    title_folded: str  # what the filter looks in
    icon: Any = Field(default=None, sa_type=Json, nullable=True)
    hostname: str | None = Field(default=None, sa_type=Key)
    live_hostname: str | None = Field(default=None, sa_type=Key, unique=True)
    basename: str | None = Field(default=None, sa_type=Key)
    proxy: str | None = Field(default=None, sa_type=Key)
    live_proxy: str | None = Field(default=None, sa_type=Key, unique=True)
    visibility: str
    published: bool
    adaptive_content: bool
    agents_context: str
    adaptive_schema: str | None = None  # JSON, with its names in the order they came in
    adaptive_schema_at: datetime | None = Field(default=None, sa_type=Instant)
    visitor_key: str
    visitor_backend: dict[str, Any] = Field(sa_type=Json)
    fallback_url: str | None = None
    logout_url: str | None = None
    base_level: int
    lineage: str
    created_by: str | None = Field(default=None, sa_type=Key)
    created_at: datetime = Field(sa_type=Instant)
    updated_at: datetime = Field(sa_type=Instant)


class IconPictures(Shape):
    """The pictures of an icon, for light and dark pages."""

    light: Url
    dark: Url


class SiteIcon(Shape):
    """An icon: pictures, an emoji, or nothing yet."""

    icon: IconPictures = absent()
    emoji: Emoji = absent()


class AdaptiveContent(Shape):
    """Whether the site shows content by what it knows of a visitor; while it does not, it knows nothing."""

    enabled: bool


class SiteCreate(Change):
    """A new site. `spaces` are added to it, or one is made for it: empty, or with sample content."""

    type: SiteType = "basic"
    title: SiteTitle = "Untitled site"
    visibility: SiteVisibility = "public"
    spaces: Annotated[list[str], Field(max_length=100)] | NewSpace = Field(default_factory=list)


class SiteUpdate(Change):
    """Changes to a site (specification, Sites); null removes `basename`, `proxy`, `hostname` and `icon`."""

    title: SiteTitle = absent()
    visibility: SiteVisibility = absent()
    basename: AddressPart | None = None
    adaptive_content: AdaptiveContent = absent()
    agents_context: AgentsContext = absent()
    default_site_space: str = absent()
    default_site_section: str = absent()
    proxy: Proxy | None = None
    hostname: Hostname | None = None
    icon: SiteIcon | IconName | None = None


class SitesQuery(PageQuery):
    """Which sites of an organization to list."""

    space: str | None = Field(default=None, max_length=100, description="only sites with this space")
    title: str | None = Field(default=None, max_length=128, description="only titles that contain this")
    published: QueryBool | None = Field(default=None, description="only sites that are online, or are not")
    type: SiteType | None = Field(default=None, description="only sites of this type")


class SiteProxy(Shape):
    """A directory of somebody's domain, `origin`, that hands requests on to us at `target`."""

    origin: str
    target: str


class SiteFeature(Shape):
    """Something that a site can do."""

    id: str
    plan: SiteType
    frozen: bool
    customizations: list[str] | None = None


class SiteAds(Shape):
    """Where a sponsored site stands with its ads: nothing can be submitted, since nobody reviews any here."""

    status: Literal["pending"]
    submittable: bool


class SiteUrls(Shape):
    """Addresses of a site; `published` while it is online."""

    location: str
    app: str
    published: str | None = None


class SitePermissions(Permissions):
    """What the caller may do with a site."""

    view: bool
    access: bool
    edit: bool
    create: bool
    delete: bool
    admin: bool
    install_integration: bool
    view_adaptive_schema: bool
    edit_adaptive_schema: bool


class SiteOut(Shape):
    """A docs site (specification, Site)."""

    object: Literal["site"]
    id: str
    type: SiteType
    title: str
    icon: SiteIcon | str | None
    hostname: str | None = None
    basename: str | None = None
    proxy: SiteProxy | None = None
    visibility: SiteVisibility
    published: bool
    site_spaces: int
    created_at: datetime
    adaptive_content: AdaptiveContent
    ads: SiteAds | None = None
    agents_context: AgentsContext
    features: list[SiteFeature]
    urls: SiteUrls
    permissions: SitePermissions


ENUMERATIONS = (
    Enumeration(
        "SiteType",
        SiteType,
        {
            "basic": "",
            "premium": "",
            "ultimate": "",
            "sponsored": "",
            "legacy-basic": "",
            "legacy-premium": "",
        },
    ),
    Enumeration(
        "SiteVisibility",
        SiteVisibility,
        {
            "public": "",
            "unlisted": "",
            "share-link": "",
            "visitor-auth": "",
        },
    ),
    Enumeration(
        "SiteAgentsContext",
        AgentsContext,
        {
            "excluded": "",
            "included": "",
        },
    ),
)
