"""Limits for callers without a token, by their address."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from app.kit.errors import TooManyRequests
from app.kit.http import throttle
from app.kit.http.throttle import Throttle
from app.kit.settings import Settings
from tests import make
from tests.cast import Cast
from tests.factories.integrations import PublishedIntegration
from tests.instance import running
from tests.reader.test_page_feedback import AskingSite
from tests.visitors import PublishedSite

LIMITS = {
    "anonymous_rate_limit": 3,
    "search_rate_limit": 3,
    "feedback_rate_limit": 3,
    "endpoint_rate_limit": 3,
    "sign_in_rate_limit": 3,
}
ADDRESS, OTHER = "203.0.113.9", "203.0.113.10"


@pytest.fixture
def limited(fresh_database: str) -> Iterator[Cast]:
    """People of a product behind a proxy that lets three calls of each kind through."""
    with running(fresh_database, proxies=1, **LIMITS) as instance:
        yield make.cast(instance)


def statuses(cast: Cast, path: str, count: int, *, address: str = ADDRESS, **headers: str) -> list[int]:
    """The statuses of so many calls from an address, without a token unless the headers have one."""
    return [call(cast, path, address=address, **headers).status_code for _ in range(count)]


def call(cast: Cast, path: str, *, address: str = ADDRESS, **headers: str) -> httpx.Response:
    """A call from an address, without a token unless the headers have one."""
    return cast.instance.http.get(path, headers={"X-Forwarded-For": f"198.51.100.1, {address}", **headers})


def test_refused_tokens_are_limited_by_address_and_good_ones_are_not(limited: Cast) -> None:
    wrong = {"Authorization": "Bearer dcy_wrong"}
    assert statuses(limited, "/v1/user", 2, **wrong) == [401, 401]
    assert statuses(limited, "/v1/user", 2) == [401, 429]
    refused = call(limited, "/v1/user", **wrong)
    assert refused.status_code == 429
    assert refused.json()["error"]["code"] == 429
    assert 0 < int(refused.headers["retry-after"]) <= 20
    good = {"Authorization": f"Bearer {limited.ada.token}"}
    assert statuses(limited, "/v1/user", 5, **good) == [200] * 5
    assert statuses(limited, "/v1/user", 1, address=OTHER) == [401]
    headers = {"X-Forwarded-For": ADDRESS}
    by_gql = limited.instance.http.post("/graphql", json={"query": "{ me { id } }"}, headers=headers)
    assert by_gql.status_code == 429
    assert by_gql.json()["errors"][0]["extensions"]["code"] == "TOO_MANY_REQUESTS"
    assert 0 < int(by_gql.headers["retry-after"]) <= 20


def test_operations_without_a_token_are_limited(limited: Cast) -> None:
    assert statuses(limited, "/v1/", 4) == [200, 200, 200, 429]


def test_health_is_never_limited(limited: Cast) -> None:
    assert statuses(limited, "/healthz", 10) == [200] * 10


def test_searches_of_a_site_and_its_mcp_are_limited_and_its_pages_are_not(limited: Cast) -> None:
    base = PublishedSite(limited).url.rstrip("/")
    assert statuses(limited, f"{base}/~/search?q=lamp", 4) == [200, 200, 200, 429]
    assert call(limited, f"{base}/~/search?q=lamp").headers["retry-after"]
    mcp = limited.instance.http.post(f"{base}/~/mcp", json={}, headers={"X-Forwarded-For": ADDRESS})
    assert mcp.status_code == 429
    assert statuses(limited, f"{base}/guide", 5) == [200] * 5


def test_feedback_is_limited_by_address(limited: Cast) -> None:
    site = AskingSite(limited)
    action = site.url + site.action()

    def say(address: str) -> int:
        headers = {"X-Forwarded-For": address}
        return limited.instance.http.post(action, data={"~do": "good"}, headers=headers).status_code

    assert [say(ADDRESS) for _ in range(4)] == [200, 200, 200, 429]
    assert say(OTHER) == 200
    assert len(site.said()) == 2
    form, headers = {"comment": "A lamp.", "query": "lamp"}, {"X-Forwarded-For": ADDRESS}
    reported = limited.instance.http.post(f"{site.url}/~/feedback", data=form, headers=headers)
    assert reported.status_code == 429


def test_public_endpoints_are_limited(limited: Cast) -> None:
    made = PublishedIntegration(limited)
    path = made.published["urls"]["publicEndpoint"]
    assert statuses(limited, path, 4) == [200, 200, 200, 429]
    assert statuses(limited, path, 1, address=OTHER) == [200]


def test_steps_of_signing_in_are_limited(limited: Cast) -> None:
    path = f"/sso/{make.provider(limited)}/start"
    assert statuses(limited, path, 4) == [302, 302, 302, 429]


def test_networks_are_one_caller_and_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throttle, "MOST_ADDRESSES", 2)
    counted = Throttle(Settings(database=":memory:", anonymous_rate_limit=1))

    def is_let_through(address: str) -> bool:
        try:
            counted.take("anonymous", {"client": (address, 1), "headers": []})
        except TooManyRequests:
            return False
        return True

    assert is_let_through("2001:db8::1")
    assert not is_let_through("2001:db8::ffff")
    assert is_let_through("2001:db8:0:1::1")
    assert all(is_let_through("127.0.0.1") for _ in range(3)), "callers on this machine are not limited"
    assert is_let_through("192.0.2.1")
    assert len(counted._buckets["anonymous"]) == 2
