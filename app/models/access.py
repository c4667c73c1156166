"""Tables of access: tokens, grants, rate limits."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Instant, Json, Key
from app.models.base import Table

TokenKind = Literal["personal", "session", "oauth"]


class Token(Table, table=True):
    """A bearer token, or the session of a browser: only its hash is kept.

    May be narrowed to reading, one organization, some of its spaces, operations that `scopes` open, a time,
    and ends when it was not used for `idle_seconds`. With `is_agent` it proposes and does not decide. The
    session of a browser keeps what that said of itself and the address that it began from.

    One that was got by single sign-on names the identity provider that answered for the person, with which it
    ends, and that provider's organization. One of an application ends with the authorization that it was
    given for, and opens its `audience` only: the API, or another part of this server.
    """

    hash: str = Field(sa_type=Key, primary_key=True)
    id: str = Field(sa_type=Key, unique=True)
    user_id: str = Field(sa_type=Key, foreign_key="user_account.id", index=True)
    name: str
    kind: str = "personal"
    read_only: bool
    organization_id: str | None = Field(default=None, sa_type=Key, index=True)
    spaces: list[str] | None = Field(default=None, sa_type=Json)
    scopes: list[str] | None = Field(default=None, sa_type=Json)
    is_agent: bool = False
    user_agent: str | None = None
    address: str | None = None
    idle_seconds: int | None = None
    created_at: datetime = Field(sa_type=Instant)
    expires_at: datetime | None = Field(default=None, sa_type=Instant)
    last_used_at: datetime | None = Field(default=None, sa_type=Instant)
    sso_organization_id: str | None = Field(default=None, sa_type=Key, index=True)
    sso_provider_id: str | None = Field(
        default=None, sa_type=Key, foreign_key="saml_provider.id", ondelete="CASCADE", index=True
    )
    authorization_id: str | None = Field(
        default=None, sa_type=Key, foreign_key="oauth_authorization.id", ondelete="CASCADE", index=True
    )
    audience: str | None = None


GrantedKind = Literal["space", "collection", "site"]
GranteeKind = Literal["user", "team"]


class Grant(Table, table=True):
    """A role on an object. What inherits from the object has it too (see access.levels)."""

    __tablename__ = "content_grant"
    __table_args__ = (Index(None, "grantee_id", "organization_id", "object_id"),)

    object_id: str = Field(sa_type=Key, primary_key=True)
    grantee_id: str = Field(sa_type=Key, primary_key=True)
    organization_id: str = Field(sa_type=Key, foreign_key="organization.id", index=True)
    object_kind: str
    grantee_kind: str
    level: int
    created_at: datetime = Field(sa_type=Instant)


class Bucket(Table, table=True):
    """The calls that a caller has left, as processes told when they last synchronised (seconds since 1970).

    It holds `most` calls and is filled up within so many `seconds`. `calls_left` may be less than none: what
    several processes let through at once is missing afterwards.
    """

    key: str = Field(sa_type=Key, primary_key=True)
    calls_left: float
    most: float
    seconds: float
    filled_at: float = Field(index=True)
