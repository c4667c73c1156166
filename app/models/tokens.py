"""The tokens that people call with."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Field

from app.kit.database.columns import Instant, Key
from app.models.base import Table


class Token(Table, table=True):
    """A bearer token: only its hash is kept. May be narrowed to reading, one organization, a time.

    One that was got by single sign-on names the identity provider that answered for the person, with which it
    ends, and that provider's organization.
    """

    hash: str = Field(sa_type=Key, primary_key=True)
    id: str = Field(sa_type=Key, unique=True)
    user_id: str = Field(sa_type=Key, foreign_key="user_account.id", index=True)
    name: str
    read_only: bool
    organization_id: str | None = Field(default=None, sa_type=Key)
    created_at: datetime = Field(sa_type=Instant)
    expires_at: datetime | None = Field(default=None, sa_type=Instant)
    last_used_at: datetime | None = Field(default=None, sa_type=Instant)
    sso_organization_id: str | None = Field(default=None, sa_type=Key)
    sso_provider_id: str | None = Field(
        default=None, sa_type=Key, foreign_key="saml_provider.id", ondelete="CASCADE", index=True
    )
