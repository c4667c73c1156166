"""How many calls are left."""

from __future__ import annotations

from sqlmodel import Field

from app.kit.database.columns import Key
from app.models.base import Table


class Bucket(Table, table=True):
    """How many calls a caller has left, as processes told when they last synchronised (seconds since 1970).

    It holds `most` calls and is filled up within so many `seconds`. `calls_left` may be less than none: what
    several processes let through at once is missing afterwards.
    """

    key: str = Field(sa_type=Key, primary_key=True)
    calls_left: float
    most: float
    seconds: float
    filled_at: float = Field(index=True)
