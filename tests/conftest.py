"""Tests run against the real application behind a real server, on SQLite and, where statements matter, on
PostgreSQL too; DOCYARD_TESTS=full runs all of them on both, and proofs in their length (see tests.scale)."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests import make, postgres
from tests.cast import Cast, Person
from tests.cli.command import AUDIT_KEY, SECRET
from tests.databases import (
    create_database,
    migrated_in,
    migrated_on,
    migrated_without_full_text_on,
    settings_of,
)
from tests.engine_choice import engines_of
from tests.instance import Instance, running
from tests.local_server import Answer, Handler, Neighbour, serve
from tests.scale import FULL

gc.disable()  # until all tests are collected, which leaves little garbage
os.environ.setdefault("DOCYARD_AUDIT_KEY", AUDIT_KEY)
os.environ.setdefault("DOCYARD_SECRET", SECRET)

# The same examples in every run, as long as they take: neither chance nor a slow machine is a finding.
settings.register_profile(
    "steady", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("searching", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("searching" if FULL else "steady")


def pytest_collection_finish() -> None:
    """Leave thousands of tests, which stay until the end, out of every later collection of garbage."""
    gc.collect()
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run a test in a browser that fails once more; the summary names it as one that was run again."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The address of a PostgreSQL server."""
    with postgres.server() as address:
        yield address


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that needs a database on its engines, unless it names one itself."""
    named = any("database" in mark.args[0] for mark in metafunc.definition.iter_markers("parametrize"))
    if "database" in metafunc.fixturenames and not named:
        engines = engines_of(metafunc.definition.nodeid)
        metafunc.parametrize("database", engines, indirect=True, scope="session")


@pytest.fixture(scope="session")
def database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a database that has all tables, once per engine; `plain` is one without full text."""
    if request.param == "sqlite":
        return migrated_in(tmp_path_factory.mktemp("sqlite"))
    server = request.getfixturevalue("postgres_server")
    return migrated_without_full_text_on(server) if request.param == "plain" else migrated_on(server)


@pytest.fixture(scope="session")
def new_database(
    request: pytest.FixtureRequest, database: str, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., str]:
    """Makes further databases of the same engine, which have all tables and nothing in them.

    Products that reach different hosts need one each: in a common one, any of them may take any job. Keys
    of another installation may be given, as `migrated_on` takes them.
    """

    def made(**keys: str) -> str:
        if database.startswith("postgresql"):
            return migrated_on(request.getfixturevalue("postgres_server"), **keys)
        return migrated_in(tmp_path_factory.mktemp("sqlite"), **keys)

    return made


@pytest.fixture(scope="session")
def next_door() -> Iterator[Neighbour]:
    """A server of somebody else on this machine; what it shows is set by each test."""
    routes: dict[str, Answer | Handler] = {}
    with serve(routes) as base:
        yield Neighbour(base, routes)


@pytest.fixture
def neighbour(next_door: Neighbour) -> Iterator[Neighbour]:
    """A server that the product may import from although its address is private; empty at first."""
    yield next_door
    next_door.routes.clear()


@pytest.fixture(scope="session")
def instance(database: str, next_door: Neighbour) -> Iterator[Instance]:
    """The product, running; shared by the tests, each of which has its own organization."""
    patient = {"outbound_timeout": 60.0, "import_timeout": 100.0, **settings_of(database)}
    with running(database, outbound_allow=next_door.address, **patient) as instance:
        yield instance


@pytest.fixture
def cast(instance: Instance) -> Cast:
    """A fresh organization with somebody in every role."""
    return make.cast(instance)


@pytest.fixture
def served(cast: Cast) -> Person:
    """An administrator with the server's address, for tests in a browser."""
    return cast.ada


@pytest.fixture
def fresh_database(new_database: Callable[[], str]) -> str:
    """A database of the same engine that has all tables and nothing in them."""
    return new_database()


@pytest.fixture
def empty_database(request: pytest.FixtureRequest, database: str, tmp_path: Path) -> str:
    """A database of the same engine with nothing in it, not even tables: for what migrates it itself."""
    if database.startswith("postgresql"):
        return create_database(request.getfixturevalue("postgres_server"))
    (tmp_path / "empty").mkdir()
    return str(tmp_path / "empty" / "docyard.db")
