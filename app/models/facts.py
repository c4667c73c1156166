"""The installation's own facts."""

from __future__ import annotations

from sqlmodel import Field

from app.kit.database.columns import Key
from app.models.base import Table


class Fact(Table, table=True):
    """A fact about this installation, such as its signing secret."""

    name: str = Field(sa_type=Key, primary_key=True)
    value: str
