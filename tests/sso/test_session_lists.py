"""Sessions as operations: people list and end their own, administrators those that their provider began."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

import httpx
import pytest

from app.domain.accounts import sessions
from app.domain.accounts.sessions import Browser
from app.domain.organizations import users
from app.kit.callers import browser_name
from app.kit.signing import token_hash
from app.models.access import Token
from tests import make, saml
from tests.cast import Cast, Person

OURS = {"Sec-Fetch-Site": "same-origin"}
SESSIONS = "/v1/user/sessions"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


def begun(person: Person, user_agent: str | None = FIREFOX) -> dict[str, str]:
    """The headers of a browser in which somebody has signed in by a link."""

    async def begin(cx: Any) -> str:
        user = await users.by_email(cx, person.email)
        return (await sessions.begin(cx, user, Browser(user_agent, "192.0.2.7"))).session

    return {"Cookie": f"docyard_session={person.instance.inside(begin)}", **OURS}


@contextmanager
def by_provider(idp: saml.Idp, email: str) -> Iterator[httpx.Client]:
    """A browser in which an identity provider has signed somebody in."""
    with idp.browser() as browser:
        answer = idp.post(browser, idp.answer(idp.request_id(idp.begin(browser)), email))
        assert answer.status_code == 200, answer.text
        browser.headers.update(OURS)
        yield browser


def asked(
    cast: Cast, headers: dict[str, str], path: str = "/v1/user", method: str = "GET", **body: Any
) -> Any:
    """A request of a browser."""
    return cast.instance.http.request(method, path, headers=headers, json=body or None)


def test_somebody_lists_the_browsers_and_ends_one(cast: Cast) -> None:
    here, there = begun(cast.ed), begun(cast.ed, "curl/8.5.0")
    first, second = asked(cast, here, SESSIONS).json()["items"]
    assert first["browser"] == "Firefox on Linux"
    assert (first["address"], first["current"]) == ("192.0.2.7", True)
    assert (second["browser"], second["current"]) == ("curl/8.5.0", False)
    assert here["Cookie"].partition("=")[2] not in str((first, second))
    assert asked(cast, there, SESSIONS).json()["items"][1]["current"] is True
    listed = cast.ed.ask("{ me { sessions { nodes { id restId browser current } } } }")["me"]["sessions"][
        "nodes"
    ]
    assert [each["current"] for each in listed] == [False, False], "a token asks"
    assert asked(cast, here, f"{SESSIONS}/{second['id']}", "DELETE").status_code == 205
    assert asked(cast, there).status_code == 401
    assert asked(cast, here).status_code == 200
    assert cast.ed.mutate("endSession", "deletedId", session=listed[0]["id"])["deletedId"] == listed[0]["id"]
    assert asked(cast, here).status_code == 401


def test_nobody_sees_or_ends_the_sessions_of_somebody_else(cast: Cast) -> None:
    theirs = begun(cast.ed)
    (session,) = asked(cast, theirs, SESSIONS).json()["items"]
    for person in (cast.ada, cast.sol):
        assert person.get(f"{SESSIONS}/{session['id']}").status_code == 404
        assert person.delete(f"{SESSIONS}/{session['id']}").status_code == 404
        assert person.post(f"{SESSIONS}/end", {"keepCurrent": False}).status_code == 204
    assert asked(cast, theirs).status_code == 200
    of_ed = f"/v1/orgs/{cast.organization}/members/{cast.ed.id}/sessions"
    assert cast.ada.get(of_ed).json()["items"] == [], "no provider of the organization began it"
    assert cast.ada.delete(of_ed).status_code == 205
    assert asked(cast, theirs).status_code == 200


def test_signing_out_everywhere_else_and_everywhere(cast: Cast) -> None:
    here, there = begun(cast.ed), begun(cast.ed)
    assert asked(cast, here, f"{SESSIONS}/end", "POST", keepCurrent=True).status_code == 204
    assert (asked(cast, here).status_code, asked(cast, there).status_code) == (200, 401)
    assert cast.ed.get("/v1/user").status_code == 200, "tokens live on"
    cast.ed.mutate("endSessions", keepCurrent=True)
    assert asked(cast, here).status_code == 401
    assert cast.ed.get("/v1/user").status_code == 200


def test_a_session_ends_when_it_was_not_used_for_long_on_pages_too(cast: Cast) -> None:
    """Its idle time begins anew with every use, however long ago it began."""
    browser = begun(cast.ed)
    secret = browser["Cookie"].partition("=")[2]
    page = {**browser, "Accept": "text/html"}

    def used(days: float) -> tuple[int, int]:
        async def put(cx: Any) -> None:
            times = {"created_at": cx.now - timedelta(days=20), "last_used_at": cx.now - timedelta(days=days)}
            await cx.tx.put(Token, times, hash=token_hash(secret))

        cast.instance.inside(put)
        shown = cast.instance.http.get("/account", headers=page, follow_redirects=False)
        return shown.status_code, asked(cast, browser).status_code

    assert used(days=13.9) == (200, 200)
    assert used(days=14.1) == (303, 401)


def test_narrowed_tokens_neither_see_nor_end_sessions(cast: Cast) -> None:
    here = begun(cast.ed)
    for narrowing in ({"scopes": ["read", "write"]}, {"is_agent": True}):
        narrow = make.token(cast.ed, **narrowing)
        assert narrow.get(SESSIONS).status_code == 403
        assert narrow.post(f"{SESSIONS}/end", {"keepCurrent": False}).status_code == 403
    only = make.token(cast.ed, organization_id=cast.organization)
    assert only.get(SESSIONS).json()["items"] == []
    assert only.post(f"{SESSIONS}/end", {"keepCurrent": False}).status_code == 204
    assert asked(cast, here).status_code == 200


@pytest.mark.parametrize("way", ["ended", "disabled", "left", "removed", "provider"])
def test_what_a_provider_began_ends_with_the_membership_and_the_provider(cast: Cast, way: str) -> None:
    idp, elsewhere = saml.idp(cast), begun(cast.ed)
    member = f"/v1/orgs/{cast.organization}/members/{cast.ed.id}"
    with by_provider(idp, cast.ed.email) as browser:
        (session,) = cast.ada.get(f"{member}/sessions").json()["items"]
        assert session["organization"] == cast.organization
        assert cast.cleo.get(f"{member}/sessions").status_code == 403
        assert [each["id"] for each in browser.get(SESSIONS).json()["items"]] == [session["id"]]
        match way:
            case "ended":
                assert cast.ada.delete(f"{member}/sessions").status_code == 205
            case "disabled":
                assert cast.ada.patch(member, {"disabled": True}).status_code == 200
                assert cast.ada.patch(member, {"disabled": False}).status_code == 200
            case "left":
                assert cast.ed.delete(member).status_code == 204
            case "removed":
                assert cast.ada.delete(member).status_code == 204
            case "provider":
                (provider,) = cast.ada.get(f"/v1/orgs/{cast.organization}/saml").json()["items"]
                gone = cast.ada.delete(f"/v1/orgs/{cast.organization}/saml/{provider['id']}")
                assert gone.status_code in (204, 205)
        assert browser.get("/v1/user").status_code == 401
    assert asked(cast, elsewhere).status_code == 200, "other sessions are not the organization's"
    opens = asked(cast, elsewhere, f"/v1/orgs/{cast.organization}").status_code
    assert opens == (404 if way in ("left", "removed") else 200)


@pytest.mark.parametrize(
    ("user_agent", "words"),
    [
        (FIREFOX, "Firefox on Linux"),
        ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 "
         "Safari/537.36 Edg/141.0.0.0", "Edge on Windows"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
         "Version/18.6 Mobile/15E148 Safari/604.1", "Safari on iOS"),
        ("Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0 Mobile "
         "Safari/537.36", "Chrome on Android"),
        ("curl/8.5.0", "curl/8.5.0"),
        ("x" * 500, "x" * 60),
        ("\x00\x1b[31m", "[31m"),
        ("", None),
        (None, None),
    ],
)  # fmt: skip
def test_a_browser_is_told_in_words(user_agent: str | None, words: str | None) -> None:
    assert browser_name(user_agent) == words


def test_a_session_opens_nothing_as_a_bearer_token(cast: Cast) -> None:
    secret = begun(cast.ed)["Cookie"].partition("=")[2]
    assert replace(cast.ed, token=secret).get("/v1/user").status_code == 401
