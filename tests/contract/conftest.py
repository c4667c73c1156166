"""The product as the other tests run it, but with a neighbour it may import from."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import schemathesis
from hypothesis import strategies

from tests.contract.handbook import routes
from tests.contract.shared_calls import SharedCalls
from tests.contract.stage import Stage, staged
from tests.house import House, running
from tests.local_server import port_of, serve

schemathesis.openapi.format("emoji", strategies.sampled_from(["1f4d8", "🚀", "👩\u200d🚀", "🇩🇪"]))


@pytest.fixture(scope="session")
def house(new_database: Callable[[], str]) -> Iterator[House]:
    """The product, running; `outbound_allow` is the address of the neighbour."""
    with serve(routes()) as neighbour:
        allowed = f"127.0.0.1:{port_of(neighbour)}"
        patient = {"outbound_timeout": 60.0, "import_timeout": 100.0}
        with running(new_database(), outbound_allow=allowed, **patient) as house:
            yield house


@pytest.fixture(scope="session")
def shared_calls(house: House) -> SharedCalls:
    """Calls for tests that change nothing."""
    return SharedCalls(house)


@pytest.fixture(scope="session")
def stage(house: House) -> Iterator[Stage]:
    """A second process on the same database."""
    with staged(house) as stage:
        yield stage
