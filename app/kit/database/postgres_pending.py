"""Writes of a transaction on PostgreSQL that wait for the next statement, or for the end, and go as one.

Each round trip costs both sides more than most writes. Those that need no answer are gathered: the rows of
a table are one parameter, as JSON, and all tables are one statement. Its parts see neither each other nor
what follows them, so each table is in one part at most.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import orjson
from sqlmodel import SQLModel

from app.kit.database.statements import dialect_of, table

MOST = 500  # rows of a table that wait; more are sent one after the other
KEY = "key_"  # in front of the columns by which a row is found
_PLACE = re.compile(r"\$(\d+)")


class WriteShape(NamedTuple):
    """A write to a table: these columns of new rows, or those of the row with these keys."""

    model: type[SQLModel]
    names: tuple[str, ...]
    keys: tuple[str, ...] = ()
    missing: bool = False


class _PendingPart(NamedTuple):
    """A part of the statement: its text with its own parameters from the first on, and these.

    Of rows that are added, `number` is how many; `shape` then says which others may join them.
    """

    text: str
    parameters: list[Any]
    shape: WriteShape | None = None
    number: int = 0


class PendingWrites:
    """The writes that wait, by the tables that they concern."""

    def __init__(self) -> None:
        self._parts: dict[frozenset[str], _PendingPart] = {}

    def __bool__(self) -> bool:
        return bool(self._parts)

    @property
    def added(self) -> dict[str, int]:
        """Return how many rows wait to be added to each table."""
        return {name: part.number for tables, part in self._parts.items() for name in tables if part.number}

    def concern(self, tables: frozenset[str]) -> bool:
        """Tell whether something waits for one of these tables."""
        return any(tables & each for each in self._parts)

    def add(self, shape: WriteShape, rows: str, number: int) -> bool:
        """Let rows, as JSON, wait; False where what waits must be written first."""
        tables = frozenset({table(shape.model).name})
        if not self.concern(tables):
            self._parts[tables] = _PendingPart(_text(shape), [rows], shape, 0 if shape.keys else number)
            return True
        known = self._parts.get(tables)
        if known is None or known.shape != shape or shape.keys or known.number + number > MOST:
            return False
        together = f"{known.parameters[0][:-1]},{rows[1:]}"
        self._parts[tables] = known._replace(parameters=[together], number=known.number + number)
        return True

    def add_statement(self, tables: frozenset[str], text: str, parameters: Sequence[Any]) -> bool:
        """Let a statement wait that concerns these tables alone; False as of `add`."""
        if self.concern(tables):
            return False
        self._parts[tables] = _PendingPart(text, [*parameters])
        return True

    def taken(self, *, before: int = 0) -> tuple[str, list[Any]]:
        """Take all that waits: the parts of a WITH, and its parameters, which follow so many others."""
        texts: list[str] = []
        parameters: list[Any] = []
        for n, part in enumerate(self._parts.values()):
            texts.append(f"pending_{n} AS ({_behind(part.text, before + len(parameters))})")
            parameters += part.parameters
        self._parts = {}
        return ", ".join(texts), parameters


def as_json(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as `json_to_recordset` reads them."""
    return orjson.dumps(rows, default=_hexadecimal).decode()


def _hexadecimal(value: object) -> str:
    """Return bytes as PostgreSQL reads them from a text."""
    if isinstance(value, bytes | bytearray | memoryview):
        return f"\\x{bytes(value).hex()}"
    raise TypeError(f"{type(value).__name__} is no value of a column.")


@lru_cache(1000)
def _behind(text: str, number: int) -> str:
    """Return a statement whose parameters follow so many others."""
    return _PLACE.sub(lambda found: f"${int(found[1]) + number}", text) if number else text


@lru_cache(500)
def _text(shape: WriteShape) -> str:
    """Return the statement that writes such rows."""
    name, names, keys = table(shape.model).name, shape.names, shape.keys
    types = {each: _type(shape.model, each) for each in names}
    types |= {KEY + each: _type(shape.model, each) for each in keys}
    columns = ", ".join(f'"{each}" {type_}' for each, type_ in types.items())
    rows = f"json_to_recordset(CAST($1::text AS json)) AS given ({columns})"
    if keys:
        # One row, as the planner knows: it looks no further than for that.
        rows = f"json_to_record(CAST($1::text AS json) -> 0) AS given ({columns})"
        values = ", ".join(f'"{each}" = given."{each}"' for each in names)
        same = " AND ".join(f'"{name}"."{each}" = given."{KEY}{each}"' for each in keys)
        return f'UPDATE "{name}" SET {values} FROM {rows} WHERE {same}'
    quoted = ", ".join(f'"{each}"' for each in names)
    conflict = " ON CONFLICT DO NOTHING" if shape.missing else ""
    return f'INSERT INTO "{name}" ({quoted}) SELECT {quoted} FROM {rows}{conflict}'


def _type(model: type[SQLModel], column: str) -> str:
    dialect: Any = dialect_of("postgresql")
    return str(dialect.type_compiler_instance.process(table(model).c[column].type))
