"""Spaces through REST: reading, listing, creating, changing, deleting and restoring."""

from __future__ import annotations

import pytest

from tests import make
from tests.cast import Cast
from tests.factories import collections


@pytest.mark.parametrize("role", ["ada", "cleo", "rhea", "ed", "tom", "ria"])
def test_every_member_reads_a_space_that_inherits(cast: Cast, role: str) -> None:
    space = make.space(cast.ada, cast.organization)
    answer = getattr(cast, role).get(f"/v1/spaces/{space['id']}")
    assert answer.status_code == 200
    assert answer.json()["title"] == "Handbook"


def test_a_stranger_and_a_guest_cannot_know_of_a_space(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)
    for person in (cast.sol, cast.gus):
        assert person.get(f"/v1/spaces/{space['id']}").status_code == 404


def test_a_reader_cannot_rename_a_space(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)
    assert cast.ria.patch(f"/v1/spaces/{space['id']}", {"title": "Mine"}).status_code == 403
    assert cast.ada.get(f"/v1/spaces/{space['id']}").json()["title"] == "Handbook"


def test_an_editor_renames_but_does_not_administrate(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization, emoji="1f4d6")
    answer = cast.ed.patch(f"/v1/spaces/{space['id']}", {"title": "Guide"})
    assert answer.status_code == 200
    assert (answer.json()["title"], answer.json()["emoji"]) == ("Guide", "1f4d6")
    for change in ({"editMode": "locked"}, {"defaultLevel": "read"}):
        assert cast.ed.patch(f"/v1/spaces/{space['id']}", change).status_code == 403


def test_null_clears_an_emoji_and_is_refused_for_a_title(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization, emoji="1f4d6")
    assert "emoji" not in cast.ada.patch(f"/v1/spaces/{space['id']}", {"emoji": None}).json()
    refused = cast.ada.patch(f"/v1/spaces/{space['id']}", {"title": None})
    assert refused.status_code == 400
    assert refused.json()["error"]["details"][0]["path"] == "title"


def test_an_icon_takes_the_place_of_an_emoji_and_back(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization, emoji="1f4d6")
    path = f"/v1/spaces/{space['id']}"
    with_icon = cast.ed.patch(path, {"icon": "https://example.org/icon.png"}).json()
    assert "emoji" not in with_icon
    assert with_icon["urls"]["icon"] == "https://example.org/icon.png"
    with_emoji = cast.ed.patch(path, {"emoji": "1f600"}).json()
    assert with_emoji["emoji"] == "1f600"
    assert "icon" not in with_emoji["urls"]
    bare = cast.ed.patch(path, {"emoji": None, "icon": None}).json()
    assert "emoji" not in bare
    assert "icon" not in bare["urls"]


@pytest.mark.parametrize("role", ["rhea", "ed", "tom", "ria", "gus"])
def test_only_creators_create_at_the_root(cast: Cast, role: str) -> None:
    answer = getattr(cast, role).post(f"/v1/orgs/{cast.organization}/spaces", {"title": "Mine"})
    assert answer.status_code == 403
    assert collections.titles(cast.ada, f"/v1/orgs/{cast.organization}/spaces") == []


def test_creating_in_a_collection_needs_the_right_there_and_only_there(cast: Cast) -> None:
    open_to_all = collections.collection(cast.ada, cast.organization, defaultLevel="create")
    closed = collections.collection(cast.ada, cast.organization, defaultLevel="edit")
    hidden = collections.collection(cast.ada, cast.organization, defaultLevel=None)
    path = f"/v1/orgs/{cast.organization}/spaces"
    assert cast.ria.post(path, {"parent": open_to_all["id"]}).status_code == 201
    assert cast.cleo.post(path, {"parent": closed["id"]}).status_code == 403
    unseen = cast.cleo.post(path, {"parent": hidden["id"]})
    assert (unseen.status_code, unseen.json()["error"]["details"][0]["path"]) == (400, "parent")
    assert cast.sol.post(path, {"parent": open_to_all["id"]}).status_code == 404


def test_a_parent_in_another_organization_is_refused(cast: Cast) -> None:
    collections.joins(cast, cast.ada, cast.elsewhere, "admin")
    foreign = collections.collection(cast.ada, cast.elsewhere)
    answer = cast.ada.post(f"/v1/orgs/{cast.organization}/spaces", {"parent": foreign["id"]})
    assert answer.status_code == 400
    assert answer.json()["error"]["details"][0]["path"] == "parent"
    assert collections.spaces_in(cast.ada, foreign["id"]) == []


def test_a_body_cannot_set_what_only_we_set(cast: Cast) -> None:
    fields = {
        "id": "mine",
        "organization": cast.elsewhere,
        "revision": "x",
        "comments": 9,
        "defaultLevel": None,
    }
    spaces = f"/v1/orgs/{cast.organization}/spaces"
    refused = cast.cleo.post(spaces, fields)
    assert refused.status_code == 400
    assert {each["path"] for each in refused.json()["error"]["details"]} == fields.keys()
    assert cast.cleo.get(spaces).json()["count"] == 0


def test_spaces_of_an_organization_are_listed_as_they_were_made(cast: Cast) -> None:
    path = f"/v1/orgs/{cast.organization}/spaces"
    for number in range(5):
        make.space(cast.ada, cast.organization, title=f"Space {number}")
    first = cast.ria.get(path, params={"limit": 2}).json()
    assert (first["count"], [item["title"] for item in first["items"]]) == (5, ["Space 0", "Space 1"])
    second = cast.ria.get(path, params={"limit": 3, "page": first["next"]["page"]}).json()
    assert [item["title"] for item in second["items"]] == ["Space 2", "Space 3", "Space 4"]
    assert second["count"] == 5
    assert "next" not in second
    assert cast.tom.get(path, params={"page": first["next"]["page"]}).status_code == 400


def test_spaces_are_found_by_a_part_of_their_titles_in_any_case(cast: Cast) -> None:
    path = f"/v1/orgs/{cast.organization}/spaces"
    folder = collections.collection(cast.ada, cast.organization)["id"]
    made = make.space(cast.ada, cast.organization, title="Über uns")
    make.space(cast.ada, cast.organization, title="Billing", parent=folder)
    make.space(cast.sol, cast.elsewhere, title="Billing elsewhere")
    copy = cast.ada.post(f"/v1/spaces/{made['id']}/duplicate").json()

    def found(text: str) -> list[str]:
        return [item["title"] for item in cast.ria.get(path, params={"title": text}).json()["items"]]

    assert found("BILL") == ["Billing"]
    assert found("über") == ["Über uns", "Über uns (copy)"]
    collections.patched(cast.ada, f"/v1/spaces/{copy['id']}", {"title": "100%_sure"})
    assert found("über") == ["Über uns"]
    assert found("0%_S") == ["100%_sure"]
    assert len(found("")) == 3
    assert cast.ria.get(path, params={"title": "x" * 129}).status_code == 400
    query = """query ($id: ID!) { organization(id: $id) {
        spaces(filter: { title: "bill" }) { totalCount nodes { title } } } }"""
    answered = cast.ria.ask(query, id=cast.organization)["organization"]["spaces"]
    assert answered == {"totalCount": 1, "nodes": [{"title": "Billing"}]}


def test_lists_hold_only_what_the_caller_may_see(cast: Cast) -> None:
    path = f"/v1/orgs/{cast.organization}/spaces"
    make.space(cast.ada, cast.organization, title="Open")
    hidden = make.space(cast.ada, cast.organization, title="Hidden")
    collections.patched(cast.ada, f"/v1/spaces/{hidden['id']}", {"defaultLevel": None})
    assert collections.titles(cast.ada, path) == ["Open", "Hidden"]
    assert collections.titles(cast.cleo, path) == ["Open"]
    assert cast.cleo.get(path).json()["count"] == 1
    assert collections.titles(cast.gus, path) == []
    assert cast.sol.get(path).status_code == 404


def test_a_deleted_space_is_gone_for_all_but_administrators(cast: Cast) -> None:
    folder = collections.collection(cast.ada, cast.organization)
    space = make.space(cast.ada, cast.organization, parent=folder["id"])
    path = f"/v1/spaces/{space['id']}"
    assert cast.cleo.delete(path).status_code == 403
    deleted = cast.ada.delete(path)
    assert (deleted.status_code, deleted.content) == (205, b"")
    assert "deletedAt" in cast.ada.get(path).json()
    assert cast.cleo.get(path).status_code == 404
    assert collections.titles(cast.ada, f"/v1/orgs/{cast.organization}/spaces") == []
    assert collections.spaces_in(cast.ada, folder["id"]) == []


def test_a_deleted_space_takes_no_changes(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)
    path = f"/v1/spaces/{space['id']}"
    cast.ada.delete(path)
    assert cast.ada.patch(path, {"title": "Still here"}).status_code == 409
    assert cast.ada.delete(path).status_code == 409
    for deed in ("duplicate", "move"):
        assert cast.ada.post(f"{path}/{deed}").status_code == 409
        assert cast.cleo.post(f"{path}/{deed}").status_code == 404
    assert cast.ada.post(f"{path}/transfer", {"organization": cast.elsewhere}).status_code == 409


def test_a_space_is_restored_where_it_was(cast: Cast) -> None:
    folder = collections.collection(cast.ada, cast.organization)
    made = [
        make.space(cast.ada, cast.organization, title=title, parent=folder["id"]) for title in ("A", "B", "C")
    ]
    path = f"/v1/spaces/{made[1]['id']}"
    cast.ada.delete(path)
    assert cast.cleo.post(f"{path}/restore").status_code == 404
    restored = cast.ada.post(f"{path}/restore")
    assert restored.status_code == 200
    assert "deletedAt" not in restored.json()
    assert collections.spaces_in(cast.ria, folder["id"]) == ["A", "B", "C"]
    assert cast.ada.post(f"{path}/restore").status_code == 409


def test_a_deleted_space_outlives_its_collection(cast: Cast) -> None:
    folder = collections.collection(cast.ada, cast.organization)
    space = make.space(cast.ada, cast.organization, parent=folder["id"])
    cast.ada.delete(f"/v1/spaces/{space['id']}")
    assert cast.ada.delete(f"/v1/collections/{folder['id']}").status_code == 205
    restored = cast.ada.post(f"/v1/spaces/{space['id']}/restore").json()
    assert "parent" not in restored
    assert collections.titles(cast.ria, f"/v1/orgs/{cast.organization}/spaces") == ["Handbook"]
