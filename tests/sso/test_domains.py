"""A provider asserts people of domains that its organization has proven; who has an account accepts first
(threats, 43, 68, 74)."""

from __future__ import annotations

import re
from typing import Any

import httpx
import pytest

from app.kit.ids import new_id
from tests import make, saml
from tests.cast import Cast, Person
from tests.contract.test_errors import is_refused
from tests.factories import domains
from tests.instance import Instance
from tests.saml import Idp


@pytest.fixture
def cast(instance: Instance) -> Cast:
    """An organization that has proven nothing."""
    return make.cast(instance)


def theirs(cast: Cast, **fields: Any) -> Idp:
    """A provider of the other organization."""
    return saml.idp(cast, organization=cast.elsewhere, admin=cast.sol, **fields)


def members(cast: Cast) -> list[str]:
    """Return who belongs to the other organization."""
    found = cast.sol.get(f"/v1/orgs/{cast.elsewhere}/members").json()
    return [member["id"] for member in found["items"]]


def tells_nothing_of(answer: httpx.Response, person: Person) -> None:
    """An answer has no cookie, and nothing that its reader did not say."""
    assert "set-cookie" not in answer.headers
    for secret in (person.id, "Ed", "Analytical", "dcy_"):
        assert not re.search(rf"\b{secret}", answer.text.replace("accepted", ""))


def test_whoever_only_claims_a_domain_learns_and_gets_nothing(cast: Cast) -> None:
    """The attack step by step: a claim, a provider of one's own, an assertion about another's person."""
    organization = f"/v1/orgs/{cast.elsewhere}"
    stated = cast.sol.patch(organization, {"emailDomains": [cast.domain]})
    assert stated.json()["emailDomains"] == [cast.domain]
    idp, nobody = theirs(cast, defaultRole="read"), f"{new_id()}@{cast.domain}".lower()
    known, unknown = idp.sign_in(cast.ed.email), idp.sign_in(nobody)
    for answer in (known, unknown):
        assert "has not verified" in is_refused(answer, 403)["message"]
        tells_nothing_of(answer, cast.ed)
    assert known.json() == unknown.json()
    assert members(cast) == [cast.sol.id]
    assert cast.sol.get(f"{organization}/invites").json()["count"] == 0
    assert cast.sol.get(f"/v1/users/{cast.ed.id}").status_code == 404
    assert cast.ed.get(organization).status_code == 404
    is_refused(cast.ed.post(f"{organization}/join"), 404)
    assert cast.ed.get(f"/v1/email-domains/{cast.domain}/orgs").json() == {"organizations": []}
    assert cast.sol.get(f"/v1/email-domains/{cast.domain}/orgs").json() == {"organizations": []}
    inviting = {"emails": [nobody], "role": "read", "sso": True}
    assert cast.sol.post(f"{organization}/invites", inviting).json()["failedSSOEmails"] == [nobody]


def test_who_has_an_account_comes_in_after_accepting_and_not_before(cast: Cast) -> None:
    domains.proven(cast.sol, cast.elsewhere, cast.domain)
    idp, organization = theirs(cast, defaultRole="comment"), f"/v1/orgs/{cast.elsewhere}"
    asked = [idp.sign_in(cast.ed.email) for _ in range(2)]
    for answer in asked:
        message = is_refused(answer, 403)["message"]
        assert "has to accept" in message
        tells_nothing_of(answer, cast.ed)
    assert asked[0].json() == asked[1].json()
    assert members(cast) == [cast.sol.id]
    assert cast.sol.get(f"/v1/users/{cast.ed.id}").status_code == 404
    (invite,) = cast.sol.get(f"{organization}/invites").json()["items"]
    assert (invite["email"], invite["role"]) == (cast.ed.email, "comment")
    assert invite["urls"]["app"] in message
    path = invite["urls"]["location"].removeprefix(cast.instance.base)
    for other in (cast.ria, cast.sol, make.token(cast.ed, organization_id=cast.organization)):
        assert other.post(path).status_code in (403, 404)
    assert cast.ed.post(path).json() == {"organization": cast.elsewhere}
    ed = idp.person(cast.ed)
    assert ed.get(organization).status_code == 200
    is_refused(ed.get(f"/v1/orgs/{cast.organization}"), 403)
    assert ed.patch(f"/v1/users/{cast.ed.id}", {"displayName": "Mallory"}).status_code == 403
    shown = cast.sol.get(f"{organization}/members/{cast.ed.id}").json()
    assert shown["role"] == "comment"


def test_the_page_says_how_to_accept_and_signs_nobody_in(cast: Cast) -> None:
    domains.proven(cast.sol, cast.elsewhere, cast.domain)
    team = cast.sol.put(f"/v1/orgs/{cast.elsewhere}/teams", {"title": "Gnomons"}).json()["id"]
    idp = theirs(cast, defaultTeam=team)
    with idp.browser() as browser:
        page = idp.post(browser, idp.answer(idp.request_id(idp.begin(browser)), cast.ed.email))
        assert (page.status_code, browser.get("/sso/session").status_code) == (403, 401)
    said = saml.text_of(page.text)
    assert f"{cast.instance.base}/o/{cast.elsewhere}/invite/" in said
    tells_nothing_of(page, cast.ed)
    (invite,) = cast.sol.get(f"/v1/orgs/{cast.elsewhere}/invites").json()["items"]
    assert cast.ed.post(f"/v1/orgs/{cast.elsewhere}/invites/{invite['id']}").status_code == 200
    found = cast.sol.get(f"/v1/orgs/{cast.elsewhere}/teams/{team}/members").json()["items"]
    assert [member["organization"]["id"] for member in found] == [cast.ed.id]


def test_who_has_no_account_gets_one_of_a_proven_domain_only(cast: Cast) -> None:
    idp = saml.idp(cast, defaultRole="read")
    inside, outside = (f"{new_id()}@{domain}".lower() for domain in (cast.domain, domains.domain()))
    is_refused(idp.sign_in(inside), 403)
    domains.proven(cast.ada, cast.organization, cast.domain)
    assert idp.sign_in(inside).json()["user"]["email"] == inside
    is_refused(idp.sign_in(outside), 403)
    is_refused(idp.sign_in(inside.replace("@", "@sub.")), 403)


def test_a_member_of_another_domain_cannot_be_asserted_either(cast: Cast) -> None:
    domains.proven(cast.ada, cast.organization, cast.domain)
    idp, nell = saml.idp(cast), make.newcomer(cast, "Nell", "read", domain=domains.domain())
    is_refused(idp.sign_in(nell.email), 403)
    path = f"/v1/orgs/{cast.organization}/members"
    assert "verified" in is_refused(cast.ada.post(f"{path}/{nell.id}/sso"), 409)["message"]
    is_refused(cast.ada.patch(f"{path}/{nell.id}", {"sso": True}), 409)
    assert cast.ada.post(f"{path}/{cast.ed.id}/sso").status_code == 200


def test_a_domain_that_is_given_up_or_not_proven_any_more_lets_nobody_in(cast: Cast) -> None:
    claim = domains.proven(cast.ada, cast.organization, cast.domain)
    idp = saml.idp(cast)
    assert idp.sign_in(cast.ed.email).status_code == 200
    path = f"/v1/orgs/{cast.organization}/domains/{claim['id']}"
    assert cast.ada.delete(path).status_code == 205
    assert cast.ada.get(f"/v1/orgs/{cast.organization}").json()["emailDomains"] == []
    is_refused(idp.sign_in(cast.ed.email), 403)
    again = domains.claimed(cast.ada, cast.organization, cast.domain)
    assert again["record"] != claim["record"]  # what proved the one does not prove the other
    assert domains.verify(cast.ada, again)["status"] == "failed"
    is_refused(idp.sign_in(cast.ed.email), 403)


def test_the_domain_that_an_administrator_comes_in_by_stays_while_sso_is_asked_for(cast: Cast) -> None:
    claim = domains.proven(cast.ada, cast.organization, domains.domain(), cast.domain)
    idp = saml.idp(cast)
    ada, path = idp.person(cast.ada), f"/v1/orgs/{cast.organization}"
    assert ada.patch(path, {"sso": True}).status_code == 200
    is_refused(ada.delete(f"{path}/domains/{claim['id']}"), 409)
    is_refused(ada.patch(path, {"emailDomains": []}), 409)
    assert cast.domain in ada.patch(path, {"emailDomains": [cast.domain]}).json()["emailDomains"]
    assert ada.get(path).json()["emailDomains"] == [cast.domain]
    assert idp.sign_in(cast.ada.email).status_code == 200


def test_nothing_tells_who_has_an_account_and_nobody_is_pulled_in(cast: Cast) -> None:
    """Every way in, asked about somebody of another organization and about nobody: the answers are alike."""
    path, team = f"/v1/orgs/{cast.elsewhere}", {"title": "Gnomons"}
    team_path = f"{path}/teams/{cast.sol.put(f'{path}/teams', team).json()['id']}"
    space = f"/v1/spaces/{make.space(cast.sol, cast.elsewhere)['id']}/permissions"
    known = {"id": cast.ed.id, "email": cast.ed.email}
    nobody = {"id": new_id(), "email": f"ed.{new_id()}@{cast.domain}".lower()}
    saml.idp(cast, organization=cast.elsewhere, admin=cast.sol)

    def asked(who: dict[str, str]) -> list[tuple[int, str]]:
        id_, email = who["id"], who["email"]
        answers = [
            cast.sol.post(f"{path}/invites", {"emails": [email], "role": "read"}),
            cast.sol.put(f"{path}/teams", {**team, "members": [id_]}),
            cast.sol.put(f"{team_path}/members", {"add": [email]}),
            cast.sol.put(f"{team_path}/members", {"add": [id_]}),
            cast.sol.put(f"{team_path}/members/{id_}", {"role": "member"}),
            cast.sol.post(space, {"role": "edit", "users": [id_]}),
            cast.sol.get(f"{path}/members/{id_}"),
            cast.sol.patch(f"{path}/members/{id_}", {"role": "read"}),
            cast.sol.post(f"{path}/members/{id_}/sso"),
            cast.sol.get(f"{path}/members", params={"search": email}),
            cast.sol.get(f"/v1/users/{id_}"),
        ]
        return [(answer.status_code, _without(answer.text, who)) for answer in answers]

    assert asked(known) == asked(nobody)
    assert members(cast) == [cast.sol.id]
    assert cast.ed.get(path).status_code == 404
    assert [o["id"] for o in cast.ed.get("/v1/orgs").json()["items"]] == [cast.organization]


def _without(text: str, who: dict[str, str]) -> str:
    """An answer without what was asked, and without what is new in every answer."""
    for value in who.values():
        text = text.replace(value, "…")
    return re.sub(r"\b[0-9A-Za-z]{20}\b|\d{4}-\d\d-\d\dT[0-9:.]+Z", "…", text)
