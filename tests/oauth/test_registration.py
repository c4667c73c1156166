"""Discovery documents for clients without a token, and dynamic client registration."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests import make
from tests.cast import Cast
from tests.instance import running
from tests.oauth.client import BACK, Program, application, arrived, browser, error_of, me, text_of

NEW = {"client_name": "Agent", "redirect_uris": [BACK], "token_endpoint_auth_method": "none"}
ADDRESS, OTHER = "203.0.113.9", "203.0.113.10"


def register(cast: Cast, address: str = ADDRESS, **fields: Any) -> httpx.Response:
    """A registration."""
    headers = {"X-Forwarded-For": address}
    return cast.instance.http.post("/oauth/register", json={**NEW, **fields}, headers=headers)


@pytest.fixture
def limited(fresh_database: str) -> Iterator[Cast]:
    """A server behind a proxy where one address may register three applications a minute."""
    with running(fresh_database, proxies=1, registration_rate_limit=3, oauth_rate_limit=3) as instance:
        yield make.cast(instance)


def test_the_metadata_say_where_everything_is(cast: Cast) -> None:
    base = cast.instance.base
    found = cast.instance.http.get("/.well-known/oauth-authorization-server").json()
    assert found["issuer"] == base
    assert found["code_challenge_methods_supported"] == ["S256"]
    assert found["authorization_response_iss_parameter_supported"] is True
    for name in ("token", "revocation", "registration", "device_authorization"):
        assert cast.instance.http.post(found[f"{name}_endpoint"]).status_code in (400, 415)
    for path in ("", "/mcp"):
        place = f"{base}/.well-known/oauth-protected-resource{path}"
        resource = cast.instance.http.get(place).json()
        assert resource["resource"] == f"{base}{path}"
        assert resource["authorization_servers"] == [base]
        asked = cast.instance.http.post("/mcp") if path else cast.instance.http.get("/v1/user")
        assert asked.status_code == 401
        assert f'resource_metadata="{place}"' in asked.headers["www-authenticate"]
    assert cast.instance.http.get("/.well-known/oauth-protected-resource/other").status_code == 404


def test_pages_of_every_origin_may_call_what_is_for_programs(cast: Cast) -> None:
    origin = {"Origin": "https://anywhere.example.org"}
    asked = {**origin, "Access-Control-Request-Method": "POST"}
    for path in ("/oauth/token", "/oauth/revoke", "/oauth/register"):
        preflight = cast.instance.http.options(path, headers=asked)
        assert preflight.status_code == 204
        answer = cast.instance.http.post(path, headers=origin)
        for each in (preflight, answer):
            assert each.headers["access-control-allow-origin"] == "*"
            assert "access-control-allow-credentials" not in each.headers
    found = cast.instance.http.get("/.well-known/oauth-authorization-server", headers=origin)
    assert found.headers["access-control-allow-origin"] == "*"
    page = cast.instance.http.get("/oauth/authorize", headers=origin)
    assert "access-control-allow-origin" not in page.headers


def test_an_application_registers_itself(cast: Cast) -> None:
    public = register(cast)
    assert public.status_code == 201
    assert "client_secret" not in public.json()
    program = Program(cast.instance, {"id": public.json()["client_id"]})
    with browser(cast.ed) as opened:
        said = text_of(opened.get(program.address()))
    assert "nobody vouches for its name" in said
    assert me(cast.instance, program.tokens(cast.ed)["access_token"]).status_code == 200

    secret = register(cast, token_endpoint_auth_method="client_secret_post").json()
    assert secret["client_secret_expires_at"] == 0
    program = Program(cast.instance, {"id": secret["client_id"], "secret": secret["client_secret"]})
    assert me(cast.instance, program.tokens(cast.ed)["access_token"]).status_code == 200


def test_one_that_registered_itself_leads_nowhere_by_a_mistake(cast: Cast) -> None:
    """An open redirect: whoever registers an address could send people there from here."""
    program = Program(cast.instance, {"id": register(cast).json()["client_id"]})
    with browser(cast.ed) as opened:
        answer = opened.get(program.address(scope="nonsense"))
        assert answer.status_code == 400
        assert "location" not in answer.headers
        assert "Go back to app.example.org" in text_of(answer)
        assert "error=invalid_scope" in answer.text


@pytest.mark.parametrize(
    "uri",
    [
        "http://evil.example/cb",
        "javascript:alert(1)",
        "data:text/html,x",
        "https://app.example.org/back#x",
        "https://user:password@app.example.org/back",
        "https://*.example.org/back",
        "https:///back",
        "https://app.example.org\\@evil.example/",
        "http://127.0.0.1.evil.example/back",
        "/back",
        "",
    ],
)
def test_an_address_that_could_lead_astray_is_not_registered(cast: Cast, uri: str) -> None:
    assert error_of(register(cast, redirect_uris=[BACK, uri])) == "invalid_redirect_uri"
    new = {"name": "Wick Trimmer", "redirectURIs": [uri]}
    assert cast.ada.post("/v1/user/oauth-applications", new).status_code == 400


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"redirect_uris": []}, "invalid_redirect_uri"),
        ({"redirect_uris": "x"}, "invalid_redirect_uri"),
        ({"redirect_uris": [5]}, "invalid_redirect_uri"),
        ({"redirect_uris": None}, "invalid_redirect_uri"),
        ({"grant_types": ["implicit"]}, "invalid_client_metadata"),
        ({"grant_types": ["client_credentials"]}, "invalid_client_metadata"),
        ({"response_types": ["token"]}, "invalid_client_metadata"),
        ({"scope": "everything"}, "invalid_client_metadata"),
        ({"scope": 5}, "invalid_client_metadata"),
        ({"client_name": {"a": 1}}, "invalid_client_metadata"),
        ({"client_name": "\x00"}, ""),
        ({"token_endpoint_auth_method": "private_key_jwt"}, "invalid_client_metadata"),
    ],
)
def test_nonsense_is_not_registered(cast: Cast, fields: dict[str, Any], error: str) -> None:
    answer = register(cast, **fields)
    if error:
        assert error_of(answer) == error
    else:
        assert answer.json()["client_name"] == "An application without a name"
    for body in (b"", b"[]", b"5", b"{", b"\xff"):
        media = {"Content-Type": "application/json"}
        assert cast.instance.http.post("/oauth/register", content=body, headers=media).status_code == 400


def test_registrations_are_limited(limited: Cast) -> None:
    assert [register(limited).status_code for _ in range(4)] == [201, 201, 201, 429]
    assert register(limited, OTHER).status_code == 201
    headers = {"X-Forwarded-For": ADDRESS}
    statuses = [
        limited.instance.http.post("/oauth/token", data={"client_id": "x"}, headers=headers).status_code
        for _ in range(4)
    ]
    assert statuses == [400, 400, 400, 429]


def test_registration_can_be_switched_off(fresh_database: str) -> None:
    with running(fresh_database, oauth_registration=False) as instance:
        assert instance.http.post("/oauth/register", json=NEW).status_code == 404
        found = instance.http.get("/.well-known/oauth-authorization-server").json()
        assert "registration_endpoint" not in found


def test_mixed_up_answers_are_told_apart(cast: Cast) -> None:
    """Every answer says who gives it, refusals too (RFC 9207)."""
    program = Program(cast.instance, {"id": "docyard-cli"})
    with browser(cast.ed) as opened:
        assert opened.get(program.address()).status_code == 400
    program = Program(cast.instance, application(cast.ada))
    with browser(cast.ed) as opened:
        for wrong in ({"scope": "nonsense"}, {"code_challenge": None}, {"response_type": "token"}):
            assert arrived(opened.get(program.address(**wrong)))["iss"] == cast.instance.base
    assert program.allowed(cast.ed)["iss"] == cast.instance.base
