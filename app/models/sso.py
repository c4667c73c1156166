"""Single sign-on: the SAML providers of organizations, who signed in through them, and what was answered."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import StringConstraints
from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Instant, Key
from app.models.base import (
    Change,
    Column,
    Enumeration,
    Location,
    Names,
    Role,
    Shape,
    Table,
    Url,
    UrlOut,
    absent,
)
from app.models.teams import TeamOut
from app.models.texts import Form, Label
from app.models.users import UserOut

ProviderStatus = Literal["active", "pending"]
ProviderLabel = Annotated[str, Label(30)]
EntityId = Annotated[str, StringConstraints(max_length=1024), Form(r"^\S+$", "a name without blanks")]
Certificate = Annotated[str, StringConstraints(max_length=10_000)]
Issuer = Annotated[Url, Form(r"^[^#?]*$", "an address without ? and #")]
LONGEST_METADATA = 200_000
Metadata = Annotated[str, StringConstraints(max_length=LONGEST_METADATA)]
SsoUrl = Annotated[Url, Form(r"^[^#]*$", "an address without #")]


class IdentityProvider(Table, table=True):
    """An identity provider that answers for people of an organization, once it is all set.

    One that speaks SAML has an entity id, a certificate and an address; one that speaks OpenID Connect has
    its issuer as its entity id, a client id, and a client secret, which is encrypted.
    """

    __tablename__ = "saml_provider"
    __table_args__ = (Index(None, "organization_id", "kind", "id"),)

    id: str = Field(sa_type=Key, primary_key=True)
    organization_id: str = Field(sa_type=Key, foreign_key="organization.id")
    kind: str = Field(default="saml", sa_type=Key)
    label: str
    entity_id: str | None = None
    certificate: str | None = None
    sso_url: str | None = None
    client_id: str | None = None
    client_secret: str | None = None
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
    """A sign-in of a person through a provider, with the time of the last one."""

    __tablename__ = "sign_in"

    provider_id: str = Field(
        sa_type=Key, primary_key=True, foreign_key="saml_provider.id", ondelete="CASCADE"
    )
    user_id: str = Field(sa_type=Key, primary_key=True, foreign_key="user_account.id", index=True)
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
    metadata: Metadata | None = Field(
        default=None,
        description="Metadata of the identity provider, as XML, at most 200,000 characters. Its entity ID, "
        "signing certificate and address for redirects take the place of the three fields.",
    )
    metadata_url: Url | None = Field(
        default=None,
        description="Address of the metadata, with `https`, instead of the XML itself. The server fetches it"
        " once, without following redirects.",
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
    metadata: Metadata | None = Field(
        default=None,
        description="Metadata of the identity provider, as XML, at most 200,000 characters. Its entity ID, "
        "signing certificate and address for redirects take the place of the three fields.",
    )
    metadata_url: Url | None = Field(
        default=None,
        description="Address of the metadata, with `https`, instead of the XML itself. The server fetches it"
        " once, without following redirects.",
    )
    default_team: Annotated[str, Names("Team")] | None = Field(
        default=None, description="Team that people join who sign in and are no members yet. Null for none."
    )
    default_role: Role | None = Field(
        default=None, description="Role of people who sign in and are no members yet. Null makes them guests."
    )


class OIDCProviderCreate(Change):
    """A new OpenID Connect provider."""

    label: ProviderLabel = Field(description="Label that people see where they sign in, 1 to 30 characters.")
    issuer: Issuer = Field(
        description="Issuer of the provider, an `https` URL, exactly as in its discovery document."
    )
    client_id: Annotated[str, StringConstraints(min_length=1, max_length=300)] = Field(
        description="Client ID that the provider gave to this server, 1 to 300 characters."
    )
    client_secret: Annotated[str, StringConstraints(min_length=1, max_length=500)] = Field(
        description="Client secret that the provider gave to this server, 1 to 500 characters."
    )
    default_team: Annotated[str, Names("Team")] | None = Field(
        default=None, description="Team that people join who sign in and are no members yet."
    )
    default_role: Role | None = Field(
        default=None,
        description="Role of people who sign in and are no members yet. Null or left out, they are guests.",
    )


class OIDCProviderUpdate(Change):
    """Changes to an OpenID Connect provider.

    If the issuer or the client ID changes, the sessions and tokens that the provider issued are revoked.
    """

    label: ProviderLabel = absent("Label that people see where they sign in, 1 to 30 characters.")
    issuer: Issuer = absent("Issuer of the provider, an `https` URL, exactly as in its discovery document.")
    client_id: Annotated[str, StringConstraints(min_length=1, max_length=300)] = absent(
        "Client ID that the provider gave to this server, 1 to 300 characters."
    )
    client_secret: Annotated[str, StringConstraints(min_length=1, max_length=500)] = absent(
        "Client secret that the provider gave to this server, 1 to 500 characters."
    )
    default_team: Annotated[str, Names("Team")] | None = Field(
        default=None, description="Team that people join who sign in and are no members yet. Null for none."
    )
    default_role: Role | None = Field(
        default=None, description="Role of people who sign in and are no members yet. Null makes them guests."
    )


class OIDCServiceOut(Shape):
    """The data of this server that the provider has to know."""

    redirect_uri: UrlOut = Field(
        alias="redirectURI", description="Address to which the provider sends people back."
    )
    start_url: UrlOut = Field(description="Address where people begin to sign in.")


class OIDCProviderOut(Shape):
    """An OpenID Connect provider of an organization. Its client secret is never shown."""

    object: Literal["oidc-provider"]
    id: str
    label: str = Field(description="Label that people see where they sign in.")
    issuer: Annotated[str, Column("entity_id")] = Field(description="Issuer of the provider.")
    client_id: str = Field(description="Client ID that the provider gave to this server.")
    default_team: TeamOut | None = Field(
        default=None,
        description="Team that people join who sign in and are no members yet. Absent if there is none.",
    )
    default_role: Role | None = Field(
        description="Role of people who sign in and are no members yet. Null if they are guests."
    )
    created_at: datetime
    service: OIDCServiceOut = Field(description="What the provider has to know of this server.")
    urls: Location


class SAMLServiceOut(Shape):
    """The data of this server that the identity provider has to know."""

    acs_url: UrlOut = Field(description="Address to which the identity provider sends its responses.")
    start_url: UrlOut = Field(description="Address where people begin to sign in.")
    entity_id: str = Field(
        alias="entityID",
        description="Entity ID of this server, which is also the address of its SAML metadata.",
    )


class SAMLProviderOut(Shape):
    """A SAML identity provider of an organization (specification, SAMLProvider)."""

    object: Literal["saml-provider"]
    id: str
    label: str = Field(description="Label that people see where they sign in.")
    sso_url: UrlOut | None = Field(
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
    start_url: UrlOut = Field(description="Address where signing in begins.")


class SSOLoginsOut(Shape):
    """Every way to sign in to an organization."""

    items: list[SSOLoginOut] = Field(description="Active identity providers of the organization.")


class SessionOut(Shape):
    """The session of a browser."""

    expires_at: Annotated[datetime, Column("until")] = Field(description="When the session ends.")
    organization: Annotated[str | None, Column("organization_id"), Names("Organization")] = Field(
        default=None,
        description="Organization whose identity provider signed the person in, which the session is limited "
        "to. Absent if the person signed in otherwise.",
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
