"""SQLite's errors as this program raises them."""

from __future__ import annotations

import logging
import sqlite3

from app.kit.database.interface import Clash
from app.kit.errors import Unavailable

log = logging.getLogger("docyard.database")
PRIMARY = 0xFF  # of an extended result code
UNWRITABLE = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)


class plain_errors:
    """Raise the driver's errors as Clash and Unavailable, where they are that.

    A class: `contextmanager` takes as long as many a statement does.
    """

    __slots__ = ()

    def __enter__(self) -> None:
        """Nothing is held."""

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object) -> None:
        if isinstance(error, sqlite3.IntegrityError):
            raise Clash(str(error)) from error
        if isinstance(error, sqlite3.OperationalError):
            if "locked" in str(error) or "busy" in str(error):
                raise Unavailable("Another process holds the database; try again shortly.") from error
            if error.sqlite_errorcode & PRIMARY in UNWRITABLE:
                raise unwritable(error) from error


def unwritable(error: sqlite3.Error) -> Unavailable:
    """Return what callers are told where the disk takes nothing more; the log has it for operators."""
    log.error("the disk of the database cannot be written: %s (%s)", error, error.sqlite_errorname)
    return Unavailable("The disk of the database is full or cannot be written; nothing was stored.")
