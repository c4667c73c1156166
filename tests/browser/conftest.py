"""Fixtures of tests in a browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.browser.browser import Browser, chromium


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A browser, each page of which has storage of its own."""
    with chromium() as started:
        yield started
