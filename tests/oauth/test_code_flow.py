"""The authorization code flow, as programs and people meet it."""

from __future__ import annotations

from datetime import timedelta

import httpx
from sqlalchemy import select

from app.access.context import Context
from app.domain.accounts import sessions
from app.domain.accounts.sessions import Browser
from app.domain.organizations import users
from app.kit.database.statements import given, rows, table
from app.models.organizations import Organization
from app.models.sso import IdentityProvider
from tests import make
from tests.cast import Cast
from tests.oauth.client import (
    Program,
    application,
    arrived,
    browser,
    error_of,
    hidden,
    me,
    text_of,
)

IDENTITY_PROVIDERS, ORGANIZATIONS = table(IdentityProvider), table(Organization)
_PROVIDER = rows(
    lambda: (
        select(*IDENTITY_PROVIDERS.c, ORGANIZATIONS.c.title.label("organization_title"))
        .join(ORGANIZATIONS, ORGANIZATIONS.c.id == IDENTITY_PROVIDERS.c.organization_id)
        .where(IDENTITY_PROVIDERS.c.id == given("id"))
    )
)


def test_a_program_signs_somebody_in(cast: Cast) -> None:
    program = Program(cast.instance, application(cast.ada))
    back = program.allowed(cast.ed)
    assert back["state"] == "a-state"
    assert back["iss"] == cast.instance.base
    answer = program.exchange(back["code"])
    assert answer.status_code == 200, answer.text
    assert answer.headers["cache-control"] == "no-store"
    got = answer.json()
    assert got["token_type"] == "Bearer"
    assert got["expires_in"] == 3600
    assert got["scope"] == "read"
    assert me(cast.instance, got["access_token"]).json()["id"] == cast.ed.id
    fresh = program.refresh(got["refresh_token"]).json()
    assert me(cast.instance, fresh["access_token"]).json()["id"] == cast.ed.id
    assert fresh["refresh_token"] != got["refresh_token"]


def test_a_confidential_program_needs_its_secret(cast: Cast) -> None:
    program = Program(cast.instance, application(cast.ada, kind="confidential"))
    secret = program.application.pop("secret")
    code = program.allowed(cast.ed)["code"]
    assert error_of(program.exchange(code), 401) == "invalid_client"
    program.application["secret"] = "dcc_wrong"
    assert error_of(program.exchange(code), 401) == "invalid_client"
    program.application["secret"] = secret
    got = program.exchange(code).json()
    program.application["secret"] = ""
    assert error_of(program.refresh(got["refresh_token"]), 401) == "invalid_client"
    login = (program.application["id"], secret)
    sent = {"grant_type": "refresh_token", "refresh_token": got["refresh_token"]}
    assert cast.instance.http.post("/oauth/token", data=sent, auth=login).status_code == 200


def test_the_page_says_who_asks_and_for_what(cast: Cast) -> None:
    made = application(cast.ada, name="<b>Wick</b>", homepage="https://wick.example.org/about")
    with browser(cast.ed) as opened:
        page = opened.get(Program(cast.instance, made).address(scope="read space:content:write"))
    said = text_of(page)
    for words in (
        "<b>Wick</b> asks for access",
        "says that it belongs to wick.example.org",
        cast.ada.email,
        "You go on to app.example.org",
        cast.ed.email,
        "See everything that you can see",
        "Change pages and files",
        "Only Analytical Engines",
        "Refuse",
    ):
        assert words in said
    assert "<b>Wick" not in page.text
    policy = page.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in policy
    assert "form-action 'self' https://app.example.org;" in policy
    assert "script-src" not in policy.replace("default-src 'none'", "")


def test_somebody_who_is_not_signed_in_signs_in_first(cast: Cast) -> None:
    asked = Program(cast.instance, application(cast.ada)).address()
    answer = cast.instance.http.get(asked, headers={"Accept": "text/html"})
    assert answer.status_code == 303
    onward = httpx.URL(answer.headers["location"])
    assert str(onward).startswith(f"{cast.instance.base}/sign-in?")
    assert onward.params["next"] == asked


def test_somebody_refuses(cast: Cast) -> None:
    program = Program(cast.instance, application(cast.ada))
    with browser(cast.ed) as opened:
        form = {**hidden(opened.get(program.address())), "decision": "deny"}
        back = arrived(opened.post("/oauth/authorize", data=form))
    assert back["error"] == "access_denied"
    assert (back["state"], back["iss"]) == ("a-state", cast.instance.base)
    assert cast.ed.get("/v1/user/oauth-grants").json()["items"] == []


def test_a_consent_counts_again_for_the_same_and_for_less_only(cast: Cast) -> None:
    program = Program(cast.instance, application(cast.ada))
    program.tokens(cast.ed, scope="read openapi:read")
    with browser(cast.ed) as opened:
        assert program.exchange(arrived(opened.get(program.address(scope="read")))["code"]).status_code == 200
        more = opened.get(program.address(scope="read write"))
        assert more.status_code == 200
        assert "in your name" in text_of(more)
        assert opened.get(program.address(prompt="consent")).status_code == 200
    with browser(cast.ria) as opened:
        assert opened.get(program.address(scope="read")).status_code == 200


def test_at_a_loopback_address_somebody_is_always_asked(cast: Cast) -> None:
    place = "http://127.0.0.1:8123/back"
    program = Program(cast.instance, application(cast.ada, redirectURIs=[place]), place)
    program.tokens(cast.ed)
    with browser(cast.ed) as opened:
        assert opened.get(program.address()).status_code == 200


def test_a_consent_may_be_narrowed_to_an_organization(cast: Cast) -> None:
    async def join(cx: Context) -> None:
        from app.domain.organizations import organizations

        await organizations.add_member(cx, cast.elsewhere, cast.ed.id, "admin")

    cast.instance.inside(join)
    program = Program(cast.instance, application(cast.ada))
    got = program.tokens(cast.ed, cast.organization, prompt="consent")
    headers = {"Authorization": f"Bearer {got['access_token']}"}
    seen = cast.instance.http.get("/v1/orgs", headers=headers).json()["items"]
    assert [each["id"] for each in seen] == [cast.organization]
    (grant,) = cast.ed.get("/v1/user/oauth-grants").json()["items"]
    assert grant["organization"] == cast.organization
    with browser(cast.ed) as opened:
        form = {**hidden(opened.get(program.address(scope="write"))), "decision": "allow"}
        theirs = make.cast(cast.instance).organization
        refused = opened.post("/oauth/authorize", data={**form, "organization": theirs})
        assert refused.status_code == 400


def test_the_port_of_a_loopback_address_may_differ(cast: Cast) -> None:
    made = application(cast.ada, redirectURIs=["http://127.0.0.1/back", "http://localhost:4000/back"])
    with browser(cast.ed) as opened:

        def status(uri: str) -> int:
            return opened.get(Program(cast.instance, made, uri).address()).status_code

        assert status("http://127.0.0.1:51234/back") == 200
        assert status("http://127.0.0.1/back") == 200
        assert status("http://127.0.0.1:51234/other") == 400
        assert status("http://127.0.0.1:99999/back") == 400
        assert status("http://127.0.0.1:1@evil.example/back") == 400
        assert status("http://localhost:4001/back") == 400
        assert status("https://127.0.0.1:51234/back") == 400


def test_a_token_is_for_one_part_of_the_server(cast: Cast) -> None:
    program = Program(cast.instance, application(cast.ada))
    for resource in ("", "/v1", "/graphql"):
        named = f"{cast.instance.base}{resource}"
        got = program.tokens(cast.ed, resource=named, prompt="consent")
        assert me(cast.instance, got["access_token"]).status_code == 200
    got = program.tokens(cast.ed, resource=f"{cast.instance.base}/mcp", prompt="consent")
    assert me(cast.instance, got["access_token"]).status_code == 401
    headers = {"Authorization": f"Bearer {got['access_token']}"}
    assert (
        cast.instance.http.post("/graphql", json={"query": "{ me { id } }"}, headers=headers).status_code
        == 401
    )
    api = cast.instance.base
    assert error_of(program.refresh(got["refresh_token"], resource=api)) == "invalid_target"
    with browser(cast.ed) as opened:
        back = arrived(opened.get(program.address(resource="https://elsewhere.example.org")))
    assert back["error"] == "invalid_target"


def test_a_token_ends_with_its_grant_and_its_application(cast: Cast) -> None:
    made = application(cast.ada)
    program = Program(cast.instance, made)
    first = program.tokens(cast.ed)
    (grant,) = cast.ed.get("/v1/user/oauth-grants").json()["items"]
    assert grant["application"] == "Wick Trimmer"
    assert cast.ada.delete(f"/v1/user/oauth-grants/{grant['id']}").status_code == 404
    assert cast.ed.delete(f"/v1/user/oauth-grants/{grant['id']}").status_code == 205
    assert me(cast.instance, first["access_token"]).status_code == 401
    assert error_of(program.refresh(first["refresh_token"])) == "invalid_grant"
    second = program.tokens(cast.ed)
    assert cast.ed.delete(f"/v1/user/oauth-applications/{made['id']}").status_code == 404
    assert cast.ada.delete(f"/v1/user/oauth-applications/{made['id']}").status_code == 205
    assert me(cast.instance, second["access_token"]).status_code == 401
    assert error_of(program.refresh(second["refresh_token"]), 400) == "invalid_client"


def test_organizations_are_told_which_applications_their_people_let_in(cast: Cast) -> None:
    program = Program(cast.instance, application(cast.ada))
    program.tokens(cast.ed)
    program.tokens(cast.ed, cast.organization, prompt="consent")
    (everywhere, here) = cast.ed.get("/v1/user/oauth-grants").json()["items"]
    assert cast.ed.delete(f"/v1/user/oauth-grants/{everywhere['id']}").status_code == 205
    events = cast.ada.get(f"/v1/orgs/{cast.organization}/audit-events", params={"actor": cast.ed.id})
    assert [(told["action"], told["subject"]["id"]) for told in events.json()["items"]] == [
        ("revokeOAuthGrantById", everywhere["id"]),
        ("allowOAuthApplication", here["id"]),
        ("allowOAuthApplication", everywhere["id"]),
    ]
    first = events.json()["items"][-1]
    assert first["subject"] == {"type": "oauth-grant", "id": everywhere["id"], "title": "Wick Trimmer"}
    assert (first["face"], first["address"]) == ("browser", "127.0.0.1")


def test_a_token_that_its_person_revokes_is_not_refreshed(cast: Cast) -> None:
    program = Program(cast.instance, application(cast.ada))
    got = program.tokens(cast.ed)
    listed = cast.ed.get("/v1/user/tokens").json()["items"]
    (held,) = (each for each in listed if each["name"] == "Wick Trimmer")
    assert cast.ed.delete(f"/v1/user/tokens/{held['id']}").status_code == 205
    assert me(cast.instance, got["access_token"]).status_code == 401
    assert error_of(program.refresh(got["refresh_token"])) == "invalid_grant"


def test_a_program_signs_out(cast: Cast) -> None:
    program, other = (Program(cast.instance, application(each)) for each in (cast.ada, cast.sol))
    got = program.tokens(cast.ed)
    assert other.call("revoke", token=got["refresh_token"]).status_code == 400
    assert me(cast.instance, got["access_token"]).status_code == 200
    assert program.call("revoke", token="dcr_unknown").status_code == 200
    assert program.call("revoke", token=got["access_token"], token_type_hint="nonsense").status_code == 200
    assert me(cast.instance, got["access_token"]).status_code == 401
    assert error_of(program.refresh(got["refresh_token"])) == "invalid_grant"
    fresh = program.tokens(cast.ed, prompt="consent")
    assert program.call("revoke", token=fresh["refresh_token"]).status_code == 200
    assert me(cast.instance, fresh["access_token"]).status_code == 401
    assert error_of(program.refresh(fresh["refresh_token"])) == "invalid_grant"


def test_a_member_who_is_disabled_takes_the_programs_along(cast: Cast) -> None:
    program = Program(cast.instance, application(cast.ada))
    got = program.tokens(cast.ed)
    headers = {"Authorization": f"Bearer {got['access_token']}"}
    place = f"/v1/orgs/{cast.organization}"
    assert cast.instance.http.get(place, headers=headers).status_code == 200
    assert cast.ada.patch(f"{place}/members/{cast.ed.id}", {"disabled": True}).status_code == 200
    assert cast.instance.http.get(place, headers=headers).status_code == 404


def test_who_came_by_an_identity_provider_opens_its_organization_until_the_session_ends(cast: Cast) -> None:
    provider = make.provider(cast)

    async def begin(cx: Context) -> str:
        row = await cx.db.first(_PROVIDER, id=provider)
        user = await users.by_email(cx, cast.ed.email)
        until = cx.now + timedelta(minutes=30)
        begun = await sessions.begin_with_provider(cx, user, row, until, Browser(), with_token=False)
        return begun.session

    secret = cast.instance.inside(begin)
    program = Program(cast.instance, application(cast.ada))
    with browser(cast.ed, secret) as opened:
        page = opened.get(program.address())
        assert "All organizations" not in page.text
        form = {**hidden(page), "organization": "", "decision": "allow"}
        got = program.exchange(arrived(opened.post("/oauth/authorize", data=form))["code"]).json()
    assert got["expires_in"] <= 1800
    assert me(cast.instance, got["access_token"]).status_code == 200
    (grant,) = cast.ed.get("/v1/user/oauth-grants").json()["items"]
    assert grant["organization"] == cast.organization
    assert cast.ada.delete(f"/v1/orgs/{cast.organization}/saml/{provider}").status_code == 205
    assert me(cast.instance, got["access_token"]).status_code == 401
    assert error_of(program.refresh(got["refresh_token"])) == "invalid_grant"
