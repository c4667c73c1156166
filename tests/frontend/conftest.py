"""The apps are built and served once in a session, and the page of each client is loaded once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests import make
from tests.browser.browser import Browser, chromium
from tests.cast import Cast
from tests.frontend.screens import Frontend, Screen, built, serving
from tests.instance import running


@pytest.fixture(scope="session")
def apps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which the apps are built."""
    return built(tmp_path_factory.mktemp("apps"))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="session")
def frontend(apps: Path, new_database: Callable[[], str]) -> Iterator[Frontend]:
    """The apps on an origin of their own, and a server that lets that origin call."""
    with serving(apps) as origin, running(new_database(), cors_origins=origin) as instance:
        yield Frontend(origin, instance)


@pytest.fixture
def cast(frontend: Frontend) -> Cast:
    """A fresh organization with somebody in every role."""
    return make.cast(frontend.instance)


@pytest.fixture(scope="session")
def screens(frontend: Frontend, browser: Browser) -> Iterator[Callable[[str], Screen]]:
    """Gives the page of a client."""
    with ExitStack() as stack:
        opened: dict[str, Screen] = {}

        def screen(client: str) -> Screen:
            if client not in opened:
                opened[client] = Screen(stack.enter_context(browser.page()), f"{frontend.origin}/{client}")
            return opened[client]

        yield screen
        # What a client gives up by itself, because something newer is asked for, is no fault.
        complaints = [
            each
            for screen in opened.values()
            for each in screen.page.complaints
            if not each.startswith("AbortError")
        ]
        assert not complaints
