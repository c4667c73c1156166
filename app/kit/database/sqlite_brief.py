"""Reading SQLite on the loop as long as that is brief: a thread and back costs more than most readings."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from app.kit.database.interface import Clash
from app.kit.errors import Unavailable

STEPS, LOOKS = 1000, 10  # steps of SQLite's machine between looks, and looks after which a reading is long
PATIENCE = 100  # times that a reading which was long is taken to be long again
Query = tuple[str, Any]
"""A statement with rows, and its arguments."""


class Brief:
    """Brief readings on a connection that nobody uses meanwhile."""

    def __init__(self, raw: sqlite3.Connection) -> None:
        self.raw = raw
        self._long: dict[str, int] = {}
        self._looks = 0

    def read(self, query: Query) -> list[Any] | None:
        """The rows of a reading, or None where getting them takes long, and for a while after it did."""
        text = query[0]
        if text in self._long and self._is_expected_long(text):
            return None
        self._looks = 0
        self.raw.set_progress_handler(self._look, STEPS)
        try:
            return self.raw.execute(*query).fetchall()
        except sqlite3.OperationalError:
            if self._looks < LOOKS:
                raise
            self._long[text] = PATIENCE
            return None
        finally:
            self.raw.set_progress_handler(None, 0)

    def _look(self) -> bool:
        self._looks += 1
        return self._looks >= LOOKS

    def _is_expected_long(self, text: str) -> bool:
        self._long[text] -= 1
        if self._long[text]:
            return True
        del self._long[text]
        return False


class Reading:
    """One reading in a connection's thread. Whoever waited for it may give it up, which ends it."""

    def __init__(self, raw: sqlite3.Connection, query: Query) -> None:
        self._raw, self._query = raw, query
        self._lock = threading.Lock()
        self._is_running = self._is_given_up = False

    def rows(self) -> list[Any]:
        """The rows; for the connection's thread."""
        with self._lock:
            if self._is_given_up:
                return []
            self._is_running = True
        try:
            return self._raw.execute(*self._query).fetchall()
        finally:
            with self._lock:
                self._is_running = False

    def give_up(self) -> None:
        """Interrupt it if it runs, and let it not begin if it waits; what runs after it is not touched."""
        with self._lock:
            self._is_given_up = True
            if self._is_running:
                self._raw.interrupt()


@contextmanager
def plain_errors() -> Iterator[None]:
    """The driver's errors as Clash and Unavailable, where they are that."""
    try:
        yield
    except sqlite3.IntegrityError as error:
        raise Clash(str(error)) from error
    except sqlite3.OperationalError as error:
        if "locked" in str(error) or "busy" in str(error):
            raise Unavailable("Another process holds the database; try again shortly.") from error
        raise
