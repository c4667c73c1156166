"""The feed of changes over HTTP: a route for tests that streams a topic to whoever may see it, and a client.

`python -m tests.change_stream serve` is `docyard serve` with that route.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from queue import Queue
from typing import Any, get_args

import httpx
import orjson
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import ASGIApp

from app import cli
from app.cli import serve
from app.cookies import credentials
from app.domain.change_feed.change_feed import Topic
from app.domain.change_feed.permitted_changes import PermittedChanges
from app.kit.errors import Problem
from app.kit.http.event_streams import (
    KEEP_ALIVE,
    EventStream,
    StreamEvent,
    last_event_id,
)
from app.kit.settings import Settings
from app.main import create_app
from app.models.change_events import ChangedKind
from app.runtime import Runtime
from tests import instance
from tests.cast import Person
from tests.instance import Instance
from tests.timing import TIMEOUT, until

PATH = "/test-changes"
ALL = frozenset(get_args(ChangedKind))


def streaming_app(settings: Settings) -> Starlette:
    """The application with the route."""
    app = create_app(settings)
    runtime = app.state.services.runtime

    async def changes(request: Request) -> ASGIApp:
        return await _answer(runtime, request)

    app.router.routes.append(Route(PATH, changes))
    return app


async def _answer(runtime: Runtime, request: Request) -> ASGIApp:
    actor = await runtime.caller(request.scope, *credentials(request, runtime.settings))
    asked = request.query_params
    kinds = frozenset(asked["kinds"].split()) if "kinds" in asked else ALL
    after = asked.get("after") or last_event_id(request.headers)
    watched = await runtime.watch(actor, Topic(kinds, asked["scope"], asked["id"]), after=after)
    keep_alive = float(asked.get("keepAlive", KEEP_ALIVE))
    return EventStream(_told(watched), _failed, watched.close, watched.position, keep_alive)


async def _told(watched: PermittedChanges) -> AsyncGenerator[StreamEvent, None]:
    async for change, actor, _ in watched:
        shown = {name: value for name, value in change._asdict().items() if value is not None}
        data = {"change": shown, "actor": actor.user_id}
        yield StreamEvent(orjson.dumps({"data": data}), str(change.position))


def _failed(problem: Problem) -> bytes:
    return orjson.dumps({"errors": [{"message": problem.message, "extensions": {"code": problem.code}}]})


@contextmanager
def running(database: str, **given: object) -> Iterator[Instance]:
    """The product with the route, until the block ends."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(instance, "create_app", streaming_app)
        with instance.running(database, **given) as served:
            yield served


@dataclass
class Stream:
    """What somebody is told: `next()` waits for the next event. The server's lines are in `lines`."""

    response: httpx.Response
    lines: list[str] = field(default_factory=list)
    events: Queue[dict[str, str] | None] = field(default_factory=Queue)
    last_id: str = ""

    def read(self) -> None:
        """Read to the end, in a thread."""
        event: dict[str, str] = {}
        try:
            for line in self.response.iter_lines():
                self.lines.append(line)
                name, _, value = line.partition(":")
                if name:
                    event[name] = value.removeprefix(" ")
                    continue
                if line == "" and event:
                    self.last_id = event.get("id", self.last_id)
                    if "event" in event:
                        self.events.put(event)
                    event = {}
        except (httpx.HTTPError, httpx.StreamError):
            self.lines.append("broken off")
        self.events.put(None)

    def next(self) -> Any:
        """The data of the next event; None where the stream ends without being complete."""
        event = self.events.get(timeout=TIMEOUT)
        if event is None:
            return None
        return orjson.loads(event["data"]) if event["event"] == "next" else event["event"]

    def change(self) -> dict[str, Any]:
        """The next change."""
        told = self.next()
        assert told not in (None, "complete"), told
        assert "data" in told, told
        change: dict[str, Any] = told["data"]["change"]
        return change

    def changes(self, count: int) -> list[tuple[str, str]]:
        """The kinds and actions of the next changes."""
        found = [self.change() for _ in range(count)]
        return [(change["kind"], change["action"]) for change in found]

    def refusal(self) -> str:
        """The code of the error that ends the stream."""
        told = self.next()
        assert told not in (None, "complete"), told
        assert self.next() == "complete"
        assert self.next() is None
        code: str = told["errors"][0]["extensions"]["code"]
        return code


@contextmanager
def streamed(
    person: Person,
    scope: str,
    id: str,
    *,
    base: str = "",
    headers: Mapping[str, str] | None = None,
    **asked: str,
) -> Iterator[Stream]:
    """The changes of a topic as somebody is told of them, from now until the end of the block.

    They ask the server at `base`, if not their own.
    """
    request = {"method": "GET", "url": PATH, "params": {"scope": scope, "id": id, **asked}}
    with opened(person, request, base=base, headers=headers) as stream:
        yield stream


@contextmanager
def subscribed(person: Person, document: str, *, after: str = "", **variables: Any) -> Iterator[Stream]:
    """The results of a subscription over GraphQL, until the end of the block."""
    body = {"query": document, "variables": variables}
    headers = {"Accept": "text/event-stream", **({"Last-Event-ID": after} if after else {})}
    with opened(person, {"method": "POST", "url": "/graphql", "json": body}, headers=headers) as stream:
        yield stream


@contextmanager
def opened(
    person: Person, request: Mapping[str, Any], *, base: str = "", headers: Mapping[str, str] | None = None
) -> Iterator[Stream]:
    """A stream that somebody asks for, until the end of the block."""
    client = httpx.Client(base_url=base or person.base, timeout=TIMEOUT)
    sent = {"Authorization": f"Bearer {person.token}", **(headers or {})}
    with client, client.stream(**request, headers=sent) as got:
        assert got.status_code == 200, got.read()
        stream = Stream(got)
        reading = threading.Thread(target=stream.read, daemon=True)
        reading.start()
        until(lambda: stream.lines, "the stream does not begin")
        try:
            yield stream
        finally:
            _hang_up(got)
            reading.join(TIMEOUT)


def _hang_up(response: httpx.Response) -> None:
    """Close the connection under the thread that reads it."""
    connection = response.extensions["network_stream"].get_extra_info("socket")
    connection.shutdown(2)


def refused(person: Person, scope: str, id: str, **asked: str) -> httpx.Response:
    """The answer to a request that gets no stream."""
    return person.get(PATH, params={"scope": scope, "id": id, **asked})


def main(arguments: Sequence[str] | None = None) -> int:
    """`docyard` whose servers have the route."""
    vars(serve)["create_app"] = streaming_app
    return cli.main(arguments)


if __name__ == "__main__":
    sys.exit(main())
