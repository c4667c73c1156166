"""How a command reaches the data: settings, the database at the right version, one transaction.

Whoever may start the command administrates the installation, so no token is asked for.
"""

from __future__ import annotations

import asyncio
import re
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from typing import Annotated, Any, TypeVar

from cyclopts import Parameter
from pydantic import ValidationError

from app import migrations
from app.access.context import Actor, Context
from app.edge import Edge
from app.kit.db import Database, open_database
from app.kit.errors import Problem
from app.kit.settings import Settings
from app.kit.signing import Signer

T = TypeVar("T")
OPERATOR = Actor("")
DatabaseOption = Annotated[
    str | None,
    Parameter(name="--database", help="SQLite file or postgresql:// address (DOCYARD_DATABASE; docyard.db)"),
]
_PASSWORD = re.compile(r"(?<=://)([^:/@]*):[^@]*@")


class Refused(Problem):
    """The command cannot be carried out."""


def settings_for(database: str | None = None, **chosen: Any) -> Settings:
    """The environment's settings with what the command line chose; raises Refused for a wrong one."""
    given = {name: value for name, value in {"database": database, **chosen}.items() if value is not None}
    try:
        return Settings(**given)
    except ValidationError as error:
        wrong = [f"DOCYARD_{'_'.join(map(str, e['loc'])).upper()}: {e['msg']}." for e in error.errors()]
        raise Refused(f"{' '.join(wrong)} Mend it, or leave it out for the default.") from None


def without_password(address: str) -> str:
    """A database's address as it may be shown."""
    return _PASSWORD.sub(r"\1:***@", address)


@contextmanager
def opening(settings: Settings) -> Iterator[None]:
    """Say in a sentence what keeps a database from being opened."""
    place = without_password(settings.database)
    try:
        if not settings.is_postgres:
            _probe(settings.database.removeprefix("sqlite:///"))
        yield
    except Problem:
        raise
    except Exception as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise Refused(
            f"{place} cannot be used as the database: {reason.rstrip('.')}."
            " Name a SQLite file or a postgresql:// address with --database or DOCYARD_DATABASE."
        ) from error


def _probe(path: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("SELECT 1 FROM sqlite_master")


async def bring_up(db: Database, settings: Settings) -> None:
    """Migrate where the database is older; raises Refused or NewerDatabase."""
    with opening(settings):
        if not await migrations.is_current(db):
            await asyncio.to_thread(migrations.upgrade, settings.database)


@asynccontextmanager
async def opened(database: str | None) -> AsyncIterator[Edge]:
    """The database, migrated and open until the block ends."""
    settings = settings_for(database)
    db = open_database(
        settings.database, synchronous=settings.synchronous, busy_timeout=settings.busy_timeout
    )
    try:
        await bring_up(db, settings)
        yield Edge(db, settings, Signer(settings.secret.encode()))
    finally:
        await db.close()


async def change(database: str | None, call: Callable[[Context], Awaitable[T]]) -> T:
    """Run `call` in one transaction, committed when it returns."""
    async with opened(database) as edge:
        return await edge.write(OPERATOR, call)


async def read(database: str | None, call: Callable[[Context], Awaitable[T]]) -> T:
    """Run `call` on what is stored now."""
    async with opened(database) as edge:
        return await call(edge.context(OPERATOR))
