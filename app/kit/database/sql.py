"""SQL that the engines write differently: conditions with a whole list or a text as one parameter, and rows
inside a row.

Nested rows are a whole result set as one column, so that a read with all it needs stays one statement. The
database packs the set as JSON arrays; here they become the same named tuples that a plain query gives.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import orjson
from sqlalchemy import (
    BindParameter,
    Boolean,
    ColumnElement,
    Dialect,
    Integer,
    Select,
    TableValuedAlias,
    Text,
    TypeDecorator,
    and_,
    bindparam,
    func,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.elements import Label
from sqlalchemy.types import TypeEngine

from app.kit.database.columns import Instant, Json, Strings


class _OfColumn(ColumnElement[bool]):
    """A condition on a column with one parameter of this type."""

    inherit_cache = False
    takes: Any = Strings

    def __init__(self, column: ColumnElement[Any], name: str) -> None:
        self.column = column
        self.given: BindParameter[Any] = bindparam(name, type_=self.takes, required=True)

    @property
    def _from_objects(self) -> list[Any]:  # so that a statement knows which table this is about
        return list(self.column._from_objects)

    def parts(self, compiler: Any) -> tuple[str, str]:
        """Return the column and the parameter as the engine writes them."""
        return compiler.process(self.column), compiler.process(self.given)


@compiles(_OfColumn)
def _of_no_engine(element: _OfColumn, compiler: Any, **kw: Any) -> str:
    """Render the condition where SQLAlchemy itself looks at a statement, which is run by no engine."""
    column, value = element.parts(compiler)
    return f"{type(element).__name__}({column}, {value})"


class among(_OfColumn):
    """`column is one of the list` where the whole list is one parameter."""


@compiles(among, "sqlite")
def _among_sqlite(element: among, compiler: Any, **kw: Any) -> str:
    column, values = element.parts(compiler)
    return f"{column} IN (SELECT value FROM json_each({values}))"


@compiles(among, "postgresql")
def _among_postgresql(element: among, compiler: Any, **kw: Any) -> str:
    column, values = element.parts(compiler)
    return f"{column} = ANY({values})"


class place_in(_OfColumn):
    """The place of the column's value in a list given as one parameter, the first is 1; 0 where it is not."""

    type: Any = Integer()


@compiles(place_in, "sqlite")
def _place_in_sqlite(element: place_in, compiler: Any, **kw: Any) -> str:
    column, values = element.parts(compiler)
    return f"coalesce((SELECT key + 1 FROM json_each({values}) WHERE value = {column}), 0)"


@compiles(place_in, "postgresql")
def _place_in_postgresql(element: place_in, compiler: Any, **kw: Any) -> str:
    column, values = element.parts(compiler)
    return f"coalesce(array_position({values}, {column}), 0)"


def each(name: str, dialect: str) -> TableValuedAlias:
    """Return a list given as one parameter, as a table with the column `value`."""
    items: BindParameter[Any] = bindparam(name, type_=Strings, required=True)
    if dialect == "sqlite":
        return func.json_each(items).table_valued("value")
    return func.unnest(items).table_valued("value").render_derived()


class contains_one(_OfColumn):
    """`the text in the column contains one of the list` where the whole list is one parameter."""


@compiles(contains_one, "sqlite")
def _contains_one_sqlite(element: contains_one, compiler: Any, **kw: Any) -> str:
    column, values = element.parts(compiler)
    return f"EXISTS (SELECT 1 FROM json_each({values}) AS part WHERE instr({column}, part.value) > 0)"


@compiles(contains_one, "postgresql")
def _contains_one_postgresql(element: contains_one, compiler: Any, **kw: Any) -> str:
    column, values = element.parts(compiler)
    return f"EXISTS (SELECT 1 FROM unnest({values}) AS part WHERE strpos({column}, part) > 0)"


def below(column: ColumnElement[Any], path: ColumnElement[Any]) -> ColumnElement[bool]:
    """`the column begins with the path and a slash`, as a range that an index serves: "0" follows "/"."""
    return and_(column > path + "/", column < path + "0")


class days_ago(ColumnElement[Any]):
    """A time so many days before now by the database's clock: a list bounded by it stays the same list."""

    inherit_cache = False
    type = Instant()

    def __init__(self, days: int) -> None:
        self.days = int(days)


@compiles(days_ago, "sqlite")
def _days_ago_sqlite(element: days_ago, compiler: Any, **kw: Any) -> str:
    return f"strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-{element.days} days')"


@compiles(days_ago, "postgresql")
def _days_ago_postgresql(element: days_ago, compiler: Any, **kw: Any) -> str:
    return f"now() - interval '{element.days} days'"


class has_item(_OfColumn):
    """`the JSON list in the column has this text among its items`."""

    takes = Text()


@compiles(has_item, "sqlite")
def _has_item_sqlite(element: has_item, compiler: Any, **kw: Any) -> str:
    column, value = element.parts(compiler)
    return f"EXISTS (SELECT 1 FROM json_each({column}) AS item WHERE item.value = {value})"


@compiles(has_item, "postgresql")
def _has_item_postgresql(element: has_item, compiler: Any, **kw: Any) -> str:
    column, value = element.parts(compiler)
    return f"{column} @> to_jsonb({value}::text)"


class holds(ColumnElement[bool]):
    """`the text of one column contains the text of another`; in this case only, unlike LIKE on SQLite."""

    inherit_cache = False

    def __init__(self, text: ColumnElement[Any], part: ColumnElement[Any]) -> None:
        self.text, self.part = text, part

    @property
    def _from_objects(self) -> list[Any]:
        return [*self.text._from_objects, *self.part._from_objects]


@compiles(holds, "sqlite")
def _holds_sqlite(element: holds, compiler: Any, **kw: Any) -> str:
    return f"instr({compiler.process(element.text)}, {compiler.process(element.part)}) > 0"


@compiles(holds, "postgresql")
def _holds_postgresql(element: holds, compiler: Any, **kw: Any) -> str:
    return f"strpos({compiler.process(element.text)}, {compiler.process(element.part)}) > 0"


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
        self.columns_ = list(found.selected_columns)
        self.type = Nested(self.columns_)


def nested(found: Select[Any], name: str) -> Label[Any]:
    """Return the rows of `found` as one column called `name`;
    it may refer to the enclosing row (correlate it).
    """
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
