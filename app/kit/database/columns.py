"""Column types that mean the same on both engines, and the naming rule for constraints."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import orjson
from sqlalchemy import (
    ARRAY,
    DateTime,
    Dialect,
    Index,
    LargeBinary,
    MetaData,
    String,
    Text,
    TypeDecorator,
)
from sqlalchemy.types import TypeEngine

from app.kit.clock import wire_time

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


def name_constraints(metadata: MetaData) -> None:
    """Give every constraint a name, so that later migrations can drop it on SQLite too."""
    metadata.naming_convention = NAMING


# Byte order everywhere: ids, ranks and paths are keysets, and a database's locale must not reorder them.
Key = String().with_variant(String(collation="C"), "postgresql")


def index_of_open_rows(name: str, *columns: str, unique: bool = False) -> Index:
    """Return an index of the rows that are valid now. Naming the condition per dialect would load both
    dialects at start-up, so it is kept as a fact of the index and applied where tables are made (see
    migrations).
    """
    return Index(name, *columns, unique=unique, info={"where": "valid_to IS NULL"})


def index_of_closed_rows(name: str, *columns: str) -> Index:
    """Return an index of the closed rows of each line,
    by the number that closed them if not by these columns.
    """
    names = columns or ("line_id", "valid_to", "valid_from")
    return Index(name, *names, info={"where": "valid_to IS NOT NULL"})


class Instant(TypeDecorator[datetime]):
    """A UTC time, aware in Python: on SQLite the text that is sent, `timestamptz` on PostgreSQL."""

    impl = DateTime
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        return dialect.type_descriptor(Text() if dialect.name == "sqlite" else DateTime(timezone=True))

    def bind_processor(self, dialect: Dialect) -> Any:
        if dialect.name == "sqlite":
            return lambda value: value and wire_time(value)
        return None

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        if dialect.name == "sqlite":
            return datetime.fromisoformat
        return None


class Json(TypeDecorator[Any]):
    """Any JSON value: text on SQLite, `jsonb` on PostgreSQL (the connection carries the codec)."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        if dialect.name == "sqlite":
            return dialect.type_descriptor(Text())
        from sqlalchemy.dialects.postgresql import JSONB

        return dialect.type_descriptor(JSONB())

    def bind_processor(self, dialect: Dialect) -> Any:
        if dialect.name == "sqlite":
            return lambda value: None if value is None else orjson.dumps(value).decode()
        return None

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        if dialect.name == "sqlite":
            return orjson.loads
        return None


class ListOf(TypeDecorator[Any]):
    """A list that travels as one parameter: JSON text for `json_each`, an array for `= ANY`."""

    impl = Text
    cache_ok = True

    def __init__(self, item: type[TypeEngine[Any]] = String) -> None:
        super().__init__()
        self.item = item

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        return dialect.type_descriptor(Text() if dialect.name == "sqlite" else ARRAY(self.item))

    def bind_processor(self, dialect: Dialect) -> Any:
        if dialect.name == "sqlite":
            return lambda value: "[]" if value == () else orjson.dumps(list(value)).decode()
        return list


Strings = ListOf(String)
Bytes = LargeBinary
