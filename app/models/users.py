"""People and the tokens they call with."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from sqlmodel import Field

from app.kit.columns import Instant, Key
from app.models.base import Location, Shape, Table


class User(Table, table=True):
    """A person; the e-mail address is kept in lower case and is unique."""

    __tablename__ = "user_account"

    id: str = Field(sa_type=Key, primary_key=True)
    email: str = Field(sa_type=Key, unique=True)
    display_name: str
    photo_url: str | None = None
    created_at: datetime = Field(sa_type=Instant)


class Token(Table, table=True):
    """A bearer token: only its hash is kept. May be narrowed to reading, one organization, a time."""

    hash: str = Field(sa_type=Key, primary_key=True)
    id: str = Field(sa_type=Key, unique=True)
    user_id: str = Field(sa_type=Key, foreign_key="user_account.id", index=True)
    name: str
    read_only: bool
    organization_id: str | None = Field(default=None, sa_type=Key)
    created_at: datetime = Field(sa_type=Instant)
    expires_at: datetime | None = Field(default=None, sa_type=Instant)


class UserOut(Shape):
    """A person as others see them (specification, User)."""

    object: Literal["user"]
    id: str
    display_name: str
    email: str | None = None
    photo_url: str | None = None
    urls: Location
