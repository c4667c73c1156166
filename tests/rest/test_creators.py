"""Members who may create content edit and delete what they created, and nothing that others created."""

from __future__ import annotations

from typing import Any

import pytest

from tests import make
from tests.cast import Cast, Person
from tests.factories import collections, grants
from tests.factories.sites import site

KINDS = ("space", "collection", "site")


def made(cast: Cast, person: Person, kind: str) -> str:
    """The path of something that this person created."""
    if kind == "site":
        return f"/v1/orgs/{cast.organization}/sites/{site(person, cast.organization)['id']}"
    answer = person.post(f"/v1/orgs/{cast.organization}/{kind}s", {"title": "Mine"})
    assert answer.status_code == 201, answer.text
    return f"/v1/{kind}s/{answer.json()['id']}"


def permissions(person: Person, path: str) -> dict[str, bool]:
    answer = person.get(path)
    assert answer.status_code == 200, answer.text
    found: dict[str, bool] = answer.json()["permissions"]
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_a_creator_edits_and_deletes_what_they_created(cast: Cast, kind: str) -> None:
    mine = made(cast, cast.cleo, kind)
    assert permissions(cast.cleo, mine)["edit"]
    assert permissions(cast.cleo, mine)["delete"]
    assert not permissions(cast.cleo, mine)["admin"]
    collections.patched(cast.cleo, mine, {"title": "Renamed"})
    assert cast.cleo.delete(mine).status_code == 205


@pytest.mark.parametrize("kind", KINDS)
def test_what_others_created_is_theirs(cast: Cast, kind: str) -> None:
    theirs = made(cast, cast.ada, kind)
    other = make.newcomer(cast, "Cato", "create")
    for person in (cast.cleo, other):
        assert not permissions(person, theirs)["delete"]
        assert person.delete(theirs).status_code == 403
    mine = made(cast, cast.cleo, kind)
    assert other.delete(mine).status_code == 403
    assert cast.ada.delete(mine).status_code == 205


@pytest.mark.parametrize("kind", KINDS)
def test_who_may_create_no_longer_is_no_creator_any_more(cast: Cast, kind: str) -> None:
    mine = made(cast, cast.cleo, kind)
    collections.patched(cast.ada, f"/v1/orgs/{cast.organization}/members/{cast.cleo.id}", {"role": "review"})
    assert not permissions(cast.cleo, mine)["delete"]
    assert cast.cleo.delete(mine).status_code == 403


def test_a_description_is_edited_and_a_default_level_is_not(cast: Cast) -> None:
    mine = made(cast, cast.cleo, "collection")
    assert (
        collections.patched(cast.cleo, mine, {"description": "What we sell"})["description"] == "What we sell"
    )
    both = cast.cleo.patch(mine, {"title": "Other", "defaultLevel": None})
    assert both.status_code == 403
    assert cast.cleo.get(mine).json()["title"] == "Mine"


def test_a_creator_restores_the_space_they_deleted(cast: Cast) -> None:
    mine = made(cast, cast.cleo, "space")
    assert cast.cleo.post(f"{mine}/restore").status_code == 409
    assert cast.cleo.delete(mine).status_code == 205
    shown = permissions(cast.cleo, mine)
    assert {name for name, has in shown.items() if has} == {"view", "restore"}
    assert cast.rhea.get(mine).status_code == 404
    assert cast.cleo.patch(mine, {"title": "Gone"}).status_code == 409
    restored = cast.cleo.post(f"{mine}/restore")
    assert restored.status_code == 200
    assert not restored.json()["permissions"]["restore"]


def test_a_copy_is_its_makers(cast: Cast) -> None:
    theirs = made(cast, cast.ada, "space")
    copy = cast.cleo.post(f"{theirs}/duplicate").json()
    assert copy["permissions"]["delete"]
    assert cast.cleo.delete(f"/v1/spaces/{copy['id']}").status_code == 205


def test_a_guest_who_was_let_create_is_a_creator_there(cast: Cast) -> None:
    shelf = collections.collection(cast.ada, cast.organization)["id"]
    grants.grant(cast.ada, f"/v1/collections/{shelf}", "create", users=[cast.gus])
    mine = make.space(cast.gus, cast.organization, parent=shelf)
    assert mine["permissions"]["delete"]
    assert cast.gus.delete(f"/v1/spaces/{mine['id']}").status_code == 205


def test_the_explanation_says_so(cast: Cast) -> None:
    mine = made(cast, cast.cleo, "space")

    def explained(person: Person, action: str, **query: Any) -> tuple[Any, ...]:
        params = {"action": action, **query}
        found = person.get(f"{mine}/permissions/explain", params=params).json()
        return found["allowed"], found["rule"], found["level"], found["permission"]

    assert explained(cast.cleo, "delete") == (True, "creator", "create", "create")
    assert explained(cast.cleo, "admin") == (False, "organization-role", "admin", "create")
    assert explained(cast.cleo, "restore") == (False, "not-deleted", "create", "create")
    assert explained(cast.ada, "delete", user=cast.cleo.id) == (True, "creator", "create", "create")
    assert explained(cast.ada, "delete", user=cast.rhea.id)[:2] == (False, "organization-role")
    collections.patched(cast.ada, mine, {"editMode": "locked"})
    assert explained(cast.cleo, "edit") == (False, "locked", "edit", "create")
    assert explained(cast.ria, "edit") == (False, "organization-role", "edit", "read")
    assert explained(cast.cleo, "merge")[0]
    assert cast.ada.delete(mine).status_code == 205
    assert explained(cast.cleo, "restore") == (True, "creator", "create", "create")
    assert explained(cast.cleo, "edit")[:2] == (False, "deleted")
