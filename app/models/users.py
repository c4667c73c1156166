"""People."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, StringConstraints
from pydantic import Field as Part
from sqlmodel import Field

from app.kit.columns import Instant, Key
from app.models.base import Change, Location, Shape, Table, Url, absent

EMAIL_PATTERN = r"[^@\s\x00-\x20\x7f-\xa0]+@[^@\s\x00-\x20\x7f-\xa0]+\.[^@\s\x00-\x20\x7f-\xa0]+"
_HIDDEN = r"\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069"
_NOT_SHOWN = re.compile(f"[{_HIDDEN}]+")


def without_hidden(name: str) -> str:
    """A name without what nobody sees in it, and what would turn the text around it."""
    return _NOT_SHOWN.sub(" ", name).strip()


def _readable(name: str) -> str:
    shown = without_hidden(name)
    if not shown:
        raise ValueError("A name has something to read in it.")
    return shown


DisplayName = Annotated[
    str,
    StringConstraints(min_length=1, max_length=64, strip_whitespace=True),
    AfterValidator(_readable),
    Part(json_schema_extra={"pattern": rf"[^\s{_HIDDEN}]"}),
]


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

    display_name: DisplayName = absent()
    photo_url: Url | None = None


class UserOut(Shape):
    """A person as others see them (specification, User)."""

    object: Literal["user"]
    id: str
    display_name: str
    email: str | None = None
    photo_url: str | None = None
    urls: Location
