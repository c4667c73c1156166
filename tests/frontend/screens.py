"""The apps of the tests: built once, served from an origin of their own, opened in Chromium as somebody."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.browser.browser import Page
from tests.cast import Person
from tests.instance import Instance
from tests.local_server import Answer, Handler, html, sent, serve

HERE = Path(__file__).parent
GRAPHQL = HERE.parents[1] / "graphql"
CLIENTS = ("apollo", "relay", "sse", "urql")
SOURCES = ("apps", "build.mjs", "codegen.mjs", "tsconfig.json")


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
def serving(folder: Path) -> Iterator[str]:
    """Serve the apps that were built in a folder, each under the name of its client; gives their origin."""
    routes: dict[str, Answer | Handler] = {"/favicon.ico": sent(b"", "image/x-icon")}
    for name in CLIENTS:
        bundle = (folder / "bundles" / f"{name}.js").read_bytes()
        routes[f"/{name}.js"] = sent(bundle, "text/javascript; charset=utf-8")
        routes[f"/{name}"] = html(f'<script src="/{name}.js"></script>', title=name)
    with serve(routes) as origin:
        yield origin


@dataclass(frozen=True, slots=True)
class Frontend:
    """Where the apps are, and the server that they call."""

    origin: str
    instance: Instance


class Screen:
    """The page of a client, in which one person after the other starts the app."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        page.open(address)
        page.wait("!!window.start")

    def app(self, person: Person, name: str = "app") -> App:
        """Start the app for a person, with an empty cache."""
        server = {"url": f"{person.base}/graphql", "token": person.token}
        self.page.run(f"start({json.dumps(name)}, {json.dumps(server)})")
        return App(self.page, name)


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
        self.seen = self.call("state")["server"]
        return shown

    def change(self, mutation: str, input: dict[str, Any], **variables: Any) -> Any:
        """Run a mutation and check what it leaves; returns its payload."""
        payload = self.call("change", mutation, {"input": input, **variables})
        self.check(payload)
        return payload

    def check(self, payload: Any) -> None:
        """Check that a mutation did something, and that what is cached of it is what the server has."""
        assert payload["userErrors"] == []
        state = self.call("state")
        assert state["cached"] == state["server"]
        assert state["server"] != self.seen
        self.seen = state["server"]
