"""No statement reads a whole table: what a request costs must not grow with what others keep here.

SQLite plans without knowing how many rows there are, so its plan tells whether an index serves a statement.
"""

from __future__ import annotations

import asyncio
import importlib
import pkgutil
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from difflib import unified_diff
from functools import cache

import asyncpg
import pytest

import app.access
import app.domain
from app.api.catalog import OPERATIONS
from app.api.operation import Operation
from app.domain import jobs, old_jobs, organization_jobs, worker
from app.domain.accounts import sign_in_links, tokens
from app.domain.audit import audit_verification
from app.domain.backups import backup_files, backup_verification, restoring
from app.domain.change_feed import recorded_changes
from app.domain.infrastructure import blobs, stored_secrets
from app.domain.privacy import account_deletion, organization_removal
from app.kit.database.paging import Listing, Variant
from app.kit.database.statements import EachEngine, Statement
from app.models.ownership import owned, owner_columns, parts_of
from tests.contract.second_process import Stage
from tests.contract.shared_calls import SharedCalls
from tests.contract.statements import statements
from tests.databases import migrated_in, migrated_on

# What looks at everything: the deletion of an account, which looks into all mail and events on their way;
# commands that check all logs, list all tokens or encrypt all secrets; backups; monitoring, of all jobs;
# whether there is an integration or anybody at all. Of the feed: numbering, which only PostgreSQL does, and
# pruning, which ends at the first row that is young.
ALL_SECRETS = {every for every, _one in stored_secrets._HOLDERS.values()}
OF_THE_FEED = {recorded_changes._UNNUMBERED, recorded_changes._NUMBER, recorded_changes._PRUNE}
OF_BACKUPS = {
    backup_files._IN_BUCKET,
    backup_files._ALL_SPACES,
    *backup_verification.COUNTED.values(),
    blobs._HELD_BY_ANY,
    restoring._ANYBODY,
}
MEANT = {
    audit_verification._LOGS,
    tokens._TOKENS,
    sign_in_links._ANYBODY,
    worker._INSTALLED,
    account_deletion._MAILS,
    account_deletion._TOLD,
    organization_jobs._NEWEST,
    old_jobs._FAIL_UNKNOWN,
    jobs.NUMBERS,
    *ALL_SECRETS,
    *OF_THE_FEED,
    *OF_BACKUPS,
}
MEANT_TEXTS = {each.compiled("sqlite").text for each in MEANT}
SCAN = re.compile(r"SCAN \"?(\w+)")
# PostgreSQL alone writes in WITH, and has words of a full text in a column.
ELSEWHERE = re.compile(r"WITH \w+ AS\s+\((INSERT|UPDATE)|UPDATE search_section SET terms")
FULL_TEXT = re.compile(r"(INSERT INTO|DELETE FROM) search_index")  # which SQLite alone has as a table
PARAMETER = re.compile(r"\$\d+")
READ_OR_SORTED = re.compile(r"Scan using \w+ on \w+|Sort Key")
INDEXES_ONLY = (
    "plan_cache_mode = force_generic_plan",
    "jit = off",  # which would only cost time
    *(f"enable_{step} = off" for step in ("seqscan", "bitmapscan", "sort", "incremental_sort")),
)
ALIAS = re.compile(r"\b(\w+) AS \"?(\w+)")
on_sqlite = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    """A database with all tables and nothing in them."""
    with closing(sqlite3.connect(migrated_in(tmp_path_factory.mktemp("plans")))) as connection:
        yield connection


Kept = Statement[object] | Listing[object]


def kept(value: object, engine: str) -> Iterator[Kept]:
    """The statements and lists for an engine that a module keeps under some name, also in objects of its
    own."""
    if isinstance(value, Statement | Listing):
        yield value
    elif isinstance(value, EachEngine):
        yield value(engine)
    elif isinstance(value, Mapping | list | tuple):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from kept(each, engine)
    elif type(value).__module__.startswith(app.domain.__name__) and not isinstance(value, type):
        yield from kept(getattr(value, "__dict__", {}), engine)


def statements_of(listing: Listing[object]) -> Iterator[Statement[object]]:
    """Those of a list in both directions; one that counts too has nothing more but the first one's count."""
    for variant, statement in listing.statements.items():
        if not (variant.counting and (variant.after or variant.backward)):
            yield statement
    if listing.counting is not None:
        yield listing.counting


def scanning(tables: sqlite3.Connection, texts: Iterable[str]) -> dict[str, set[str]]:
    """Return the statements that scan tables, with the names that they give these tables."""
    return {text: read for text in texts if (read := scanned(tables, text))}


@cache  # operations have most of their statements in common
def scanned(tables: sqlite3.Connection, text: str) -> set[str]:
    """Return the tables that a statement scans, by the names that it gives them."""
    known = {name for (name,) in tables.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    plan = tables.execute(f"EXPLAIN QUERY PLAN {text}", [None] * text.count("?"))
    names = {name for row in plan if "VIRTUAL" not in row[3] for name in SCAN.findall(row[3])}
    return names & (known | {alias for name, alias in ALIAS.findall(text) if name in known})


@cache
def all_kept(engine: str) -> set[Kept]:
    """Return what the modules of the domain and of the access rules keep for an engine."""
    found: set[Kept] = set()
    for layer in (app.access, app.domain):
        for module in pkgutil.walk_packages(layer.__path__, f"{layer.__name__}."):
            found.update(kept(vars(importlib.import_module(module.name)), engine))
    return found


def of_the_domain(engine: str) -> set[Statement[object]]:
    """The statements of all modules for an engine, with those of lists."""
    found = {each for each in all_kept(engine) if isinstance(each, Statement)}
    for listing in lists(engine):
        found.update(statements_of(listing))
    assert len(found) > 500
    return found


def lists(engine: str) -> list[Listing[object]]:
    """The lists of all modules for an engine."""
    found = [each for each in all_kept(engine) if isinstance(each, Listing)]
    assert len(found) > 100
    return found


def differing(engine: str, plan: Callable[[str], list[str]]) -> dict[str, list[str]]:
    """The lists that are planned otherwise backward than forward, with what differs; but for searches, which
    sort what they found by no index."""
    found = {}
    for listing in lists(engine):
        if listing._searches:
            continue
        for after in (False, True):
            variants = [Variant(after, backward, counting=False) for backward in (False, True)]
            forward, backward = (plan(listing.statements[each].compiled(engine).text) for each in variants)
            if forward != backward:
                found[listing.name] = list(unified_diff(forward, backward, lineterm="", n=0))
    return found


def test_no_statement_of_the_domain_reads_a_whole_table(tables: sqlite3.Connection) -> None:
    texts = {each.compiled("sqlite").text for each in of_the_domain("sqlite") if each not in MEANT}
    assert scanning(tables, filter(lambda text: not ELSEWHERE.match(text), texts)) == {}


def test_postgresql_takes_every_statement_of_the_domain(postgres_server: str) -> None:
    """Also what the other tests run on SQLite alone: preparing it checks names, types and functions."""
    texts = {each.compiled("postgresql").text for each in of_the_domain("postgresql")}

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
    shared_calls: SharedCalls, stage: Stage, row: Operation, tables: sqlite3.Connection
) -> None:
    cast, call = shared_calls.to_run(row)
    [texts] = statements(cast, stage, row, call)
    assert scanning(tables, (text for text in texts if text not in MEANT_TEXTS)) == {}


def test_a_removal_finds_what_belongs_to_an_organization_by_indexes(tables: sqlite3.Connection) -> None:
    """Besides changes, of which an organization that was deleted days ago has none any more."""
    looked_up = {(each, column) for each in owned() for column in owner_columns(each)}
    looked_up |= {(part, part.c[how.column]) for whole in owned() for part, how in parts_of(whole)}
    texts = [
        statement(of, column).compiled("sqlite").text
        for of, column in looked_up
        for statement in (organization_removal._any, organization_removal._by_column)
        if of.name != "change_event"
    ]
    assert len(texts) > 100
    assert scanning(tables, texts) == {}


def test_pages_are_found_in_the_same_way_in_both_directions(tables: sqlite3.Connection) -> None:
    """With the same indexes in the same order, and sorted where they are sorted forward."""

    def plan(text: str) -> list[str]:
        rows = tables.execute(f"EXPLAIN QUERY PLAN {text}", [None] * text.count("?"))
        return [re.sub(r"[<>](?=[?(])", "<>", row[3]) for row in rows]

    assert differing("sqlite", plan) == {}


def test_postgresql_uses_the_same_indexes_in_both_directions(postgres_server: str) -> None:
    """It reads few rows by index and sorts only where it must, to show what it would do with many."""
    with asyncio.Runner() as runner:
        connection = runner.run(asyncpg.connect(migrated_on(postgres_server)))
        for setting in INDEXES_ONLY:
            runner.run(connection.execute(f"SET {setting}"))

        def plan(text: str) -> list[str]:
            runner.run(connection.execute(f"PREPARE page AS {text}"))
            values = ", ".join(["NULL"] * len(set(PARAMETER.findall(text))))
            lines = runner.run(connection.fetch(f"EXPLAIN (COSTS OFF) EXECUTE page({values})"))
            runner.run(connection.execute("DEALLOCATE page"))
            steps = "\n".join(line for (line,) in lines).replace(" Backward", "")
            return sorted(READ_OR_SORTED.findall(steps))

        found = differing("postgresql", plan)
        runner.run(connection.close())
    assert found == {}
