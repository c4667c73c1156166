"""The settings of a command, from its options and the environment, and the database that they name.

Loads nothing of what is in a database: a backup of a file needs no more than this.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Annotated, Any

from cyclopts import Parameter
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from app.kit.environment import variable
from app.kit.errors import Problem, Unavailable
from app.kit.settings import Settings

DatabaseOption = Annotated[
    str | None,
    Parameter(name="--database", help="SQLite file or postgresql:// URL (DOCYARD_DATABASE; docyard.db)"),
]
_PASSWORD = re.compile(r"(?<=://)([^:/@]*):[^@]*@")


class CommandRefused(Problem):
    """A command cannot be carried out."""


def settings_for(database: str | None = None, **chosen: Any) -> Settings:
    """Return the settings of the environment and the command line; raises CommandRefused for a wrong one."""
    given = {name: value for name, value in {"database": database, **chosen}.items() if value is not None}
    try:
        return Settings(**given)
    except ValidationError as error:
        wrong = " ".join(map(_wrong_setting, error.errors()))
        raise CommandRefused(f"{wrong} Correct it, or remove it to use the default.") from None


def _wrong_setting(error: ErrorDetails) -> str:
    """Say what is wrong with one setting, or with the environment, which has no place."""
    from app.models.checks import complaint

    if not error["loc"]:
        return str(error["ctx"]["error"])
    return f"{variable('_'.join(map(str, error['loc'])))}: {complaint(error)}."


def without_password(address: str) -> str:
    """Return a database's address as it may be shown."""
    return _PASSWORD.sub(r"\1:***@", address)


@contextmanager
def opening(settings: Settings) -> Iterator[None]:
    """Say in a sentence what keeps a database from being opened."""
    place = without_password(settings.database)
    try:
        if not settings.is_postgres:
            _probe(settings.database.removeprefix("sqlite:///"))
        yield
    except Exception as error:
        if isinstance(error, Problem) and not isinstance(error, Unavailable):
            raise
        cause = error.__cause__ if isinstance(error, Unavailable) and error.__cause__ else error
        reason = str(cause).splitlines()[0] if str(cause) else type(cause).__name__
        raise CommandRefused(
            f"{place} cannot be used as the database: {reason.rstrip('.')}."
            " Give a SQLite file or a postgresql:// URL with --database or DOCYARD_DATABASE."
        ) from error


def _probe(path: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("SELECT 1 FROM sqlite_master")
