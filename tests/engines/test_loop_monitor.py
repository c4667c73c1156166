"""The log names what blocked the event loop: how long, for which request, and where."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterator
from typing import Any

import pytest

from app.api.naming import asked_for
from app.api.rest import adapter
from app.kit import logs
from app.kit.http import headers
from app.kit.logs import LoopMonitor
from app.kit.settings import Settings
from app.main import create_app
from tests.instance import running
from tests.timing import until

LIMIT, BLOCKED = 0.05, 1.0


@pytest.fixture
def told() -> Iterator[list[dict[str, Any]]]:
    """The facts of each line about a blocked loop, as they come."""
    found: list[dict[str, Any]] = []

    class Noting(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            found.append(vars(record)["facts"])

    handler = Noting()
    logs.loop_log.addHandler(handler)
    yield found
    logs.loop_log.removeHandler(handler)


def about(told: list[dict[str, Any]]) -> dict[str, Any]:
    """The one line about `block`; a busy machine may block a loop besides."""

    def found() -> list[dict[str, Any]]:
        return [facts for facts in told if facts["stack"] and facts["stack"][0].endswith(" block")]

    [facts] = until(found, "nothing was told")
    return facts


def block() -> None:
    """Keep the loop busy, as no code of ours may."""
    time.sleep(BLOCKED)


async def _watched(seconds: float, work: Any) -> None:
    monitor = LoopMonitor(seconds, str)
    monitor.requests[asyncio.current_task()] = "a request"
    monitor.start()
    await asyncio.sleep(LIMIT * 2)
    await work()
    await asyncio.sleep(LIMIT * 2)
    monitor.stop()


def test_what_blocks_the_loop_is_told_once(told: list[dict[str, Any]]) -> None:
    async def work() -> None:
        block()

    asyncio.run(_watched(LIMIT, work))
    facts = about(told)
    assert facts["doing"] == "a request"
    assert facts["seconds"] >= BLOCKED / 2  # a busy machine may begin to look late
    assert facts["stack"][0].endswith(" block")


def test_waiting_is_no_blocking(told: list[dict[str, Any]]) -> None:
    asyncio.run(_watched(10.0, lambda: asyncio.sleep(LIMIT)))
    asyncio.run(_watched(0.0, lambda: asyncio.to_thread(block)))
    assert told == []


def test_where_the_request_is_not_known_all_are_named(told: list[dict[str, Any]]) -> None:
    async def work() -> None:
        async def child() -> None:
            block()

        await asyncio.create_task(child())

    asyncio.run(_watched(LIMIT, work))
    facts = about(told)
    assert facts["among"] == ["a request"]


def test_a_server_tells_the_operation_and_no_id(
    database: str, told: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    answered = headers.etag

    def slow(content: bytes) -> str:
        block()
        return answered(content)

    monkeypatch.setattr(adapter, "etag", slow)
    with running(database, loop_warning=LIMIT) as instance:
        assert instance.http.get("/v1/").status_code == 200
        facts = about(told)
    assert facts["doing"] == "getServiceInformation"
    assert facts["stack"][1].startswith("app/api/rest/adapter.py:")


@pytest.mark.parametrize(
    ("method", "path", "said"),
    [
        ("GET", "/v1/spaces/0kGUXQeJge7nQKme8HOd", "getSpaceById"),
        ("POST", "/graphql", "POST /graphql"),
        ("GET", "/files/1.c2VjcmV0/space/file/secret.png", "GET /files/{signature}/{space}/{file}/{name}"),
        ("GET", "/acme/guide/a/secret", "GET a site's page"),
        ("GET", "/acme/guide/~/search", "GET a site's ~/search"),
        ("GET", "/acme/guide/~/preview/c2VjcmV0/x", "GET a site's ~/preview"),
        ("GET", "/v1/nowhere/c2VjcmV0", "GET /v1/"),
    ],
)
def test_requests_are_named_without_what_is_theirs(method: str, path: str, said: str) -> None:
    settings = Settings(database=":memory:", base_url="http://api.test", sites_url="http://sites.test")
    app = create_app(settings)
    scope = {"type": "http", "method": method, "path": path, "headers": []}
    assert asked_for(scope, app.state.families, app.routes) == said
