"""The apps of the tests: built once, served from an origin of their own, opened in Chromium as somebody."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests import make
from tests.browser.browser import Page
from tests.cast import Cast, Person
from tests.house import running
from tests.local_server import Answer, Handler, html, sent, serve

HERE = Path(__file__).parent
GRAPHQL = HERE.parents[1] / "graphql"
SOURCES = ("apps", "build.mjs", "codegen.mjs", "relay.config.json", "tsconfig.json")


def built(folder: Path) -> Path:
    """Build the apps in a folder, and return it."""
    for name in SOURCES:
        copy = shutil.copytree if (HERE / name).is_dir() else shutil.copy
        copy(HERE / name, folder / name)
    (folder / "node_modules").symlink_to((HERE / "node_modules").resolve())
    run(folder, "node", "build.mjs", str(GRAPHQL / "schema.graphql"))
    return folder


def run(folder: Path, *command: str) -> str:
    """Run a program in a folder and return what it printed; AssertionError where it fails."""
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@contextmanager
def served(folder: Path, database: str) -> Iterator[tuple[Cast, str]]:
    """Serve the apps, and Docyard on another origin that lets them call; gives people and that origin."""
    routes: dict[str, Answer | Handler] = {
        f"/{name}": html(f'<script src="/{name}.js"></script>', title=name)
        for name in ("apollo", "relay", "urql")
    }
    routes["/favicon.ico"] = sent(b"", "image/x-icon")
    for bundle in (folder / "bundles").iterdir():
        routes[f"/{bundle.name}"] = sent(bundle.read_bytes(), "text/javascript; charset=utf-8")
    with serve(routes) as origin, running(database, cors_origins=origin) as house:
        yield make.cast(house), origin


class Screen:
    """An app in a browser, used by one person after the other."""

    def __init__(self, page: Page, origin: str, client: str) -> None:
        self.page = page
        page.open(f"{origin}/{client}")
        page.wait("!!window.start")

    def app(self, person: Person, name: str = "app") -> App:
        """Start the app for a person, with an empty cache."""
        self.page.run(f"start({json.dumps(name)}, {json.dumps(server_of(person))})")
        return App(self.page, name)


def server_of(person: Person) -> dict[str, str]:
    """Return what an app is told of the server, and as whom it calls."""
    return {"url": f"{person.base}/graphql", "token": person.token}


class App:
    """An app of one person."""

    def __init__(self, page: Page, name: str) -> None:
        self.page = page
        self.name = name
        self.seen: Any = None

    def call(self, method: str, *arguments: Any) -> Any:
        """Call a method of the app and return its answer."""
        given = ", ".join(json.dumps(each) for each in arguments)
        return self.page.run(f"{self.name}.{method}({given})")

    def show(self, query: str, **variables: Any) -> Any:
        """Put what a query answers on screen."""
        shown = self.call("show", query, variables)
        self.seen = self.state()["server"]
        return shown

    def state(self) -> dict[str, Any]:
        """Return what is cached of what is on screen, and what the server has."""
        state: dict[str, Any] = self.call("state")
        return state

    def change(self, mutation: str, input: dict[str, Any], **variables: Any) -> Any:
        """Run a mutation, after which what is cached must be what the server has, which must have changed."""
        payload = self.call("change", mutation, {"input": input, **variables})
        assert payload["userErrors"] == []
        state = self.state()
        assert state["cached"] == state["server"], mutation
        assert state["server"] != self.seen, mutation
        self.seen = state["server"]
        return payload
