"""Browsers of other origins: those that the settings name may call, with the headers that clients send."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from tests import make
from tests.cast import Cast
from tests.instance import running

OURS, THEIRS = "https://app.example.org", "https://evil.example.org"
SENT = (
    "authorization, content-type, apollo-require-preflight, apollographql-client-name,"
    " apollographql-client-version, idempotency-key, x-apollo-operation-name"
)


@pytest.fixture
def cast(fresh_database: str) -> Iterator[Cast]:
    """People on a server that one other origin may call."""
    with running(fresh_database, cors_origins=OURS) as instance:
        yield make.cast(instance)


def preflight(cast: Cast, origin: str) -> httpx.Response:
    """Ask as a browser does before it sends a GraphQL request for a page of this origin."""
    asked = {
        "Origin": origin,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": SENT,
    }
    return cast.instance.http.options("/graphql", headers=asked)


def test_a_named_origin_may_send_what_clients_send(cast: Cast) -> None:
    answer = preflight(cast, OURS)
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == OURS
    allowed = {name.strip() for name in answer.headers["access-control-allow-headers"].lower().split(",")}
    assert allowed >= {name.strip() for name in SENT.split(",")}


def test_another_origin_may_not(cast: Cast) -> None:
    answer = preflight(cast, THEIRS)
    assert answer.status_code == 400
    assert "access-control-allow-origin" not in answer.headers


def test_pages_of_a_named_origin_may_read_what_clients_need(cast: Cast) -> None:
    answer = cast.ada.post("/graphql", {"query": "{ me { id } }"}, headers={"Origin": OURS})
    assert answer.headers["access-control-allow-origin"] == OURS
    exposed = {name.strip() for name in answer.headers["access-control-expose-headers"].split(",")}
    limits = {f"X-RateLimit-{name}" for name in ("Limit", "Remaining", "Reset")}
    assert exposed >= {"ETag", "Retry-After", "X-Request-Id", *limits}
    assert answer.headers["access-control-allow-credentials"] == "true"
    refused = cast.ada.post("/graphql", {"query": "{ me { id } }"}, headers={"Origin": THEIRS})
    assert "access-control-allow-origin" not in refused.headers
