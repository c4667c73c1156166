"""Default levels as they come down: organization, collection, nested collection, space."""

from __future__ import annotations

from typing import Any

import pytest

from tests import make
from tests.cast import Cast, Person
from tests.factories import collections, space_rows
from tests.factories.collections import collection, patched

LEVELS = ["read", "comment", "edit", "review", "create", "admin"]
RIGHTS = {
    None: set[str](),
    "read": {"view", "access"},
    "comment": {"view", "access", "comment"},
    "edit": {"view", "access", "comment", "edit", "triggerGitSync"},
    "review": {"view", "access", "comment", "edit", "triggerGitSync", "review", "merge"},
    "create": {"view", "access", "comment", "edit", "triggerGitSync", "review", "merge"},
}
ROLES = {"create": "cleo", "review": "rhea", "edit": "ed", "comment": "tom", "read": "ria"}


class Tower:
    """A space in a collection in a collection."""

    def __init__(self, cast: Cast) -> None:
        self.cast = cast
        self.outer = collection(cast.ada, cast.organization)["id"]
        self.inner = collection(cast.ada, cast.organization, parent=self.outer)["id"]
        self.space = make.space(cast.ada, cast.organization, parent=self.inner)["id"]

    def give(self, **levels: str | None) -> None:
        """Set default levels by the names of the floors."""
        for floor, level in levels.items():
            kind = "spaces" if floor == "space" else "collections"
            patched(self.cast.ada, f"/v1/{kind}/{getattr(self, floor)}", {"defaultLevel": level})

    def rights(self, person: Person) -> set[str]:
        """Return the rights of a person on the space; none where they do not see it."""
        return rights(person, f"/v1/spaces/{self.space}")


def rights(person: Person, path: str) -> set[str]:
    answer = person.get(path)
    if answer.status_code == 404:
        return set()
    assert answer.status_code == 200
    permissions: dict[str, bool] = answer.json()["permissions"]
    return {name for name, allowed in permissions.items() if allowed}


@pytest.fixture
def tower(cast: Cast) -> Tower:
    return Tower(cast)


def higher(one: str, other: str | None) -> str:
    return max(one, other or one, key=LEVELS.index)


@pytest.mark.parametrize("default_role", [None, "read", "edit", "create"])
def test_inheriting_to_the_root_gives_the_higher_of_the_members_role_and_the_default_role(
    cast: Cast, tower: Tower, default_role: str | None
) -> None:
    patched(cast.ada, f"/v1/orgs/{cast.organization}", {"defaultRole": default_role})
    for role, name in ROLES.items():
        assert tower.rights(getattr(cast, name)) == RIGHTS[higher(role, default_role)], role
    assert tower.rights(cast.gus) == set()
    assert tower.rights(cast.sol) == set()


@pytest.mark.parametrize("level", [None, "read"])
def test_lists_show_exactly_the_content_that_can_be_opened(
    cast: Cast, tower: Tower, level: str | None
) -> None:
    tower.give(space=level, inner=level)
    for name in ("ada", *ROLES.values()):
        person = getattr(cast, name)
        may_open = name == "ada" or level is not None
        assert bool(tower.rights(person)) == may_open, name
        for path, content in (("spaces", tower.space), ("collections", tower.inner)):
            listed = person.get(f"/v1/orgs/{cast.organization}/{path}").json()["items"]
            assert (content in {each["id"] for each in listed}) == may_open, (name, path)


@pytest.mark.parametrize("floor", ["outer", "inner", "space"])
@pytest.mark.parametrize("level", [None, "read", "comment", "edit", "review", "create"])
def test_a_level_of_its_own_counts_for_every_member_alike(
    cast: Cast, tower: Tower, floor: str, level: str | None
) -> None:
    tower.give(**{floor: level})
    for name in ROLES.values():
        assert tower.rights(getattr(cast, name)) == RIGHTS[level], name
    assert "admin" in tower.rights(cast.ada)
    assert tower.rights(cast.gus) == set()
    tower.give(**{floor: "inherit"})
    assert tower.rights(cast.tom) == RIGHTS["comment"]


def test_the_nearest_level_wins(cast: Cast, tower: Tower) -> None:
    tower.give(outer="admin", inner="read")
    assert tower.rights(cast.cleo) == RIGHTS["read"]
    tower.give(space="edit")
    assert tower.rights(cast.ria) == RIGHTS["edit"]
    tower.give(outer=None)
    assert tower.rights(cast.ria) == RIGHTS["edit"]
    tower.give(space="inherit")
    assert tower.rights(cast.ria) == RIGHTS["read"]
    tower.give(inner="inherit")
    assert tower.rights(cast.cleo) == set()


def test_what_inherits_from_a_level_between_stays_when_one_above_it_changes(cast: Cast, tower: Tower) -> None:
    deepest = collection(cast.ada, cast.organization, parent=tower.inner)["id"]
    below = make.space(cast.ada, cast.organization, parent=deepest)["id"]
    tower.give(inner="read")
    for level in ("admin", None, "edit"):
        tower.give(outer=level)
        for space in (tower.space, below):
            assert rights(cast.cleo, f"/v1/spaces/{space}") == RIGHTS["read"], level


def test_admin_as_a_level_makes_members_administrators(cast: Cast, tower: Tower) -> None:
    tower.give(outer="admin")
    assert "admin" in tower.rights(cast.ria)
    assert rights(cast.ria, f"/v1/collections/{tower.inner}") == {
        "view",
        "create",
        "edit",
        "delete",
        "admin",
        "viewInviteLinks",
    }
    patched(cast.ria, f"/v1/collections/{tower.inner}", {"defaultLevel": "comment"})
    assert tower.rights(cast.ria) == RIGHTS["comment"]


def test_collections_inherit_like_spaces(cast: Cast, tower: Tower) -> None:
    path = f"/v1/collections/{tower.inner}"
    assert rights(cast.cleo, path) == {"view", "create"}
    assert rights(cast.ed, path) == {"view"}
    tower.give(outer="create")
    assert rights(cast.ria, path) == {"view", "create"}
    tower.give(outer=None)
    assert rights(cast.cleo, path) == set()


def test_a_changed_role_of_the_organization_reaches_the_space_at_once(cast: Cast, tower: Tower) -> None:
    assert tower.rights(cast.ria) == RIGHTS["read"]
    patched(cast.ada, f"/v1/orgs/{cast.organization}", {"defaultRole": "edit"})
    assert tower.rights(cast.ria) == RIGHTS["edit"]
    assert tower.rights(cast.rhea) == RIGHTS["review"]


def go(person: Person, path: str, body: dict[str, Any]) -> None:
    assert person.post(path, body).status_code == 200


def test_moving_changes_what_is_inherited(cast: Cast, tower: Tower) -> None:
    closed = collection(cast.ada, cast.organization, defaultLevel=None)["id"]
    go(cast.ada, f"/v1/collections/{tower.outer}/move", {"parent": closed})
    assert tower.rights(cast.cleo) == set()
    go(cast.ada, f"/v1/collections/{tower.outer}/move", {"parent": None})
    assert tower.rights(cast.cleo) == RIGHTS["create"]
    go(cast.ada, f"/v1/spaces/{tower.space}/move", {"parent": closed})
    assert tower.rights(cast.cleo) == set()
    tower.give(space="read")
    go(cast.ada, f"/v1/spaces/{tower.space}/move", {"parent": tower.inner})
    assert tower.rights(cast.cleo) == RIGHTS["read"]


def test_what_a_deleted_collection_held_keeps_the_level_it_had(cast: Cast, tower: Tower) -> None:
    deep = collection(cast.ada, cast.organization, parent=tower.inner)["id"]
    deep_space = make.space(cast.ada, cast.organization, parent=deep)["id"]
    own = make.space(cast.ada, cast.organization, parent=tower.inner)["id"]
    patched(cast.ada, f"/v1/spaces/{own}", {"defaultLevel": "comment"})
    tower.give(outer="edit", inner=None)
    assert cast.ada.delete(f"/v1/collections/{tower.inner}").status_code == 205
    for path in (f"/v1/spaces/{tower.space}", f"/v1/spaces/{deep_space}", f"/v1/collections/{deep}"):
        assert cast.ria.get(path).status_code == 404, path
    assert cast.ada.get(f"/v1/spaces/{tower.space}").json()["defaultLevel"] is None
    assert cast.ada.get(f"/v1/spaces/{deep_space}").json()["defaultLevel"] == "inherit"
    assert rights(cast.ria, f"/v1/spaces/{own}") == RIGHTS["comment"]
    patched(cast.ada, f"/v1/collections/{deep}", {"defaultLevel": "inherit"})
    assert rights(cast.ria, f"/v1/spaces/{deep_space}") == RIGHTS["edit"]
    assert cast.ada.delete(f"/v1/collections/{tower.outer}").status_code == 205
    assert rights(cast.ria, f"/v1/spaces/{deep_space}") == RIGHTS["edit"]
    assert tower.rights(cast.ria) == set()


def test_what_inherits_through_a_deleted_collection_goes_on_inheriting(cast: Cast, tower: Tower) -> None:
    tower.give(outer="edit")
    assert cast.ada.delete(f"/v1/collections/{tower.inner}").status_code == 205
    assert cast.ada.get(f"/v1/spaces/{tower.space}").json()["defaultLevel"] == "inherit"
    tower.give(outer="comment")
    assert tower.rights(cast.cleo) == RIGHTS["comment"]


def test_a_transfer_inherits_from_where_it_arrives(cast: Cast, tower: Tower) -> None:
    collections.joins(cast, cast.ada, cast.elsewhere, "admin")
    collections.joins(cast, cast.ria, cast.elsewhere, "edit")
    tower.give(inner="inherit")
    closed = collection(cast.sol, cast.elsewhere, defaultLevel=None)["id"]
    go(
        cast.ada,
        f"/v1/collections/{tower.outer}/transfer",
        {"organization": cast.elsewhere, "collection": closed},
    )
    assert tower.rights(cast.ria) == set()
    patched(cast.sol, f"/v1/collections/{closed}", {"defaultLevel": "inherit"})
    assert tower.rights(cast.ria) == RIGHTS["edit"]
    assert tower.rights(cast.cleo) == set()


def test_a_new_space_takes_the_level_of_its_place(cast: Cast, tower: Tower) -> None:
    tower.give(inner="comment")
    made = make.space(cast.ada, cast.organization, parent=tower.inner)
    assert made["defaultLevel"] == "inherit"
    assert rights(cast.cleo, f"/v1/spaces/{made['id']}") == RIGHTS["comment"]
    hidden = collection(cast.ada, cast.organization, parent=tower.outer, defaultLevel=None)["id"]
    inner = collection(cast.ada, cast.organization, parent=hidden)["id"]
    assert rights(cast.cleo, f"/v1/collections/{inner}") == set()


def test_a_collection_that_goes_leaves_no_trace_in_what_was_below_it(tower: Tower) -> None:
    """Grants on collections above are looked up by their ids: none is looked up that is gone."""
    instance = tower.cast.instance

    def above() -> list[str]:
        row = instance.inside(lambda cx: cx.db.first(space_rows.SPACE, id=tower.space))
        assert row is not None
        return row.lineage.split()

    assert above() == [tower.inner, tower.outer]
    assert tower.cast.ada.delete(f"/v1/collections/{tower.outer}").status_code == 205
    assert above() == [tower.inner]
    assert tower.cast.ada.delete(f"/v1/collections/{tower.inner}").status_code == 205
    assert above() == []
