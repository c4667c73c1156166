"""Teams and who is in them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from app.domain.accounts import tokens
from app.domain.organizations import users
from app.kit.ids import new_id
from tests import make
from tests.cast import Cast, Person
from tests.factories import collections, grants
from tests.factories.grants import items


def path(cast: Cast, *parts: str) -> str:
    return "/".join((f"/v1/orgs/{cast.organization}/teams", *parts))


def shown(cast: Cast, team: str) -> dict[str, Any]:
    found: dict[str, Any] = cast.ada.get(path(cast, team)).json()
    return found


def members(cast: Cast, team: str) -> dict[str, str]:
    """Return the people of a team by id; its number of members is held to that."""
    found = {m["organization"]["id"]: m["team"]["role"] for m in items(cast.ada, path(cast, team, "members"))}
    assert shown(cast, team)["members"] == len(found)
    return found


def test_a_team_is_made_with_members_and_shown(cast: Cast) -> None:
    answer = cast.ada.put(path(cast), {"title": "Größen", "members": [cast.ed.id, cast.gus.id, cast.ed.id]})
    assert answer.status_code == 201
    made = answer.json()
    assert made == shown(cast, made["id"])
    assert (made["object"], made["title"], made["members"], made["spaces"]) == ("team", "Größen", 2, 0)
    assert made["permissions"] == {"view": True, "admin": True}
    assert made["urls"]["location"] == f"{cast.instance.base}{path(cast, made['id'])}"
    assert members(cast, made["id"]) == {cast.ed.id: "member", cast.gus.id: "member"}
    listed = items(cast.ria, path(cast, made["id"], "members"))
    assert listed[0].keys() == {"organization", "team", "permissions"}
    assert listed[0]["organization"]["object"] == "member"
    assert listed[0]["organization"]["teams"] == 1
    assert cast.ria.get(path(cast, made["id"])).json()["permissions"] == {"view": True, "admin": False}


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({}, "title"),
        ({"title": ""}, "title"),
        ({"title": "x" * 65}, "title"),
        ({"title": None}, "title"),
        ({"title": "x", "members": None}, "members"),
        ({"title": "x", "members": ["nobody"]}, "members.0"),
        ({"title": "x", "members": ["a b"]}, "members.0"),
    ],
)
def test_a_bad_team_is_refused(cast: Cast, body: dict[str, Any], where: str) -> None:
    answer = cast.ada.put(path(cast), body)
    assert answer.status_code == 400
    assert answer.json()["error"]["details"][0]["path"] == where
    assert items(cast.ada, path(cast)) == []


def test_strangers_cannot_be_put_into_a_team(cast: Cast) -> None:
    team = grants.team(cast.ada, cast.organization)
    for body in ({"add": [cast.sol.id]}, {"memberships": {cast.sol.id: {"role": "owner"}}}):
        answer = cast.ada.put(path(cast, team, "members"), body)
        assert answer.status_code == 400
        where = f"memberships.{cast.sol.id}" if "memberships" in body else "add.0"
        assert answer.json()["error"]["details"][0]["path"] == where
    assert cast.ada.put(path(cast, team, "members", cast.sol.id), {}).status_code == 404
    refused = cast.ada.put(path(cast), {"title": "x", "members": [cast.ed.id, cast.sol.id]})
    assert refused.json()["error"]["details"][0]["path"] == "members.1"
    assert members(cast, team) == {}


@pytest.mark.parametrize("role", ["create", "review", "edit", "comment", "read"])
def test_members_see_teams_and_administrators_make_them(cast: Cast, role: str) -> None:
    team = grants.team(cast.ada, cast.organization)
    person = cast.members[role]
    assert [t["id"] for t in items(person, path(cast))] == [team]
    assert person.get(path(cast, team)).status_code == 200
    assert person.put(path(cast), {"title": "Mine"}).status_code == 403
    assert person.patch(path(cast, team), {"title": "Mine"}).status_code == 403
    assert person.delete(path(cast, team)).status_code == 403
    assert person.put(path(cast, team, "members"), {"add": [person.id]}).status_code == 403
    assert person.put(path(cast, team, "members", person.id), {"role": "owner"}).status_code == 403
    assert person.delete(path(cast, team, "members", person.id)).status_code == 403
    assert shown(cast, team)["title"] == "Keepers"


def test_guests_see_no_teams_even_if_they_are_in_one(cast: Cast) -> None:
    team = grants.team(cast.ada, cast.organization, members=[cast.gus])
    for refused in (path(cast), path(cast, team), path(cast, team, "members")):
        assert cast.gus.get(refused).status_code == 403
        assert cast.sol.get(refused).status_code == 404


def test_guests_own_no_teams(cast: Cast) -> None:
    team = grants.team(cast.ada, cast.organization, members=[cast.gus, cast.ed])
    one, all_ = path(cast, team, "members", cast.gus.id), path(cast, team, "members")
    for answer, where in (
        (cast.ada.put(one, {"role": "owner"}), "role"),
        (
            cast.ada.put(all_, {"memberships": {cast.gus.id: {"role": "owner"}}}),
            f"memberships.{cast.gus.id}.role",
        ),
    ):
        assert answer.status_code == 400
        assert answer.json()["error"]["details"][0]["path"] == where
    assert cast.ada.put(path(cast, team, "members", cast.ed.id), {"role": "owner"}).status_code == 204
    member = f"/v1/orgs/{cast.organization}/members/{cast.ed.id}"
    collections.patched(cast.ada, member, {"role": None})
    assert members(cast, team) == {cast.gus.id: "member", cast.ed.id: "member"}
    collections.patched(cast.ada, member, {"role": "edit"})
    assert cast.ed.get(path(cast, team)).json()["permissions"] == {"view": True, "admin": False}
    assert cast.ed.put(all_, {"add": [cast.ria.id]}).status_code == 403


def test_an_owner_adds_members_and_invites_nobody(cast: Cast) -> None:
    team = grants.team(cast.ada, cast.organization, members=[cast.ed])
    assert cast.ada.put(path(cast, team, "members", cast.ed.id), {"role": "owner"}).status_code == 204
    add = [cast.ria.id, cast.tom.email, cast.gus.id]
    assert cast.ed.put(path(cast, team, "members"), {"add": add}).status_code == 204
    outsider = {"add": [cast.rhea.id, cast.sol.email]}
    assert cast.ed.put(path(cast, team, "members"), outsider).status_code == 403
    assert cast.rhea.id not in members(cast, team)
    assert items(cast.ada, f"/v1/orgs/{cast.organization}/invites") == []


def test_a_team_of_another_organization_is_not_found(cast: Cast) -> None:
    theirs = grants.team(cast.sol, cast.elsewhere, members=[cast.sol])
    for method, below, body in (
        ("GET", (), None),
        ("PATCH", (), {"title": "Ours"}),
        ("DELETE", (), None),
        ("GET", ("members",), None),
        ("PUT", ("members",), {"remove": [cast.sol.id]}),
        ("PUT", ("members", cast.ada.id), {}),
        ("DELETE", ("members", cast.sol.id), None),
    ):
        assert cast.ada.call(method, path(cast, theirs, *below), json=body).status_code == 404, (
            method,
            below,
        )
    found = cast.sol.get(f"/v1/orgs/{cast.elsewhere}/teams/{theirs}").json()
    assert (found["title"], found["members"]) == ("Keepers", 1)


def test_an_owner_manages_the_team_and_nothing_else(cast: Cast) -> None:
    team = grants.team(cast.ada, cast.organization, members=[cast.ria])
    other = grants.team(cast.ada, cast.organization, "Others")
    assert cast.ada.put(path(cast, team, "members", cast.ria.id), {"role": "owner"}).status_code == 204
    assert cast.ria.get(path(cast, team)).json()["permissions"] == {"view": True, "admin": True}
    assert cast.ria.patch(path(cast, team), {"title": "Watch"}).json()["title"] == "Watch"
    assert cast.ria.put(path(cast, team, "members"), {"add": [cast.ed.id]}).status_code == 204
    assert members(cast, team) == {cast.ria.id: "owner", cast.ed.id: "member"}
    assert cast.ria.delete(path(cast, team)).status_code == 403
    assert cast.ria.patch(path(cast, other), {"title": "Mine"}).status_code == 403
    assert (
        cast.ria.patch(f"/v1/orgs/{cast.organization}/members/{cast.ed.id}", {"role": "read"}).status_code
        == 403
    )
    assert cast.ada.put(path(cast, team, "members", cast.ria.id), {"role": "member"}).status_code == 204
    assert cast.ria.patch(path(cast, team), {"title": "Mine"}).status_code == 403


def test_who_comes_what_they_are_and_who_goes_in_this_order(cast: Cast) -> None:
    team = grants.team(cast.ada, cast.organization, members=[cast.ed, cast.tom])
    change = {
        "add": [cast.rhea.id, cast.ria.email.upper(), cast.cleo.id],
        "memberships": {cast.rhea.id: {"role": "owner"}, cast.ed.id: {"role": "owner"}, cast.tom.id: {}},
        "remove": [cast.cleo.id, cast.ed.email],
    }
    assert cast.ada.put(path(cast, team, "members"), change).status_code == 204
    assert members(cast, team) == {cast.rhea.id: "owner", cast.tom.id: "member", cast.ria.id: "member"}
    assert cast.ada.put(path(cast, team, "members"), {}).status_code == 204
    assert cast.ada.put(path(cast, team, "members"), {"add": [cast.ria.id]}).status_code == 204
    assert len(members(cast, team)) == 3


def test_a_change_of_members_is_done_whole_or_not_at_all(cast: Cast) -> None:
    team = grants.team(cast.ada, cast.organization, members=[cast.ed])
    for change, where in (
        ({"add": [cast.tom.id], "remove": [cast.ed.id, "nobody"]}, "remove.1"),
        ({"add": [cast.tom.id], "remove": ["nobody@example.org"]}, "remove.0"),
        ({"add": [cast.tom.id, "not@an@address"]}, "add.1"),
        (
            {"add": [cast.tom.id], "memberships": {cast.ria.id: {"role": "owner"}}},
            f"memberships.{cast.ria.id}",
        ),
        (
            {"add": [cast.tom.id], "memberships": {cast.ed.id: {"role": "admin"}}},
            f"memberships.{cast.ed.id}.role",
        ),
    ):
        answer = cast.ada.put(path(cast, team, "members"), change)
        assert (answer.status_code, answer.json()["error"]["details"][0]["path"]) == (400, where)
    assert members(cast, team) == {cast.ed.id: "member"}


def test_one_member_is_added_changed_and_removed(cast: Cast) -> None:
    team = grants.team(cast.ada, cast.organization)
    one = path(cast, team, "members", cast.ed.id)
    assert cast.ada.delete(one).status_code == 404
    for body, role in (
        ({}, "member"),
        ({"role": "owner"}, "owner"),
        ({}, "owner"),
        ({"role": "member"}, "member"),
    ):
        assert cast.ada.put(one, body).status_code == 204
        assert members(cast, team) == {cast.ed.id: role}
    assert cast.ada.put(one, {"role": None}).status_code == 400
    assert cast.ada.delete(one).status_code == 205
    assert cast.ada.delete(one).status_code == 404
    assert members(cast, team) == {}


def test_a_path_names_members_by_their_ids_and_not_by_addresses(cast: Cast) -> None:
    team = grants.team(cast.ada, cast.organization, members=[cast.ed])
    for person in (cast.ed, cast.gus):
        answer = cast.ada.put(path(cast, team, "members", person.email), {"role": "owner"})
        assert answer.status_code == 404, answer.text
        assert cast.ada.delete(path(cast, team, "members", person.email)).status_code == 404
    assert members(cast, team) == {cast.ed.id: "member"}


def test_teams_are_found_by_title_and_by_who_may_manage_them(cast: Cast) -> None:
    named = {
        title: grants.team(cast.ada, cast.organization, title)
        for title in ("Größe 100%", "grösser", "Other_")
    }
    assert (
        cast.ada.put(path(cast, named["grösser"], "members", cast.ed.id), {"role": "owner"}).status_code
        == 204
    )
    assert cast.ada.put(path(cast, named["Other_"], "members", cast.ed.id), {}).status_code == 204

    def found(**query: str) -> list[str]:
        return [team["title"] for team in items(cast.ria, path(cast), **query)]

    assert found(title="GRÖS") == ["Größe 100%", "grösser"]
    assert found(title="%") == ["Größe 100%"]
    assert found(title="_") == ["Other_"]
    assert found(title="'; --") == []
    assert found(owner=cast.ed.id) == ["grösser"]
    assert found(owner=cast.ada.id) == ["Größe 100%", "grösser", "Other_"]
    assert found(owner=cast.tom.id) == found(owner=cast.sol.id) == found(owner="nobody") == []
    assert found(owner=cast.ada.id, title="other") == ["Other_"]
    page = cast.ria.get(path(cast), params={"limit": 1, "title": "gr"}).json()
    assert (page["count"], len(page["items"])) == (2, 1)
    token = page["next"]["page"]
    assert [t["title"] for t in items(cast.ria, path(cast), limit=1, title="gr", page=token)] == ["grösser"]
    assert cast.ria.get(path(cast), params={"limit": 1, "title": "o", "page": token}).status_code == 400


def test_the_spaces_of_a_team_are_those_it_reaches(cast: Cast) -> None:
    team = grants.team(cast.ada, cast.organization)
    shelf = collections.collection(cast.ada, cast.organization)["id"]
    inner = collections.collection(cast.ada, cast.organization, parent=shelf)["id"]
    within = [
        make.space(cast.ada, cast.organization, parent=parent)["id"] for parent in (shelf, inner, inner)
    ]
    alone = make.space(cast.ada, cast.organization)["id"]
    for place in (f"/v1/collections/{shelf}", f"/v1/spaces/{within[0]}", f"/v1/spaces/{alone}"):
        grants.grant(cast.ada, place, "read", teams=[team])
    assert shown(cast, team)["spaces"] == 4
    collections.patched(cast.ada, f"/v1/spaces/{within[1]}", {"defaultLevel": None})
    assert shown(cast, team)["spaces"] == 4
    assert cast.ada.post(f"/v1/spaces/{within[1]}/move", {"parent": None}).status_code == 200
    assert shown(cast, team)["spaces"] == 3
    assert cast.ada.delete(f"/v1/spaces/{alone}").status_code == 205
    assert shown(cast, team)["spaces"] == 2


def test_what_a_team_was_granted_ends_with_it(cast: Cast) -> None:
    team = grants.team(cast.ada, cast.organization, members=[cast.gus])
    space = f"/v1/spaces/{make.space(cast.ada, cast.organization)['id']}"
    grants.grant(cast.ada, space, "edit", teams=[team])
    assert grants.level(cast.gus, space) == "edit"
    assert cast.ada.delete(path(cast, team)).status_code == 205
    assert grants.level(cast.gus, space) is None
    assert items(cast.ada, f"{space}/permissions/teams") == []
    assert cast.ada.get(path(cast, team)).status_code == 404


def test_who_leaves_a_team_loses_what_it_gave_at_once(cast: Cast) -> None:
    team = grants.team(cast.ada, cast.organization, members=[cast.gus])
    space = f"/v1/spaces/{make.space(cast.ada, cast.organization)['id']}"
    grants.grant(cast.ada, space, "edit", teams=[team])
    assert grants.level(cast.gus, space) == "edit"
    assert cast.ada.delete(path(cast, team, "members", cast.gus.id)).status_code == 205
    assert grants.level(cast.gus, space) is None
    assert cast.ada.put(path(cast, team, "members", cast.gus.id), {}).status_code == 204
    assert grants.level(cast.gus, space) == "edit"


def test_who_leaves_the_organization_leaves_its_teams(cast: Cast) -> None:
    team = grants.team(cast.ada, cast.organization, members=[cast.gus, cast.ed])
    assert cast.ada.delete(f"/v1/orgs/{cast.organization}/members/{cast.gus.id}").status_code == 204
    assert members(cast, team) == {cast.ed.id: "member"}


def test_an_unknown_address_is_invited_as_a_guest_and_comes_into_the_team_with_that(cast: Cast) -> None:
    team = grants.team(cast.ada, cast.organization, members=[cast.ed])
    assert cast.ada.put(path(cast, team, "members", cast.ed.id), {"role": "owner"}).status_code == 204
    newcomer = known_here(cast)
    gone = f"{new_id()}@example.org".lower()
    change = {"add": [newcomer.email.title(), cast.sol.email, gone], "remove": [gone]}
    assert cast.ada.put(path(cast, team, "members"), change).status_code == 204
    assert members(cast, team) == {cast.ed.id: "owner"}
    space = f"/v1/spaces/{make.space(cast.ada, cast.organization)['id']}"
    grants.grant(cast.ada, space, "comment", teams=[team])
    invites = {i["email"]: i for i in items(cast.ada, f"/v1/orgs/{cast.organization}/invites")}
    assert {email: invite.get("role") for email, invite in invites.items()} == dict.fromkeys(
        (newcomer.email, cast.sol.email, gone)
    )
    invite = invites[newcomer.email]["id"]
    assert newcomer.post(f"/v1/orgs/{cast.organization}/invites/{invite}").status_code == 200
    assert members(cast, team) == {cast.ed.id: "owner", newcomer.id: "member"}
    assert grants.level(newcomer, space) == "comment"
    assert newcomer.get(path(cast)).status_code == 403


def test_an_address_that_is_invited_already_keeps_its_role(cast: Cast) -> None:
    newcomer = known_here(cast)
    team = grants.team(cast.ada, cast.organization)
    body = {"emails": [{"email": newcomer.email, "role": "edit"}]}
    assert cast.ada.post(f"/v1/orgs/{cast.organization}/invites", body).status_code == 200
    assert cast.ada.put(path(cast, team, "members"), {"add": [newcomer.email]}).status_code == 204
    (invite,) = items(cast.ada, f"/v1/orgs/{cast.organization}/invites")
    assert invite["role"] == "edit"


def known_here(cast: Cast) -> Person:
    """Somebody of this installation who belongs to no organization."""
    email = f"nell.{new_id()}@example.org".lower()

    async def build(cx: Any) -> Person:
        user = await users.create(cx, email, "Nell")
        return Person(cast.instance, user.id, email, await tokens.create(cx, user))

    return cast.instance.inside(build)


def test_the_number_of_members_is_right_whoever_changes_it_at_once(cast: Cast) -> None:
    team = grants.team(cast.ada, cast.organization)
    people_ = [*cast.members.values()]

    def toggle(person: Person) -> set[int]:
        one = path(cast, team, "members", person.id)
        codes = set()
        for _ in range(3):
            codes |= {cast.ada.put(one, {}).status_code, cast.ada.put(one, {}).status_code}
            codes.add(cast.ada.delete(one).status_code)
        return codes | {cast.ada.put(one, {}).status_code}

    with ThreadPoolExecutor(len(people_)) as pool:
        assert set().union(*pool.map(toggle, people_)) == {204, 205}
    assert len(members(cast, team)) == len(people_)
