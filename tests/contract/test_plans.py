"""No statement reads a whole table: what a request costs must not grow with what others keep here.

SQLite plans without knowing how many rows there are, so its plan tells whether an index serves a statement.
"""

from __future__ import annotations

import asyncio
import importlib
import pkgutil
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing

import asyncpg
import pytest

import app.access
import app.domain
from app.api.catalog import OPERATIONS
from app.api.operation import Operation
from app.domain import worker
from app.domain.audit import audit_chain
from app.domain.infrastructure import secret_rotation
from app.domain.organizations import users
from app.kit.database.paging import Listing
from app.kit.database.statements import Statement
from tests.cast import Cast
from tests.contract.recipes import RECIPES
from tests.contract.stage import Stage
from tests.contract.statements import statements
from tests.databases import migrated_on
from tests.house import House

# What looks at everything: commands that check all logs, list all tokens or encrypt all secrets;
# whether there is an integration.
ALL_SECRETS = {every for every, _one in secret_rotation._HOLDERS.values()}
MEANT = {audit_chain._LOGS, users._TOKENS, worker._INSTALLED, *ALL_SECRETS}
SCAN = re.compile(r"SCAN \"?(\w+)")
ELSEWHERE = re.compile(r"WITH \w+ AS\s+\(INSERT")  # PostgreSQL alone writes in WITH
FULL_TEXT = re.compile(r"INSERT INTO search_index")  # which SQLite alone has as a table
ALIAS = re.compile(r"\b(\w+) AS \"?(\w+)")
on_sqlite = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


@pytest.fixture
def tables(house: House) -> Iterator[sqlite3.Connection]:
    """A database with all tables."""
    with closing(sqlite3.connect(house.settings.database)) as connection:
        yield connection


def kept(value: object) -> Iterator[Statement[object]]:
    """The statements that a module keeps under some name."""
    if isinstance(value, Statement):
        yield value
    elif isinstance(value, Listing):
        yield from kept(vars(value))
    elif isinstance(value, Mapping | list | tuple):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from kept(each)


def whole(tables: sqlite3.Connection, texts: Iterable[str]) -> dict[str, set[str]]:
    """The statements that read tables row by row, with the names that they give these tables."""
    known = {name for (name,) in tables.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    found = {}
    for text in texts:
        plan = tables.execute(f"EXPLAIN QUERY PLAN {text}", [None] * text.count("?"))
        names = {name for row in plan if "VIRTUAL" not in row[3] for name in SCAN.findall(row[3])}
        if read := names & (known | {alias for name, alias in ALIAS.findall(text) if name in known}):
            found[text] = read
    return found


def of_the_domain() -> set[Statement[object]]:
    """The statements that the modules of the domain and of the access rules keep."""
    found: set[Statement[object]] = set()
    for layer in (app.access, app.domain):
        for module in pkgutil.walk_packages(layer.__path__, f"{layer.__name__}."):
            found.update(kept(vars(importlib.import_module(module.name))))
    assert len(found) > 500
    return found


@on_sqlite
def test_no_statement_of_the_domain_reads_a_whole_table(tables: sqlite3.Connection) -> None:
    texts = {each.compiled("sqlite").text for each in of_the_domain() if each not in MEANT}
    assert whole(tables, filter(lambda text: not ELSEWHERE.match(text), texts)) == {}


def test_postgresql_takes_every_statement_of_the_domain(postgres_server: str) -> None:
    """Also what the other tests run on SQLite alone: preparing it checks names, types and functions."""
    texts = {each.compiled("postgresql").text for each in of_the_domain()}

    async def refused() -> dict[str, str]:
        connection = await asyncpg.connect(migrated)
        found = {}
        try:
            for text in filter(lambda text: not FULL_TEXT.match(text), texts):
                try:
                    await connection.prepare(text)
                except asyncpg.PostgresError as error:
                    found[text] = str(error)
        finally:
            await connection.close()
        return found

    migrated = migrated_on(postgres_server)
    assert asyncio.run(refused()) == {}


@on_sqlite
@pytest.mark.parametrize("row", OPERATIONS, ids=lambda row: row.id)
def test_nothing_that_an_operation_runs_reads_a_whole_table(
    cast: Cast, stage: Stage, row: Operation, tables: sqlite3.Connection
) -> None:
    [texts] = statements(cast, stage, row, RECIPES[row.id](cast))
    assert whole(tables, texts) == {}
