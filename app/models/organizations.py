"""Organizations and who belongs to them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, StringConstraints
from pydantic import Field as Part
from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Instant, Json, Key
from app.kit.http.urls import DOMAIN_PATTERN, LONGEST_HOST, canonical_host
from app.models.base import Change, Enumeration, Permissions, Role, Shape, Table, Url, absent
from app.models.texts import Form, Label

OrganizationTitle = Annotated[str, Label(255, shortest=2)]
Domain = Annotated[
    str,
    StringConstraints(max_length=LONGEST_HOST),
    AfterValidator(canonical_host),
    Part(json_schema_extra={"pattern": DOMAIN_PATTERN}),
]
Domains = Annotated[list[Domain], Part(max_length=100)]
Subdomain = Annotated[
    str,
    Form(
        r"^[a-z0-9][a-z0-9-]{1,30}[a-z0-9]$",
        "3 to 32 lower-case letters, digits and hyphens, without a hyphen at an end",
    ),
]
OrganizationType = Literal["business", "community"]
TrialStatus = Literal["notapplicable", "none", "active", "ended", "expired"]


class Organization(Table, table=True):
    """The owner of content, and the boundary that nothing crosses."""

    id: str = Field(sa_type=Key, primary_key=True)
    title: str
    email_domains: list[str] = Field(sa_type=Json)
    hostname: str | None = Field(default=None, sa_type=Key, unique=True)
    type: str
    use_case: str | None = None
    community_type: str | None = None
    default_role: str | None = None
    default_content: dict[str, Any] | None = Field(default=None, sa_type=Json)
    sso: bool
    ai: bool
    invite_links: bool
    content_transfers: bool
    plan: str
    logo: str | None = None
    signing_key: str | None = None
    quotas: dict[str, int] | None = Field(default=None, sa_type=Json)
    created_at: datetime = Field(sa_type=Instant)
    updated_at: datetime = Field(sa_type=Instant)


class Member(Table, table=True):
    """A person's place in an organization; a guest has no role.

    `granted`: grants, their own or of a team, have to be looked up.
    """

    __table_args__ = (Index(None, "organization_id", "joined_at", "user_id"),)

    user_id: str = Field(sa_type=Key, primary_key=True, foreign_key="user_account.id")
    organization_id: str = Field(sa_type=Key, primary_key=True, foreign_key="organization.id")
    role: str | None = None
    disabled: bool
    sso: bool
    granted: bool
    joined_at: datetime = Field(sa_type=Instant)
    last_seen_at: datetime | None = Field(default=None, sa_type=Instant)


class DefaultContent(Shape):
    """What an organization's hostname shows."""

    type: Literal["site"]
    site: str


class OrganizationCreate(Change):
    """A new organization; the caller becomes its administrator."""

    title: OrganizationTitle
    email_domains: Domains = Field(default_factory=list)


class OrganizationUpdate(Change):
    """Changes to an organization (specification, Organizations and invites)."""

    title: OrganizationTitle = absent()
    email_domains: Domains = absent()
    hostname: Subdomain | None = None
    default_role: Role | None = None
    default_content: DefaultContent | None = None
    logo: Url | None = None
    sso: bool = absent()
    ai: bool = absent()
    invite_links: bool = absent()
    content_transfers: bool = absent()


class OrganizationPermissions(Permissions):
    """What the caller may do in an organization."""

    view: bool
    access: bool
    admin: bool
    own_team: bool
    create_content: bool
    create_openapi_spec: bool = Field(alias="createOpenAPISpec")
    list_members: bool
    list_teams: bool
    list_integrations: bool
    list_installations: bool
    install_integration: bool


class OrganizationUrls(Shape):
    """Addresses of an organization."""

    location: str
    app: str
    logo: str | None = None


class Trial(Shape):
    """The state of a trial; self-hosted organizations have none."""

    status: TrialStatus


class SubdomainTarget(Shape):
    """What a subdomain leads to."""

    type: Literal["organization"]
    organization: str


class SubdomainOut(Shape):
    """A subdomain of this installation (specification, Subdomain)."""

    object: Literal["subdomain"]
    subdomain: str
    target: SubdomainTarget
    is_active: bool


class OrganizationOut(Shape):
    """An organization (specification, Organization)."""

    object: Literal["organization"]
    id: str
    title: str
    created_at: datetime
    email_domains: list[str]
    hostname: str | None = None
    type: OrganizationType
    use_case: str | None = None
    community_type: str | None = None
    default_role: Role | None
    default_content: DefaultContent | None = None
    sso: bool
    ai: bool
    invite_links: bool
    content_transfers: bool
    plan: str
    urls: OrganizationUrls
    trial: Trial
    permissions: OrganizationPermissions


class OrganizationsOut(Shape):
    """Organizations that are not cut into pages."""

    organizations: list[OrganizationOut]


ENUMERATIONS = (
    Enumeration(
        "OrganizationType",
        OrganizationType,
        {
            "business": "",
            "community": "",
        },
    ),
    Enumeration(
        "TrialStatus",
        TrialStatus,
        {
            "notapplicable": "",
            "none": "",
            "active": "",
            "ended": "",
            "expired": "",
        },
    ),
)
