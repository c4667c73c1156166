"""graphql-sse, in distinct connections mode: in Chromium from another origin, and in Node."""

from __future__ import annotations

import json
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

import pytest

from tests import make
from tests.cast import Cast, Person
from tests.frontend.screens import App, Screen
from tests.timing import until

SPACE = """subscription ($space: ID!) {
  spaceChanged(space: $space) { action position space { title } }
}"""


class Wire:
    """What stands between a client and the server, and can be cut."""

    def __init__(self, base: str) -> None:
        parts = urlsplit(base)
        self._server = (parts.hostname or "", parts.port or 80)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self.base = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                ends = (self._listener.accept()[0], socket.create_connection(self._server))
                self._open += ends
                for source, target in (ends, ends[::-1]):
                    threading.Thread(target=self._pass_on, args=(source, target), daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
        for each in (source, target):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def cut(self) -> None:
        """End all connections that are open."""
        while self._open:
            with suppress(OSError):
                self._open.pop().shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Cut, and listen no more."""
        self._listener.close()
        self.cut()


class Watch(Protocol):
    """A subscription of a client."""

    def told(self) -> dict[str, Any]:
        """Return what it was told until now."""

    def stop(self) -> None:
        """Unsubscribe."""


class InChromium:
    """A subscription in a page of another origin."""

    def __init__(self, app: App, query: str, variables: dict[str, Any]) -> None:
        self._app = app
        self._number = app.call("watch", {"query": query, "variables": variables})

    def told(self) -> dict[str, Any]:
        found: dict[str, Any] = self._app.call("told", self._number)
        return found

    def stop(self) -> None:
        self._app.call("stop", self._number)


class InNode:
    """A subscription in a process of its own."""

    def __init__(self, script: Path, server: dict[str, Any], query: str, variables: dict[str, Any]) -> None:
        asked = (json.dumps(server), json.dumps({"query": query, "variables": variables}))
        self._process = subprocess.Popen(["node", script, *asked], stdout=subprocess.PIPE, text=True)
        self._told: dict[str, Any] = {"connections": 0, "results": []}
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                self._told = json.loads(line)

    def told(self) -> dict[str, Any]:
        return self._told

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait()
        self._reader.join()


Subscribe = Callable[..., Watch]


@pytest.fixture(params=["chromium", "node"])
def subscribe(
    request: pytest.FixtureRequest, apps: Path, screens: Callable[[str], Screen]
) -> Iterator[Subscribe]:
    """Subscribes as somebody, to the server or by a wire to it."""
    watching: list[Watch] = []

    def watch(person: Person, query: str, base: str | None = None, **variables: Any) -> Watch:
        server = {"url": f"{base or person.base}/graphql", "token": person.token}
        if request.param == "node":
            watching.append(InNode(apps / "bundles" / "watch.js", server, query, variables))
        else:
            page = screens("sse").page
            page.run(f"start('app', {json.dumps(server)})")
            watching.append(InChromium(App(page, "app"), query, variables))
        return watching[-1]

    yield watch
    for each in watching:
        each.stop()
    if request.param == "chromium":
        screens("sse").page.complaints.clear()  # Chromium tells of every connection that is cut or refused


@contextmanager
def wire_to(cast: Cast) -> Iterator[Wire]:
    """A wire to the server of a cast."""
    wire = Wire(cast.instance.base)
    try:
        yield wire
    finally:
        wire.close()


def connected(watch: Watch, times: int = 1) -> None:
    """Wait until a subscription was connected so many times."""
    until(lambda: watch.told()["connections"] >= times, "it does not connect")


def ended(watch: Watch) -> None:
    """Wait until a subscription has ended."""
    until(lambda: "end" in watch.told(), "it does not end")


def titles(watch: Watch, count: int) -> list[str]:
    """The titles that a subscription was told, once there are so many."""
    results = until(lambda: len(found := watch.told()["results"]) >= count and found, "nothing is told")
    return [each["data"]["spaceChanged"]["space"]["title"] for each in results or ()]


def rename(person: Person, space: str, title: str) -> None:
    """Change the title of a space by a mutation."""
    change = """mutation ($space: ID!, $title: String!) {
      updateSpace(input: {space: $space, title: $title}) { userErrors { code } }
    }"""
    assert person.ask(change, space=space, title=title) == {"updateSpace": {"userErrors": []}}


def test_a_mutation_is_told(cast: Cast, subscribe: Subscribe) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    watch = subscribe(cast.ria, SPACE, space=space)
    connected(watch)
    for number, title in enumerate(("One", "Two"), start=1):
        rename(cast.ada, space, title)
        assert titles(watch, number)[-1] == title
    assert "end" not in watch.told()


def test_what_happened_while_the_connection_was_cut_is_told_then(cast: Cast, subscribe: Subscribe) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    with wire_to(cast) as wire:
        watch = subscribe(cast.ria, SPACE, base=wire.base, space=space)
        connected(watch)
        rename(cast.ada, space, "One")
        assert titles(watch, 1) == ["One"]
        for turn, title in enumerate(("Two", "Three"), start=2):
            wire.cut()
            rename(cast.ada, space, title)
            connected(watch, turn)
            assert titles(watch, turn)[-1] == title
        positions = [each["data"]["spaceChanged"]["position"] for each in watch.told()["results"]]
        assert len(positions) == len(set(positions)) == 3
        assert positions == sorted(positions, key=int)


def test_what_may_not_be_watched_is_told_as_an_error_and_ends(cast: Cast, subscribe: Subscribe) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    for query, code in ((SPACE, "NOT_FOUND"), (SPACE.replace("action", "acton"), "GRAPHQL_INVALID")):
        watch = subscribe(cast.sol, query, space=space)
        ended(watch)
        ((error,),) = [each["errors"] for each in watch.told()["results"]]
        assert error["extensions"]["code"] == code
        assert watch.told()["end"] == {}
        assert watch.told()["connections"] == 1


def test_a_bad_token_is_refused_by_its_status(cast: Cast, subscribe: Subscribe) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    nobody = Person(cast.ada.instance, cast.ada.id, cast.ada.email, "dcy_wrong")
    watch = subscribe(nobody, SPACE, space=space)
    ended(watch)
    assert (watch.told()["results"], watch.told()["end"]) == ([], {"status": 401})


def test_a_right_that_is_withdrawn_ends_the_subscription(cast: Cast, subscribe: Subscribe) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    watch = subscribe(cast.ria, SPACE, space=space)
    connected(watch)
    assert cast.ada.patch(f"/v1/spaces/{space}", {"defaultLevel": None}).status_code == 200
    ended(watch)
    assert watch.told()["results"][-1]["errors"][0]["extensions"]["code"] == "NOT_FOUND"
    assert watch.told()["end"] == {}
