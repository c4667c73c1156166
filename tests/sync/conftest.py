"""The product with repositories next door, for which it has a token; it looks for work all the time."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from app.domain import worker
from tests import make
from tests.cast import Cast
from tests.factories.git_sync import SyncedSpace
from tests.git_server import Host, hosting
from tests.instance import Instance, running
from tests.local_server import port_of

LOGIN = "ada:s3cr3t-t0ken"


@pytest.fixture(scope="session")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    """Repositories next door."""
    with hosting(tmp_path_factory.mktemp("repositories")) as host:
        yield host


@pytest.fixture(scope="session")
def instance(new_database: Callable[[], str], host: Host) -> Iterator[Instance]:
    """The product, running; it may reach the repositories."""
    address = f"127.0.0.1:{port_of(host.base)}"
    credentials = f"example.org=bob:other, {address}={LOGIN}"
    with pytest.MonkeyPatch.context() as eager:
        eager.setattr(worker, "PAUSE", 0.05)
        with running(new_database(), outbound_allow=address, git_credentials=credentials) as instance:
            eager.undo()  # its worker has begun; others in these tests are as they are
            yield instance


@pytest.fixture
def docs(cast: Cast, host: Host) -> SyncedSpace:
    """A repository that has been imported into a space."""
    docs = SyncedSpace(cast, host, make.repository())
    docs.ok("import")
    return docs
