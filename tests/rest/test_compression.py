"""Compression of long JSON: who gets it, on both faces, and who does not."""

from __future__ import annotations

import json
import zlib

import httpx
import pytest

from tests import anonymous
from tests.browser.console.screens import session_of
from tests.cast import Cast, Person
from tests.timing import TIMEOUT

ZIP = {"accept-encoding": "gzip"}
PLAIN = {"accept-encoding": "identity"}


@pytest.fixture
def listed(cast: Cast) -> str:
    """The address of a long list."""
    for number in range(20):
        fields = {"title": f"Space {number}"}
        assert cast.ada.post(f"/v1/orgs/{cast.organization}/spaces", fields).status_code == 201
    return f"/v1/orgs/{cast.organization}/spaces"


def raw(person: Person, path: str, **headers: str) -> httpx.Response:
    """What is sent over the network, as it is."""
    own = {"authorization": f"Bearer {person.token}", **headers}
    with (
        httpx.Client(trust_env=False, timeout=TIMEOUT) as client,
        client.stream("GET", person.base + path, headers=own) as got,
    ):
        got._content = b"".join(got.iter_raw())
        return got


def test_a_long_answer_is_compressed_for_who_reads_that(cast: Cast, listed: str) -> None:
    zipped, plain = raw(cast.ada, listed, **ZIP), raw(cast.ada, listed, **PLAIN)
    assert zipped.headers["content-encoding"] == "gzip"
    assert "Accept-Encoding" in zipped.headers["vary"]
    assert int(zipped.headers["content-length"]) == len(zipped.content) < len(plain.content) / 3
    assert "content-encoding" not in plain.headers
    there = json.loads(zlib.decompress(zipped.content, wbits=31))
    assert [each["id"] for each in there["items"]] == [each["id"] for each in plain.json()["items"]]


def test_a_short_answer_and_one_that_is_known_are_sent_as_they_are(cast: Cast, listed: str) -> None:
    short = raw(cast.ada, "/v1/user", **ZIP)
    assert "content-encoding" not in short.headers
    assert short.json()["id"] == cast.ada.id
    document = raw(cast.ada, "/v1/openapi.json", **ZIP)
    assert document.headers["content-encoding"] == "gzip"
    again = raw(cast.ada, "/v1/openapi.json", **ZIP, **{"if-none-match": document.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_graphql_is_compressed_alike(cast: Cast, listed: str) -> None:
    fields = " ".join(f"a{n}: title" for n in range(20))
    query = f"{{ me {{ organizations {{ nodes {{ spaces(first: 20) {{ nodes {{ id {fields} }} }} }} }} }} }}"
    own = {"authorization": f"Bearer {cast.ada.token}"}
    zipped, plain = (
        anonymous.post(f"{cast.instance.base}/graphql", json={"query": query}, headers={**own, **given})
        for given in (ZIP, PLAIN)
    )
    assert zipped.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert zipped.json() == plain.json()
    assert "errors" not in plain.json()


def test_a_session_has_answers_compressed_for_our_own_pages(cast: Cast, listed: str) -> None:
    headers = {**ZIP, "cookie": f"docyard_session={session_of(cast.ada)}", "sec-fetch-site": "same-origin"}
    answer = anonymous.get(f"{cast.instance.base}{listed}", headers=headers)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-encoding"] == "gzip"


@pytest.mark.parametrize("site", [None, "cross-site", "same-site"])
def test_nobody_else_has_a_browser_with_cookies_ask_for_it(cast: Cast, site: str | None) -> None:
    headers = {**ZIP, "cookie": "docyard_session=x", **({"sec-fetch-site": site} if site else {})}
    answer = anonymous.get(f"{cast.instance.base}/v1/openapi.json", headers=headers)
    assert answer.status_code == 200
    assert "content-encoding" not in answer.headers
