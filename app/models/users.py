"""People."""

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


class UserOut(Shape):
    """A person as others see them (specification, User)."""

    object: Literal["user"]
    id: str
    display_name: str
    email: str | None = None
    photo_url: str | None = None
    urls: Location
