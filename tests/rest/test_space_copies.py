"""Duplicating a space: its current content, and nothing else."""

from __future__ import annotations

from app.models.pages import Document
from tests import make
from tests.cast import Cast
from tests.factories import collections, grants, space_rows


def test_a_copy_holds_what_the_space_holds_now(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization, emoji="1f4d6", language="de")
    space_rows.fill(cast.instance, space["id"], space["id"])
    answer = cast.cleo.post(f"/v1/spaces/{space['id']}/duplicate")
    assert answer.status_code == 201
    copy = answer.json()
    assert (copy["title"], copy["emoji"], copy["language"]) == ("Handbook (copy)", "1f4d6", "de")
    assert copy["id"] != space["id"]
    assert copy["revision"] != space["revision"]
    content = space_rows.held(cast.instance, copy["id"], only_open=False)
    assert content == space_rows.held(cast.instance, space["id"])
    assert len(content["page_version"]) == 2
    assert all(len(found) == 1 for name, found in content.items() if name != "page_version")
    assert space_rows.searchable(cast.instance, copy["id"]) == space_rows.searchable(
        cast.instance, space["id"]
    )
    assert len(space_rows.searchable(cast.instance, copy["id"])) == 3
    assert space_rows.revisions(cast.instance, copy["id"]) == 1


def test_a_copy_shares_bodies_and_parts_with_the_original_nevertheless(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    space_rows.fill(cast.instance, space, space)
    copy = cast.ada.post(f"/v1/spaces/{space}/duplicate").json()["id"]
    assert space_rows.count(cast.instance, Document, markdown=f"# new {space}\n") == 1
    collections.patched(cast.ada, f"/v1/spaces/{copy}", {"title": "Other"})
    assert cast.ada.get(f"/v1/spaces/{space}").json()["title"] == "Handbook"


def test_a_copy_of_an_empty_space_is_empty(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    copy = cast.ada.post(f"/v1/spaces/{space}/duplicate").json()["id"]
    content = space_rows.held(cast.instance, copy)
    assert content["page_version"] == []
    assert len(content["line_properties"]) == 1


def test_a_copy_stands_last_in_the_same_parent_with_the_same_level(cast: Cast) -> None:
    folder = collections.collection(cast.ada, cast.organization)["id"]
    space = make.space(cast.ada, cast.organization, parent=folder, title="A")["id"]
    make.space(cast.ada, cast.organization, parent=folder, title="B")
    collections.patched(cast.ada, f"/v1/spaces/{space}", {"defaultLevel": None, "editMode": "locked"})
    copy = cast.ada.post(f"/v1/spaces/{space}/duplicate").json()
    assert (copy["parent"], copy["defaultLevel"], copy["editMode"]) == (folder, None, "locked")
    assert collections.spaces_in(cast.ada, folder) == ["A", "B", "A (copy)"]
    assert collections.spaces_in(cast.cleo, folder) == ["B"]
    assert cast.cleo.get(f"/v1/spaces/{copy['id']}").status_code == 404


def test_a_copy_is_visible_to_its_maker_with_the_same_level(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    path = f"/v1/spaces/{space}"
    team = grants.team(cast.ada, cast.organization, members=[cast.tom])
    collections.patched(cast.ada, path, {"defaultLevel": None})
    grants.grant(cast.ada, path, "create", users=[cast.cleo])
    grants.grant(cast.ada, path, "read", users=[cast.gus], teams=[team])
    copy = cast.cleo.post(f"{path}/duplicate")
    assert copy.status_code == 201
    there = copy.json()["urls"]["location"].removeprefix(cast.instance.base)
    for person in (cast.cleo, cast.gus, cast.tom, cast.ria):
        assert grants.level(person, there) == grants.level(person, path)
    assert grants.level(cast.cleo, there) == "create"
    assert cast.cleo.get(there).json()["permissions"]["delete"]
    assert cast.ada.delete(f"{path}/permissions/users/{cast.gus.id}").status_code == 205
    assert grants.level(cast.gus, there) == "read"


def test_the_title_of_a_copy_stays_within_its_limit(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization, title="x" * 50)["id"]
    title = cast.ada.post(f"/v1/spaces/{space}/duplicate").json()["title"]
    assert title == "x" * 43 + " (copy)"


def test_copying_needs_sight_of_the_space_and_the_right_to_create_beside_it(cast: Cast) -> None:
    root = make.space(cast.ada, cast.organization)["id"]
    assert cast.rhea.post(f"/v1/spaces/{root}/duplicate").status_code == 403
    assert cast.sol.post(f"/v1/spaces/{root}/duplicate").status_code == 404
    open_ = collections.collection(cast.ada, cast.organization, defaultLevel="create")["id"]
    inside = make.space(cast.ada, cast.organization, parent=open_)["id"]
    collections.patched(cast.ada, f"/v1/spaces/{inside}", {"defaultLevel": "read"})
    assert cast.ria.post(f"/v1/spaces/{inside}/duplicate").status_code == 201
    hidden = collections.collection(cast.ada, cast.organization, defaultLevel=None)["id"]
    within = make.space(cast.ada, cast.organization, parent=hidden)["id"]
    collections.patched(cast.ada, f"/v1/spaces/{within}", {"defaultLevel": "read"})
    assert cast.cleo.post(f"/v1/spaces/{within}/duplicate").status_code == 403
