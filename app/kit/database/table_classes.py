"""Classes of tables that SQLModel describes, without a mapping of SQLAlchemy's ORM.

Statements are built from tables alone, and rows are light. The mappings that nothing uses took a quarter of
the time in which a new process loads its models.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Column, Table
from sqlmodel.main import SQLModelMetaclass


class TableClass(SQLModelMetaclass):
    """The type of classes that describe a table: `__table__` is made of their columns and knows its class."""

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **options: Any) -> None:
        if not options.get("table"):
            super().__init__(name, bases, namespace, **options)
            return
        type.__init__(cls, name, bases, namespace)
        columns = [_named(column, key) for key in cls.model_fields if (column := vars(cls)[key]) is not None]
        *parts, last = namespace.get("__table_args__", ()) or ({},)
        if not isinstance(last, dict):
            parts, last = [*parts, last], {}
        called = namespace.get("__tablename__", name.lower())
        made = Table(called, cls.metadata, *columns, *parts, **last)
        made.info["model"] = cls
        type.__setattr__(cls, "__table__", made)


def _named(column: Column[Any], key: str) -> Column[Any]:
    """Return the column, called as its field unless it says otherwise."""
    if column.name is None:
        column.name = column.key = key
    return column
