"""No statement reads a whole table: what a request costs must not grow with what others keep here.

SQLite plans without knowing how many rows there are, so its plan tells whether an index serves a statement.
"""

from __future__ import annotations

import gc
import importlib
import pkgutil
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import app.access
import app.domain
from app import migrations
from app.domain import audit, work
from app.domain.people import people
from app.kit.statements import Statement

# What looks at everything: commands that check all logs and list all tokens; whether there is an integration.
MEANT = {audit._LOGS, people._TOKENS, work._INSTALLED, migrations._VERSION}
ELSEWHERE = re.compile(r"WITH \w+ AS\s+\(INSERT")  # PostgreSQL alone writes in WITH
SCAN = re.compile(r"SCAN \"?(\w+)")
ALIAS = re.compile(r"\b(\w+) AS \"?(\w+)")


@pytest.fixture
def tables(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """An empty database with all tables."""
    path = tmp_path / "docyard.db"
    migrations.upgrade(str(path))
    with closing(sqlite3.connect(path)) as connection:
        connection.create_function("sha256", 1, str, deterministic=True)
        yield connection


def statements() -> Iterator[Statement[object]]:
    """Every statement of the domain that SQLite runs."""
    for layer in (app.access, app.domain):
        for module in pkgutil.walk_packages(layer.__path__, f"{layer.__name__}."):
            importlib.import_module(module.name)
    return (found for found in gc.get_objects() if isinstance(found, Statement) and found not in MEANT)


def scanned(tables: sqlite3.Connection, text: str) -> set[str]:
    """The tables that are read row by row, by the names that the statement gives them."""
    known = {name for (name,) in tables.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    known |= {alias for name, alias in ALIAS.findall(text) if name in known}
    plan = tables.execute(f"EXPLAIN QUERY PLAN {text}", [None] * text.count("?"))
    return {name for row in plan if "VIRTUAL" not in row[3] for name in SCAN.findall(row[3])} & known


def test_no_statement_reads_a_whole_table(tables: sqlite3.Connection) -> None:
    texts = {text for each in statements() if not ELSEWHERE.match(text := each.compiled("sqlite").text)}
    assert len(texts) > 500
    assert {text: names for text in texts if (names := scanned(tables, text))} == {}
