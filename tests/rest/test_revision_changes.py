"""Changes of a revision or change request: each kind of change, and no false ones."""

from __future__ import annotations

from typing import Any

from app.models.changes import SemanticChangesOut
from tests import make
from tests.cast import Cast, Person
from tests.contract.shapes import fits
from tests.factories.changes import latest, new_page


def told(person: Person, space: str, where: str, **query: Any) -> dict[str, Any]:
    """The changes of a revision or change request."""
    answer = person.get(f"/v1/spaces/{space}/{where}/changes", params=query)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    fits(SemanticChangesOut, found)
    return found


def of_revision(person: Person, space: str, revision: str, **query: Any) -> list[dict[str, Any]]:
    """All changes of a revision."""
    changes: list[dict[str, Any]] = told(person, space, f"revisions/{revision}", **{"limit": 1000, **query})[
        "changes"
    ]
    return changes


def of_request(person: Person, space: str, number: int) -> list[dict[str, Any]]:
    """All changes of a change request."""
    changes: list[dict[str, Any]] = told(person, space, f"change-requests/{number}", limit=1000)["changes"]
    return changes


def test_the_first_revision_changes_nothing(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    assert of_revision(cast.ria, space, latest(cast.ria, space)) == []


def test_pages_that_are_made_changed_and_deleted(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    lamp = new_page(cast.ed, space, title="Lamp", document={"markdown": "It burns.\n"})
    shown = {"id": lamp, "type": "document", "title": "Lamp", "path": "lamp"}
    assert of_revision(cast.ria, space, latest(cast.ria, space)) == [{"type": "page_created", "page": shown}]
    make.changes(
        cast.ed, space, {
            "operation": "update_page", "page": lamp, "title": "The lamp", "description": "Oil",
            "emoji": "1f4a1", "document": {"markdown": "It burns oil.\n"}, "variables": {"oil": "whale"},
            "layout": {"title": False},
        },
    )  # fmt: skip
    (item,) = of_revision(cast.ria, space, latest(cast.ria, space))
    assert item["type"] == "page_edited"
    attributes = item["attributes"]
    assert attributes.keys() == {"title", "description", "emoji", "document", "variables", "layout"}
    assert attributes["title"] == {"before": "Lamp", "after": "The lamp"}
    assert attributes["description"] == {"after": "Oil"}
    assert attributes["variables"] == {"after": {"oil": "whale"}}
    assert (attributes["layout"]["before"]["title"], attributes["layout"]["after"]["title"]) == (True, False)
    assert attributes["document"]["before"] != attributes["document"]["after"]
    make.changes(cast.ed, space, {"operation": "delete_page", "page": lamp})
    (item,) = of_revision(cast.ria, space, latest(cast.ria, space))
    assert (item["type"], item["page"]["title"]) == ("page_deleted", "The lamp")


def test_a_page_that_moved_and_was_edited_makes_two_changes(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    ids = [new_page(cast.ed, space, title=title) for title in ("One", "Two", "Three")]
    make.changes(
        cast.ed, space, {"operation": "update_page", "page": ids[2], "into": ids[0], "title": "Third"}
    )
    moved, edited = of_revision(cast.ria, space, latest(cast.ria, space))
    one = {"id": ids[0], "type": "document", "title": "One", "path": "one"}
    assert (moved["type"], moved["parent"]) == ("page_moved", {"after": one})
    assert moved["page"] == edited["page"]
    assert (edited["type"], edited["attributes"]) == (
        "page_edited",
        {"title": {"before": "Three", "after": "Third"}},
    )
    make.changes(cast.ed, space, {"operation": "update_page", "page": ids[2], "into": ids[1]})
    (moved,) = of_revision(cast.ria, space, latest(cast.ria, space))
    two = {"id": ids[1], "type": "document", "title": "Two", "path": "two"}
    assert moved["parent"] == {"before": one, "after": two}


def test_another_order_is_a_move_and_a_new_slug_moves_no_page_below(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    ids = [new_page(cast.ed, space, title=title) for title in ("One", "Two")]
    below = new_page(cast.ed, space, title="Below", into=ids[0])
    make.changes(cast.ed, space, {"operation": "update_page", "page": ids[1], "at": 0})
    (moved,) = of_revision(cast.ria, space, latest(cast.ria, space))
    assert (moved["type"], moved["page"]["id"], moved["parent"]) == ("page_moved", ids[1], {})
    make.changes(cast.ed, space, {"operation": "update_page", "page": ids[0], "slug": "uno"})
    (edited,) = of_revision(cast.ria, space, latest(cast.ria, space))
    assert edited["attributes"] == {"slug": {"before": "one", "after": "uno"}}
    assert cast.ria.get(f"/v1/spaces/{space}/content/page/{below}").json()["path"] == "uno/below"


def test_what_has_no_attribute_of_its_own_is_an_edit_all_the_same(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    page = new_page(cast.ed, space, title="One")
    make.changes(cast.ed, space, {"operation": "update_page", "page": page, "hidden": True})
    (edited,) = of_revision(cast.ria, space, latest(cast.ria, space))
    assert (edited["type"], edited["attributes"]) == ("page_edited", {})


def test_files_reusable_contents_and_variables(cast: Cast) -> None:
    space = make.filled_space(cast, {"README.md": "x", ".gitbook/assets/a.png": make.picture(3, 2)})
    made = of_revision(cast.ria, space, latest(cast.ria, space))
    assert [item["type"] for item in made] == ["page_created", "file_created"]
    make.imported(cast, space, {"README.md": "x", ".gitbook/assets/a.png": make.picture(30, 20)})
    (edited,) = of_revision(cast.ria, space, latest(cast.ria, space))
    assert edited["type"] == "file_edited"
    attributes = edited["attributes"]
    assert attributes.keys() == {"downloadURL", "size", "dimensions"}
    small, large = {"width": 3, "height": 2}, {"width": 30, "height": 20}
    assert attributes["dimensions"] == {"before": small, "after": large}
    for side, picture in (("before", make.picture(3, 2)), ("after", make.picture(30, 20))):
        found = cast.instance.http.get(attributes["downloadURL"][side])
        assert (found.status_code, found.content) == (200, picture)
    make.changes(
        cast.ed, space,
        {"operation": "delete_file", "file": edited["file"]["id"]},
        {"operation": "update_variables", "variables": {"keeper": "Ada"}},
        {"operation": "insert_reusable_content", "title": "Oil", "document": {"markdown": "Whale oil.\n"}},
    )  # fmt: skip
    gone, said, block = of_revision(cast.ria, space, latest(cast.ria, space))
    assert (gone["type"], gone["file"]) == ("file_deleted", edited["file"])
    assert (said["type"], said["attributes"]) == (
        "variables_edited",
        {"variables": {"before": {}, "after": {"keeper": "Ada"}}},
    )
    assert (block["type"], block["reusableContent"]["title"]) == ("reusable_content_created", "Oil")
    oil = block["reusableContent"]["id"]
    text = {"markdown": "Olive oil.\n"}
    make.changes(
        cast.ed, space,
        {"operation": "update_reusable_content", "reusableContent": oil, "document": text},
    )  # fmt: skip
    (edited,) = of_revision(cast.ria, space, latest(cast.ria, space))
    assert (edited["type"], edited["attributes"].keys()) == ("reusable_content_edited", {"document"})
    make.changes(cast.ed, space, {"operation": "delete_reusable_content", "reusableContent": oil})
    (gone,) = of_revision(cast.ria, space, latest(cast.ria, space))
    assert (gone["type"], gone["reusableContent"]["id"]) == ("reusable_content_deleted", oil)


def test_what_is_not_told_is_counted(cast: Cast) -> None:
    space = make.filled_space(cast, {f"p{n:02}.md": f"# P{n}\n" for n in range(12)})
    where = f"revisions/{latest(cast.ria, space)}"
    found = told(cast.ria, space, where)
    assert (len(found["changes"]), found["more"]) == (10, 2)
    assert "more" not in told(cast.ria, space, where, limit=12)
    assert told(cast.ria, space, where, limit=0) == {"changes": [], "more": 12}
    for limit in (-1, 1001, "x"):
        wrong = cast.ria.get(f"/v1/spaces/{space}/{where}/changes", params={"limit": limit})
        assert wrong.status_code == 400


def test_an_old_revision_tells_what_it_changed_then(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    page = new_page(cast.ed, space, title="A")
    revisions = []
    for title in ("B", "C", "D"):
        make.changes(cast.ed, space, {"operation": "update_page", "page": page, "title": title})
        revisions.append(latest(cast.ria, space))
    titles = [of_revision(cast.ria, space, each)[0]["attributes"]["title"] for each in revisions]
    assert titles == [{"before": a, "after": b} for a, b in (("A", "B"), ("B", "C"), ("C", "D"))]


def test_a_change_request_tells_all_it_changed_of_its_base(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    one, two, three = (new_page(cast.ed, space, title=title) for title in ("One", "Two", "Three"))
    inner = new_page(cast.ed, space, title="Inner", into=one)
    number = make.change_request(cast.ed, space)["number"]
    assert of_request(cast.ria, space, number) == []
    make.changes(cast.ed, space, {"operation": "update_page", "page": two, "title": "Second"}, request=number)
    make.changes(cast.ed, space, {"operation": "update_page", "page": two, "title": "Zwei"}, request=number)
    make.changes(cast.ed, space, {"operation": "delete_page", "page": three}, request=number)
    make.changes(cast.ed, space, {"operation": "update_page", "page": inner, "into": two}, request=number)
    fresh = new_page(cast.ed, space, title="New", request=number)
    make.changes(cast.ed, space, {"operation": "delete_page", "page": fresh}, request=number)
    # What happens to the space in the meantime is none of its changes.
    make.changes(cast.ed, space, {"operation": "update_page", "page": one, "title": "Uno"})
    found = {(item["type"], item["page"]["id"]): item for item in of_request(cast.ria, space, number)}
    assert found.keys() == {("page_edited", two), ("page_deleted", three), ("page_moved", inner)}
    assert found["page_edited", two]["attributes"] == {"title": {"before": "Two", "after": "Zwei"}}
    parent = found["page_moved", inner]["parent"]
    assert (parent["before"]["title"], parent["after"]["title"]) == ("One", "Zwei")


def test_revisions_of_a_change_request_tell_their_own_step(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    page = new_page(cast.ed, space, title="One")
    number = make.change_request(cast.ed, space)["number"]
    steps = []
    for title in ("Two", "Three"):
        steps.append({"operation": "update_page", "page": page, "title": title})
    steps.append({"operation": "delete_page", "page": page})
    found = []
    for step in steps:
        make.changes(cast.ed, space, step, request=number)
        found += of_revision(cast.ria, space, latest(cast.ria, space, number))
    assert [item.get("attributes", {}).get("title") for item in found] == [
        {"before": "One", "after": "Two"},
        {"before": "Two", "after": "Three"},
        None,
    ]
    assert found[2]["type"] == "page_deleted"
    assert found[2]["page"]["title"] == "Three"


def test_an_update_brings_what_the_space_changed_and_a_merge_says_where_it_is_from(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    one, two, three = (new_page(cast.ed, space, title=title) for title in ("One", "Two", "Three"))
    request = cast.ed.post(f"/v1/spaces/{space}/change-requests", {"subject": "Try"}).json()
    number = request["number"]
    make.changes(cast.ed, space, {"operation": "update_page", "page": one, "title": "Ours"}, request=number)
    mine = of_request(cast.ria, space, number)
    make.changes(cast.ed, space, {"operation": "update_page", "page": two, "title": "Theirs"})
    make.changes(cast.ed, space, {"operation": "delete_page", "page": three})
    updated = cast.ed.post(f"/v1/spaces/{space}/change-requests/{number}/update", {})
    assert updated.status_code == 200, updated.text
    brought = of_revision(cast.ria, space, latest(cast.ria, space, number))
    kinds = {(item["type"], item["page"]["id"]) for item in brought}
    assert kinds == {("page_edited", two), ("page_deleted", three)}
    assert of_request(cast.ria, space, number) == mine
    merged = cast.ada.post(f"/v1/spaces/{space}/change-requests/{number}/merge", {})
    assert merged.status_code == 200, merged.text
    found = told(cast.ria, space, f"revisions/{latest(cast.ria, space)}")
    assert (found["changes"], found["mergedFrom"]) == (mine, request["id"])
    assert of_request(cast.ria, space, number) == mine


def test_who_may_not_see_the_space_is_told_nothing(cast: Cast) -> None:
    space = make.filled_space(cast)
    revision = latest(cast.ada, space)
    other = make.space(cast.ada, cast.organization)["id"]
    for person in (cast.gus, cast.sol):
        assert person.get(f"/v1/spaces/{space}/revisions/{revision}/changes").status_code == 404
    assert cast.ada.get(f"/v1/spaces/{other}/revisions/{revision}/changes").status_code == 404
    assert cast.ada.get(f"/v1/spaces/{space}/change-requests/7/changes").status_code == 404
