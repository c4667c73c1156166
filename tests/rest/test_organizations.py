"""Organizations and the caller, through REST."""

from __future__ import annotations

from typing import Any

import pytest

from app.kit.ids import new_id
from tests import make
from tests.cast import Cast
from tests.factories import collections
from tests.factories.collections import patched


def test_the_caller_is_told_who_they_are(cast: Cast) -> None:
    me = cast.ria.get("/v1/user").json()
    assert me == {
        "object": "user",
        "id": cast.ria.id,
        "displayName": "Ria",
        "email": cast.ria.email,
        "urls": {"location": f"{cast.ria.base}/v1/users/{cast.ria.id}"},
    }


def test_everybody_reads_their_organization_guests_too(cast: Cast) -> None:
    for role, person in cast.members.items():
        answer = person.get(f"/v1/orgs/{cast.organization}")
        assert answer.status_code == 200
        permissions = answer.json()["permissions"]
        assert permissions["view"]
        assert not {"viewBilling", "ingestConversations"} & permissions.keys(), (
            "nothing can be done with them"
        )
        assert permissions["admin"] == (role == "admin")
        assert permissions["createContent"] == (role in ("admin", "create"))
        assert permissions["createOpenAPISpec"] == (role in ("admin", "create"))
        assert permissions["listMembers"] == (role != "guest")
    assert cast.sol.get(f"/v1/orgs/{cast.organization}").status_code == 404


def test_an_organization_says_all_it_is(cast: Cast) -> None:
    organization = cast.ria.get(f"/v1/orgs/{cast.organization}").json()
    assert organization["object"] == "organization"
    assert organization["emailDomains"] == []
    assert organization["defaultRole"] == "read"
    assert (organization["type"], organization["plan"]) == ("business", "free_2024")
    assert organization["trial"] == {"status": "notapplicable"}
    assert not {"hostname", "useCase", "communityType", "defaultContent"} & organization.keys()


def test_a_list_holds_the_callers_organizations_only(cast: Cast) -> None:
    assert [o["id"] for o in cast.ria.get("/v1/orgs").json()["items"]] == [cast.organization]
    assert [o["id"] for o in cast.gus.get("/v1/orgs").json()["items"]] == [cast.organization]
    collections.joins(cast, cast.ria, cast.elsewhere, "read")
    first = cast.ria.get("/v1/orgs", params={"limit": 1}).json()
    assert (first["count"], [o["id"] for o in first["items"]]) == (2, [cast.organization])
    second = cast.ria.get("/v1/orgs", params={"page": first["next"]["page"]}).json()
    assert [o["id"] for o in second["items"]] == [cast.elsewhere]


def test_a_token_for_one_organization_lists_no_other(cast: Cast) -> None:
    collections.joins(cast, cast.ria, cast.elsewhere, "read")
    narrow = make.token(cast.ria, organization_id=cast.elsewhere)
    listed = narrow.get("/v1/orgs").json()
    assert (listed["count"], [o["id"] for o in listed["items"]]) == (1, [cast.elsewhere])
    assert narrow.get(f"/v1/orgs/{cast.organization}").status_code == 403
    assert narrow.get(f"/v1/orgs/{cast.organization}/spaces").status_code == 403
    nowhere = make.token(cast.ria, organization_id="nowhere")
    assert nowhere.get("/v1/orgs").json() == {"count": 0, "items": []}


def test_whoever_creates_an_organization_runs_it(cast: Cast) -> None:
    answer = cast.gus.post("/v1/orgs", {"title": "Gardens", "emailDomains": ["Example.ORG", "example.org"]})
    assert answer.status_code == 201
    made = answer.json()
    assert made["emailDomains"] == ["example.org"]
    assert made["permissions"]["admin"]
    assert make.space(cast.gus, made["id"])["organization"] == made["id"]
    assert cast.ada.get(f"/v1/orgs/{made['id']}").status_code == 404


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({}, "title"),
        ({"title": "x"}, "title"),
        ({"title": "x" * 256}, "title"),
        ({"title": None}, "title"),
        ({"title": "Fine", "emailDomains": ["not a domain"]}, "emailDomains.0"),
        ({"title": "Fine", "emailDomains": ["example"]}, "emailDomains.0"),
        ({"title": "Fine", "emailDomains": "example.org"}, "emailDomains"),
        ({"title": "Fine", "emailDomains": ["example.org"] * 101}, "emailDomains"),
    ],
)
def test_a_bad_organization_is_refused(cast: Cast, body: dict[str, Any], path: str) -> None:
    answer = cast.ada.post("/v1/orgs", body)
    assert answer.status_code == 400
    assert answer.json()["error"]["details"][0]["path"] == path


def test_an_administrator_changes_everything_at_once(cast: Cast) -> None:
    hostname = f"h-{new_id().lower()}"
    change = {
        "title": "Difference Engines",
        "emailDomains": ["Docs.Example.org", "example.org", "docs.example.ORG"],
        "hostname": hostname,
        "defaultRole": None,
        "logo": "https://example.org/logo.png",
        "sso": False,
        "ai": False,
        "inviteLinks": True,
    }
    path = f"/v1/orgs/{cast.organization}"
    changed = patched(cast.ada, path, change)
    expected = {**change, "emailDomains": ["docs.example.org", "example.org"]}
    del expected["logo"]
    assert {name: changed[name] for name in expected} == expected
    assert changed["urls"]["logo"] == "https://example.org/logo.png"
    cleared = patched(cast.ada, path, {"hostname": None, "logo": None, "defaultContent": None})
    assert "hostname" not in cleared
    assert "logo" not in cleared["urls"]
    assert cleared["title"] == "Difference Engines"


@pytest.mark.parametrize("role", ["create", "review", "edit", "comment", "read", "guest"])
def test_only_an_administrator_changes_an_organization(cast: Cast, role: str) -> None:
    path = f"/v1/orgs/{cast.organization}"
    assert cast.members[role].patch(path, {"title": "Ours"}).status_code == 403
    assert cast.sol.patch(path, {"title": "Ours"}).status_code == 404
    assert cast.ada.get(path).json()["title"] == "Analytical Engines"


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"title": None}, "title"),
        ({"title": "x"}, "title"),
        ({"hostname": "ab"}, "hostname"),
        ({"hostname": "x" * 33}, "hostname"),
        ({"hostname": "Upper"}, "hostname"),
        ({"hostname": "-ab"}, "hostname"),
        ({"hostname": "a.b.c"}, "hostname"),
        ({"hostname": "abc\n"}, "hostname"),
        ({"defaultRole": "owner"}, "defaultRole"),
        ({"logo": "javascript:alert(1)"}, "logo"),
        ({"sso": "yes"}, "sso"),
        ({"sso": None}, "sso"),
        ({"emailDomains": None}, "emailDomains"),
        ({"defaultContent": {"type": "site", "site": "x"}}, "defaultContent.site"),
        ({"defaultContent": {"type": "space", "site": "x"}}, "defaultContent.type"),
        ({"defaultContent": {"type": "site"}}, "defaultContent.site"),
    ],
)
def test_a_bad_change_is_refused_and_nothing_is_done(cast: Cast, change: dict[str, Any], path: str) -> None:
    before = cast.ada.get(f"/v1/orgs/{cast.organization}").json()
    answer = cast.ada.patch(f"/v1/orgs/{cast.organization}", {"ai": False, **change})
    assert answer.status_code == 400
    assert answer.json()["error"]["details"][0]["path"] == path
    assert cast.ada.get(f"/v1/orgs/{cast.organization}").json() == before


def test_a_hostname_belongs_to_one_organization(cast: Cast) -> None:
    hostname = f"h-{new_id().lower()}"
    patched(cast.sol, f"/v1/orgs/{cast.elsewhere}", {"hostname": hostname})
    taken = cast.ada.patch(f"/v1/orgs/{cast.organization}", {"hostname": hostname})
    assert taken.status_code == 409
    assert patched(cast.sol, f"/v1/orgs/{cast.elsewhere}", {"hostname": hostname})["hostname"] == hostname
    patched(cast.sol, f"/v1/orgs/{cast.elsewhere}", {"hostname": None})
    assert patched(cast.ada, f"/v1/orgs/{cast.organization}", {"hostname": hostname})["hostname"] == hostname
