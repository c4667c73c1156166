"""Statements compiled once: SQLAlchemy Core is built from the tables, turned to text per dialect, and kept.

What running one needs is its text, the order of its parameters with their processors, and the processors
of the columns it returns. Nothing else of SQLAlchemy is on the path of a request.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cache, partial
from operator import itemgetter
from typing import Any, Generic, NamedTuple, TypeVar, cast

from sqlalchemy import (
    BindParameter,
    Boolean,
    ColumnElement,
    Dialect,
    Executable,
    Float,
    Numeric,
    Table,
    Text,
    TextClause,
    UpdateBase,
    bindparam,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.elements import ClauseElement
from sqlalchemy.sql.visitors import iterate
from sqlmodel import SQLModel

from app.kit import workers
from app.kit.database.columns import Instant
from app.kit.deadlines import check

T = TypeVar("T")
Processor = Callable[[Any], Any]
Build = Callable[[], ClauseElement]
EVERYTHING = "*"
"""Stands for all tables, where a statement does not tell which it changes."""
MANY = 50  # rows of a statement, after which it is worth compiling what makes them
FEW = 20  # rows; only where there are no more can one of them hold thousands of others
_SHORT = (Boolean, Instant)  # types whose values are processed and hold no others
NESTED_ROW = 200  # characters that a row inside of another counts for where the driver has read it


@cache
def dialect_of(name: str) -> Dialect:
    """SQLAlchemy's description of an engine; imported when the first statement is compiled for it."""
    if name == "sqlite":
        from sqlalchemy.dialects.sqlite import pysqlite

        return pysqlite.dialect()
    from sqlalchemy.dialects.postgresql import asyncpg

    return asyncpg.dialect()  # type: ignore[no-untyped-call]


class Parameter(NamedTuple):
    """One position of the text: a value given by name, or a constant of the statement."""

    name: str
    constant: Any
    is_constant: bool
    process: Processor | None


class Compiled:
    """A statement's text for one dialect with everything needed to run it on a bare driver."""

    __slots__ = (
        "_convert", "_count", "_make", "_nesting", "_parameters", "_pick", "_processors", "_width", "changes",
        "tables", "text",
    )  # fmt: skip

    def __init__(self, statement: ClauseElement, dialect: Dialect) -> None:
        compiled: Any = statement.compile(dialect=dialect)
        self.text: str = compiled.string
        self.changes = bool(compiled.isinsert or compiled.isupdate or compiled.isdelete)
        self.tables = changed_tables(statement)
        self._parameters = [_parameter(compiled, name) for name in compiled.positiontup or ()]
        self._pick = _pick(self._parameters)
        results = compiled._result_columns or ()
        fields = [entry.keyname for entry in results]
        row: Any = namedtuple("Row", fields, rename=True)  # type: ignore[misc]
        self._make: Callable[[Iterable[Any]], Any] = partial(tuple.__new__, row)
        self._processors = [
            (index, process)
            for index, entry in enumerate(results)
            if (process := _result_processor(entry.type, dialect)) is not None
        ]
        self._count, self._width = 0, len(fields)
        self._convert: Callable[[Iterable[Sequence[Any]]], list[Any]] | None = None
        self._nesting = [
            index for index, _ in self._processors if not isinstance(results[index].type, _SHORT)
        ]

    def arguments(self, values: dict[str, Any]) -> Sequence[Any]:
        """Return the driver's positional arguments; a missing name is a programming error (KeyError)."""
        if self._pick is not None:
            return self._pick(values)
        return [
            p.constant if p.is_constant else (p.process(values[p.name]) if p.process else values[p.name])
            for p in self._parameters
        ]

    def every(self, rows: Iterable[dict[str, Any]]) -> list[Sequence[Any]]:
        """Return the arguments for each of these rows."""
        made = []
        for row in rows:
            check()
            made.append(self.arguments(row))
        return made

    async def read(self, raw: Sequence[Sequence[Any]]) -> list[Any]:
        """Return `rows`, made apart from the event loop where they hold many others."""
        size = self.nested_size(raw) if len(raw) <= FEW else 0
        return self.rows(raw) if size <= workers.LARGE else await workers.run(size, self.rows, raw)

    def nested_size(self, raw: Sequence[Sequence[Any]]) -> int:
        """Return about how many characters of JSON these rows hold."""
        size = 0
        for index in self._nesting:
            for row in raw:
                value = row[index]
                if type(value) is str:
                    size += len(value)
                elif type(value) is list:
                    size += len(value) * NESTED_ROW
        return size

    def rows(self, raw: Iterable[Sequence[Any]]) -> list[Any]:
        """Light rows: named tuples, values processed only where the column's type asks for it."""
        if not self._processors:
            return list(map(self._make, raw))
        if self._convert is not None:
            return self._convert(raw)
        made = []
        for row in raw:
            values = list(row)
            for index, process in self._processors:
                if (value := values[index]) is not None:
                    values[index] = process(value)
            made.append(self._make(values))
        self._count += len(made)
        if self._count > MANY:
            self._convert = self._converting()
        return made

    def _converting(self) -> Callable[[Iterable[Sequence[Any]]], list[Any]]:
        """Return the function that makes rows, as one expression: it takes half as long as a loop over the
        columns. Its text is made of numbers of columns, and of nothing else."""
        values = [f"value_{n}" for n in range(self._width)]
        known: dict[str, Any] = {"make": self._make}
        made = list(values)
        for index, process in self._processors:
            known[f"process_{index}"] = process
            value = values[index]
            made[index] = f"None if {value} is None else process_{index}({value})"
        text = f"lambda raw: [make(({', '.join(made)},)) for {', '.join(values)}, in raw]"
        convert: Callable[[Iterable[Sequence[Any]]], list[Any]] = eval(compile(text, "<rows>", "eval"), known)
        return convert


def changed_tables(statement: ClauseElement) -> frozenset[str]:
    """Return the tables that a statement changes; `EVERYTHING` where it does not tell.

    Deleting rows also changes the tables whose foreign keys say so.
    """
    if isinstance(statement, TextClause):
        return frozenset({EVERYTHING})
    found: set[str] = set()
    for element in iterate(statement):
        if isinstance(element, UpdateBase) and isinstance(element.table, Table):
            found |= _with_dependants(element.table) if element.is_delete else {element.table.name}
    return frozenset(found)


@cache
def _with_dependants(deleted: Table) -> frozenset[str]:
    """Return a table and those whose rows are removed or changed with rows of it.

    Foreign keys are followed by name: a process need not have loaded the table that one leads to.
    """
    found = {deleted.name}
    while more := {
        each.name
        for each in deleted.metadata.tables.values()
        if each.name not in found
        and any(key.ondelete and key.target_fullname.partition(".")[0] in found for key in each.foreign_keys)
    }:
        found |= more
    return frozenset(found)


def _pick(parameters: list[Parameter]) -> Callable[[dict[str, Any]], tuple[Any, ...]] | None:
    """Takes the values as they are, where none is a constant or needs processing: imports do so a lot."""
    if len(parameters) < 2 or any(p.is_constant or p.process for p in parameters):
        return None
    return itemgetter(*(p.name for p in parameters))


def _result_processor(type_: Any, dialect: Dialect) -> Processor | None:
    if isinstance(type_, Numeric | Float):  # both drivers give Python numbers
        return None
    process: Processor | None = type_._cached_result_processor(dialect, None)
    return process


def _parameter(compiled: Any, name: str) -> Parameter:
    bind: BindParameter[Any] = compiled.binds[name]
    process = compiled._bind_processors.get(name)
    if bind.required:
        return Parameter(bind.key, None, False, process)
    value = bind.effective_value
    return Parameter(name, process(value) if process else value, True, None)


class Statement(Generic[T]):
    """A statement and the shape of its rows. Built on first use, so that start-up does not pay for it.

    `within` are all tables that it reads or changes: where they are told, what concerns others may be sent
    with it.
    """

    __slots__ = ("_build", "_compiled", "returns_rows", "within")

    def __init__(
        self, build: Build | dict[str, Build], *, returns_rows: bool = True, within: Iterable[str] = ()
    ) -> None:
        self._build = build
        self.within = frozenset(within)
        self._compiled: dict[str, Compiled] = {}
        self.returns_rows = returns_rows

    def compiled(self, dialect: str) -> Compiled:
        """Return the text for this dialect, compiled now if it was never needed before."""
        found = self._compiled.get(dialect)
        if found is None:
            build = self._build[dialect] if isinstance(self._build, dict) else self._build
            found = self._compiled[dialect] = Compiled(build(), dialect_of(dialect))
        return found

    async def prepared(self, dialect: str) -> Compiled:
        """As `compiled`, but in a thread where it is yet to be compiled: a large statement takes long."""
        found = self._compiled.get(dialect)
        return await workers.prepare(self.compiled, dialect) if found is None else found


def query(
    shape: type[T],
    build: Callable[[], Executable] | dict[str, Callable[[], Executable]],
    *,
    within: Iterable[str] = (),
) -> Statement[T]:
    """Return a reading statement whose rows have the attributes of `shape` (they are light,
    not instances of it).
    """
    return Statement(cast(Build, build), within=within)


def rows(
    build: Callable[[], Executable] | dict[str, Callable[[], Executable]], *, within: Iterable[str] = ()
) -> Statement[Any]:
    """Return a reading statement whose rows are like no table: attributes are the labels of its columns."""
    return Statement(cast(Build, build), within=within)


class EachEngine(Generic[T]):
    """Something built once for each engine, by the engine's name, when it is first needed."""

    __slots__ = ("_built",)

    def __init__(self, build: Callable[[str], T]) -> None:
        self._built = cache(build)

    def __call__(self, name: str) -> T:
        return self._built(name)


def by_engine(build: Callable[[str], Executable]) -> dict[str, Callable[[], Executable]]:
    """Return what builds a statement for each engine, from a function that is told the engine's name."""
    return {name: partial(build, name) for name in ("sqlite", "postgresql")}


def insert_into(t: Table, engine: str) -> Any:
    """Return the INSERT that SQLAlchemy has for one engine: the common one knows no ON CONFLICT."""
    from sqlalchemy.dialects import postgresql, sqlite

    return sqlite.insert(t) if engine == "sqlite" else postgresql.insert(t)


def command(
    build: Callable[[], Executable] | dict[str, Callable[[], Executable]], *, within: Iterable[str] = ()
) -> Statement[Any]:
    """Return a writing statement without rows."""
    return Statement(cast(Build, build), returns_rows=False, within=within)


def table(model: type[SQLModel]) -> Table:
    """Return the table behind a model."""
    return cast(Table, model.__table__)  # type: ignore[attr-defined]


def shown(model: type[SQLModel], *, besides: Collection[str] = ()) -> list[ColumnElement[Any]]:
    """Return a model's columns for rows that are only shown: without those `besides` that nobody sees, and
    times as the text that is sent, which need not be read and written again for every row.
    """
    return [
        _WireTime(column).label(column.name) if isinstance(column.type, Instant) else column
        for column in table(model).c
        if column.name not in besides
    ]


class _WireTime(ColumnElement[str]):
    """A time as it is sent (see `kit.clock.wire_time`); SQLite keeps it like that."""

    inherit_cache = False
    type = Text()

    def __init__(self, column: ColumnElement[Any]) -> None:
        self.column = column

    @property
    def _from_objects(self) -> list[Any]:
        return list(self.column._from_objects)


@compiles(_WireTime, "sqlite")
def _written_sqlite(element: _WireTime, compiler: Any, **kw: Any) -> str:
    return str(compiler.process(element.column))


@compiles(_WireTime, "postgresql")
def _written_postgresql(element: _WireTime, compiler: Any, **kw: Any) -> str:
    utc = f"{compiler.process(element.column)} AT TIME ZONE 'UTC'"
    return f"""to_char({utc}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')"""


def given(name: str, type_: Any = None) -> BindParameter[Any]:
    """Return a parameter that the caller must give when running the statement."""
    return bindparam(name, type_=type_, required=True)
