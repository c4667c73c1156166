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
from app.models.base import (
    Change,
    Enumeration,
    Names,
    Permissions,
    Role,
    Shape,
    Table,
    Url,
    UrlOut,
    absent,
)
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
OrganizationUseCase = Literal[
    "internalDocs", "docsSite", "audienceControlledSite", "productDocs", "teamKnowledgeBase", "designSystem",
    "openSourceDocs", "notes", "other",
]  # fmt: skip
CommunityType = Literal["nonProfit", "openSource", "education"]
OrganizationPlan = Literal[
    "free_2024", "plus_2024", "pro_2024", "enterprise_2024", "community_2024", "free", "plus", "pro",
    "internal",
]  # fmt: skip
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
    deleted_at: datetime | None = Field(default=None, sa_type=Instant)


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
    """The content that the URL of an organization shows."""

    type: Literal["site"] = Field(description="Type of the content, always `site`.")
    site: Annotated[str, Names("Site")] = Field(
        description="Site that the URL of the organization shows while the site is published."
    )


class OrganizationCreate(Change):
    """A new organization; the caller becomes its administrator."""

    title: OrganizationTitle = Field(description="Title of the organization, 2 to 255 characters.")
    email_domains: Domains = Field(
        default_factory=list,
        description="E-mail domains that the organization claims, at most 100. None has an effect before it "
        "is verified.",
    )


class OrganizationUpdate(Change):
    """Changes to an organization (specification, Organizations and invites)."""

    title: OrganizationTitle = absent("Title of the organization, 2 to 255 characters.")
    email_domains: Domains = absent(
        "All e-mail domains that the organization claims, at most 100. A new one has no effect before it is "
        "verified; one that is left out loses its effect at once."
    )
    hostname: Subdomain | None = Field(
        default=None,
        description="Name of the organization in the addresses of its published content: 3 to 32 lower-case "
        "letters, digits and hyphens, without a hyphen at an end, and unique on the server. Null removes it.",
    )
    default_role: Role | None = Field(
        default=None,
        description="Role of people who join by their e-mail domain or are invited without a role, and the "
        "least level of every member on content that inherits its level from the organization. Null makes "
        "those people guests.",
    )
    default_content: DefaultContent | None = Field(
        default=None,
        description="What the URL of the organization shows. Null removes it.",
    )
    logo: Url | None = Field(
        default=None, description="Address of a picture of the organization. Null removes it."
    )
    sso: bool = absent(
        "Whether everybody has to sign in by single sign-on. An administrator must have signed in through an "
        "active identity provider before it is switched on."
    )
    ai: bool = absent("Whether features of artificial intelligence are on. It is stored and has no effect.")
    invite_links: bool = absent("Whether invite links can be created and accepted.")
    content_transfers: bool = absent(
        "Whether people who administrate content, but not the organization, may transfer it to other "
        "organizations."
    )


class OrganizationDelete(Change):
    """The deletion of an organization, confirmed by its title."""

    title: OrganizationTitle = Field(description="Title of the organization, exactly as it is now.")


class OrganizationPermissions(Permissions):
    """The permissions of the caller in an organization."""

    view: bool = Field(description="Whether the caller may see the organization.")
    access: bool = Field(
        description="Whether the caller belongs to the organization, as a member or a guest."
    )
    admin: bool = Field(
        description="Whether the caller may change the settings of the organization, manage its people, "
        "domains and identity providers, and read its audit log and quotas."
    )
    own_team: bool = Field(description="Whether the caller may create and delete teams.")
    create_content: bool = Field(
        description="Whether the caller may create collections, spaces and sites at the root of the "
        "organization."
    )
    create_openapi_spec: bool = Field(
        alias="createOpenAPISpec", description="Whether the caller may create OpenAPI specifications."
    )
    list_members: bool = Field(description="Whether the caller may see the members.")
    list_teams: bool = Field(description="Whether the caller may see the teams.")
    list_integrations: bool = Field(
        description="Whether the caller may see the integrations that the organization has or may install."
    )
    list_installations: bool = Field(
        description="Whether the caller may see the installations of integrations."
    )
    install_integration: bool = Field(
        description="Whether the caller may install integrations, and change and remove installations."
    )
    delete: bool = Field(description="Whether the caller may delete the organization.")
    restore: bool = Field(description="Whether the caller may restore the deleted organization.")


class OrganizationUrls(Shape):
    """Addresses of an organization."""

    location: UrlOut
    app: UrlOut
    logo: UrlOut | None = Field(
        default=None, description="Address of a picture of the organization. Absent if it has none."
    )


class Trial(Shape):
    """The state of a trial; self-hosted organizations have none."""

    status: TrialStatus = Field(description="State of the trial.")


class SubdomainTarget(Shape):
    """The object that a subdomain belongs to."""

    type: Literal["organization"] = Field(description="Type of the object, always `organization`.")
    organization: Annotated[str, Names("Organization")] = Field(
        description="Organization that the subdomain belongs to."
    )


class SubdomainOut(Shape):
    """A name of an organization in the addresses of its published content (specification, Subdomain)."""

    object: Literal["subdomain"]
    subdomain: str = Field(description="The name, which is the `hostname` of the organization.")
    target: SubdomainTarget = Field(description="Object that the subdomain belongs to.")
    is_active: bool = Field(description="Whether the subdomain is in use. Always true.")


class OrganizationOut(Shape):
    """An organization: the owner of content, whose people work on it (specification, Organization)."""

    object: Literal["organization"]
    id: str
    title: str = Field(description="Title of the organization.")
    created_at: datetime
    email_domains: list[str] = Field(
        description="E-mail domains that the organization claims. Only verified ones have an effect."
    )
    hostname: str | None = Field(
        default=None,
        description="Name of the organization in the addresses of its published content. Absent if it has "
        "none; its identifier is used then.",
    )
    type: OrganizationType = Field(description="Type of the organization.")
    use_case: OrganizationUseCase | None = Field(
        default=None, description="What the organization is used for. Absent if it was not stated."
    )
    community_type: CommunityType | None = Field(
        default=None, description="Type of the community. Absent if it was not stated."
    )
    default_role: Role | None = Field(
        description="Role of people who join by their e-mail domain or are invited without a role, and the "
        "least level of every member on content that inherits its level from the organization. Null if those "
        "people are guests."
    )
    default_content: DefaultContent | None = Field(
        default=None, description="What the URL of the organization shows. Absent if it shows nothing."
    )
    sso: bool = Field(description="Whether everybody has to sign in by single sign-on.")
    ai: bool = Field(
        description="Whether features of artificial intelligence are on. It is stored and has no effect."
    )
    invite_links: bool = Field(description="Whether invite links can be created and accepted.")
    content_transfers: bool = Field(
        description="Whether people who administrate content, but not the organization, may transfer it to "
        "other organizations."
    )
    plan: OrganizationPlan = Field(description="Plan of the organization. It is stored and has no effect.")
    deleted_at: datetime | None = Field(
        default=None, description="When the organization was deleted. Absent unless it is deleted."
    )
    restorable_until: datetime | None = Field(
        default=None,
        description="Until when the organization can be restored; then it is removed for good. Absent unless "
        "it is deleted.",
    )
    urls: OrganizationUrls
    trial: Trial = Field(description="State of the trial of a plan.")
    permissions: OrganizationPermissions


class OrganizationsOut(Shape):
    """All organizations that were found, without pages."""

    organizations: list[OrganizationOut] = Field(description="Organizations that were found.")


ENUMERATIONS = (
    Enumeration(
        "OrganizationType",
        OrganizationType,
        {
            "business": "An organization of a business.",
            "community": "An organization of a community.",
        },
    ),
    Enumeration(
        "TrialStatus",
        TrialStatus,
        {
            "notapplicable": "There are no trials on this server.",
            "none": "No trial was started.",
            "active": "A trial is running.",
            "ended": "A trial was ended.",
            "expired": "A trial has run out.",
        },
    ),
    Enumeration(
        "OrganizationUseCase",
        OrganizationUseCase,
        {
            "internalDocs": "Internal documentation.",
            "docsSite": "A documentation site.",
            "audienceControlledSite": "A site for a chosen audience.",
            "productDocs": "Documentation of a product.",
            "teamKnowledgeBase": "The knowledge base of a team.",
            "designSystem": "A design system.",
            "openSourceDocs": "Documentation of an open-source project.",
            "notes": "Notes.",
            "other": "Something else.",
        },
    ),
    Enumeration(
        "CommunityType",
        CommunityType,
        {
            "nonProfit": "A non-profit organization.",
            "openSource": "An open-source project.",
            "education": "A place of education.",
        },
    ),
    Enumeration(
        "OrganizationPlan",
        OrganizationPlan,
        {
            "free_2024": "Free plan of 2024, which new organizations have.",
            "plus_2024": "Plus plan of 2024.",
            "pro_2024": "Pro plan of 2024.",
            "enterprise_2024": "Enterprise plan of 2024.",
            "community_2024": "Community plan of 2024.",
            "free": "Free plan.",
            "plus": "Plus plan.",
            "pro": "Pro plan.",
            "internal": "Internal plan.",
        },
    ),
)
