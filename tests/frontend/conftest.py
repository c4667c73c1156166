"""The apps are built once in a session, and each client's page is loaded once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.browser import Browser, chromium
from tests.frontend.screens import built


@pytest.fixture(scope="session")
def apps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which the apps are built."""
    return built(tmp_path_factory.mktemp("apps"))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started
