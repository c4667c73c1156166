"""The product as the other tests run it, but with a neighbour it may import from."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import schemathesis
from hypothesis import strategies

from tests.contract.import_sources import routes
from tests.contract.second_process import Stage, staged
from tests.contract.shared_calls import SharedCalls
from tests.instance import Instance, running
from tests.local_server import port_of, serve

schemathesis.openapi.format("emoji", strategies.sampled_from(["1f4d8", "🚀", "👩\u200d🚀", "🇩🇪"]))


@pytest.fixture(scope="session")
def instance(new_database: Callable[[], str]) -> Iterator[Instance]:
    """The product, running; `outbound_allow` is the address of the neighbour."""
    with serve(routes()) as neighbour:
        allowed = f"127.0.0.1:{port_of(neighbour)}"
        patient = {"outbound_timeout": 60.0, "import_timeout": 100.0}
        with running(new_database(), outbound_allow=allowed, **patient) as instance:
            yield instance


@pytest.fixture(scope="session")
def shared_calls(instance: Instance) -> SharedCalls:
    """Calls for tests that change nothing."""
    return SharedCalls(instance)


@pytest.fixture(scope="session")
def stage(instance: Instance) -> Iterator[Stage]:
    """A second process on the same database."""
    with staged(instance) as stage:
        yield stage
