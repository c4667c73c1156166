"""Single sign-on: the SAML providers of organizations, who signed in through them, and what was answered."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import StringConstraints
from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Instant, Key
from app.models.base import Change, Column, Enumeration, Location, Role, Shape, Table, Url, absent
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
    """A new identity provider; it is `pending` until entity id, certificate and address are all there."""

    label: ProviderLabel
    entity_id: EntityId | None = Field(default=None, alias="entityID")
    certificate: Certificate | None = Field(
        default=None, description="the provider's signing certificate, as PEM or as bare base64"
    )
    sso_url: SsoUrl | None = Field(default=None, description="where the provider takes requests, https")
    default_team: str | None = Field(default=None, description="team that who is new joins")
    default_role: Role | None = Field(default=None, description="role of who is new; null makes guests")


class SAMLProviderUpdate(Change):
    """Changes to an identity provider; null clears."""

    label: ProviderLabel = absent()
    entity_id: EntityId | None = Field(default=None, alias="entityID")
    certificate: Certificate | None = None
    sso_url: SsoUrl | None = None
    default_team: str | None = None
    default_role: Role | None = None


class SAMLServiceOut(Shape):
    """What the identity provider has to be told of this server."""

    acs_url: str
    start_url: str
    entity_id: str = Field(alias="entityID")


class SAMLProviderOut(Shape):
    """An identity provider (specification, SAMLProvider)."""

    object: Literal["saml-provider"]
    id: str
    label: str
    sso_url: str | None = None
    entity_id: str | None = Field(default=None, alias="entityID")
    certificate: str | None = None
    default_team: TeamOut | None = None
    default_role: Role | None
    created_at: datetime
    status: ProviderStatus
    service: SAMLServiceOut
    urls: Location


class SSOLoginOut(Shape):
    """Where members sign in."""

    id: str
    label: str
    start_url: str


class SSOLoginsOut(Shape):
    """Every way to sign in to an organization."""

    items: list[SSOLoginOut]


class SessionOut(Shape):
    """Who is signed in in a browser."""

    expires_at: Annotated[datetime, Column("until")]
    organization: Annotated[str, Column("organization_id")]
    user: UserOut


class SignedInOut(Shape):
    """What signing in gives: a token for this organization alone."""

    token: str
    expires_at: Annotated[datetime, Column("until")]
    organization: Annotated[str, Column("organization_id")]
    user: UserOut


ENUMERATIONS = (
    Enumeration(
        "SAMLProviderStatus",
        ProviderStatus,
        {
            "active": "",
            "pending": "",
        },
    ),
)
