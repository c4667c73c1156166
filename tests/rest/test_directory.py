"""Finding organizations and people: strangers learn nothing (threats, 13)."""

from __future__ import annotations

from typing import Any

import pytest

from tests import make
from tests.cast import Cast, Person
from tests.factories import collections, domains


def of_domain(person: Person, domain: str) -> list[dict[str, Any]]:
    answer = person.get(f"/v1/email-domains/{domain}/orgs")
    assert answer.status_code == 200, answer.text
    assert answer.json().keys() == {"organizations"}
    found: list[dict[str, Any]] = answer.json()["organizations"]
    return found


def ids(person: Person, domain: str) -> list[str]:
    return [organization["id"] for organization in of_domain(person, domain)]


@pytest.fixture
def domain(cast: Cast) -> str:
    """A domain of the organization's that nobody else has."""
    domain = domains.domain()
    domains.proven(cast.ada, cast.organization, domain)
    collections.patched(cast.ada, f"/v1/orgs/{cast.organization}", {"emailDomains": ["example.net", domain]})
    return domain


def test_a_domain_names_what_the_caller_belongs_to_or_could_join(cast: Cast, domain: str) -> None:
    nell = make.somebody(cast.instance, "Nell", domain=domain)
    for person in (nell, cast.ada, cast.gus):
        assert ids(person, domain) == ids(person, domain.upper()) == [cast.organization]
    (stranger,) = of_domain(nell, domain)
    assert not any(stranger["permissions"].values())
    assert nell.post(f"/v1/orgs/{cast.organization}/join").status_code == 204
    assert of_domain(nell, domain)[0]["permissions"]["view"]


def test_a_domain_tells_strangers_nothing(cast: Cast, domain: str) -> None:
    near = make.somebody(cast.instance, "Nell", domain=f"x.{domain}")
    for person in (cast.sol, near):
        for asked in (domain, "nowhere.example.org", "%", f"_{domain[1:]}", "%2525", "x"):
            assert of_domain(person, asked) == []
    mine = make.somebody(cast.instance, "Nell", domain=domain)
    assert ids(mine, "example.net") == ids(mine, f"_{domain[1:]}") == []
    elsewhere = make.token(mine, organization_id=cast.elsewhere)
    assert ids(elsewhere, domain) == []
    assert cast.instance.http.get(f"/v1/email-domains/{domain}/orgs").status_code == 401


def test_the_disabled_are_strangers(cast: Cast, domain: str) -> None:
    nell = make.newcomer(cast, "Nell", "read", domain=domain)
    collections.patched(cast.ada, f"/v1/orgs/{cast.organization}/members/{nell.id}", {"disabled": True})
    assert of_domain(nell, domain) == []


def test_a_subdomain_leads_its_members_to_the_organization(cast: Cast) -> None:
    hostname = f"h-{cast.organization}".lower()
    path = f"/v1/subdomains/{hostname}"
    assert cast.ada.get(path).status_code == 404
    collections.patched(cast.ada, f"/v1/orgs/{cast.organization}", {"hostname": hostname})
    expected = {
        "object": "subdomain",
        "subdomain": hostname,
        "target": {"type": "organization", "organization": cast.organization},
        "isActive": True,
    }
    for person, asked in ((cast.gus, path), (cast.ada, path.replace("h-", "H-"))):
        assert person.get(asked).json() == expected
    stranger, missing = cast.sol.get(path), cast.sol.get("/v1/subdomains/nowhere-at-all")
    assert stranger.status_code == missing.status_code == 404
    assert stranger.json() == missing.json()
    assert make.token(cast.ada, organization_id=cast.elsewhere).get(path).status_code == 404
    collections.patched(cast.ada, f"/v1/orgs/{cast.organization}/members/{cast.ed.id}", {"disabled": True})
    assert cast.ed.get(path).status_code == 404


def test_people_see_those_they_share_an_organization_with(cast: Cast) -> None:
    path = f"/v1/users/{cast.ed.id}"
    expected = cast.ed.get("/v1/user").json()
    for person in (cast.ed, cast.ada, cast.ria):
        assert person.get(path).json() == expected
    for person in (cast.gus, cast.sol, make.token(cast.ria, organization_id=cast.elsewhere)):
        answer = person.get(path)
        assert answer.status_code == 404
        assert answer.json() == person.get(f"/v1/users/{cast.organization}").json()
    assert cast.gus.get(f"/v1/users/{cast.gus.id}").status_code == 200
    assert cast.ada.delete(f"/v1/orgs/{cast.organization}/members/{cast.ed.id}").status_code == 204
    assert cast.ria.get(path).status_code == 404


def test_people_change_their_own_profile_only(cast: Cast) -> None:
    path = f"/v1/users/{cast.ed.id}"
    change = {"displayName": "  Edwin Drood  ", "photoURL": "https://example.org/ed.png"}
    assert cast.ed.patch(path, {**change, "email": "other@example.org", "id": "x"}).status_code == 400
    changed = collections.patched(cast.ed, path, change)
    assert (changed["displayName"], changed["email"]) == ("Edwin Drood", cast.ed.email)
    assert changed["photoURL"] == "https://example.org/ed.png"
    found = cast.ria.get(f"/v1/orgs/{cast.organization}/members", params={"search": "DROOD"}).json()
    assert [member["id"] for member in found["items"]] == [cast.ed.id]
    assert "photoURL" not in collections.patched(cast.ed, path, {"photoURL": None})
    for person, status in ((cast.ada, 403), (cast.gus, 404), (cast.sol, 404)):
        assert person.patch(path, {"displayName": "Somebody"}).status_code == status
    narrow = make.token(cast.ed, organization_id=cast.organization)
    assert narrow.patch(path, {"displayName": "Somebody"}).status_code == 403
    assert cast.ed.get(path).json()["displayName"] == "Edwin Drood"


def test_nothing_hides_in_a_name(cast: Cast) -> None:
    path = f"/v1/users/{cast.ed.id}"
    hidden = "Ed\u202e\u2066win\nAda\x1b[2J"
    assert cast.ed.patch(path, {"displayName": hidden}).status_code == 400
    shown = collections.patched(cast.ed, path, {"displayName": " Ed \U0001f469\u200d\U0001f680 "})[
        "displayName"
    ]
    assert shown == cast.ria.get(path).json()["displayName"] == "Ed \U0001f469\u200d\U0001f680"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"displayName": None}, "displayName"),
        ({"displayName": "   "}, "displayName"),
        ({"displayName": " \u202e\n\x1b "}, "displayName"),
        ({"displayName": "x" * 65}, "displayName"),
        ({"photoURL": "javascript:alert(1)"}, "photoURL"),
    ],
)
def test_a_bad_profile_is_refused(cast: Cast, change: dict[str, Any], field: str) -> None:
    answer = cast.ed.patch(f"/v1/users/{cast.ed.id}", change)
    assert answer.status_code == 400
    assert answer.json()["error"]["details"][0]["path"] == field
