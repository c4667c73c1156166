"""The spaces of a member with effective permissions, their number, and the member's teams."""

from __future__ import annotations

from typing import Any

import pytest

from app.access.rights import Level
from tests import make
from tests.cast import Cast, Person
from tests.factories import collections


def seen(asking: Person, cast: Cast, member: Person, **query: Any) -> dict[str, str]:
    """The permissions of a member by the title of a space."""
    path = f"/v1/orgs/{cast.organization}/members/{member.id}/spaces"
    answer = asking.get(path, params=query)
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert found["count"] == len(found["items"])
    return {item["space"]["title"]: item["permission"] for item in found["items"]}


def space(cast: Cast, title: str, level: str | None = "inherit", **fields: Any) -> str:
    made: str = make.space(cast.ada, cast.organization, title=title, **fields)["id"]
    collections.patched(cast.ada, f"/v1/spaces/{made}", {"defaultLevel": level})
    return made


def grant(cast: Cast, path: str, role: str, **to: list[str]) -> None:
    answer = cast.ada.post(f"/v1/{path}/permissions", {"role": role, **to})
    assert answer.status_code == 204, answer.text


def team(cast: Cast, *people: Person, title: str = "Keepers") -> str:
    body = {"title": title, "members": [person.id for person in people]}
    answer = cast.ada.put(f"/v1/orgs/{cast.organization}/teams", body)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


@pytest.fixture
def shelves(cast: Cast) -> Cast:
    """Spaces with every kind of default level, inside and outside a collection, with grants of every kind."""
    space(cast, "Open")
    space(cast, "Edited", "edit")
    hidden = space(cast, "Hidden", None)
    space(cast, "Closed", None)
    shelf = collections.collection(cast.ada, cast.organization, defaultLevel=None)["id"]
    space(cast, "Inside", parent=shelf)
    space(cast, "Apart", None, parent=shelf)
    grant(cast, f"spaces/{hidden}", "comment", users=[cast.ria.id, cast.gus.id])
    keepers = team(cast, cast.ria, cast.gus, cast.tom)
    grant(cast, f"collections/{shelf}", "review", teams=[keepers])
    grant(cast, f"spaces/{hidden}", "read", teams=[keepers])
    return cast


EXPECTED = {
    "ada": dict.fromkeys(("Open", "Edited", "Hidden", "Closed", "Inside", "Apart"), "admin"),
    "cleo": {"Open": "create", "Edited": "edit"},
    "ria": {"Open": "read", "Edited": "edit", "Hidden": "comment", "Inside": "review", "Apart": "review"},
    "tom": {"Open": "comment", "Edited": "edit", "Hidden": "read", "Inside": "review", "Apart": "review"},
    "gus": {"Hidden": "comment", "Inside": "review", "Apart": "review"},
}


def test_spaces_of_a_member_come_with_what_they_may_do_there(shelves: Cast) -> None:
    for name, expected in EXPECTED.items():
        member: Person = getattr(shelves, name)
        assert seen(shelves.ada, shelves, member) == expected, name
        path = f"/v1/orgs/{shelves.organization}/members/{member.id}"
        assert shelves.ada.get(path).json()["spaces"] == len(expected), name


def test_what_is_said_of_a_member_is_what_they_get(shelves: Cast) -> None:
    everything = shelves.ada.get(f"/v1/orgs/{shelves.organization}/spaces").json()["items"]
    for name, expected in EXPECTED.items():
        member: Person = getattr(shelves, name)
        for item in everything:
            answer = member.get(f"/v1/spaces/{item['id']}")
            permission = expected.get(item["title"])
            assert answer.status_code == (200 if permission else 404)
            if permission:
                held = Level[permission.upper()]
                rights = answer.json()["permissions"]
                said = [rights[right] for right in ("comment", "edit", "review", "admin")]
                least = (Level.COMMENT, Level.EDIT, Level.REVIEW, Level.ADMIN)
                assert said == [held >= level for level in least], (name, item["title"])


def test_the_caller_is_told_of_spaces_that_they_see_themselves(shelves: Cast) -> None:
    assert seen(shelves.cleo, shelves, shelves.ria) == {"Open": "read", "Edited": "edit"}
    assert seen(shelves.tom, shelves, shelves.ada) == dict.fromkeys(EXPECTED["tom"], "admin")
    assert seen(shelves.gus, shelves, shelves.gus) == EXPECTED["gus"]
    assert seen(shelves.ria, shelves, shelves.ria) == EXPECTED["ria"]


def test_the_last_change_comes_first(cast: Cast) -> None:
    made = [space(cast, title) for title in ("One", "Two", "Three")]
    collections.patched(cast.ada, f"/v1/spaces/{made[0]}", {"emoji": "1f4d8"})
    assert list(seen(cast.ada, cast, cast.ria)) == ["One", "Three", "Two"]
    assert list(seen(cast.ada, cast, cast.ria, order="asc")) == ["Two", "Three", "One"]
    path = f"/v1/orgs/{cast.organization}/members/{cast.ria.id}/spaces"
    first = cast.ada.get(path, params={"limit": 2}).json()
    assert (first["count"], len(first["items"])) == (3, 2)
    second = cast.ada.get(path, params={"limit": 2, "page": first["next"]["page"]}).json()
    assert [item["space"]["title"] for item in second["items"]] == ["Two"]


def test_deleted_spaces_are_seen_by_nobody(cast: Cast) -> None:
    gone, kept = space(cast, "Gone"), space(cast, "Kept", None)
    grant(cast, f"spaces/{gone}", "edit", users=[cast.gus.id])
    grant(cast, f"spaces/{kept}", "edit", users=[cast.gus.id])
    assert cast.ada.delete(f"/v1/spaces/{gone}").status_code == 205
    for person, expected in ((cast.gus, {"Kept": "edit"}), (cast.ria, {}), (cast.ada, {"Kept": "admin"})):
        assert seen(cast.ada, cast, person) == expected
        path = f"/v1/orgs/{cast.organization}/members/{person.id}"
        assert cast.ada.get(path).json()["spaces"] == len(expected)


def test_teams_of_a_member_are_found_by_title(cast: Cast) -> None:
    keepers = team(cast, cast.ria, cast.tom)
    team(cast, cast.ria, title="Über 100%")
    team(cast, cast.tom, title="Others")
    owner = f"/v1/orgs/{cast.organization}/teams/{keepers}/members/{cast.ria.id}"
    assert cast.ada.put(owner, {"role": "owner"}).status_code == 204

    def teams(**query: Any) -> list[tuple[str, str]]:
        path = f"/v1/orgs/{cast.organization}/members/{cast.ria.id}/teams"
        answer = cast.cleo.get(path, params=query)
        assert answer.status_code == 200, answer.text
        return [(item["team"]["title"], item["member"]["role"]) for item in answer.json()["items"]]

    assert teams() == [("Keepers", "owner"), ("Über 100%", "member")]
    assert teams(title="KEEP") == [("Keepers", "owner")]
    assert teams(title="über") == [("Über 100%", "member")]
    assert teams(title="%") == [("Über 100%", "member")]
    assert teams(title="Others") == []
    assert cast.ada.get(f"/v1/orgs/{cast.organization}/members/{cast.ria.id}").json()["teams"] == 2


def test_spaces_and_teams_of_nobody_are_not_found(cast: Cast) -> None:
    for of in ("spaces", "teams"):
        path = f"/v1/orgs/{cast.organization}/members/{cast.sol.id}/{of}"
        assert cast.ada.get(path).status_code == 404
        assert cast.ada.get(path, params={"limit": 0}).status_code == 404
