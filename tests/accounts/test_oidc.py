"""Signing in through a real OpenID Connect provider: an organization's, and the server's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from urllib.parse import parse_qs, urlencode, urlsplit, urlunsplit

import httpx
import pytest

from app.domain.organizations import organizations
from tests import make
from tests.accounts import oidc
from tests.accounts.oidc import CLIENT, SECRET, sign_in_there
from tests.accounts.web_client import OURS, visit, who
from tests.cast import Cast
from tests.factories import domains
from tests.instance import Instance, running


@pytest.fixture(scope="module")
def issuer() -> Iterator[str]:
    with oidc.provider() as issuer:
        yield issuer


@pytest.fixture(scope="module")
def instance(new_database: Callable[[], str], issuer: str) -> Iterator[Instance]:
    """The product with a provider for everybody, which it may reach although its address is private."""
    settings = {"oidc_issuer": issuer, "oidc_client_id": CLIENT, "oidc_client_secret": SECRET}
    with running(new_database(), outbound_allow=urlsplit(issuer).netloc, **settings) as instance:
        yield instance


@pytest.fixture
def cast(instance: Instance) -> Cast:
    """A fresh organization that has proven the domain of everybody's address."""
    made = make.cast(instance)
    domains.proven(made.ada, made.organization, made.domain)
    return made


def connected(cast: Cast, issuer: str, **more: object) -> dict[str, str]:
    """A provider of the organization, as it is shown."""
    body = {"label": "Works", "issuer": issuer, "clientId": CLIENT, "clientSecret": SECRET, **more}
    made = cast.ada.post(f"/v1/orgs/{cast.organization}/oidc", body)
    assert made.status_code == 201, made.text
    shown: dict[str, str] = made.json()
    return shown


def begin(browser: httpx.Client, start: str, **query: str) -> str:
    """Begin to sign in; the address at the provider."""
    answer = browser.get(start, params=query)
    assert answer.status_code == 302, answer.text
    return answer.headers["location"]


def changed(address: str, **query: str | None) -> str:
    """An address with other values in its query; None removes one."""
    parts = urlsplit(address)
    now = {name: values[0] for name, values in parse_qs(parts.query).items()} | query
    kept = {name: value for name, value in now.items() if value is not None}
    return urlunsplit(parts._replace(query=urlencode(kept)))


def test_the_provider_of_the_server_signs_in_who_has_an_account(cast: Cast) -> None:
    with visit(cast.instance) as browser:
        page = browser.get("/sign-in", params={"next": "/graphql"})
        assert "oidc/server/start?next=/graphql" in page.text
        there = begin(browser, "/oidc/server/start", next="/graphql")
        asked = parse_qs(urlsplit(there).query)
        assert asked["code_challenge_method"] == ["S256"]
        done = browser.get(sign_in_there(browser, there, cast.ed.email))
        assert done.headers["location"] == f"{cast.instance.base}/graphql"
        assert who(browser) == cast.ed.email
        orgs = browser.get("/v1/orgs", headers={"Accept": "application/json", **OURS}).json()["items"]
        assert [each["id"] for each in orgs] == [cast.organization]


def test_the_provider_of_the_server_lets_nobody_in_who_is_not_expected(cast: Cast) -> None:
    with visit(cast.instance) as browser:
        refused = browser.get(
            sign_in_there(browser, begin(browser, "/oidc/server/start"), "stranger@elsewhere.example")
        )
        assert refused.status_code == 403
        assert "There is no account" in refused.text
        assert who(browser) is None


def test_somebody_invited_gets_an_account(cast: Cast) -> None:
    email = "olga@elsewhere.example"
    cast.ada.post(f"/v1/orgs/{cast.organization}/invites", {"emails": [email]})
    with visit(cast.instance) as browser:
        browser.get(sign_in_there(browser, begin(browser, "/oidc/server/start"), email))
        assert who(browser) == email
        shown = browser.get("/v1/user", headers={"Accept": "application/json", **OURS}).json()
        assert shown["displayName"] == "Olga Idony"


def test_an_address_that_is_not_verified_counts_for_nothing(cast: Cast, issuer: str) -> None:
    start = connected(cast, issuer)["service"]["startURL"]  # type: ignore[index]
    for address in ("/oidc/server/start", start):
        with visit(cast.instance) as browser:
            login = f"unverified:{cast.ed.email}"
            refused = browser.get(sign_in_there(browser, begin(browser, address), login))
            assert refused.status_code == 403
            assert "verified" in refused.text
            assert who(browser) is None


def test_a_provider_of_an_organization_opens_that_alone(cast: Cast, issuer: str) -> None:
    other = make.cast(cast.instance)
    cast.instance.inside(lambda cx: organizations.add_member(cx, other.organization, cast.ed.id, "read"))
    shown = connected(cast, issuer, defaultRole="edit")
    ways = cast.ed.get(f"/v1/orgs/{cast.organization}/sso").json()["items"]
    assert [each["startURL"] for each in ways] == [shown["service"]["startURL"]]  # type: ignore[index]
    new = f"new@{cast.domain}"
    with visit(cast.instance) as browser:
        browser.get(sign_in_there(browser, begin(browser, ways[0]["startURL"]), new))
        assert who(browser) == new
    with visit(cast.instance) as browser:
        browser.get(sign_in_there(browser, begin(browser, ways[0]["startURL"]), cast.ed.email))
        json = {"Accept": "application/json", **OURS}
        assert browser.get(f"/v1/orgs/{cast.organization}", headers=json).status_code == 200
        assert browser.get(f"/v1/orgs/{other.organization}", headers=json).status_code == 403
        assert cast.ada.delete(f"/v1/orgs/{cast.organization}/oidc/{shown['id']}").status_code == 205
        assert who(browser) is None  # the session ended with the provider


def test_a_provider_speaks_for_proven_domains_only(cast: Cast, issuer: str) -> None:
    start = connected(cast, issuer)["service"]["startURL"]  # type: ignore[index]
    with visit(cast.instance) as browser:
        refused = browser.get(sign_in_there(browser, begin(browser, start), "eve@elsewhere.example"))
        assert refused.status_code == 403
        assert "has not verified the domain elsewhere.example" in refused.text


def test_another_issuer_ends_what_the_provider_issued(cast: Cast, issuer: str) -> None:
    shown = connected(cast, issuer)
    with visit(cast.instance) as browser:
        start = shown["service"]["startURL"]  # type: ignore[index]
        browser.get(sign_in_there(browser, begin(browser, start), cast.ed.email))
        assert who(browser) == cast.ed.email
        path = f"/v1/orgs/{cast.organization}/oidc/{shown['id']}"
        assert cast.ada.patch(path, {"label": "Renamed", "clientSecret": SECRET}).status_code == 200
        assert who(browser) == cast.ed.email
        assert cast.ada.patch(path, {"clientId": "other"}).status_code == 200
        assert who(browser) is None


def test_what_was_changed_on_the_way_counts_for_nothing(cast: Cast, issuer: str) -> None:
    with visit(cast.instance) as browser, visit(cast.instance) as other:
        back = sign_in_there(browser, begin(browser, "/oidc/server/start"), cast.ed.email)
        state = parse_qs(urlsplit(back).query)["state"][0]
        for wrong in (
            changed(back, state=None),
            changed(back, state=state[:-1] + ("A" if state[-1] != "A" else "B")),
            changed(back, iss="https://evil.example"),
            changed(back, iss=None),  # the provider says that it always names itself
            changed(back, code=None),
            changed(back, code="guessed"),
            changed(back, error="access_denied"),
        ):
            refused = browser.get(wrong)
            assert refused.status_code == 403, wrong
        assert other.get(back).status_code == 403  # another browser did not begin
        theirs = connected(cast, issuer)["id"]
        assert browser.get(back.replace("/oidc/server/", f"/oidc/{theirs}/")).status_code == 403
        assert who(browser) is None
        assert who(other) is None


def test_an_answer_counts_once(cast: Cast) -> None:
    with visit(cast.instance) as browser:
        back = sign_in_there(browser, begin(browser, "/oidc/server/start"), cast.ed.email)
        assert browser.get(back).status_code == 303
        browser.post("/sign-out", headers=OURS)
        assert browser.get(back).status_code == 403  # the provider takes a code once
        assert who(browser) is None


def test_a_code_of_another_attempt_is_not_taken_in(cast: Cast) -> None:
    """What somebody else was given, put into the answer of one's own (code injection)."""
    with visit(cast.instance) as victim, visit(cast.instance) as attacker:
        stolen = sign_in_there(victim, begin(victim, "/oidc/server/start"), cast.ada.email)
        own = sign_in_there(attacker, begin(attacker, "/oidc/server/start"), cast.ed.email)
        code = parse_qs(urlsplit(stolen).query)["code"][0]
        assert attacker.get(changed(own, code=code)).status_code == 403
        assert who(attacker) is None


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("issuer", "http://192.0.2.1"),
        ("issuer", "https://login.example.org?tenant=1"),
        ("issuer", "ftp://login.example.org"),
        ("clientId", ""),
        ("clientSecret", None),
        ("defaultTeam", "none"),
    ],
)
def test_what_cannot_be_a_provider_is_refused(cast: Cast, issuer: str, field: str, value: object) -> None:
    body = {"label": "Works", "issuer": issuer, "clientId": "c", "clientSecret": "s", field: value}
    refused = cast.ada.post(f"/v1/orgs/{cast.organization}/oidc", body)
    assert refused.status_code == 400, refused.text
    assert field in refused.text


def test_nobody_but_administrators_sees_a_provider_and_nobody_its_secret(cast: Cast, issuer: str) -> None:
    shown = connected(cast, issuer)
    assert SECRET not in str(shown)
    path = f"/v1/orgs/{cast.organization}/oidc"
    assert SECRET not in cast.ada.get(path).text + cast.ada.get(f"{path}/{shown['id']}").text
    assert cast.ed.get(path).status_code == 403
    assert cast.sol.get(f"{path}/{shown['id']}").status_code == 404
    assert cast.ada.get(f"/v1/orgs/{cast.organization}/saml/{shown['id']}").status_code == 404


def test_a_provider_that_does_not_answer_is_told_in_a_sentence(cast: Cast) -> None:
    start = connected(cast, "https://login.invalid")["service"]["startURL"]  # type: ignore[index]
    with visit(cast.instance) as browser:
        answer = browser.get(start)
        assert answer.status_code == 409
        assert "cannot be reached" in answer.text
