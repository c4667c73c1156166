"""A browser's session: what its cookies open, and for which requests they count (cross-site requests)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.cookies import Morsel, SimpleCookie

import httpx
import pytest
from starlette.requests import Request

from app import cookies
from app.kit.settings import Settings
from tests import make, saml
from tests.cast import Cast, Person
from tests.contract.test_errors import is_refused, is_refused_in_graphql
from tests.instance import running
from tests.saml import Idp

OURS = {"Sec-Fetch-Site": "same-origin"}
HEADER = {"X-Docyard-Session": "1"}
ASKED = {"query": "{ me { email } }"}


@contextmanager
def signed_in(idp: Idp, email: str) -> Iterator[httpx.Client]:
    """A browser in which somebody has signed in."""
    with idp.browser() as browser:
        answer = idp.post(browser, idp.answer(idp.request_id(idp.begin(browser)), email))
        assert answer.status_code == 200, answer.text
        yield browser


def test_the_page_shows_the_token_once_and_lets_nothing_else_in(cast: Cast) -> None:
    idp = saml.idp(cast)
    with idp.browser() as browser:
        answer = idp.post(browser, idp.answer(idp.request_id(idp.begin(browser)), cast.ed.email))
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"
        policy = answer.headers["content-security-policy"]
        for part in (
            "default-src 'none'",
            "frame-ancestors 'none'",
            "form-action 'self'",
            "style-src 'self'",
        ):
            assert part in policy
        assert "script" not in policy + answer.text
        said = saml.text_of(answer.text)
        assert cast.ed.email in said
        assert "Analytical Engines" in said
        token = next(word for word in said.split() if word.startswith("dcy_"))
        mine = cast.instance.http.get("/v1/user", headers={"Authorization": f"Bearer {token}"})
        assert mine.json()["id"] == cast.ed.id
        again = browser.get("/sso/session")
        assert cast.ed.email in again.text
        assert "dcy_" not in again.text


def test_the_cookies_are_out_of_reach_of_scripts_and_other_sites(cast: Cast) -> None:
    idp = saml.idp(cast)
    with signed_in(idp, cast.ed.email) as browser:
        secret = browser.cookies["docyard_session"]
    with idp.browser() as browser:
        answer = idp.post(browser, idp.answer(idp.request_id(idp.begin(browser)), cast.ed.email))
    found = _cookies(answer)
    assert found["docyard_session"]["httponly"]
    assert not found["docyard_signed_in"]["httponly"]
    for cookie in found.values():
        assert (cookie["samesite"], cookie["path"], cookie["domain"]) == ("lax", "/", "")
        assert 43_000 < int(cookie["max-age"]) <= 43_200
    assert secret.startswith("dcs_")
    assert found["docyard_session"].value != secret


def _cookies(answer: httpx.Response) -> dict[str, Morsel[str]]:
    jar: SimpleCookie = SimpleCookie()
    for line in answer.headers.get_list("set-cookie"):
        jar.load(line)
    return dict(jar)


def test_on_https_the_cookies_belong_to_this_host_alone() -> None:
    from starlette.responses import Response

    settings = Settings(base_url="https://docs.example.org/below")
    response = Response()
    cookies.mark_browser(response, settings, "mark")
    cookies.begin(response, settings, "dcs_x", 60)
    lines = [value.decode() for name, value in response.raw_headers if name == b"set-cookie"]
    browser, session, hint = sorted(lines, key=lambda line: ("browser" not in line, "signed_in" in line))
    assert browser.startswith("__Host-docyard_browser=mark;")
    assert "SameSite=none" in browser
    assert session.startswith("__Host-docyard_session=dcs_x;")
    assert "SameSite=lax" in session
    assert "HttpOnly" in session
    assert "HttpOnly" not in hint
    for line in lines:
        assert "Secure" in line
        assert "Path=/;" in line
        assert "Domain" not in line
    plain = {"type": "http", "headers": [(b"cookie", b"docyard_session=dcs_x")]}
    assert cookies.session(Request(plain), settings) is None


@pytest.mark.parametrize("headers", [OURS, HEADER, {**OURS, **HEADER}])
def test_a_session_opens_both_faces_to_pages_of_this_origin(cast: Cast, headers: dict[str, str]) -> None:
    with signed_in(saml.idp(cast), cast.ed.email) as browser:
        assert browser.get("/v1/user", headers=headers).json()["id"] == cast.ed.id
        answer = browser.post("/graphql", json=ASKED, headers=headers)
        assert answer.json()["data"] == {"me": {"email": cast.ed.email}}
        made = make.space(cast.ada, cast.organization)
        change = browser.patch(f"/v1/spaces/{made['id']}", json={"title": "Ours"}, headers=headers)
        assert change.json()["title"] == "Ours"


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
        {"Sec-Fetch-Site": "cross-site", **HEADER},
        {"Sec-Fetch-Site": "same-site", **HEADER},
        {"Origin": "https://evil.example"},
        {"Sec-Fetch-Site": "Same-Origin"},
    ],
)
def test_a_session_is_nothing_to_other_sites(cast: Cast, headers: dict[str, str]) -> None:
    made = make.space(cast.ada, cast.organization)
    path = f"/v1/spaces/{made['id']}"
    with signed_in(saml.idp(cast), cast.ada.email) as browser:
        for method, body in (("GET", None), ("PATCH", {"title": "Mine"}), ("DELETE", None)):
            is_refused(browser.request(method, path, json=body, headers=headers), 401)
        is_refused_in_graphql(browser.post("/graphql", json=ASKED, headers=headers), 401)
    assert cast.ada.get(path).json()["title"] == "Handbook"


def test_other_origins_may_not_send_the_header_that_counts(cast: Cast) -> None:
    """Where other origins may call, they ask before, and are not told that they may send it."""
    from tests.instance import running

    with running(cast.instance.settings.database, cors_origins="https://app.example.org") as instance:
        asked = {
            "Origin": "https://app.example.org",
            "Access-Control-Request-Method": "GET",
            "Access-Control-Request-Headers": "x-docyard-session",
        }
        answer = instance.http.options("/v1/user", headers=asked)
        assert answer.status_code == 400
        allowed = answer.headers.get("access-control-allow-headers", "").lower()
        assert "x-docyard-session" not in allowed


def test_a_header_is_judged_alone_and_neither_secret_passes_for_the_other(cast: Cast) -> None:
    idp = saml.idp(cast)
    with signed_in(idp, cast.ed.email) as browser:
        wrong = {"Authorization": "Bearer wrong", **OURS}
        is_refused(browser.get("/v1/user", headers=wrong), 401)
        secret = browser.cookies["docyard_session"]
    http = cast.instance.http
    is_refused(http.get("/v1/user", headers={"Authorization": f"Bearer {secret}"}), 401)
    as_cookie = {"Cookie": f"docyard_session={cast.ed.token}", **OURS}
    is_refused(http.get("/v1/user", headers=as_cookie), 401)


def test_a_session_opens_one_organization_only(cast: Cast) -> None:
    with signed_in(saml.idp(cast), cast.ed.email) as browser:
        assert browser.post("/v1/orgs", json={"title": "Mine"}, headers=OURS).status_code == 403
        assert browser.get(f"/v1/orgs/{cast.elsewhere}", headers=OURS).status_code == 404


@pytest.mark.parametrize("headers", [OURS, HEADER, "origin"])
def test_signing_out_ends_the_session_at_once(cast: Cast, headers: dict[str, str] | str) -> None:
    sent = {"Origin": cast.instance.base} if isinstance(headers, str) else headers
    with signed_in(saml.idp(cast), cast.ed.email) as browser:
        kept = {"Cookie": f"docyard_session={browser.cookies['docyard_session']}", **OURS}
        answer = browser.post("/sso/sign-out", headers=sent)
        assert answer.status_code == 200
        assert "Signed out" in answer.text
        assert "docyard_session" not in browser.cookies
        is_refused(cast.instance.http.get("/v1/user", headers=kept), 401)
        assert browser.get("/sso/session").status_code == 401


@pytest.mark.parametrize(
    "headers", [{}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.example"}, {"Origin": "null"}]
)
def test_no_other_site_signs_anybody_out(cast: Cast, headers: dict[str, str]) -> None:
    with signed_in(saml.idp(cast), cast.ed.email) as browser:
        assert browser.post("/sso/sign-out", headers=headers).status_code == 403
        assert browser.get("/sso/session").status_code == 200


def test_a_program_is_told_of_its_session_and_signs_out_too(cast: Cast) -> None:
    with signed_in(saml.idp(cast), cast.ed.email) as browser:
        browser.headers["accept"] = "application/json"
        found = browser.get("/sso/session", headers=OURS).json()
        assert (found["user"]["id"], found["organization"]) == (cast.ed.id, cast.organization)
        is_refused(browser.get("/sso/session", headers={"Sec-Fetch-Site": "cross-site"}), 401)
        assert browser.post("/sso/sign-out", headers=HEADER).status_code == 204
        is_refused(browser.get("/sso/session", headers=OURS), 401)


def test_a_session_of_who_is_disabled_opens_nothing(cast: Cast) -> None:
    with signed_in(saml.idp(cast), cast.ed.email) as browser:
        path = f"/v1/orgs/{cast.organization}"
        assert browser.get(path, headers=OURS).status_code == 200
        assert cast.ada.patch(f"{path}/members/{cast.ed.id}", {"disabled": True}).status_code == 200
        is_refused(browser.get(path, headers=OURS), 401)


@pytest.mark.parametrize("change", ["delete", "entityID", "certificate", "ssoURL"])
def test_what_a_provider_issued_ends_with_it_at_once_in_every_process(cast: Cast, change: str) -> None:
    idp, other = saml.idp(cast), saml.idp(cast, label="Other")
    ed, ria = idp.person(cast.ed), other.person(cast.ria)
    path = f"/v1/orgs/{cast.organization}"
    with signed_in(idp, cast.ed.email) as browser, running(cast.instance.settings.database) as beside:
        everywhere = [Person(instance, ed.id, ed.email, ed.token) for instance in (cast.instance, beside)]
        assert [person.get(path).status_code for person in everywhere] == [200, 200]
        if change == "delete":
            assert cast.ada.delete(f"{path}/saml/{idp.id}").status_code == 205
        else:
            cleared = cast.ada.patch(f"{path}/saml/{idp.id}", {change: None})
            assert cleared.json()["status"] == "pending"
        for person in everywhere:
            is_refused(person.get(path), 401)
        is_refused_in_graphql(ed.post("/graphql", ASKED), 401)
        assert browser.get("/sso/session").status_code == 401
        assert browser.post("/graphql", json=ASKED, headers=OURS).status_code == 401
    assert ria.get(path).status_code == 200
    assert cast.ed.get(path).status_code == 200


def test_another_label_or_certificate_of_a_provider_ends_nothing(cast: Cast) -> None:
    idp = saml.idp(cast)
    ed = idp.person(cast.ed)
    path = f"/v1/orgs/{cast.organization}/saml/{idp.id}"
    assert cast.ada.patch(path, {"label": "Upstairs"}).status_code == 200
    assert cast.ada.patch(path, {"certificate": saml.other_keys().pem}).status_code == 200
    assert ed.get(f"/v1/orgs/{cast.organization}").status_code == 200


def test_a_session_counts_for_scripts_of_the_origins_that_are_named(cast: Cast) -> None:
    ours, theirs = "https://app.example.org", "https://evil.example.org"
    script = {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors"}
    with signed_in(saml.idp(cast), cast.ed.email) as browser:
        secret = {"Cookie": f"docyard_session={browser.cookies['docyard_session']}"}
    with running(
        cast.instance.settings.database, cors_origins=f"{ours}, https://other.example.org"
    ) as instance:
        mine = instance.http.get("/v1/user", headers={**secret, **script, "Origin": ours})
        assert mine.json()["id"] == cast.ed.id
        assert mine.headers["access-control-allow-origin"] == ours
        assert mine.headers["access-control-allow-credentials"] == "true"
        for headers in (
            {**script, "Origin": theirs},
            {**script, "Origin": f"{ours}.evil.example"},
            {**script, "Origin": "null"},
            script,
            {"Origin": ours},
            {"Origin": ours, "Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate"},
            {"Origin": ours, "Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors"},
        ):
            is_refused(instance.http.get("/v1/user", headers={**secret, **headers}), 401)
    with running(cast.instance.settings.database, cors_origins="*") as instance:
        answer = instance.http.get("/v1/user", headers={**secret, **script, "Origin": ours})
        is_refused(answer, 401)
        assert "access-control-allow-credentials" not in answer.headers
