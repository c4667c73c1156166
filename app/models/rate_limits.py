"""How many calls are left."""

from __future__ import annotations

from sqlmodel import Field

from app.kit.columns import Key
from app.models.base import Table


class Bucket(Table, table=True):
    """How many calls a token has left; filled up as time passes (seconds since 1970)."""

    token_id: str = Field(sa_type=Key, primary_key=True)
    calls_left: float
    filled_at: float
    refused: bool
