"""Applications whose client id is the address of a document in which they describe themselves."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from app.models.oauth import OAuthApplication
from tests import make
from tests.cast import Cast
from tests.instance import running
from tests.local_server import Answer, Neighbour, Request, endless, gzip_bomb, redirect, slow
from tests.oauth.client import (
    BACK,
    Program,
    application,
    arrived,
    browser,
    error_of,
    hidden,
    later,
    me,
    text_of,
)

PATH = "/agent.json"


@dataclass
class Described:
    """An application at an address, and how often it was asked for its document."""

    neighbour: Neighbour
    fields: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    path: str = PATH
    asked: int = 0

    @property
    def url(self) -> str:
        return self.neighbour.shows(self.path, self._answer)

    def _answer(self, _request: Request) -> Answer:
        self.asked += 1
        said = {
            "client_id": self.neighbour.base + self.path,
            "client_name": "Wick Agent",
            "redirect_uris": [BACK],
            **self.fields,
        }
        headers = {"content-type": "application/json", **self.headers}
        return 200, headers, json.dumps({k: v for k, v in said.items() if v is not None}).encode()


@pytest.fixture
def described(cast: Cast, neighbour: Neighbour) -> Described:
    """An application with a document that nobody has read yet."""
    return Described(neighbour, path=f"/{cast.organization}/agent.json")


def refusal(cast: Cast, client_id: str, **changes: str | None) -> str:
    """Return the page shown to somebody whom a program sends here that may not ask."""
    with browser(cast.ed) as opened:
        page = opened.get(Program(cast.instance, {"id": client_id}).address(**changes))
    assert page.status_code == 400, page.text
    assert "location" not in page.headers
    return text_of(page)


def test_an_application_describes_itself(cast: Cast, described: Described) -> None:
    found = cast.instance.http.get("/.well-known/oauth-authorization-server").json()
    assert found["client_id_metadata_document_supported"] is True
    program = Program(cast.instance, {"id": described.url})
    with browser(cast.ed) as opened:
        said = text_of(opened.get(program.address()))
    assert "Allow Wick Agent?" in said
    assert f"describes itself at {described.neighbour.address}" in said
    tokens = program.tokens(cast.ed)
    assert me(cast.instance, tokens["access_token"]).json()["id"] == cast.ed.id
    renewed = program.refresh(tokens["refresh_token"]).json()
    grants = cast.ed.get("/v1/user/oauth-grants").json()["items"]
    assert [each["applicationId"] for each in grants] == [described.url]
    assert program.call("revoke", token=renewed["refresh_token"]).status_code == 200
    assert me(cast.instance, renewed["access_token"]).status_code == 401


def test_its_document_is_kept_for_as_long_as_it_says(cast: Cast, described: Described) -> None:
    described.headers = {"cache-control": "public, max-age=7200"}
    program = Program(cast.instance, {"id": described.url})
    program.tokens(cast.ed)
    program.tokens(cast.ed, scope="read write")
    assert described.asked == 1
    described.fields = {"client_name": "Tallow Agent"}
    later(cast, OAuthApplication, "document_until", 1)
    with browser(cast.ed) as opened:
        assert "Tallow Agent" in text_of(opened.get(program.address(prompt="consent")))
    assert described.asked == 2


def test_an_address_that_left_the_document_is_refused_when_that_is_read_again(
    cast: Cast, described: Described
) -> None:
    program = Program(cast.instance, {"id": described.url})
    program.tokens(cast.ed)
    described.fields = {"redirect_uris": ["https://app.example.org/moved"]}
    later(cast, OAuthApplication, "document_until", 1)
    assert "redirect" in refusal(cast, described.url).lower()
    later(cast, OAuthApplication, "document_until", 1)
    described.neighbour.shows(described.path, (410, {}, b""))
    assert "answered with status 410" in refusal(cast, program.application["id"])


def test_nobody_who_is_not_signed_in_has_anything_fetched(cast: Cast, described: Described) -> None:
    address = Program(cast.instance, {"id": described.url}).address()
    assert "/sign-in" in cast.instance.http.get(address).headers["location"]
    for name in ("token", "revoke", "device_authorization"):
        sent = {"client_id": described.url, "grant_type": "refresh_token", "refresh_token": "x", "token": "x"}
        answer = cast.instance.http.post(f"/oauth/{name}", data=sent)
        assert answer.json()["error"] == "invalid_client"
    assert described.asked == 0


@pytest.mark.parametrize(
    "uri",
    [
        "https://evil.example/back",
        f"{BACK}/",
        f"{BACK}?x=1",
        "https://app.example.org:444/back",
        "http://127.0.0.1/",
    ],
)
def test_a_redirect_address_that_the_document_lacks_is_refused(
    cast: Cast, described: Described, uri: str
) -> None:
    assert "redirect" in refusal(cast, described.url, redirect_uri=uri).lower()


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"client_id": "https://other.example/agent.json"}, "names another client_id"),
        ({"client_id": None}, "names another client_id"),
        ({"client_secret": "x"}, "contains a secret"),
        ({"token_endpoint_auth_method": "client_secret_basic"}, "has no secret"),
        ({"token_endpoint_auth_method": "private_key_jwt"}, "token_endpoint_auth_method cannot be read"),
        ({"redirect_uris": None}, "redirect_uris needs an address"),
        ({"redirect_uris": ["javascript:alert(1)"]}, "redirect_uris must each be"),
        ({"redirect_uris": ["http://evil.example/"]}, "redirect_uris must each be"),
        ({"scope": "everything"}, "scope is unknown"),
        ({"client_name": "x" * 20_000}, "more than 10000 bytes"),
    ],
)
def test_a_document_that_cannot_be_meant_is_refused(
    cast: Cast, described: Described, fields: dict[str, Any], said: str
) -> None:
    described.fields = fields
    assert said in refusal(cast, described.url)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (redirect("https://other.example/agent.json"), "status 302"),
        ((404, {}, b""), "status 404"),
        ((204, {"content-type": "application/json"}, b""), "status 204"),
        ((200, {"content-type": "text/html"}, b"{}"), "not JSON"),
        ((200, {"content-type": "application/json"}, b"[" * 9000), "not JSON"),
        ((200, {"content-type": "application/json"}, b"[]"), "another client_id"),
        ((200, {"content-type": "application/json"}, b'"\xff"'), "not JSON"),
        (endless(), "more than 10000 bytes"),
        (gzip_bomb(50_000_000), "more than 10000 bytes"),
    ],
)
def test_an_answer_that_is_no_document_is_refused(
    cast: Cast, neighbour: Neighbour, answer: Answer, said: str
) -> None:
    assert said in refusal(cast, neighbour.shows("/odd", answer))


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("https://10.0.0.1/agent.json", "does not lead to a public address"),
        ("https://169.254.169.254/latest", "does not lead to a public address"),
        ("https://127.0.0.1/agent.json", "does not lead to a public address"),
        ("https://localhost/agent.json", "does not lead to a public address"),
        ("http://127.0.0.1:9/agent.json", "must begin with https"),
        ("http://agent.example/agent.json", "must begin with https"),
        ("https://me:secret@agent.example/agent.json", "address"),
        ("https://agent.example", "not a valid URL of"),
        ("https://agent.example/", "not a valid URL of"),
        ("https://agent.example/a#b", "not a valid URL of"),
        ("https://agent.example/a/../b", "not a valid URL of"),
        ("https://agent.example/a/%2E%2e/b", "not a valid URL of"),
        ("https://agent.example/" + "a" * 1000, "not a valid URL of"),
    ],
)
def test_an_address_that_may_not_be_fetched_is_refused(cast: Cast, address: str, said: str) -> None:
    assert said in refusal(cast, address)


def test_a_slow_answer_is_given_up(fresh_database: str, neighbour: Neighbour) -> None:
    with running(fresh_database, outbound_allow=neighbour.address, outbound_timeout=0.3) as instance:
        url = neighbour.shows("/slow", slow(0.05))
        assert "took too long" in refusal(make.cast(instance), url)


def test_one_person_has_few_documents_fetched(cast: Cast, neighbour: Neighbour) -> None:
    with browser(cast.ed) as opened:
        statuses = [
            opened.get(Program(cast.instance, {"id": f"{neighbour.base}/none/{n}"}).address()).status_code
            for n in range(21)
        ]
    assert statuses == [400] * 20 + [429]


def test_a_document_gives_no_device_flow(cast: Cast, described: Described) -> None:
    described.fields = {"grant_types": ["authorization_code", "urn:ietf:params:oauth:grant-type:device_code"]}
    program = Program(cast.instance, {"id": described.url})
    program.tokens(cast.ed)
    assert error_of(program.call("device_authorization")) == "unauthorized_client"


def test_two_applications_with_documents_are_two(cast: Cast, described: Described) -> None:
    """A code that one of them got is of no use to the other."""
    first = Program(cast.instance, {"id": described.url})
    other = Described(described.neighbour, path=f"{described.path}/other")
    second = Program(cast.instance, {"id": other.url}, verifier=first.verifier)
    second.tokens(cast.ed)
    registered = Program(cast.instance, application(cast.ada), verifier=first.verifier)
    code = first.allowed(cast.ed)["code"]
    assert error_of(second.exchange(code)) == "invalid_grant"
    assert error_of(registered.exchange(code)) == "invalid_grant"
    assert first.exchange(code).status_code == 200


def test_they_can_be_switched_off(fresh_database: str, neighbour: Neighbour) -> None:
    off = {"oauth_client_documents": False, "outbound_allow": neighbour.address}
    with running(fresh_database, **off) as instance:
        found = instance.http.get("/.well-known/oauth-authorization-server").json()
        assert found["client_id_metadata_document_supported"] is False
        described = Described(neighbour)
        refusal(make.cast(instance), described.url)
        assert described.asked == 0


def test_a_mistake_leads_nowhere(cast: Cast, described: Described) -> None:
    """An open redirect: anybody can write a document, so nobody is sent to its address without a click."""
    assert "Go back to app.example.org" in refusal(cast, described.url, scope="nonsense")


def test_somebody_who_refuses_goes_back_with_the_word(cast: Cast, described: Described) -> None:
    program = Program(cast.instance, {"id": described.url})
    with browser(cast.ed) as opened:
        page = opened.get(program.address())
        answer = opened.post("/oauth/authorize", data={**hidden(page), "decision": "deny"})
    back = arrived(answer)
    assert (back["error"], back["iss"]) == ("access_denied", cast.instance.base)
