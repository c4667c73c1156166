"""Sites for visitors who have signed in elsewhere: their tokens, and all the wrong ones (18 and 21)."""

from __future__ import annotations

import base64
import json
import re
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests import anonymous
from tests.cast import Cast
from tests.visitors import PublishedSite, token

FALLBACK = "https://login.example.org/start?app=docs"


@pytest.fixture
def site(cast: Cast) -> PublishedSite:
    """A site for visitors with a token."""
    made = PublishedSite(cast, visibility="visitor-auth")
    made.sign_in_at(FALLBACK)
    return made


def test_who_is_not_signed_in_is_sent_to_where_that_is_done(site: PublishedSite) -> None:
    answer = site.open("/guide/install?x=//evil.example")
    assert answer.status_code == 303
    where = urlsplit(answer.headers["location"])
    assert (where.scheme, where.netloc, where.path) == ("https", "login.example.org", "/start")
    assert parse_qs(where.query) == {"app": ["docs"], "location": ["/guide/install"]}
    assert answer.headers["cache-control"] == "private, no-store"
    for path in ("/guide/install.md", "/llms.txt", "/~/search?q=installer", "/~/tree"):
        refused = site.open(path)
        assert refused.status_code == 401, path
        assert "installer" not in refused.text


def test_the_way_there_names_a_path_of_the_site_and_nothing_else(site: PublishedSite) -> None:
    for path in (
        "//evil.example",
        "/https:/evil.example",
        "/%2f%2fevil.example",
        "/a?location=//evil.example",
    ):
        answer = site.open(path)
        if answer.status_code == 303:
            (location,) = parse_qs(urlsplit(answer.headers["location"]).query)["location"]
            assert location.startswith("/")
            assert not location.startswith("//")
        else:
            assert answer.status_code == 404
    answer = site.open("/a%26app=evil%23b")
    query = parse_qs(urlsplit(answer.headers["location"]).query)
    assert query == {"app": ["docs"], "location": ["/a%26app%3Devil%23b"]}, "it stays an address"


def test_a_token_is_traded_for_a_cookie(site: PublishedSite) -> None:
    with site.browser() as browser:
        made = token(site.key, sub="ann", plan="pro")
        entered = browser.get(f"/guide/install?jwt_token={made}")
        assert (entered.status_code, entered.headers["location"]) == (303, f"{site.base}/guide/install")
        assert "HttpOnly" in entered.headers["set-cookie"]
        page = browser.get("/guide/install")
        assert page.status_code == 200
        assert page.headers["cache-control"] == "private, no-store"
        assert made not in page.text
        assert f'href="{site.base}/~/sign-out"' in page.text
        assert browser.get("/llms.txt").status_code == 200


def test_programs_bring_the_token_in_a_header(site: PublishedSite) -> None:
    bearer = {"authorization": f"Bearer {token(site.key)}"}
    assert site.open("/guide/install.md", **bearer).status_code == 200
    assert site.open("/llms.txt", **bearer).status_code == 200
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert site.ask("POST", "/~/mcp", json=asked, headers=bearer).status_code == 200
    assert site.ask("POST", "/~/mcp", json=asked).status_code == 401


def test_signing_out_forgets(site: PublishedSite) -> None:
    with site.browser() as browser:
        browser.get(f"?jwt_token={token(site.key)}")
        assert browser.get("/~/sign-out", headers={"sec-fetch-site": "cross-site"}).status_code == 404
        assert browser.get("").status_code == 200
        out = browser.get("/~/sign-out", headers={"sec-fetch-site": "same-origin"})
        assert (out.status_code, out.headers["location"]) == (303, site.url)
        assert browser.get("").status_code == 303
    with site.browser() as browser:
        browser.get(f"?jwt_token={token(site.key)}")
        clicked = {"sec-fetch-site": "cross-site", "sec-fetch-user": "?1"}  # on a page in a sandbox
        assert browser.get("/~/sign-out", headers=clicked).status_code == 303
        assert browser.get("").status_code == 303
    site.patch(
        "/publishing/auth",
        {"backend": "custom", "fallbackURL": FALLBACK, "logoutURL": "https://example.org/bye"},
    )
    with site.browser() as browser:
        browser.get(f"?jwt_token={token(site.key)}")
        assert browser.get("/~/sign-out").headers["location"] == "https://example.org/bye"


def test_a_new_key_ends_what_the_old_one_began(site: PublishedSite) -> None:
    old = site.key
    with site.browser() as browser:
        browser.get(f"?jwt_token={token(old)}")
        picture = re.findall(r'src="([^"]+lamp.png)"', browser.get("").text)[0]
        assert anonymous.get(picture).status_code == 200
        site.post("/publishing/auth/regenerate", status=200)
        assert browser.get("").status_code == 303
        assert anonymous.get(picture).status_code == 404
    assert site.open(f"?jwt_token={token(old)}").status_code == 403
    assert site.open(f"?jwt_token={token(site.key)}").status_code == 303


def test_a_visit_ends_with_its_token(site: PublishedSite) -> None:
    key = site.key
    for seconds in (2, 8, 32):  # a slow machine may not come in before a short one has ended
        with site.browser() as browser:
            ends = int(time.time()) + seconds
            entered = browser.get(f"?jwt_token={token(key, seconds=None, exp=ends)}")
            assert entered.status_code == 303
            let_in = browser.get("").status_code == 200
            cookie = browser.cookies
        if let_in:
            break
    assert let_in
    url = site.url
    while time.time() < ends + 1:
        time.sleep(0.2)
    assert anonymous.get(url, headers={"cookie": cookie}).status_code == 303


def _unsigned(key: str) -> str:
    return token(key).rpartition(".")[0] + "."


def _changed(key: str) -> str:
    head, body, signature = token(key).split(".")
    claims = json.loads(base64.urlsafe_b64decode(body + "=="))
    body = base64.urlsafe_b64encode(json.dumps({**claims, "plan": "pro"}).encode()).decode().rstrip("=")
    return f"{head}.{body}.{signature}"


def _of_a_list(key: str) -> str:
    head, _, signature = token(key).split(".")
    return f"{head}.W10.{signature}"


WRONG: dict[str, Callable[[str], str]] = {
    "no algorithm": lambda key: token(key, {"alg": "none"}),
    "no algorithm, in capitals": lambda key: token(key, {"alg": "NONE"}),
    "without a signature": _unsigned,
    "changed": _changed,
    "another algorithm": lambda key: token(key, {"alg": "HS512"}),
    "claimed to be RSA": lambda key: token(key, {"alg": "RS256"}),
    "another key": lambda key: token(key + "x"),
    "the empty key": lambda key: token("\0"),
    "a key it brings": lambda key: token("mine", {"alg": "HS256", "jwk": {"kty": "oct", "k": "bWluZQ"}}),
    "a key it names": lambda key: token("mine", {"alg": "HS256", "kid": "../../../dev/null"}),
    "a key by injection": lambda key: token("mine", {"alg": "HS256", "kid": "' UNION SELECT 'mine"}),
    "a key it links to": lambda key: token("mine", {"alg": "HS256", "jku": "https://evil.example/keys"}),
    "critical parts": lambda key: token(key, {"alg": "HS256", "crit": ["exp2"], "exp2": 1}),
    "expired": lambda key: token(key, seconds=-3600),
    "without an end": lambda key: token(key, seconds=None),
    "an end that is text": lambda key: token(key, seconds=None, exp="9999999999"),
    "an end that is true": lambda key: token(key, seconds=None, exp=True),
    "an end beyond all time": lambda key: token(key, seconds=None, exp=10**300),
    "an end that is no number": lambda key: token(key, seconds=None, exp=float("nan")),
    "not yet": lambda key: token(key, nbf=int(time.time()) + 3600),
    "from the future": lambda key: token(key, iat=int(time.time()) + 3600),
    "for somebody else": lambda key: token(key, aud="another-site"),
    "for several others": lambda key: token(key, aud=["one", "two"]),
    "of somebody else": lambda key: token(key, iss="https://evil.example"),
    "huge": lambda key: token(key, note="x" * 5000),
    "with huge claims": lambda key: token(key, note="x" * 2100),
    "with a huge number": lambda key: token(key, note=10**400),
    "not three parts": lambda key: "a.b",
    "nothing readable": lambda key: "%25.%25.%25",
    "a list": _of_a_list,
    "deep": lambda key: token(key, a=json.loads("[" * 900 + "]" * 900)),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_token_lets_nobody_in(cast: Cast, name: str) -> None:
    site = PublishedSite(cast, visibility="visitor-auth")
    site.sign_in_at(FALLBACK)
    made = WRONG[name](site.key)
    for answer in (
        site.open(f"/guide/install?jwt_token={made}"),
        site.open("/guide/install.md", authorization=f"Bearer {made}"),
    ):
        assert answer.status_code in (401, 403), (name, answer.status_code)
        assert "set-cookie" not in answer.headers
        assert "installer" not in answer.text


def test_another_sites_key_lets_nobody_in(cast: Cast, site: PublishedSite) -> None:
    other = PublishedSite(cast, visibility="visitor-auth")
    assert site.open(f"?jwt_token={token(other.key)}").status_code == 403
    cookie = other.open(f"?jwt_token={token(other.key)}").headers["set-cookie"].partition(";")[0]
    assert site.open("", cookie=cookie.replace(other.id, site.id)).status_code == 303
    assert other.open("", cookie=cookie).status_code == 200


def test_whom_a_token_is_for_may_be_said(site: PublishedSite) -> None:
    rights: list[dict[str, Any]] = [
        {"aud": site.id},
        {"aud": [site.url, "other"]},
        {"iss": "https://login.example.org"},
        {"nbf": int(time.time())},
    ]
    for claims in rights:
        assert site.open(f"?jwt_token={token(site.key, **claims)}").status_code == 303, claims


def test_without_an_address_to_sign_in_at_that_is_said(cast: Cast) -> None:
    site = PublishedSite(cast, visibility="visitor-auth")
    answer = site.open("/guide")
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
    assert "Guide" not in answer.text
