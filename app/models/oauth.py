"""OAuth: applications, what people allowed them, and the codes and refresh tokens that they hold.

Access tokens are rows of `Token`, like all others (see models.access).
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import StringConstraints
from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Instant, Json, Key
from app.models.base import (
    Change,
    Column,
    Enumeration,
    Location,
    Names,
    Shape,
    Table,
    Url,
    UrlOut,
    absent,
)
from app.models.manifests import IntegrationScope
from app.models.texts import Form, Label

MOST_REDIRECTS = 20
ApplicationKind = Literal["public", "confidential"]
ApplicationName = Annotated[str, Label(64)]
_PORT = r"(?::(?:6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[0-9]{1,4}))?"
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_SIGN = r"(?:[A-Za-z0-9._~&()+,;=:@/!-]|%[0-9A-Fa-f]{2})*"
REDIRECT = (
    rf"^(?:https://{_LABEL}(?:\.{_LABEL})*|http://(?:127\.0\.0\.1|\[::1\]|localhost)){_PORT}"
    rf"(?:/{_SIGN})?(?:\?{_SIGN})?$"
)
"""Addresses that people may be sent to with a code: no fragment, login or wildcard; http on loopback only."""
REDIRECT_WORDS = "an address with https, or with http and a loopback address, without fragment and login"
RedirectUri = Annotated[str, StringConstraints(min_length=1, max_length=2048), Form(REDIRECT, REDIRECT_WORDS)]
RedirectUris = Annotated[list[RedirectUri], Field(max_length=MOST_REDIRECTS)]
OAuthScope = Literal["read", "write", IntegrationScope]
DESCRIPTIONS: dict[str, str] = {
    "read": "See everything that you can see in your organizations",
    "write": "Change everything that you can change, in your name",
    "space:content:read": "Read pages, files and change requests, and search",
    "space:content:write": "Change pages and files, and write change requests, without merging them",
    "space:metadata:read": "See titles and settings of spaces",
    "space:metadata:write": "Change titles and icons of spaces",
    "space:git:sync": "Synchronise spaces with Git repositories",
    "space:views:read": "See how often pages of spaces are read",
    "space:script:inject": "Put scripts into published spaces",
    "space:script:cookies": "Set cookies in published spaces",
    "space:visitor:auth": "Sign in the visitors of published spaces",
    "page:feedback:read": "Read feedback of visitors on pages",
    "site:metadata:read": "See sites, their structure and their design",
    "site:views:read": "See how often sites are read",
    "site:script:inject": "Put scripts into published sites",
    "site:script:cookies": "Set cookies in published sites",
    "site:visitor:auth": "Sign in the visitors of published sites, with the key for that",
    "site:visitor:claims": "Set claims of site visitors",
    "site:adaptive:read": "See the schema of visitor claims of sites",
    "site:adaptive:write": "Change the schema of visitor claims of sites",
    "conversations:ingest": "Add conversations with your customers",
    "openapi:read": "Read OpenAPI specifications",
    "openapi:write": "Publish, change and delete OpenAPI specifications",
}
"""Every scope that a person may give to an application, in words for that person."""


class OAuthApplication(Table, table=True):
    """A program that asks people for access. One without a secret is public: a frontend, a command line.

    Nobody owns those that registered themselves, or that describe themselves at an address (`document_url`),
    which is their `client_id` then. `scopes` are the most that it may ask for; None is all.
    """

    __tablename__ = "oauth_application"
    __table_args__ = (
        Index(None, "owner_id", "id"),
        Index(None, "is_dynamic", "created_at"),
        Index(None, "document_url", unique=True),
    )

    id: str = Field(sa_type=Key, primary_key=True)
    owner_id: str | None = Field(default=None, sa_type=Key, foreign_key="user_account.id", ondelete="CASCADE")
    name: str
    homepage: str | None = None
    redirect_uris: list[str] = Field(sa_type=Json)
    secret_hash: str | None = None
    scopes: list[str] | None = Field(default=None, sa_type=Json)
    device_flow: bool
    is_dynamic: bool
    document_url: str | None = Field(default=None, sa_type=Key)
    document_until: datetime | None = Field(default=None, sa_type=Instant)
    created_at: datetime = Field(sa_type=Instant)
    updated_at: datetime = Field(sa_type=Instant)


class OAuthGrant(Table, table=True):
    """The consent that a person gave an application: scopes, everywhere or in one organization only."""

    __tablename__ = "oauth_grant"
    __table_args__ = (Index(None, "user_id", "application_id"),)

    id: str = Field(sa_type=Key, primary_key=True)
    application_id: str = Field(
        sa_type=Key, foreign_key="oauth_application.id", ondelete="CASCADE", index=True
    )
    user_id: str = Field(sa_type=Key, foreign_key="user_account.id", ondelete="CASCADE")
    organization_id: str | None = Field(
        default=None, sa_type=Key, foreign_key="organization.id", ondelete="CASCADE", index=True
    )
    scopes: list[str] = Field(sa_type=Json)
    created_at: datetime = Field(sa_type=Instant)
    updated_at: datetime = Field(sa_type=Instant)


class OAuthAuthorization(Table, table=True):
    """One sign-in of an application: the code that it began with, and the family of its tokens.

    Refresh tokens and access tokens refer to it and are deleted with it. One of a device has no code. With
    an identity provider it ends when that is removed.
    """

    __tablename__ = "oauth_authorization"
    __table_args__ = (Index(None, "grant_id", "expires_at"),)

    id: str = Field(sa_type=Key, primary_key=True)
    grant_id: str = Field(sa_type=Key, foreign_key="oauth_grant.id", ondelete="CASCADE")
    scopes: list[str] = Field(sa_type=Json)
    audience: str | None = None
    code_hash: str | None = Field(default=None, sa_type=Key, unique=True)
    code_uses: int
    code_expires_at: datetime | None = Field(default=None, sa_type=Instant)
    redirect_uri: str | None = None
    challenge: str | None = None
    sso_provider_id: str | None = Field(
        default=None, sa_type=Key, foreign_key="saml_provider.id", ondelete="CASCADE", index=True
    )
    ends_at: datetime | None = Field(default=None, sa_type=Instant)
    expires_at: datetime = Field(sa_type=Instant)
    created_at: datetime = Field(sa_type=Instant)


class OAuthRefreshToken(Table, table=True):
    """A refresh token: good for one use, and kept afterwards, so that a second use is noticed."""

    __tablename__ = "oauth_refresh_token"

    hash: str = Field(sa_type=Key, primary_key=True)
    authorization_id: str = Field(
        sa_type=Key, foreign_key="oauth_authorization.id", ondelete="CASCADE", index=True
    )
    uses: int
    used_at: datetime | None = Field(default=None, sa_type=Instant)
    expires_at: datetime = Field(sa_type=Instant)


class OAuthDevice(Table, table=True):
    """A device that waits until somebody enters its user code, of which a fingerprint is kept.

    `authorization_id` is set when somebody allowed it, `denied` when somebody refused.
    """

    __tablename__ = "oauth_device"

    hash: str = Field(sa_type=Key, primary_key=True)
    user_code: str = Field(sa_type=Key, unique=True)
    application_id: str = Field(
        sa_type=Key, foreign_key="oauth_application.id", ondelete="CASCADE", index=True
    )
    scopes: list[str] = Field(sa_type=Json)
    audience: str | None = None
    address: str | None = None
    denied: bool
    authorization_id: str | None = Field(
        default=None, sa_type=Key, foreign_key="oauth_authorization.id", ondelete="CASCADE", index=True
    )
    created_at: datetime = Field(sa_type=Instant)
    expires_at: datetime = Field(sa_type=Instant, index=True)
    polled_at: datetime | None = Field(default=None, sa_type=Instant)


_REDIRECTS = (
    "Redirect URLs, at most 20: `https`, or `http` on a loopback address. They must match exactly, except "
    "for the port of `127.0.0.1` and `[::1]`."
)
_SCOPES = "Scopes that the application may request. Null means all scopes."


class OAuthApplicationCreate(Change):
    """A new application."""

    name: ApplicationName = Field(
        description="Name shown to people on the consent screen, 1 to 64 characters."
    )
    homepage: Url | None = Field(default=None, description="Address of a page about the application.")
    redirect_uris: RedirectUris = Field(default_factory=list, alias="redirectURIs", description=_REDIRECTS)
    kind: ApplicationKind = Field(
        default="public", description="Whether the application can keep a secret and is given one."
    )
    scopes: list[OAuthScope] | None = Field(default=None, max_length=100, description=_SCOPES)
    device_flow: bool = Field(
        default=False,
        description="Whether devices without a browser may use the device flow, in which "
        "people enter a code elsewhere.",
    )


class OAuthApplicationUpdate(Change):
    """Changes to an application. Whether it has a secret cannot be changed."""

    name: ApplicationName = absent("Name shown to people on the consent screen, 1 to 64 characters.")
    homepage: Url | None = Field(
        default=None, description="Address of a page about the application. Null removes it."
    )
    redirect_uris: RedirectUris = Field(default=None, alias="redirectURIs", description=_REDIRECTS)
    scopes: list[OAuthScope] | None = Field(default=None, max_length=100, description=_SCOPES)
    device_flow: bool = absent(
        "Whether devices without a browser may use the device flow, in which people enter a code elsewhere."
    )


class OAuthApplicationOut(Shape):
    """An application that signs people in with OAuth."""

    object: Literal["oauth-application"]
    id: str = Field(description="Identifier of the application: its `client_id`.")
    name: str = Field(description="Name shown to people on the consent screen.")
    homepage: UrlOut | None = Field(
        default=None, description="Address of a page about the application. Absent if there is none."
    )
    redirect_uris: list[str] = Field(alias="redirectURIs", description=_REDIRECTS)
    kind: ApplicationKind = Field(description="Whether the application has a secret.")
    scopes: list[OAuthScope] | None = Field(description=_SCOPES)
    device_flow: bool = Field(description="Whether devices may use the device flow.")
    secret: str | None = Field(
        default=None,
        description="Secret of the application (`client_secret`). Only in the response that creates it.",
    )
    created_at: datetime
    updated_at: datetime
    urls: Location


class OAuthGrantOut(Shape):
    """Access that a person granted to an application."""

    object: Literal["oauth-grant"]
    id: str
    application: str = Field(description="Name of the application.")
    application_id: str = Field(description="Identifier of the application: its `client_id`.")
    homepage: UrlOut | None = Field(
        default=None, description="Address of a page about the application. Absent if there is none."
    )
    organization: Annotated[str | None, Column("organization_id"), Names("Organization")] = Field(
        default=None,
        description="Only organization that the grant covers. Absent if it covers all "
        "organizations of the person.",
    )
    scopes: list[OAuthScope] = Field(description="Granted scopes.")
    created_at: datetime
    updated_at: datetime = Field(description="When the person last gave consent.")
    last_used_at: datetime | None = Field(
        default=None,
        description="When the application last used a token of this grant that still works. Absent if it "
        "never did.",
    )
    urls: Location


ENUMERATIONS = (
    Enumeration(
        "OAuthApplicationKind",
        ApplicationKind,
        {
            "public": "A public client without a secret: it runs in browsers or on people's machines.",
            "confidential": "A confidential client: it runs on a server and authenticates with a secret.",
        },
    ),
    Enumeration("OAuthScope", OAuthScope, {name: f"{words}." for name, words in DESCRIPTIONS.items()}),
)
