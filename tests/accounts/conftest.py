"""A product that sends mail, to a server whose messages are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.instance import Instance, running
from tests.mail_server import Mailbox, mail_server


@pytest.fixture(scope="package")
def mailbox() -> Iterator[Mailbox]:
    with mail_server() as box:
        yield box


@pytest.fixture(scope="package")
def instance(new_database: Callable[[], str], mailbox: Mailbox) -> Iterator[Instance]:
    """The product, running, with a mail server."""
    with running(new_database(), **mailbox.settings()) as instance:
        yield instance
