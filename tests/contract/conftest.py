"""The product as the other tests run it, but with a neighbour it may import from."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.contract.handbook import DOCUMENT, handbook
from tests.house import House, running
from tests.local_server import port_of, serve

MARKDOWN = {"content-type": "text/markdown; charset=utf-8"}
ZIP = {"content-type": "application/zip"}


@pytest.fixture(scope="session")
def house(database: str) -> Iterator[House]:
    """The product, running; `outbound_allow` is the address of the neighbour."""
    routes = {"/handbook.zip": (200, ZIP, handbook()), "/document.md": (200, MARKDOWN, DOCUMENT.encode())}
    with (
        serve(routes) as neighbour,
        running(database, outbound_allow=f"127.0.0.1:{port_of(neighbour)}") as house,
    ):
        yield house
