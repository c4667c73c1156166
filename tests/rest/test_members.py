"""Members of an organization, through REST: who lists, changes and removes whom (threats, 6, 8, 9, 13)."""

from __future__ import annotations

from typing import Any

import pytest

from tests import make
from tests.cast import Cast, Person
from tests.factories import collections, domains


def members(cast: Cast, suffix: str = "") -> str:
    return f"/v1/orgs/{cast.organization}/members{suffix}"


def named(person: Person, path: str, **query: Any) -> list[str]:
    answer = person.get(path, params=query)
    assert answer.status_code == 200, answer.text
    return [item["user"]["displayName"] for item in answer.json()["items"]]


def changed(cast: Cast, person: Person, change: dict[str, Any]) -> dict[str, Any]:
    return collections.patched(cast.ada, members(cast, f"/{person.id}"), change)


def test_a_member_is_shown_with_all_there_is(cast: Cast) -> None:
    for title in ("One", "Two"):
        make.space(cast.ada, cast.organization, title=title)
    member = cast.ria.get(members(cast, f"/{cast.ed.id}")).json()
    assert member["joinedAt"]
    assert {name: member[name] for name in member if name not in ("joinedAt", "user")} == {
        "object": "member",
        "id": cast.ed.id,
        "role": "edit",
        "disabled": False,
        "sso": False,
        "spaces": 2,
        "teams": 0,
    }
    assert member["user"]["displayName"] == "Ed"
    assert cast.ria.get(members(cast, f"/{cast.gus.id}")).json()["role"] is None


def test_members_are_listed_by_name_and_by_when_they_joined(cast: Cast) -> None:
    everybody = ["Ada", "Cleo", "Ed", "Gus", "Rhea", "Ria", "Tom"]
    assert named(cast.ria, members(cast), sort="name", order="asc") == everybody
    assert named(cast.ria, members(cast), sort="name") == everybody[::-1]
    make.newcomer(cast, "Nell", "read")
    assert named(cast.ria, members(cast))[0] == "Nell"
    assert named(cast.ria, members(cast), order="asc")[-1] == "Nell"


def test_only_who_was_seen_is_listed_by_when(cast: Cast) -> None:
    assert named(cast.ada, members(cast), sort="lastSeenAt") == []
    for person in (cast.tom, cast.ria, cast.tom):
        assert person.post(f"/v1/orgs/{cast.organization}/ping").json() == {}
    assert named(cast.ada, members(cast), sort="lastSeenAt") == ["Tom", "Ria"]
    assert named(cast.ada, members(cast), sort="lastSeenAt", order="asc") == ["Ria", "Tom"]
    assert "lastSeenAt" in cast.ada.get(members(cast, f"/{cast.tom.id}")).json()
    collections.patched(cast.ada, members(cast, f"/{cast.tom.id}"), {"disabled": True})
    assert named(cast.ada, members(cast), sort="lastSeenAt") == ["Ria"]


def test_members_are_filtered_by_role(cast: Cast) -> None:
    for role, person in cast.members.items():
        answer = cast.ada.get(members(cast), params={"role": role}).json()
        assert [item["id"] for item in answer["items"]] == [person.id]
        assert answer["count"] == 1
    assert cast.ada.get(members(cast), params={"role": "owner"}).status_code == 400


def test_members_are_found_by_name_and_by_address_in_any_case(cast: Cast) -> None:
    odd = make.newcomer(cast, "Nell", "read", domain="dark-sky.example")
    collections.patched(odd, f"/v1/users/{odd.id}", {"displayName": "Örjan 100%_Ok"})
    find = members(cast)
    assert named(cast.ria, find, search="örjan") == ["Örjan 100%_Ok"]
    assert named(cast.ria, find, search="Dark-Sky") == ["Örjan 100%_Ok"]
    assert named(cast.ria, find, search="0%_o") == ["Örjan 100%_Ok"]
    for wildcard in ("%", "_", "100_", "\\", "r%n"):
        assert len(named(cast.ria, find, search=wildcard)) == (1 if wildcard in "100%_ok" else 0), wildcard
    assert named(cast.ria, find, search=odd.email.upper()) == ["Örjan 100%_Ok"]
    assert named(cast.ria, find, search="nobody like that") == []
    assert len(named(cast.ria, find, search="  ")) == 8


def test_pages_follow_on_and_belong_to_their_filter(cast: Cast) -> None:
    seen: list[str] = []
    query: dict[str, Any] = {"limit": 3, "sort": "name", "order": "asc"}
    while True:
        page = cast.ria.get(members(cast), params=query).json()
        assert page["count"] == 7
        seen += [item["user"]["displayName"] for item in page["items"]]
        if "next" not in page:
            break
        query["page"] = page["next"]["page"]
    assert seen == ["Ada", "Cleo", "Ed", "Gus", "Rhea", "Ria", "Tom"]
    assert cast.ria.get(members(cast), params={**query, "role": "read"}).status_code == 400
    assert cast.ed.get(members(cast), params=query).status_code == 400


def test_guests_and_strangers_learn_nothing_of_the_members(cast: Cast) -> None:
    for suffix in ("", f"/{cast.ed.id}", f"/{cast.sol.id}", f"/{cast.ed.id}/spaces", f"/{cast.ed.id}/teams"):
        assert cast.gus.get(members(cast, suffix)).status_code == 403
        assert cast.sol.get(members(cast, suffix)).status_code == 404
    for suffix in ("", "/spaces", "/teams"):
        assert cast.gus.get(members(cast, f"/{cast.gus.id}{suffix}")).status_code == 200
    assert cast.ada.get(members(cast, f"/{cast.sol.id}")).status_code == 404


@pytest.mark.parametrize("role", ["create", "review", "edit", "comment", "read", "guest"])
def test_only_an_administrator_changes_members(cast: Cast, role: str) -> None:
    path, person = members(cast, f"/{cast.tom.id}"), cast.members[role]
    if role != "comment":
        assert person.delete(path).status_code == 403
    assert person.patch(path, {"role": "read"}).status_code == 403
    assert person.patch(members(cast, f"/{person.id}"), {"role": "admin"}).status_code == 403
    assert person.post(f"{path}/sso").status_code == 403
    assert cast.sol.patch(path, {"role": "read"}).status_code == 404
    assert cast.ada.get(path).json()["role"] == "comment"


def test_a_member_of_another_organization_is_out_of_reach(cast: Cast) -> None:
    path = members(cast, f"/{cast.sol.id}")
    assert cast.ada.patch(path, {"role": "read"}).status_code == 404
    assert cast.ada.delete(path).status_code == 404
    assert cast.ada.post(f"{path}/sso").status_code == 404
    mixed = f"/v1/orgs/{cast.elsewhere}/members/{cast.ed.id}"
    assert cast.ada.patch(mixed, {"role": None}).status_code == 404
    assert cast.sol.patch(mixed, {"role": None}).status_code == 404
    assert cast.ada.get(members(cast, f"/{cast.ed.id}")).json()["role"] == "edit"


def test_a_new_role_counts_from_the_next_request_on(cast: Cast) -> None:
    space = {"title": "Handbook"}
    path = f"/v1/orgs/{cast.organization}/spaces"
    assert cast.ria.post(path, space).status_code == 403
    assert changed(cast, cast.ria, {"role": "create"})["role"] == "create"
    assert cast.ria.post(path, space).status_code == 201
    assert changed(cast, cast.ria, {"role": None})["role"] is None
    assert cast.ria.get(path).json()["items"] == []
    assert cast.ria.get(members(cast)).status_code == 403


def test_who_is_disabled_stops_at_once_and_comes_back(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)
    disabled = changed(cast, cast.ed, {"disabled": True})
    assert (disabled["disabled"], disabled["spaces"], disabled["role"]) == (True, 0, "edit")
    for path in (f"/v1/orgs/{cast.organization}", f"/v1/spaces/{space['id']}", members(cast)):
        assert cast.ed.get(path).status_code == 404
    assert cast.ed.get("/v1/orgs").json()["items"] == []
    assert cast.ed.post(f"/v1/orgs/{cast.organization}/ping").status_code == 404
    assert cast.ed.post(f"/v1/orgs/{cast.organization}/join").status_code == 403
    assert cast.ada.get(members(cast, f"/{cast.ed.id}/spaces")).json()["items"] == []
    changed(cast, cast.ed, {"disabled": False})
    assert cast.ed.get(f"/v1/spaces/{space['id']}").status_code == 200


def test_who_is_removed_stops_at_once_with_all_they_had(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    collections.patched(cast.ada, f"/v1/spaces/{space}", {"defaultLevel": None})
    body = {"role": "edit", "users": [cast.ria.id]}
    assert cast.ada.post(f"/v1/spaces/{space}/permissions", body).status_code == 204
    team = cast.ada.put(
        f"/v1/orgs/{cast.organization}/teams", {"title": "Keepers", "members": [cast.ria.id, cast.tom.id]}
    ).json()
    narrow = make.token(cast.ria, organization_id=cast.organization)
    assert narrow.get(f"/v1/spaces/{space}").status_code == 200
    assert cast.ada.get(members(cast, f"/{cast.ria.id}")).json()["teams"] == 1

    gone = cast.ada.delete(members(cast, f"/{cast.ria.id}"))
    assert (gone.status_code, gone.content) == (204, b"")
    assert cast.ria.get(f"/v1/spaces/{space}").status_code == 404
    assert cast.ria.get("/v1/user").status_code == 200
    assert narrow.get("/v1/user").status_code == 401
    assert cast.ada.delete(members(cast, f"/{cast.ria.id}")).status_code == 404
    path = f"/v1/orgs/{cast.organization}/teams/{team['id']}"
    assert cast.ada.get(path).json()["members"] == 1
    assert [m["organization"]["id"] for m in cast.ada.get(f"{path}/members").json()["items"]] == [cast.tom.id]

    collections.joins(cast, cast.ria, cast.organization, None)
    assert cast.ria.get(f"/v1/spaces/{space}").status_code == 404
    assert cast.ada.get(members(cast, f"/{cast.ria.id}")).json()["spaces"] == 0


def test_everybody_may_leave(cast: Cast) -> None:
    for person in (cast.gus, cast.ria):
        assert person.delete(members(cast, f"/{person.id}")).status_code == 204
        assert person.get(f"/v1/orgs/{cast.organization}").status_code == 404


@pytest.mark.parametrize("change", [{"role": "create"}, {"role": None}, {"disabled": True}, None])
def test_the_last_administrator_stays(cast: Cast, change: dict[str, Any] | None) -> None:
    def take(person: Person) -> int:
        path = members(cast, f"/{person.id}")
        answer = cast.ada.delete(path) if change is None else cast.ada.patch(path, change)
        return answer.status_code

    assert take(cast.ada) == 409
    changed(cast, cast.cleo, {"role": "admin", "disabled": True})
    assert take(cast.ada) == 409
    changed(cast, cast.cleo, {"disabled": False})
    assert take(cast.cleo) in (200, 204)
    assert take(cast.ada) == 409
    collections.joins(cast, cast.sol, cast.organization, "admin")
    assert take(cast.ada) in (200, 204)


def test_the_last_administrator_is_not_tied_to_single_sign_on(cast: Cast) -> None:
    make.provider(cast)
    domains.proven(cast.ada, cast.organization, cast.domain)
    path = members(cast, f"/{cast.ada.id}")
    assert cast.ada.post(f"{path}/sso").status_code == 409
    changed(cast, cast.cleo, {"role": "admin", "sso": True})
    assert cast.ada.post(f"{path}/sso").status_code == 409
    assert cast.ada.delete(path).status_code == 409
    assert cast.ada.patch(path, {"role": "read"}).status_code == 409
    changed(cast, cast.cleo, {"sso": False})
    assert cast.ada.post(f"{path}/sso").json()["sso"] is True
    assert cast.ada.get(path).status_code == 403


def test_an_sso_member_needs_another_token(cast: Cast) -> None:
    path = members(cast, f"/{cast.ed.id}")
    assert cast.ada.post(f"{path}/sso").status_code == 409
    pending = cast.ada.post(f"/v1/orgs/{cast.organization}/saml", {"label": "Soon"})
    assert pending.json()["status"] == "pending"
    assert cast.ada.post(f"{path}/sso").status_code == 409
    make.provider(cast)
    domains.proven(cast.ada, cast.organization, cast.domain)
    member = cast.ada.post(f"{path}/sso")
    assert (member.status_code, member.json()["sso"]) == (200, True)
    assert cast.ed.get(f"/v1/orgs/{cast.organization}").status_code == 403
    changed(cast, cast.ed, {"sso": False})
    assert cast.ed.get(f"/v1/orgs/{cast.organization}").status_code == 200


@pytest.mark.parametrize(
    ("change", "path"),
    [({"role": "owner"}, "role"), ({"disabled": None}, "disabled"), ({"disabled": "yes"}, "disabled")],
)
def test_a_bad_change_is_refused(cast: Cast, change: dict[str, Any], path: str) -> None:
    answer = cast.ada.patch(members(cast, f"/{cast.ed.id}"), change)
    assert answer.status_code == 400
    assert answer.json()["error"]["details"][0]["path"] == path


def test_what_nobody_may_set_is_refused(cast: Cast) -> None:
    path = members(cast, f"/{cast.ed.id}")
    before = cast.ada.get(path).json()
    change = {"id": cast.ria.id, "joinedAt": "2001-01-01T00:00:00Z", "granted": True, "organization": "x"}
    refused = cast.ada.patch(path, change)
    assert {each["path"] for each in refused.json()["error"]["details"]} == change.keys()
    assert cast.ada.get(path).json() == before
