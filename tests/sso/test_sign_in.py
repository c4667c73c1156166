"""Signing in through a real identity provider: who comes in, as what, with what (threats, 43 and 44)."""

from __future__ import annotations

from base64 import b64decode
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit
from zlib import decompress

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.x509 import load_pem_x509_certificate
from lxml import etree
from pydantic import ValidationError

from app.kit.ids import new_id
from app.kit.settings import Settings
from tests import make, saml
from tests.cast import Cast, Person
from tests.contract.test_errors import is_refused
from tests.instance import running
from tests.saml import A, Idp, P
from tests.sso.attacks import at, later, text

ACTIVE = {"entityID": saml.ENTITY, "ssoURL": saml.SSO, "certificate": saml.certificate()}


def somebody(cast: Cast) -> str:
    """An address of the organization's domain that nobody has."""
    return f"nell.{new_id()}@{cast.domain}".lower()


def member(cast: Cast, email: str) -> dict[str, Any]:
    """A member of the organization, by address."""
    found = cast.ada.get(f"/v1/orgs/{cast.organization}/members", params={"search": email}).json()
    assert found["count"] == 1, found
    only: dict[str, Any] = found["items"][0]
    return only


def as_token(idp: Idp, answer: httpx.Response) -> Person:
    """Whoever signed in, with the token they got."""
    assert answer.status_code == 200, answer.text
    got = answer.json()
    return Person(idp.cast.instance, got["user"]["id"], got["user"]["email"], got["token"])


@pytest.mark.parametrize("signed", [["Assertion"], ["Response"], ["Assertion", "Response"]])
def test_who_is_new_becomes_a_member(cast: Cast, signed: list[str]) -> None:
    idp, email = saml.idp(cast, defaultRole="edit"), somebody(cast)
    answer = idp.sign_in(email, signed=signed, attributes={"displayName": "Nell Gwyn"})
    got = answer.json()
    assert got["organization"] == cast.organization
    assert (got["user"]["email"], got["user"]["displayName"]) == (email, "Nell Gwyn")
    nell = as_token(idp, answer)
    found = member(cast, email)
    assert (found["id"], found["role"], found["sso"]) == (nell.id, "edit", False)
    assert nell.get("/v1/user").json()["email"] == email
    assert [o["id"] for o in nell.get("/v1/orgs").json()["items"]] == [cast.organization]


def test_who_is_new_comes_as_a_guest_where_no_role_was_chosen_and_into_the_team(cast: Cast) -> None:
    team = cast.ada.put(f"/v1/orgs/{cast.organization}/teams", {"title": "Stokers"}).json()
    idp, email = saml.idp(cast, defaultTeam=team["id"]), somebody(cast)
    nell = as_token(idp, idp.sign_in(email))
    assert member(cast, email)["role"] is None
    members = cast.ada.get(f"/v1/orgs/{cast.organization}/teams/{team['id']}/members").json()
    assert [m["organization"]["id"] for m in members["items"]] == [nell.id]
    assert cast.ada.get(f"/v1/orgs/{cast.organization}/teams/{team['id']}").json()["members"] == 1
    idp.sign_in(email)
    assert cast.ada.get(f"/v1/orgs/{cast.organization}/teams/{team['id']}").json()["members"] == 1


def test_who_is_new_and_was_invited_to_the_providers_team_comes_into_it_once(cast: Cast) -> None:
    path = f"/v1/orgs/{cast.organization}/teams"
    team = cast.ada.put(path, {"title": "Stokers"}).json()["id"]
    idp, email = saml.idp(cast, defaultTeam=team), somebody(cast)
    assert cast.ada.put(f"{path}/{team}/members", {"add": [email]}).status_code == 204
    nell = as_token(idp, idp.sign_in(email))
    members = cast.ada.get(f"{path}/{team}/members").json()
    assert [m["organization"]["id"] for m in members["items"]] == [nell.id]
    assert cast.ada.get(f"{path}/{team}").json()["members"] == 1


def test_a_member_comes_in_as_what_they_are(cast: Cast) -> None:
    idp = saml.idp(cast, defaultRole="read")
    ed = as_token(idp, idp.sign_in(cast.ed.email.upper(), attributes={"displayName": "Somebody Else"}))
    assert ed.id == cast.ed.id
    found = member(cast, cast.ed.email)
    assert (found["role"], found["user"]["displayName"]) == ("edit", "Ed")
    space = make.space(cast.ada, cast.organization)
    assert ed.patch(f"/v1/spaces/{space['id']}", {"title": "Ours"}).status_code == 200


def test_the_address_may_be_an_attribute_of_the_signed_assertion(cast: Cast) -> None:
    idp, email = saml.idp(cast), somebody(cast)
    persistent = at(f".//{A}NameID", "Format", "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent")
    told = {"mail": email, "givenName": "Nell", "sn": "Gwyn"}
    answer = idp.sign_in("7f2c", before=persistent, attributes=told)
    assert answer.json()["user"]["email"] == email, answer.text
    assert answer.json()["user"]["displayName"] == "Nell Gwyn"
    two = {"mail": [email, somebody(cast)]}
    for attributes in (two, {}):
        refused = idp.sign_in("7f2c", before=persistent, attributes=attributes)
        assert "one e-mail address" in is_refused(refused, 403)["message"]


def test_a_token_ends_with_the_session_at_the_provider_and_opens_one_organization(cast: Cast) -> None:
    idp = saml.idp(cast)
    soon = later(30)
    answer = idp.sign_in(cast.ed.email, before=at(f".//{A}AuthnStatement", "SessionNotOnOrAfter", soon))
    assert answer.json()["expiresAt"] == soon
    ed = as_token(idp, answer)
    assert ed.get(f"/v1/orgs/{cast.organization}").status_code == 200
    assert ed.post("/v1/orgs", {"title": "My own"}).status_code == 403


def test_an_answer_counts_once(cast: Cast) -> None:
    idp = saml.idp(cast)
    with idp.browser() as browser:
        response = idp.answer(idp.request_id(idp.begin(browser)), cast.ed.email)
        browser.headers["accept"] = "application/json"
        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(lambda _: idp.post(browser, response), range(4)))
        assert sorted(a.status_code for a in answers)[0] == 200
        assert all(a.status_code in (403, 409) for a in answers if a.status_code != 200)
        assert [a.status_code for a in answers].count(200) == 1
        assert "already been used" in is_refused(idp.post(browser, response), 403)["message"]


def test_another_answer_to_the_same_request_and_the_same_assertion_again(cast: Cast) -> None:
    idp = saml.idp(cast)
    with idp.browser() as browser:
        browser.headers["accept"] = "application/json"
        first = idp.request_id(idp.begin(browser))
        one_id = at(f"{A}Assertion", "ID", "_the-same")
        assert idp.post(browser, idp.answer(first, cast.ed.email, before=one_id)).status_code == 200
        is_refused(idp.post(browser, idp.answer(first, cast.ed.email)), 403)
        second = idp.request_id(idp.begin(browser))
        is_refused(idp.post(browser, idp.answer(second, cast.ed.email, before=one_id)), 403)
        assert idp.post(browser, idp.answer(second, cast.ed.email)).status_code == 200


def _page(idp: Idp, email: str, **fields: str) -> httpx.Response:
    with idp.browser() as browser:
        return idp.post(browser, idp.answer(idp.request_id(idp.begin(browser)), email), **fields)


def test_a_disabled_member_stays_outside(cast: Cast) -> None:
    idp = saml.idp(cast)
    ed = as_token(idp, idp.sign_in(cast.ed.email))
    path = f"/v1/orgs/{cast.organization}/members/{cast.ed.id}"
    assert cast.ada.patch(path, {"disabled": True}).status_code == 200
    assert "disabled" in is_refused(idp.sign_in(cast.ed.email), 403)["message"]
    assert ed.get(f"/v1/orgs/{cast.organization}").status_code == 404


def test_a_request_as_the_provider_reads_it(cast: Cast) -> None:
    idp = saml.idp(cast, ssoURL="https://idp.example.org/sso?tenant=7")
    with idp.browser() as browser:
        there = idp.begin(browser, RelayState="/graphql")
    assert there.startswith("https://idp.example.org/sso?tenant=7&SAMLRequest=")
    query = parse_qs(urlsplit(there).query)
    assert query["RelayState"] == ["/graphql"]
    message = etree.fromstring(decompress(b64decode(query["SAMLRequest"][0]), -15))
    assert message.tag == f"{P}AuthnRequest"
    assert message.get("Destination") == "https://idp.example.org/sso?tenant=7"
    assert message.get("AssertionConsumerServiceURL") == idp.acs
    assert message.findtext(f"{A}Issuer") == idp.shown["service"]["entityID"]


@pytest.mark.parametrize(
    ("wanted", "leads"),
    [
        ("/graphql", True),
        ("/docs#tag/spaces", True),
        ("//evil.example", False),
        ("/\\evil.example", False),
        ("https://evil.example/", False),
        ("javascript:alert(1)", False),
        ("evil", False),
        ("/a\r\nSet-Cookie: x=y", False),
        ("/" + "x" * 100, False),
        ("", False),
    ],
)
def test_the_way_back_is_a_path_of_ours_or_none(cast: Cast, wanted: str, leads: bool) -> None:
    idp = saml.idp(cast)
    with idp.browser() as browser:
        there = parse_qs(urlsplit(idp.begin(browser, RelayState=wanted)).query)
        assert ("RelayState" in there) is leads
    back = _page(idp, cast.ed.email, RelayState=wanted)
    if leads:
        assert (back.status_code, back.headers["location"]) == (303, f"{cast.instance.base}{wanted}")
    else:
        assert back.status_code == 200
        assert "location" not in back.headers
        assert "dcy_" in back.text


def test_what_is_not_there_or_not_ready(cast: Cast) -> None:
    http = cast.instance.http
    for name in ("start", "metadata"):
        is_refused(http.get(f"/sso/nowhere/{name}"), 404)
    is_refused(http.post("/sso/nowhere/acs", data={"SAMLResponse": "YQ=="}), 404)
    pending = cast.ada.post(f"/v1/orgs/{cast.organization}/saml", {"label": "Soon"}).json()["service"]
    is_refused(http.get(pending["startURL"]), 409)
    is_refused(http.post(pending["acsURL"], data={"SAMLResponse": "YQ=="}), 409)
    metadata = http.get(pending["entityID"])
    assert metadata.headers["content-type"].startswith("application/samlmetadata+xml")
    for path, method in (("start", "POST"), ("acs", "GET"), ("metadata", "POST")):
        is_refused(http.request(method, f"/sso/x/{path}"), 405)


def test_a_provider_that_is_changed_between_request_and_answer(cast: Cast) -> None:
    idp = saml.idp(cast)
    with idp.browser() as browser:
        browser.headers["accept"] = "application/json"
        response = idp.answer(idp.request_id(idp.begin(browser)), cast.ed.email)
        path = f"/v1/orgs/{cast.organization}/saml/{idp.id}"
        assert cast.ada.patch(path, {"certificate": saml.other_keys().pem}).status_code == 200
        is_refused(idp.post(browser, response), 403)
        assert cast.ada.patch(path, {"certificate": saml.certificate()}).status_code == 200
        assert idp.post(browser, response).status_code == 200


def test_a_name_is_shown_without_what_hides_in_it(cast: Cast) -> None:
    idp, email = saml.idp(cast), somebody(cast)
    strange = {"displayName": "Nell\u202e\n\t " + "x" * 100 + "<script>"}
    user = idp.sign_in(email, attributes=strange).json()["user"]
    assert user["displayName"] == "Nell " + "x" * 59
    other = somebody(cast)
    page = _page_named(idp, other, "<b>Nell</b>")
    assert "&lt;b&gt;Nell&lt;/b&gt;" in page.text


def _page_named(idp: Idp, email: str, name: str) -> httpx.Response:
    with idp.browser() as browser:
        request_id = idp.request_id(idp.begin(browser))
        return idp.post(browser, idp.answer(request_id, email, attributes={"displayName": name}))


def test_the_text_of_a_name_is_read_whole(cast: Cast) -> None:
    """What one reader might cut at a line is one address or none."""
    idp = saml.idp(cast)
    for cut in (f"{cast.ada.email}\n.evil.example", f"{cast.ada.email} .evil.example"):
        is_refused(idp.sign_in("x@example.org", before=text(f".//{A}NameID", cut)), 403)


def test_requests_are_signed_where_there_is_a_key(cast: Cast, tmp_path: Path) -> None:
    own = saml.keys(name="docs.example.org")
    both = tmp_path / "saml.pem"
    both.write_text(own.pem + own.private.read_text())
    made = cast.ada.post(f"/v1/orgs/{cast.organization}/saml", {"label": "Works", **ACTIVE}).json()
    with running(cast.instance.settings.database, saml_key=str(both)) as instance:
        metadata = instance.http.get(f"/sso/{made['id']}/metadata").text
        there = instance.http.get(f"/sso/{made['id']}/start").headers["location"]
    assert "".join(own.pem.split("-----")[2].split()) in metadata
    assert 'AuthnRequestsSigned="true"' in metadata
    signed, _, signature = urlsplit(there).query.partition("&Signature=")
    key = load_pem_x509_certificate(own.pem.encode()).public_key()
    assert isinstance(key, RSAPublicKey)
    key.verify(b64decode(unquote(signature)), signed.encode(), PKCS1v15(), SHA256())


@pytest.mark.parametrize("text", ["nowhere.pem", "-----BEGIN nothing", saml.certificate()])
def test_a_key_that_is_none_stops_the_start(text: str) -> None:
    with pytest.raises(ValidationError, match="must"):
        Settings(saml_key=text)
