"""The memory that a process has of an SQLite file, and the time for which it is known to be right.

SQLite has a mark of changes that each connection sees for itself (`PRAGMA data_version`): it moves with the
commits of all other connections. A connection that only reads sees every commit by it. The connection that
writes sees those of other processes alone, so that what is remembered of some tables outlives the commits of
this process that change other tables.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from app.kit.database.concerned_tables import EVERYTHING


@dataclass(slots=True)
class _TablesRemembered:
    """The memory of some tables: `version` is the mark of all commits up to which it is known to
    hold, `others` that of other processes when it began."""

    version: int
    others: int | None
    memory: dict[str, Any] = field(default_factory=dict)


class TableMemory:
    """Remembers results by the tables that they were read from.

    `others` reads the mark of other processes, None while that cannot be read at once.
    """

    def __init__(self, others: Callable[[], int | None]) -> None:
        self._others = others
        self._kept: dict[frozenset[str], _TablesRemembered] = {}
        self._changing: set[str] = set()

    def change(self, tables: Iterable[str]) -> None:
        """Note that a transaction of this process changes these tables."""
        self._changing.update(tables)

    def settle(self) -> None:
        """Note that all that was noted is committed or undone; what was read until now is read again."""
        if not self._changing:
            return
        for tables in [each for each in self._kept if self._concerns(each)]:
            del self._kept[tables]
        self._changing.clear()

    def of(self, tables: frozenset[str], version: int) -> dict[str, Any]:
        """Return the memory of these tables, at the mark of all commits that was read just now."""
        kept = self._kept.get(tables)
        if kept is not None and kept.version == version:
            return kept.memory
        if self._concerns(tables):
            return {}  # perhaps it is committed by now, perhaps not
        others = self._others()
        if kept is not None and others is not None and others == kept.others:
            kept.version = version  # all commits since then are our own, of other tables
            return kept.memory
        if kept is not None and others is None:
            return {}
        # `others` was read after `version`: a commit in between is one of those that it does not move for.
        self._kept[tables] = kept = _TablesRemembered(version, None if others is None else others)
        return kept.memory

    def _concerns(self, tables: frozenset[str]) -> bool:
        return EVERYTHING in self._changing or not tables.isdisjoint(self._changing)


def version_of(connection: sqlite3.Connection) -> int:
    """Return the mark of changes as a connection sees it."""
    version: int = connection.execute("PRAGMA data_version").fetchone()[0]
    return version
