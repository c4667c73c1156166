"""The service itself: what it tells of its version, and facts about this installation."""

from __future__ import annotations

from sqlmodel import Field

from app.kit.database.columns import Key
from app.models.base import Shape, Table


class ServiceOut(Shape):
    """The version of Docyard that answers."""

    version: str = Field(description="Version of Docyard.")
    build: str = Field(description="Hash of the program, equal for equal code.")


class Fact(Table, table=True):
    """A fact about this installation, such as its signing secret."""

    name: str = Field(sa_type=Key, primary_key=True)
    value: str
