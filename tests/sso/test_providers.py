"""An organization's identity providers: made, changed, shown to whom."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.x509 import load_pem_x509_certificate

from tests import make, saml
from tests.cast import Cast
from tests.contract.test_errors import is_refused
from tests.local_server import Answer, Neighbour, sent

WHOLE = {"entityID": saml.ENTITY, "ssoURL": saml.SSO}


def address(cast: Cast, provider: str = "") -> str:
    return f"/v1/orgs/{cast.organization}/saml" + (f"/{provider}" if provider else "")


def made(cast: Cast, **fields: Any) -> dict[str, Any]:
    """A provider of the organization."""
    answer = cast.ada.post(address(cast), {"label": "Works", **fields})
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_a_provider_is_pending_until_it_has_all_three(cast: Cast) -> None:
    provider = made(cast)
    assert provider["status"] == "pending"
    assert provider["defaultRole"] is None
    assert not {"entityID", "certificate", "ssoURL", "defaultTeam"} & provider.keys()
    path = address(cast, provider["id"])
    logins = f"/v1/orgs/{cast.organization}/sso"
    facts = {**WHOLE, "certificate": saml.certificate()}
    for name, value in facts.items():
        assert cast.ada.get(logins).json() == {"items": []}
        provider = cast.ada.patch(path, {name: value}).json()
    assert provider["status"] == "active"
    assert provider == cast.ada.get(path).json()
    start = provider["service"]["startURL"]
    assert cast.ria.get(logins).json() == {
        "items": [{"id": provider["id"], "label": "Works", "startURL": start}]
    }
    for name in facts:
        assert cast.ada.patch(path, {name: None}).json()["status"] == "pending"
        assert cast.ada.patch(path, {name: facts[name]}).json()["status"] == "active"


def test_metadata_of_a_provider_set_all_three(cast: Cast) -> None:
    provider = made(cast, metadata=saml.metadata())
    assert provider["status"] == "active"
    assert {name: provider[name] for name in WHOLE} == WHOLE
    assert "metadata" not in provider
    path = address(cast, made(cast)["id"])
    changed = cast.ada.patch(path, {"label": "Office", "metadata": saml.metadata()}).json()
    assert (changed["label"], changed["status"], changed["ssoURL"]) == ("Office", "active", saml.SSO)
    assert cast.ada.patch(path, {"metadata": None}).json() == changed


def test_metadata_is_fetched_from_where_the_provider_publishes_it(cast: Cast, neighbour: Neighbour) -> None:
    neighbour.routes["/metadata"] = sent(saml.metadata(), "application/samlmetadata+xml")
    url = f"{neighbour.base}/metadata"
    provider = made(cast, metadataURL=url)
    assert provider["status"] == "active"
    assert {name: provider[name] for name in WHOLE} == WHOLE
    change = """mutation ($input: UpdateSAMLProviderInput!) { updateSAMLProvider(input: $input) {
        samlProvider { status ssoURL } userErrors { path message } } }"""
    own = {"organization": cast.organization, "samlProvider": made(cast)["id"]}
    found = cast.ada.ask(change, input={**own, "metadataURL": url})["updateSAMLProvider"]
    assert found["samlProvider"] == {"status": "ACTIVE", "ssoURL": saml.SSO}
    assert cast.cleo.post(address(cast), {"label": "Works", "metadataURL": url}).status_code == 403


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ((404, {}, b"gone"), "answered with status 404"),
        ((302, {"location": "https://login.example.org/"}, b""), "redirects"),
        (sent(b"<no", "text/xml"), "must be XML"),
        (sent(b"\xff\xfe<", "text/xml"), "must be XML in UTF-8"),
        (sent(b"x" * 200_001, "text/xml"), "more than 200000 bytes"),
    ],
)
def test_metadata_that_cannot_be_fetched_changes_nothing(
    cast: Cast, neighbour: Neighbour, answer: Answer, reason: str
) -> None:
    neighbour.routes["/metadata"] = answer
    before = made(cast, **WHOLE, certificate=saml.certificate())
    path = address(cast, before["id"])
    refused = is_refused(
        cast.ada.patch(path, {"metadataURL": f"{neighbour.base}/metadata", "label": "X"}), 400
    )
    assert refused["details"][0]["path"] == "metadataURL"
    assert reason in refused["details"][0]["message"]
    assert cast.ada.get(path).json() == before


@pytest.mark.parametrize(
    "url",
    [
        "http://login.example.org/metadata",
        "https://127.0.0.1/metadata",
        "https://10.0.0.1/",
        "file:///x",
        "x",
    ],
)
def test_metadata_comes_from_public_servers_over_https(cast: Cast, url: str) -> None:
    refused = is_refused(cast.ada.post(address(cast), {"label": "Works", "metadataURL": url}), 400)
    assert refused["details"][0]["path"] == "metadataURL"


def test_what_the_provider_is_told_comes_from_the_configured_address(cast: Cast) -> None:
    provider = cast.ada.post(address(cast), {"label": "Works"}, headers={"Host": "evil.example"}).json()
    here = f"{cast.instance.base}/sso/{provider['id']}"
    assert provider["service"] == {
        "acsURL": f"{here}/acs",
        "startURL": f"{here}/start",
        "entityID": f"{here}/metadata",
    }
    assert provider["urls"]["location"] == f"{cast.instance.base}{address(cast, provider['id'])}"


def test_the_certificate_may_be_bare(cast: Cast) -> None:
    der = load_pem_x509_certificate(saml.certificate().encode()).public_bytes(serialization.Encoding.DER)
    bare = b64encode(der).decode()
    for text in (bare, f"\n{bare[:64]}\n{bare[64:]}\n", saml.certificate().strip()):
        assert made(cast, **WHOLE, certificate=text)["status"] == "active"


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"label": ""}, "label"),
        ({"label": "x" * 31}, "label"),
        ({"label": None}, "label"),
        ({"entityID": "a b"}, "entityID"),
        ({"entityID": ""}, "entityID"),
        ({"entityID": "x" * 1025}, "entityID"),
        ({"ssoURL": "http://idp.example.org/sso"}, "ssoURL"),
        ({"ssoURL": "javascript:alert(1)"}, "ssoURL"),
        ({"ssoURL": "https://"}, "ssoURL"),
        ({"ssoURL": "https://ann:pass@idp.example.org/"}, "ssoURL"),
        ({"ssoURL": "https://idp.example.org:port/"}, "ssoURL"),
        ({"ssoURL": "https://idp.example.org/#top"}, "ssoURL"),
        ({"ssoURL": "https://idp.example.org/\r\nx: y"}, "ssoURL"),
        ({"ssoURL": "https://" + "x" * 2048}, "ssoURL"),
        ({"certificate": "no certificate"}, "certificate"),
        ({"certificate": ""}, "certificate"),
        ({"certificate": "x" * 10_001}, "certificate"),
        ({"certificate": "-----BEGIN CERTIFICATE-----\nYQ==\n-----END CERTIFICATE-----"}, "certificate"),
        ({"metadata": ""}, "metadata"),
        ({"metadata": "<no"}, "metadata"),
        ({"metadata": "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"}, "metadata"),
        ({"metadata": saml.metadata().replace("IDPSSODescriptor", "SPSSODescriptor")}, "metadata"),
        ({"metadata": saml.metadata().replace("HTTP-Redirect", "SOAP")}, "metadata"),
        ({"metadata": saml.metadata().replace("https://idp.example.org/sso", "javascript:x")}, "metadata"),
        ({"metadata": "x" * 200_001}, "metadata"),
        ({"metadata": saml.metadata(), "metadataURL": "https://idp.example.org/x"}, "metadataURL"),
        ({"defaultTeam": "nowhere"}, "defaultTeam"),
        ({"defaultRole": "owner"}, "defaultRole"),
    ],
)
def test_a_bad_provider_is_refused(cast: Cast, fields: dict[str, Any], path: str) -> None:
    answer = cast.ada.post(address(cast), {"label": "Works", **fields})
    assert is_refused(answer, 400)["details"][0]["path"] == path
    good = made(cast)
    answer = cast.ada.patch(address(cast, good["id"]), {"entityID": "urn:x", **fields})
    assert is_refused(answer, 400)["details"][0]["path"] == path
    assert cast.ada.get(address(cast, good["id"])).json() == good
    assert cast.ada.get(address(cast)).json()["count"] == 1


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ({"bits": 1024}, "2048 bits"),
        ({"begins": -9, "ends": -1}, "ran out"),
        ({"begins": 1, "ends": 9}, "not valid before"),
    ],
)
def test_a_certificate_that_proves_little(cast: Cast, keys: dict[str, int], reason: str) -> None:
    weak = saml.keys(**keys)  # type: ignore[arg-type]
    for text in (weak.pem, weak.pem + saml.certificate(), weak.private.read_text()):
        is_refused(cast.ada.post(address(cast), {"label": "Works", "certificate": text}), 400)
    answer = cast.ada.post(address(cast), {"label": "Works", "certificate": weak.pem})
    assert reason in answer.json()["error"]["message"]


def test_a_private_address_is_taken_where_it_is_allowed(cast: Cast) -> None:
    host = cast.instance.settings.outbound_allow.split(",")[0]
    assert made(cast, ssoURL=f"http://{host}/sso")["ssoURL"] == f"http://{host}/sso"


def test_the_team_is_one_of_the_organization_and_may_go(cast: Cast) -> None:
    theirs = cast.sol.put(f"/v1/orgs/{cast.elsewhere}/teams", {"title": "Gnomons"}).json()
    is_refused(cast.ada.post(address(cast), {"label": "Works", "defaultTeam": theirs["id"]}), 400)
    ours = cast.ada.put(f"/v1/orgs/{cast.organization}/teams", {"title": "Stokers"}).json()
    provider = made(cast, defaultTeam=ours["id"], defaultRole="review")
    assert provider["defaultTeam"] == cast.ada.get(f"/v1/orgs/{cast.organization}/teams/{ours['id']}").json()
    assert cast.ada.delete(f"/v1/orgs/{cast.organization}/teams/{ours['id']}").status_code == 205
    left = cast.ada.get(address(cast, provider["id"])).json()
    assert "defaultTeam" not in left
    assert left["defaultRole"] == "review"


@pytest.mark.parametrize("role", ["create", "review", "edit", "comment", "read", "guest"])
def test_only_administrators_see_and_change_providers(cast: Cast, role: str) -> None:
    provider, person = made(cast), cast.members[role]
    path = address(cast, provider["id"])
    is_refused(person.get(address(cast)), 403)
    is_refused(person.get(path), 403)
    is_refused(person.post(address(cast), {"label": "Mine"}), 403)
    is_refused(person.patch(path, {"label": "Mine"}), 403)
    is_refused(person.delete(path), 403)
    assert person.get(f"/v1/orgs/{cast.organization}/sso").status_code == 200
    assert cast.ada.get(path).json() == provider


def test_nobody_reaches_the_providers_of_others(cast: Cast) -> None:
    provider = made(cast)
    for path in (address(cast), address(cast, provider["id"]), f"/v1/orgs/{cast.organization}/sso"):
        is_refused(cast.sol.get(path), 404)
    mixed = f"/v1/orgs/{cast.elsewhere}/saml/{provider['id']}"
    is_refused(cast.sol.get(mixed), 404)
    is_refused(cast.sol.patch(mixed, {"label": "Mine"}), 404)
    is_refused(cast.sol.delete(mixed), 404)
    elsewhere = make.token(cast.ada, organization_id=cast.elsewhere)
    is_refused(elsewhere.get(f"/v1/orgs/{cast.organization}/sso"), 403)
    is_refused(elsewhere.get(address(cast)), 403)
    is_refused(make.token(cast.ada, read_only=True).delete(address(cast, provider["id"])), 403)
    assert cast.ada.get(address(cast, provider["id"])).json() == provider


def test_a_provider_that_is_gone(cast: Cast) -> None:
    idp = saml.idp(cast)
    ed = idp.person(cast.ed)
    assert cast.ada.delete(address(cast, idp.id)).status_code == 205
    is_refused(cast.ada.get(address(cast, idp.id)), 404)
    is_refused(cast.instance.http.get(idp.shown["service"]["startURL"]), 404)
    is_refused(ed.get(f"/v1/orgs/{cast.organization}"), 401)


def test_lists_go_on_where_they_ended(cast: Cast) -> None:
    ids = [made(cast, label=f"Works {n}")["id"] for n in range(3)]
    first = cast.ada.get(address(cast), params={"limit": 2}).json()
    rest = cast.ada.get(address(cast), params={"limit": 2, "page": first["next"]["page"]}).json()
    assert (first["count"], rest["count"]) == (3, 3)
    assert [p["id"] for p in first["items"] + rest["items"]] == ids
