"""Databases for tests: with nothing in them, or copied from one that has all tables and was migrated once."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import tempfile
from collections.abc import Awaitable, Callable, Iterable
from contextlib import closing
from contextvars import copy_context
from functools import cache
from pathlib import Path
from threading import Lock
from typing import TypeVar

import asyncpg

from app import migrations
from app.kit.database.engines import open_database
from app.kit.database.interface import Database
from app.kit.ids import new_id
from app.kit.settings import Settings

T = TypeVar("T")
Rows = list[tuple[object, ...]]
FULL_TEXT_FUNCTIONS = (
    "to_tsvector(text, text) RETURNS tsvector",
    "to_tsquery(text, text) RETURNS tsquery",
    "setweight(tsvector, text) RETURNS tsvector",
    "ts_rank(tsvector, tsquery) RETURNS real",
)
WITHOUT_FULL_TEXT: set[str] = set()
"""The addresses of databases whose engine has no full text."""


def create_database(server: str, *, template: str = "template1") -> str:
    """Create a database on a PostgreSQL server, a copy of the template; return its address."""
    name = f"test_{new_id().lower()}"

    async def create() -> None:
        connection = await asyncpg.connect(f"{server}/postgres")
        await connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        await connection.close()

    asyncio.run(create())
    return f"{server}/{name}"


def migrated_on(server: str, **keys: str) -> str:
    """Create a database on a PostgreSQL server with all tables and nothing in them; return its address.

    `keys` are the settings of an installation with a secret and an audit key of its own.
    """
    return create_database(server, template=_template_on(server, **keys))


def migrated_without_full_text_on(server: str) -> str:
    """Do as `migrated_on` in a database without functions for full text, with the setting for that."""
    address = create_database(server)
    name = address.rpartition("/")[2]
    made = "\n".join(
        f"CREATE FUNCTION lacking.{function} LANGUAGE plpgsql AS"
        " $$ BEGIN RAISE EXCEPTION 'unknown' USING ERRCODE = 'undefined_function'; END $$;"
        for function in FULL_TEXT_FUNCTIONS
    )
    # Of two functions that fit, the one of the earlier schema is called.
    path = "public, lacking, pg_catalog"
    told(address, f'CREATE SCHEMA lacking; {made} ALTER DATABASE "{name}" SET search_path = {path};')
    migrations.upgrade(address, Settings(database=address, full_text="plain"))
    WITHOUT_FULL_TEXT.add(address)
    return address


def settings_of(database: str) -> dict[str, object]:
    """Return the settings that a server needs for one of these databases."""
    return {"full_text": "plain"} if database in WITHOUT_FULL_TEXT else {}


def told(database: str, text: str) -> None:
    """Tell a PostgreSQL database to do something itself."""

    async def tell() -> None:
        connection = await asyncpg.connect(database)
        await connection.execute(text)
        await connection.close()

    asyncio.run(tell())


def migrated_in(folder: Path, **keys: str) -> str:
    """Create a file in this folder that has all tables and nothing in them, as `migrated_on`; return its
    path.
    """
    path = folder / "docyard.db"
    path.write_bytes(_template(**keys))
    return str(path)


def asked(database: str, text: str) -> Rows:
    """Return the answer of the database itself."""
    return asked_all(database, [text])[0]


def asked_all(database: str, texts: Iterable[str]) -> list[Rows]:
    """Return the answers of the database itself to several statements, over one connection."""
    if "://" not in database:
        with closing(sqlite3.connect(database)) as file, file:
            return [file.execute(text).fetchall() for text in texts]

    async def fetched() -> list[Rows]:
        connection = await asyncpg.connect(database)
        found = [await connection.fetch(text) for text in texts]
        await connection.close()
        return [[tuple(row) for row in rows] for rows in found]

    return asyncio.run(fetched())


@cache
def _template_on(server: str, **keys: str) -> str:
    """The name of a database with all tables in a schema of its own: nothing may rely on being in `public`.

    The schema is called like the user, so that everybody who connects finds it first.
    """
    address = create_database(server)
    asyncio.run(_in_own_schema(address))
    migrations.upgrade(address, Settings(database=address, **keys))  # type: ignore[arg-type]
    return address.rpartition("/")[2]


async def _in_own_schema(address: str) -> None:
    connection = await asyncpg.connect(address)
    await connection.execute("CREATE SCHEMA AUTHORIZATION CURRENT_USER; DROP SCHEMA public")
    await connection.close()


@cache
def _template(**keys: str) -> bytes:
    folder = Path(tempfile.mkdtemp(prefix="docyard-template-"))
    try:
        path = str(folder / "docyard.db")
        migrations.upgrade(path, Settings(database=path, **keys))  # type: ignore[arg-type]
        assert not [file for file in folder.iterdir() if file.name != "docyard.db"], "not all is in the file"
        return (folder / "docyard.db").read_bytes()
    finally:
        shutil.rmtree(folder)


def anew(address: str, call: Callable[[Database], Awaitable[T]]) -> T:
    """Return what the call gives for the database, opened for it alone."""

    async def run() -> T:
        db = open_database(address)
        try:
            return await call(db)
        finally:
            await db.close()

    return asyncio.run(run())


class Connected:
    """A database that stays open between calls, on a loop of its own.

    A call that comes while another runs, or from within it, opens the database anew. `Runner.run` is not
    used: it sets a handler of signals for each call, which writes out all that the call returned.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._turn = Lock()
        self._runner: asyncio.Runner | None = None
        self._db: Database | None = None

    def run(self, call: Callable[[Database], Awaitable[T]]) -> T:
        """Return what the call gives for the database."""

        async def run() -> T:
            if self._db is None:
                self._db = open_database(self._address)
            return await call(self._db)

        if not self._turn.acquire(blocking=False):
            return anew(self._address, call)
        try:
            if self._runner is None:
                self._runner = asyncio.Runner()
            loop = self._runner.get_loop()
            return loop.run_until_complete(loop.create_task(run(), context=copy_context()))
        finally:
            self._turn.release()

    def close(self) -> None:
        """Close what was opened; the next call opens it again."""
        with self._turn:
            if self._runner is not None and self._db is not None:
                self._runner.run(self._db.close())
                self._runner.close()
            self._runner = self._db = None
