"""Every test runs on both engines, against the real application behind a real server."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest
from hypothesis import HealthCheck, settings

from app.kit.ids import new_id
from tests import make, postgres
from tests.cast import Cast, Person
from tests.cli.command import AUDIT_KEY, SECRET
from tests.house import House, running
from tests.local_server import Answer, Handler, Neighbour, serve

ENGINES = ("sqlite", "postgresql")
os.environ.setdefault("DOCYARD_AUDIT_KEY", AUDIT_KEY)
os.environ.setdefault("DOCYARD_SECRET", SECRET)

# The same examples in every run, as long as they take: neither chance nor a slow machine is a finding.
settings.register_profile(
    "steady", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
# To search anew, without end: DOCYARD_PROOF_EXAMPLES says how many examples the models of writing take.
settings.register_profile("searching", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("searching" if "DOCYARD_PROOF_EXAMPLES" in os.environ else "steady")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The address of a PostgreSQL server."""
    with postgres.server() as address:
        yield address


@pytest.fixture(scope="session", params=ENGINES)
def database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of an empty database, once per engine."""
    if request.param == "sqlite":
        return str(tmp_path_factory.mktemp("sqlite") / "docyard.db")
    address: str = request.getfixturevalue("postgres_server")
    return create_database(address)


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
def house(database: str, next_door: Neighbour) -> Iterator[House]:
    """The product, running; shared by the tests, each of which has its own organization."""
    patient = {"outbound_timeout": 60.0, "import_timeout": 100.0}
    with running(database, outbound_allow=next_door.address, **patient) as house:
        yield house


@pytest.fixture
def cast(house: House) -> Cast:
    """A fresh organization with somebody in every role."""
    return make.cast(house)


@pytest.fixture
def served(cast: Cast) -> Person:
    """An administrator with the server's address, for tests in a browser."""
    return cast.ada


@pytest.fixture
def empty_database(request: pytest.FixtureRequest, house: House, tmp_path: Path) -> str:
    """A database of the same engine with nothing in it, not even tables."""
    if house.engine == "sqlite":
        return str(tmp_path / "docyard.db")
    return create_database(request.getfixturevalue("postgres_server"))


def create_database(server: str) -> str:
    """Create a database on a PostgreSQL server and return its address."""
    name = f"test_{new_id().lower()}"

    async def create() -> None:
        connection = await asyncpg.connect(f"{server}/postgres")
        await connection.execute(f'CREATE DATABASE "{name}"')
        await connection.close()

    asyncio.run(create())
    return f"{server}/{name}"
