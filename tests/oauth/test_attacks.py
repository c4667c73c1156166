"""Attacks on the authorization code flow, and what they come to."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import product
from typing import Any

import pytest
from sqlalchemy import Select, select
from sqlmodel import SQLModel

from app.access.context import Context
from app.kit.database.statements import rows, table
from app.kit.logs import JsonLines
from app.models.access import Token
from app.models.oauth import OAuthApplication, OAuthAuthorization, OAuthRefreshToken
from tests.cast import Cast
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
)

RACERS = 6


@pytest.mark.parametrize(
    "uri",
    [
        "https://app.example.org/back/",
        "https://app.example.org/Back",
        "https://app.example.org/back?x=1",
        "https://app.example.org/back#x",
        "https://app.example.org:443/back",
        "https://app.example.org/x/../back",
        "https://app.example.org/%62ack",
        "https://app.example.org.evil.example/back",
        "https://app.example.org@evil.example/back",
        "https://evil.example/back",
        "http://app.example.org/back",
        "//app.example.org/back",
        "javascript:alert(1)",
        "https://app.example.org/back\\",
        'https://app.example.org/back"',
        "https://äpp.example.org/back",
        "",
        None,
    ],
)
def test_another_redirect_address_is_a_page_and_no_redirect(cast: Cast, uri: str | None) -> None:
    program = Program(cast.instance, application(cast.ada))
    with browser(cast.ed) as opened:
        answer = opened.get(program.address(redirect_uri=uri))
    assert answer.status_code == 400
    assert "location" not in answer.headers
    assert "evil.example" not in "".join(answer.headers.values())


@pytest.mark.parametrize(
    "changes",
    [
        {"code_challenge": None},
        {"code_challenge_method": None},
        {"code_challenge_method": "plain"},
        {"code_challenge": None, "code_challenge_method": None},
        {"code_challenge": "short"},
    ],
    ids=["no challenge", "no method", "plain", "nothing", "too short"],
)
@pytest.mark.parametrize("kind", ["public", "confidential"])
def test_pkce_is_required_of_everybody(cast: Cast, kind: str, changes: dict[str, str | None]) -> None:
    program = Program(cast.instance, application(cast.ada, kind=kind))
    with browser(cast.ed) as opened:
        back = arrived(opened.get(program.address(**changes)))
    assert back["error"] == "invalid_request"
    assert (back["state"], back["iss"]) == ("a-state", cast.instance.base)


@pytest.mark.parametrize("verifier", ["", "x" * 43, "x"])
def test_a_code_is_worthless_without_its_verifier(cast: Cast, verifier: str) -> None:
    program = Program(cast.instance, application(cast.ada))
    code = program.allowed(cast.ed)["code"]
    assert error_of(program.exchange(code, code_verifier=verifier)) in ("invalid_grant", "invalid_request")
    assert error_of(program.exchange(code)) == "invalid_grant", "one attempt is all there is"


def test_a_code_is_for_one_program_and_one_address(cast: Cast) -> None:
    """An injected code: that of somebody else, in the sign-in of another program or address."""
    two = ["https://app.example.org/back", "https://app.example.org/other"]
    program = Program(cast.instance, application(cast.ada, redirectURIs=two))
    other = Program(cast.instance, application(cast.sol), verifier=program.verifier)
    code = program.allowed(cast.ed)["code"]
    assert error_of(other.exchange(code)) == "invalid_grant"
    assert error_of(program.exchange(code, redirect_uri=two[1])) == "invalid_grant"
    code = program.allowed(cast.ed, prompt="consent")["code"]
    assert program.exchange(code).status_code == 200


def test_a_code_that_is_used_twice_ends_its_tokens(cast: Cast) -> None:
    program = Program(cast.instance, application(cast.ada))
    code = program.allowed(cast.ed)["code"]
    got = program.exchange(code).json()
    assert error_of(program.exchange(code)) == "invalid_grant"
    assert me(cast.instance, got["access_token"]).status_code == 401
    assert error_of(program.refresh(got["refresh_token"])) == "invalid_grant"


def test_a_code_expires(cast: Cast) -> None:
    program = Program(cast.instance, application(cast.ada))
    code = program.allowed(cast.ed)["code"]
    later(cast, OAuthAuthorization, "code_expires_at", 1)
    assert error_of(program.exchange(code)) == "invalid_grant"


def test_a_refresh_token_that_is_used_twice_ends_its_family(cast: Cast) -> None:
    program = Program(cast.instance, application(cast.ada))
    first = program.tokens(cast.ed)
    second = program.refresh(first["refresh_token"]).json()
    later(cast, OAuthRefreshToken, "used_at", 11)
    assert error_of(program.refresh(first["refresh_token"])) == "invalid_grant"
    assert error_of(program.refresh(second["refresh_token"])) == "invalid_grant"
    for each in (first, second):
        assert me(cast.instance, each["access_token"]).status_code == 401


def test_two_tabs_may_refresh_at_once_and_stay_one_line(cast: Cast) -> None:
    program = Program(cast.instance, application(cast.ada))
    first = program.tokens(cast.ed)
    with ThreadPoolExecutor(RACERS) as tabs:
        answers = list(tabs.map(program.refresh, [first["refresh_token"]] * RACERS))
    assert [each.status_code for each in answers] == [200] * RACERS
    following = {each.json()["refresh_token"] for each in answers}
    assert len(following) == 1
    third = program.refresh(following.pop())
    assert third.status_code == 200
    assert error_of(program.refresh(first["refresh_token"])) == "invalid_grant", "its follower was used"
    assert error_of(program.refresh(third.json()["refresh_token"])) == "invalid_grant"


def test_a_stolen_refresh_token_wins_no_race(cast: Cast) -> None:
    program = Program(cast.instance, application(cast.ada))
    for _ in range(3):
        first = program.tokens(cast.ed, prompt="consent")
        second = program.refresh(first["refresh_token"]).json()
        later(cast, OAuthRefreshToken, "used_at", 11)
        racing = [second["refresh_token"], first["refresh_token"]] * (RACERS // 2)
        with ThreadPoolExecutor(RACERS) as racers:
            answers = [each.json() for each in racers.map(program.refresh, racing)]
        lasting = [each for each in answers if "access_token" in each]
        assert [me(cast.instance, each["access_token"]).status_code for each in lasting] == [401] * len(
            lasting
        )


def test_a_code_wins_no_race(cast: Cast) -> None:
    program = Program(cast.instance, application(cast.ada))
    for _ in range(3):
        code = program.allowed(cast.ed, prompt="consent")["code"]
        with ThreadPoolExecutor(RACERS) as racers:
            answers = [each.json() for each in racers.map(program.exchange, [code] * RACERS)]
        lasting = [each for each in answers if "access_token" in each]
        assert [me(cast.instance, each["access_token"]).status_code for each in lasting] == [401] * len(
            lasting
        )


def test_another_programs_refresh_token_is_not_even_counted(cast: Cast) -> None:
    program, other = (Program(cast.instance, application(each)) for each in (cast.ada, cast.sol))
    got = program.tokens(cast.ed)
    assert error_of(other.refresh(got["refresh_token"])) == "invalid_grant"
    assert program.refresh(got["refresh_token"]).status_code == 200


def test_scopes_are_never_widened(cast: Cast) -> None:
    program = Program(cast.instance, application(cast.ada, scopes=["read", "openapi:read"]))
    with browser(cast.ed) as opened:
        assert arrived(opened.get(program.address(scope="read write")))["error"] == "invalid_scope"
        assert arrived(opened.get(program.address(scope="everything")))["error"] == "invalid_scope"
    got = program.tokens(cast.ed, scope="openapi:read")
    assert error_of(program.refresh(got["refresh_token"], scope="openapi:read read")) == "invalid_scope"
    assert me(cast.instance, got["access_token"]).status_code == 403

    program = Program(cast.instance, application(cast.ada))
    got = program.tokens(cast.ada, scope="read write")
    less = program.refresh(got["refresh_token"], scope="read").json()
    assert less["scope"] == "read"
    headers = {"Authorization": f"Bearer {less['access_token']}"}
    new = {"title": "Handbook"}
    refused = cast.instance.http.post(f"/v1/orgs/{cast.organization}/spaces", json=new, headers=headers)
    assert refused.status_code == 403
    asked = {"query": 'mutation { createSpace(input: {organization: "x"}) { userErrors { message } } }'}
    by_gql = cast.instance.http.post("/graphql", json=asked, headers=headers)
    assert "No scope of this token opens this operation." in by_gql.text
    whole = {"Authorization": f"Bearer {got['access_token']}"}
    assert (
        cast.instance.http.post(f"/v1/orgs/{cast.organization}/spaces", json=new, headers=whole).status_code
        == 201
    )
    for method, path in (("POST", "oauth-applications"), ("DELETE", "oauth-grants/x")):
        body = {"name": "Mine", "redirectURIs": [BACK]} if method == "POST" else None
        answer = cast.instance.http.request(method, f"/v1/user/{path}", json=body, headers=whole)
        assert answer.status_code == 403, "a token of an application makes nothing that opens more"


def test_a_form_counts_from_its_own_page_and_session_only(cast: Cast) -> None:
    program = Program(cast.instance, application(cast.ada))
    with browser(cast.ed) as opened:
        form = {**hidden(opened.get(program.address())), "organization": "", "decision": "allow"}
        for site in ("cross-site", "same-site", "none"):
            foreign = opened.post("/oauth/authorize", data=form, headers={"Sec-Fetch-Site": site})
            assert foreign.status_code == 403
        altered = {**form, "request": form["request"].replace("scope=read", "scope=read+write")}
        assert opened.post("/oauth/authorize", data=altered).status_code == 403
        without = {name: value for name, value in form.items() if name != "signature"}
        assert opened.post("/oauth/authorize", data=without).status_code == 400
        with browser(cast.ada) as hers:
            assert hers.post("/oauth/authorize", data=form).status_code == 403
        assert opened.post("/oauth/authorize", data=form).status_code == 303


HOSTILE = [
    b"grant_type=authorization_code&grant_type=refresh_token",
    b"grant_type=refresh_token&client_id=%00&refresh_token=x",
    b"grant_type=%FF%FE",
    b"grant_type=%22%5C",
    b"\xff\xfe=\x00",
    b"client_id=docyard-cli",
    b"&".join(b"a%d=1" % n for n in range(60)),
    b"grant_type=refresh_token&client_id=docyard-cli&refresh_token=",
    b"grant_type=urn:ietf:params:oauth:grant-type:device_code&client_id=docyard-cli&device_code=x",
    b"grant_type=password&username=a&password=b&client_id=docyard-cli",
    b"grant_type=client_credentials&client_id=docyard-cli",
]


@pytest.mark.parametrize("name", ["token", "revoke", "device_authorization"])
def test_nonsense_is_refused_in_words_of_oauth(cast: Cast, name: str) -> None:
    media = {"Content-Type": "application/x-www-form-urlencoded"}
    logins = (
        None,
        "Basic",
        "Basic /w==",
        "Basic AAA=",
        "Basic Og==",
        "Bearer x",
        "Basic é".encode("latin-1"),
    )
    for body, login in product(HOSTILE, logins):
        headers: dict[str, Any] = {**media, **({"Authorization": login} if login else {})}
        answer = cast.instance.http.post(f"/oauth/{name}", content=body, headers=headers)
        assert answer.status_code in (200, 400, 401), answer.text
        if answer.status_code != 200:
            assert answer.json()["error"]
    assert cast.instance.http.post(f"/oauth/{name}", json={}).status_code == 400
    assert cast.instance.http.get(f"/oauth/{name}").status_code == 405


@pytest.mark.parametrize(
    "query",
    ["", "client_id=%00", "client_id=x&client_id=y", "client_id=%FF", "response_type=%22&client_id=x"],
)
def test_a_request_that_names_no_application_is_a_page(cast: Cast, query: str) -> None:
    for method in ("GET", "POST"):
        with browser(cast.ed) as opened:
            answer = opened.request(method, f"/oauth/authorize?{query}")
        assert answer.status_code in (400, 415)
        assert answer.headers["content-type"].startswith("text/html")


def _whole(model: type[SQLModel]) -> Select[Any]:
    return select(*table(model).c)


def test_no_secret_is_in_the_log_or_stored_as_it_is(cast: Cast, caplog: pytest.LogCaptureFixture) -> None:
    """authlib logs the tokens that it issues, where somebody asks for its details."""
    program = Program(cast.instance, application(cast.ada, kind="confidential"))
    with caplog.at_level(logging.DEBUG):
        code = program.allowed(cast.ed)["code"]
        got = program.exchange(code).json()
        program.refresh(got["refresh_token"])
    logged = "\n".join(JsonLines().format(record) for record in caplog.records)
    secrets = (code, got["access_token"], got["refresh_token"], program.application["secret"])
    assert "Issue token" in logged
    assert not [each for each in secrets if each in logged]

    async def stored(cx: Context) -> str:
        tables = (Token, OAuthApplication, OAuthAuthorization, OAuthRefreshToken)
        return str([await cx.db.all(rows(partial(_whole, each))) for each in tables])

    kept = cast.instance.inside(stored)
    assert program.application["id"] in kept
    assert not [each for each in secrets if each in kept]
