"""People."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from sqlmodel import Field

from app.kit.database.columns import Instant, Key
from app.models.base import AnyValue, Change, Location, Shape, Table, Url, UrlOut, absent
from app.models.texts import Label

EMAIL_PATTERN = r"[^@\s\x00-\x20\x7f-\xa0]+@[^@\s\x00-\x20\x7f-\xa0]+\.[^@\s\x00-\x20\x7f-\xa0]+"
DisplayName = Annotated[str, Label(64)]


class User(Table, table=True):
    """A person; the e-mail address is kept in lower case and is unique.

    `name_key` is the name without case, by which people are sorted and found (see people.name_key).
    """

    __tablename__ = "user_account"

    id: str = Field(sa_type=Key, primary_key=True)
    email: str = Field(sa_type=Key, unique=True)
    display_name: str
    name_key: str = Field(sa_type=Key)
    photo_url: str | None = None
    created_at: datetime = Field(sa_type=Instant)


class UserUpdate(Change):
    """Changes to a person's profile."""

    display_name: DisplayName = absent("Name of the person as shown to others, 1 to 64 characters.")
    photo_url: Url | None = Field(
        default=None, description="Address of a picture of the person. Null removes it."
    )


class UserOut(Shape):
    """A person, as others see them (specification, User)."""

    object: Literal["user"]
    id: str
    display_name: str = Field(description="Name of the person as shown to others.")
    email: str | None = Field(
        default=None, description="E-mail address. Absent for the users that integrations act as."
    )
    photo_url: UrlOut | None = Field(
        default=None, description="Address of a picture of the person. Absent if there is none."
    )
    urls: Location


class UserExportOut(Shape):
    """All that is stored about a person."""

    object: Literal["user-export"]
    created_at: datetime = Field(description="When the export was made.")
    records: dict[str, AnyValue] = Field(
        description="What is stored, as lists of objects by what they are, such as `profile`, `memberships`, "
        "`comments` or `auditEvents`. Secrets are left out."
    )
