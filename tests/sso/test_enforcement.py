"""Asking for single sign-on closes the other ways in, and nobody locks themselves out."""

from __future__ import annotations

import pytest

from tests import make, saml
from tests.cast import Cast, Person
from tests.change_stream import subscribed
from tests.cli.command import docyard
from tests.contract.test_errors import is_refused
from tests.factories import collections, domains
from tests.factories.openapi import left_alone, spec
from tests.visitors import PublishedSite

JOBS = "subscription ($organization: ID) { jobChanged(organization: $organization) { kind action } }"

HTML = 'query ($space: ID!) { space(id: $space) { page(path: "readme") { html } } }'


def enforced(cast: Cast) -> tuple[saml.Idp, Person]:
    """An organization that asks for it, and its administrator, who has signed in."""
    idp = saml.idp(cast)
    ada = idp.person(cast.ada)
    answer = ada.patch(f"/v1/orgs/{cast.organization}", {"sso": True})
    assert answer.status_code == 200, answer.text
    return idp, ada


def test_it_needs_an_active_provider_and_an_administrator_who_came_through_it(cast: Cast) -> None:
    path = f"/v1/orgs/{cast.organization}"
    assert "set one up" in is_refused(cast.ada.patch(path, {"sso": True}), 409)["message"]
    cast.ada.post(f"{path}/saml", {"label": "Soon"})
    is_refused(cast.ada.patch(path, {"sso": True}), 409)
    idp = saml.idp(cast)
    is_refused(cast.ada.patch(path, {"sso": True}), 409)
    idp.person(cast.ed)
    assert "No administrator" in is_refused(cast.ada.patch(path, {"sso": True}), 409)["message"]
    idp.person(cast.ada)
    assert cast.ada.patch(path, {"sso": True}).json()["sso"] is True
    is_refused(cast.ada.get(path), 403)


def test_it_closes_every_other_token_on_both_faces(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)
    idp, ada = enforced(cast)
    path = f"/v1/orgs/{cast.organization}"
    for person in (cast.ada, cast.ed, make.token(cast.ed, organization_id=cast.organization)):
        for address in (path, f"/v1/spaces/{space['id']}"):
            said = is_refused(person.get(address), 403)["message"]
            assert "single sign-on" in said
            assert f"{path}/sso" in said
        answer = person.gql("query($id: ID!) { space(id: $id) { title } }", id=space["id"])
        assert answer["errors"][0]["extensions"]["status"] == 403
        logins = person.get(f"{path}/sso").json()["items"]
        assert [login["startURL"] for login in logins] == [idp.shown["service"]["startURL"]]
    ed = idp.person(cast.ed)
    assert ed.get(f"/v1/spaces/{space['id']}").status_code == 200
    assert ada.patch(path, {"sso": False}).status_code == 200
    assert cast.ed.get(path).status_code == 200


def test_it_ends_subscriptions_of_every_other_token(cast: Cast) -> None:
    ada = saml.idp(cast).person(cast.ada)
    source = {"type": "file", "files": [{"name": "README.md", "base64": "IyBIaQo="}]}
    with subscribed(cast.ada, JOBS, organization=cast.organization) as stream:
        assert ada.patch(f"/v1/orgs/{cast.organization}", {"sso": True}).status_code == 200
        made = ada.post(f"/v1/orgs/{cast.organization}/imports", {"source": source, "target": {}})
        assert made.status_code == 201, made.text
        assert stream.refusal() == "FORBIDDEN"


def test_a_public_page_shows_other_tokens_what_it_shows_to_strangers(cast: Cast) -> None:
    with left_alone():
        spec(cast)
    text = '# API\n\n{% openapi-operation spec="kennel" path="/pets" method="get" %}\n'
    text += "Inside\n{% endopenapi-operation %}\n"
    site = PublishedSite(cast, files={"README.md": text})
    idp, _ada = enforced(cast)
    shown = {
        name: person.ask(HTML, space=site.spaces[0])["space"]["page"]["html"]
        for name, person in {"signed in": idp.person(cast.ria), "not": cast.ria, "stranger": cast.sol}.items()
    }
    assert "List pets" in shown["signed in"]
    assert "List pets" not in shown["not"]
    assert shown["not"] == shown["stranger"]


def test_it_closes_nothing_elsewhere(cast: Cast) -> None:
    enforced(cast)
    assert cast.sol.get(f"/v1/orgs/{cast.elsewhere}").status_code == 200
    mine = cast.ed.post("/v1/orgs", {"title": "My own"}).json()
    assert cast.ed.get(f"/v1/orgs/{mine['id']}").status_code == 200
    assert [o["id"] for o in cast.ed.get("/v1/orgs").json()["items"]] == [mine["id"]]


def test_a_sign_in_elsewhere_does_not_count(cast: Cast) -> None:
    enforced(cast)
    theirs = saml.idp(cast, organization=cast.elsewhere, admin=cast.sol)
    domain = domains.domain()
    domains.proven(cast.sol, cast.elsewhere, domain)
    nell = make.newcomer(cast, "Nell", "read", domain=domain)
    collections.joins(cast, nell, cast.elsewhere, "read")
    is_refused(theirs.person(nell).get(f"/v1/orgs/{cast.organization}"), 403)


def test_a_member_needs_an_active_provider_too(cast: Cast) -> None:
    path = f"/v1/orgs/{cast.organization}/members/{cast.ed.id}"
    is_refused(cast.ada.post(f"{path}/sso"), 409)
    is_refused(cast.ada.patch(path, {"sso": True}), 409)
    idp = saml.idp(cast)
    assert cast.ada.post(f"{path}/sso").json()["sso"] is True
    is_refused(cast.ed.get(f"/v1/orgs/{cast.organization}"), 403)
    assert cast.ria.get(f"/v1/orgs/{cast.organization}").status_code == 200
    assert idp.person(cast.ed).get(f"/v1/orgs/{cast.organization}").status_code == 200
    is_refused(cast.ada.delete(f"/v1/orgs/{cast.organization}/saml/{idp.id}"), 409)


@pytest.mark.parametrize("field", ["entityID", "certificate", "ssoURL"])
def test_the_last_active_provider_stays_as_long_as_it_is_asked_for(cast: Cast, field: str) -> None:
    idp, ada = enforced(cast)
    path = f"/v1/orgs/{cast.organization}/saml"
    is_refused(ada.delete(f"{path}/{idp.id}"), 409)
    is_refused(ada.patch(f"{path}/{idp.id}", {field: None}), 409)
    assert ada.patch(f"{path}/{idp.id}", {"label": "Works, upstairs"}).json()["status"] == "active"
    other = saml.idp(cast, admin=ada, label="Other")
    is_refused(ada.delete(f"{path}/{idp.id}"), 409)  # through the other nobody has come yet
    ada = other.person(cast.ada)
    assert ada.delete(f"{path}/{idp.id}").status_code == 205
    is_refused(ada.delete(f"{path}/{other.id}"), 409)
    assert ada.patch(f"/v1/orgs/{cast.organization}", {"sso": False}).status_code == 200
    assert ada.delete(f"{path}/{other.id}").status_code == 205


def test_who_is_locked_out_gets_back_in_from_the_command_line(cast: Cast) -> None:
    idp, ada = enforced(cast)
    assert ada.post(f"/v1/orgs/{cast.organization}/members/{cast.ed.id}/sso").status_code == 200
    is_refused(cast.ada.get(f"/v1/orgs/{cast.organization}"), 403)
    ran = docyard("sso", "off", "--org", cast.organization, database=cast.instance.settings.database)
    assert ran.returncode == 0, ran.stderr
    assert "no longer" in ran.stderr
    for person in (cast.ada, cast.ed):
        assert person.get(f"/v1/orgs/{cast.organization}").status_code == 200
    assert idp.sign_in(cast.ed.email).status_code == 200
    unknown = docyard("sso", "off", "--org", "nowhere", database=cast.instance.settings.database)
    assert unknown.returncode == 1
