"""Rows inside a row: a whole result set as one column, so that a read with all it needs stays one statement.

The database packs the set as JSON arrays; here they become the same light rows that a plain query gives.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import orjson
from sqlalchemy import Boolean, ColumnElement, Dialect, Select, Text, TypeDecorator
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.elements import Label
from sqlalchemy.types import TypeEngine

from app.kit.database.columns import Instant, Json

Process = Callable[[Any], Any]


class Nested(TypeDecorator[Any]):
    """The type of a nested set: a list of named tuples in Python."""

    impl = Text
    cache_ok = False

    def __init__(self, columns: Sequence[ColumnElement[Any]]) -> None:
        super().__init__()
        self.columns = columns

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        row: Any = namedtuple("Row", [c.key or "" for c in self.columns], rename=True)  # type: ignore[misc]
        steps = [(n, p) for n, c in enumerate(self.columns) if (p := _process(c.type, dialect)) is not None]

        def process(value: Any) -> list[Any]:
            sets = orjson.loads(value) if isinstance(value, str) else value
            for values in sets or ():
                for n, step in steps:
                    if values[n] is not None:
                        values[n] = step(values[n])
            return [row._make(values) for values in sets or ()]

        return process


def _process(type_: TypeEngine[Any], dialect: Dialect) -> Process | None:
    if isinstance(type_, Instant):
        return datetime.fromisoformat
    if isinstance(type_, Boolean):
        return bool
    if isinstance(type_, Nested):
        inner: Process = type_.result_processor(dialect, None)
        return inner
    return None


class _Gathered(ColumnElement[Any]):
    """`SELECT all rows of a subquery as one JSON array of arrays`."""

    inherit_cache = False

    def __init__(self, found: Select[Any]) -> None:
        self.found = found
        self.columns_ = list(found.subquery().c)
        self.type = Nested(self.columns_)


def nested(found: Select[Any], name: str) -> Label[Any]:
    """The rows of `found` as one column called `name`; it may refer to the enclosing row (correlate it)."""
    return _Gathered(found).label(name)


@compiles(_Gathered, "sqlite")
def _gathered_sqlite(element: _Gathered, compiler: Any, **kw: Any) -> str:
    parts = ", ".join(
        f"json({c})" if isinstance(column.type, Json | Nested) else c
        for column in element.columns_
        if (c := compiler.preparer.quote(column.key))
    )
    inner = compiler.process(element.found)
    return f"(SELECT json_group_array(json_array({parts})) FROM ({inner}))"


@compiles(_Gathered, "postgresql")
def _gathered_postgresql(element: _Gathered, compiler: Any, **kw: Any) -> str:
    parts = ", ".join(compiler.preparer.quote(column.key) for column in element.columns_)
    inner = compiler.process(element.found)
    return f"(SELECT coalesce(json_agg(json_build_array({parts})), '[]') FROM ({inner}) AS gathered)"
