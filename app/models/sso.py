"""Single sign-on: the SAML providers of organizations, who signed in through them, and what was answered."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import StringConstraints
from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Instant, Key
from app.models.base import Change, Column, Enumeration, Location, Names, Role, Shape, Table, Url, absent
from app.models.teams import TeamOut
from app.models.texts import Form, Label
from app.models.users import UserOut

ProviderStatus = Literal["active", "pending"]
ProviderLabel = Annotated[str, Label(30)]
EntityId = Annotated[str, StringConstraints(max_length=1024), Form(r"^\S+$", "a name without blanks")]
Certificate = Annotated[str, StringConstraints(max_length=10_000)]
SsoUrl = Annotated[Url, Form(r"^[^#]*$", "an address without #")]


class SamlProvider(Table, table=True):
    """An identity provider that answers for people of an organization, once it is all set."""

    __tablename__ = "saml_provider"
    __table_args__ = (Index(None, "organization_id", "id"),)

    id: str = Field(sa_type=Key, primary_key=True)
    organization_id: str = Field(sa_type=Key, foreign_key="organization.id")
    label: str
    entity_id: str | None = None
    certificate: str | None = None
    sso_url: str | None = None
    default_team_id: str | None = Field(
        default=None, sa_type=Key, foreign_key="team.id", ondelete="SET NULL", index=True
    )
    default_role: str | None = None
    created_at: datetime = Field(sa_type=Instant)
    updated_at: datetime = Field(sa_type=Instant)


class SamlRequest(Table, table=True):
    """A request of ours that a provider has answered: neither it nor the answer counts a second time.

    Requests that nobody answered are stored nowhere; their ids are signed (see domain.people.sign_ins).
    """

    __tablename__ = "saml_request"
    __table_args__ = (Index(None, "provider_id", "assertion_id", unique=True), Index(None, "expires_at"))

    id: str = Field(sa_type=Key, primary_key=True)
    provider_id: str = Field(sa_type=Key, foreign_key="saml_provider.id", ondelete="CASCADE")
    assertion_id: str = Field(sa_type=Key)
    answered_at: datetime = Field(sa_type=Instant)
    expires_at: datetime = Field(sa_type=Instant)


class SignIn(Table, table=True):
    """That a person has signed in through a provider, and when they did so last."""

    __tablename__ = "sign_in"

    provider_id: str = Field(
        sa_type=Key, primary_key=True, foreign_key="saml_provider.id", ondelete="CASCADE"
    )
    user_id: str = Field(sa_type=Key, primary_key=True, foreign_key="user_account.id")
    first_at: datetime = Field(sa_type=Instant)
    last_at: datetime = Field(sa_type=Instant)


class SAMLProviderCreate(Change):
    """A new identity provider. It is pending until it has an entity ID, a certificate and an address."""

    label: ProviderLabel = Field(description="Label that people see where they sign in, 1 to 30 characters.")
    entity_id: EntityId | None = Field(
        default=None,
        alias="entityID",
        description="Entity ID of the identity provider, at most 1,024 characters.",
    )
    certificate: Certificate | None = Field(
        default=None,
        description="Signing certificate of the identity provider, as PEM or as bare base64, at most 10,000 "
        "characters.",
    )
    sso_url: SsoUrl | None = Field(
        default=None, description="Address where the identity provider takes sign-in requests, with `https`."
    )
    default_team: Annotated[str, Names("Team")] | None = Field(
        default=None, description="Team that people join who sign in and are no members yet."
    )
    default_role: Role | None = Field(
        default=None,
        description="Role of people who sign in and are no members yet. Null or left out, they are guests.",
    )


class SAMLProviderUpdate(Change):
    """Changes to an identity provider.

    If the entity ID, the certificate or the address is removed, the provider is pending, and the sessions and
    tokens that it issued are revoked.
    """

    label: ProviderLabel = absent("Label that people see where they sign in, 1 to 30 characters.")
    entity_id: EntityId | None = Field(
        default=None,
        alias="entityID",
        description="Entity ID of the identity provider, at most 1,024 characters. Null removes it.",
    )
    certificate: Certificate | None = Field(
        default=None,
        description="Signing certificate of the identity provider, as PEM or as bare base64, at most 10,000 "
        "characters. Null removes it.",
    )
    sso_url: SsoUrl | None = Field(
        default=None,
        description="Address where the identity provider takes sign-in requests, with `https`. Null removes "
        "it.",
    )
    default_team: Annotated[str, Names("Team")] | None = Field(
        default=None, description="Team that people join who sign in and are no members yet. Null for none."
    )
    default_role: Role | None = Field(
        default=None, description="Role of people who sign in and are no members yet. Null makes them guests."
    )


class SAMLServiceOut(Shape):
    """What the identity provider has to know of this server."""

    acs_url: str = Field(description="Address to which the identity provider sends its responses.")
    start_url: str = Field(description="Address where people begin to sign in.")
    entity_id: str = Field(
        alias="entityID",
        description="Entity ID of this server, which is also the address of its SAML metadata.",
    )


class SAMLProviderOut(Shape):
    """A SAML identity provider of an organization (specification, SAMLProvider)."""

    object: Literal["saml-provider"]
    id: str
    label: str = Field(description="Label that people see where they sign in.")
    sso_url: str | None = Field(
        default=None,
        description="Address where the identity provider takes sign-in requests. Absent if it is not set.",
    )
    entity_id: str | None = Field(
        default=None,
        alias="entityID",
        description="Entity ID of the identity provider. Absent if it is not set.",
    )
    certificate: str | None = Field(
        default=None,
        description="Signing certificate of the identity provider. Absent if it is not set.",
    )
    default_team: TeamOut | None = Field(
        default=None,
        description="Team that people join who sign in and are no members yet. Absent if there is none.",
    )
    default_role: Role | None = Field(
        description="Role of people who sign in and are no members yet. Null if they are guests."
    )
    created_at: datetime
    status: ProviderStatus = Field(description="Status of the identity provider.")
    service: SAMLServiceOut = Field(description="What the identity provider has to know of this server.")
    urls: Location


class SSOLoginOut(Shape):
    """A way to sign in to an organization."""

    id: str = Field(description="Identifier of the identity provider.")
    label: str = Field(description="Label of the identity provider.")
    start_url: str = Field(description="Address where signing in begins.")


class SSOLoginsOut(Shape):
    """Every way to sign in to an organization."""

    items: list[SSOLoginOut] = Field(description="Active identity providers of the organization.")


class SessionOut(Shape):
    """The session of a browser."""

    expires_at: Annotated[datetime, Column("until")] = Field(description="When the session ends.")
    organization: Annotated[str, Column("organization_id"), Names("Organization")] = Field(
        description="Organization whose identity provider signed the person in."
    )
    user: UserOut = Field(description="Person who is signed in.")


class SignedInOut(Shape):
    """The outcome of signing in: a token for one organization."""

    token: str = Field(description="Bearer token that opens this organization alone.")
    expires_at: Annotated[datetime, Column("until")] = Field(description="When the token expires.")
    organization: Annotated[str, Column("organization_id"), Names("Organization")] = Field(
        description="Organization that the token opens."
    )
    user: UserOut = Field(description="Person who has signed in.")


ENUMERATIONS = (
    Enumeration(
        "SAMLProviderStatus",
        ProviderStatus,
        {
            "active": "It has an entity ID, a certificate and an address, and people can sign in through it.",
            "pending": "It is not fully configured, and nobody can sign in through it.",
        },
    ),
)
