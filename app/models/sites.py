"""Docs sites: what publishes spaces, and to whom."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, StringConstraints
from pydantic import Field as Part
from sqlalchemy import Index, false
from sqlmodel import Field

from app.kit.database.columns import Instant, Json, Key
from app.kit.http.urls import canonical_host
from app.models.base import Change, Enumeration, Names, Permissions, Shape, Table, Url, UrlOut, absent
from app.models.queries import PageQuery, QueryBool
from app.models.site_features import SiteFeature, SiteType
from app.models.texts import Emoji, Form, Label

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
    proven, and alone have an effect. A `suspended` site is offline only because its organization is deleted.
    """

    __table_args__ = (
        Index(None, "organization_id", "id"),
        Index(None, "organization_id", "basename", unique=True),
        Index(None, "hostname"),
        Index(None, "visibility", "published", "title_folded", "id"),
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
    suspended: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
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
    created_by: str | None = Field(default=None, sa_type=Key, index=True)
    created_at: datetime = Field(sa_type=Instant)
    updated_at: datetime = Field(sa_type=Instant)


class IconPictures(Shape):
    """The pictures of an icon, for light and dark pages."""

    light: Url = Field(description="Address of the picture on light pages.")
    dark: Url = Field(description="Address of the picture on dark pages.")


class SiteIcon(Shape):
    """An icon: pictures, an emoji, or nothing yet."""

    icon: IconPictures = absent("Pictures of the icon.")
    emoji: Emoji = absent("Emoji as itself, or as its code points in hexadecimal, joined by hyphens.")


class AdaptiveContent(Shape):
    """The setting that adapts a site's content to the claims of visitors. While it is off, none are read."""

    enabled: bool = Field(
        description="Whether visitor claims are used. While they are not, content whose condition needs a "
        "claim is hidden."
    )


class SiteCreate(Change):
    """A new site, which is not published yet."""

    type: SiteType = Field(default="basic", description="Type of the site.")
    title: SiteTitle = Field(default="Untitled site", description="Title, 2 to 128 characters.")
    visibility: SiteVisibility = Field(
        default="public", description="Who may read the site once it is published."
    )
    spaces: Annotated[list[str], Field(max_length=100), Names("Space")] | NewSpace = Field(
        default_factory=list,
        description="Ids of the spaces to show, at most 100, or `empty` or `sample` to create one for the"
        " site. By default none.",
    )


class SiteUpdate(Change):
    """Changes to a site (specification, Sites); null removes `basename`, `proxy`, `hostname` and `icon`."""

    title: SiteTitle = absent("Title, 2 to 128 characters.")
    visibility: SiteVisibility = absent("Who may read the site once it is published.")
    basename: AddressPart | None = Field(
        default=None,
        description="Path segment of the site in URLs, used instead of its ID. Unique in the organization, 1 "
        "to 100 characters.",
    )
    adaptive_content: AdaptiveContent = absent("Whether content depends on the visitor's claims.")
    agents_context: AgentsContext = absent("Whether the site can be read by programs.")
    default_site_space: Annotated[str, Names("SiteSpace")] = absent(
        "Id of the space of the site to show first: in the default section, or on a site without sections."
    )
    default_site_section: Annotated[str, Names("SiteSection")] = absent("Id of the section to show first.")
    proxy: Proxy | None = Field(
        default=None,
        description="Host and directory of your domain that hands requests on to the site, such as"
        " `example.org/docs`, at most 512 characters. Takes effect once the host is verified.",
    )
    hostname: Hostname | None = Field(
        default=None,
        description="Host of the site's own, such as `docs.example.org`, at most 512 characters. Takes effect"
        " once it is verified.",
    )
    icon: SiteIcon | IconName | None = Field(
        default=None,
        description="Icon of the site: pictures, an emoji, or the name of an icon such as `gear`.",
    )


class SitesQuery(PageQuery):
    """Query parameters that select the sites of an organization to list."""

    space: Annotated[str, Names("Space")] | None = Field(
        default=None, max_length=100, description="Lists only sites that show this space."
    )
    title: str | None = Field(
        default=None,
        max_length=128,
        description="Lists only sites whose title contains this text, in any case.",
    )
    published: QueryBool | None = Field(
        default=None, description="Lists only sites that are published if true, only the others if false."
    )
    type: SiteType | None = Field(default=None, description="Lists only sites of this type.")


class SiteProxy(Shape):
    """A directory of somebody's domain that hands requests on to a site."""

    origin: str = Field(description="Public host and directory of the site.")
    target: UrlOut = Field(description="Address to which the web server of that host hands requests on.")


class SiteAds(Shape):
    """Advertising state of a sponsored site. Ads cannot be submitted, because no one reviews them here."""

    status: Literal["pending"] = Field(description="State of the review.")
    submittable: bool = Field(description="Whether ads can be submitted for review. Always false.")


class SiteUrls(Shape):
    """Addresses of a site."""

    location: UrlOut
    app: UrlOut
    published: UrlOut | None = Field(
        default=None, description="Address for visitors. Absent while the site is not published."
    )


class SitePermissions(Permissions):
    """The permissions of the caller for a site."""

    view: bool = Field(description="Whether the caller may see the site.")
    access: bool = Field(description="Whether the caller may read what the site shows.")
    edit: bool = Field(description="Whether the caller may change what the site shows and how it looks.")
    create: bool = Field(description="Whether the caller may add sections, links and spaces.")
    delete: bool = Field(description="Whether the caller may delete the site.")
    admin: bool = Field(
        description="Whether the caller may change its audience and address, and publish and unpublish it."
    )
    install_integration: bool = Field(description="Whether the caller may install integrations on it.")
    view_adaptive_schema: bool = Field(description="Whether the caller may see its schema of claims.")
    edit_adaptive_schema: bool = Field(description="Whether the caller may change its schema of claims.")


class SiteOut(Shape):
    """A docs site, which publishes spaces of its organization (specification, Site)."""

    object: Literal["site"]
    id: str
    type: SiteType = Field(description="Type of the site.")
    title: str = Field(description="Title of the site.")
    icon: SiteIcon | str | None = Field(
        description="Icon of the site: pictures, an emoji, or the name of an icon such as `gear`. Null if it"
        " has none."
    )
    hostname: str | None = Field(
        default=None,
        description="Host of the site's own, which takes effect once it is verified. Absent if none was set.",
    )
    basename: str | None = Field(
        default=None,
        description="Path segment of the site in URLs, used instead of its ID. Absent if none was set.",
    )
    proxy: SiteProxy | None = Field(
        default=None,
        description="Directory of a domain that hands requests on to the site, which takes effect once the"
        " host is verified. Absent if none was set.",
    )
    visibility: SiteVisibility = Field(description="Who may read the site once it is published.")
    published: bool = Field(
        description="Whether the site is online for those whom `visibility` lets read it."
    )
    site_spaces: int | None = Field(
        default=None,
        description="Number of spaces that the site shows and the caller sees. Absent for callers who may"
        " only read what a public site shows.",
    )
    created_at: datetime
    adaptive_content: AdaptiveContent = Field(description="Whether content depends on the visitor's claims.")
    ads: SiteAds | None = Field(default=None, description="State of the ads. Of sponsored sites only.")
    agents_context: AgentsContext = Field(description="Whether the site can be read by programs.")
    features: list[SiteFeature] = Field(description="What the site can do.")
    urls: SiteUrls
    permissions: SitePermissions


ENUMERATIONS = (
    Enumeration(
        "SiteVisibility",
        SiteVisibility,
        {
            "public": "Everybody may read the site, and search engines list it.",
            "unlisted": "Everybody who has the address may read the site; search engines do not list it.",
            "share-link": "Whoever has an active share link may read the site.",
            "visitor-auth": "Visitors with a token signed with the site's private key may read the site.",
        },
    ),
    Enumeration(
        "SiteAgentsContext",
        AgentsContext,
        {
            "excluded": "The site offers no Markdown, no `llms.txt` and no MCP endpoint.",
            "included": "The site offers its pages as Markdown, `llms.txt` and an MCP endpoint.",
        },
    ),
    Enumeration(
        "NewSiteSpace",
        NewSpace,
        {
            "sample": "A new space with sample content.",
            "empty": "A new space without content.",
        },
        "Space that a new site begins with.",
    ),
)
