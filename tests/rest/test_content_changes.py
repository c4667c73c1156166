"""Batches of content changes through REST: one revision or nothing, slugs, places, refusals."""

from __future__ import annotations

from typing import Any

import pytest

from tests import make
from tests.cast import Cast
from tests.factories.changes import (
    content,
    delete,
    ids,
    insert,
    page,
    paths,
    place,
    refused,
    send,
    text,
    three,
    update,
)


def test_a_batch_is_one_revision(cast: Cast, space: str, request_id: str | None) -> None:
    before = content(cast.ed, space, request_id)
    made = make.changes(
        cast.ed,
        space,
        insert("Harbour", ref="harbour", emoji="2693", description="Where ships lie"),
        insert("Quay", into="harbour", ref="quay", hidden=True, noIndex=True),
        update("quay", "Long.\n", title="The quay", at=0),
        insert("Draft", ref="draft"),
        delete("draft"),
        request=request_id,
    )
    after = content(cast.ed, space, request_id)
    assert after["id"] == made["revision"] != before["id"]
    assert (after["parents"], after["type"]) == ([before["id"]], "edits")
    pages = ids(made)
    assert [(change["object"], change["page"]["id"]) for change in made["changes"]] == [
        ("created_page", pages["harbour"]),
        ("created_page", pages["quay"]),
        ("updated_page", pages["quay"]),
        ("created_page", pages["draft"]),
        ("deleted_page", pages["draft"]),
    ]
    assert paths(cast.ria, space, request_id) == ["harbour", "harbour/quay"]
    assert text(cast.ria, space, pages["quay"], request_id) == "Long.\n"
    found = page(cast.ria, space, pages["harbour"], request_id)
    assert (found["emoji"], found["description"]) == ("2693", "Where ships lie")
    assert page(cast.ria, space, pages["quay"], request_id)["hidden"] is True
    assert ("changeRequest" in made) is (request_id is not None)


def test_pages_that_were_written_say_where_the_api_has_them(
    cast: Cast, space: str, request_id: str | None
) -> None:
    made = make.changes(cast.ed, space, insert("Bell", ref="bell"), request=request_id)
    written = made["changes"][0]["page"]
    address = written["urls"]["location"].removeprefix(cast.instance.base)
    assert address == f"{place(space, request_id)}/content/page/{written['id']}"
    assert cast.ria.get(address).json()["title"] == "Bell"


def test_the_answer_is_the_change_request_unless_asked_otherwise(cast: Cast, space: str) -> None:
    opened = make.change_request(cast.ed, space)
    answer = send(cast.ed, space, insert("Bell"), request=opened["number"])
    assert answer.json()["object"] == "change-request"
    assert answer.json()["revision"] != opened["revision"]
    assert answer.json() == cast.ed.get(place(space, opened["id"])).json()
    assert send(cast.ed, space, insert("Bell")).json().keys() == {"revision", "changes"}


def test_a_change_request_holds_its_changes_and_the_space_its_own(cast: Cast, space: str) -> None:
    pages = three(cast.ed, space)
    opened = make.change_request(cast.ed, space)["id"]
    make.changes(cast.ed, space, update(pages["quay"], "Later.\n"), delete(pages["harbour"]), request=opened)
    make.changes(cast.ed, space, update(pages["steps"], "Now.\n"), insert("Bell"))
    assert paths(cast.ria, space) == ["harbour", "quay", "quay/steps", "bell"]
    assert paths(cast.ria, space, opened) == ["quay", "quay/steps"]
    assert text(cast.ria, space, pages["quay"], opened) == "Later.\n"
    assert text(cast.ria, space, pages["quay"]).startswith("[")
    assert text(cast.ria, space, pages["steps"], opened).startswith("# Steps")
    assert cast.ria.get(f"{place(space, opened)}/content/page/{pages['harbour']}").status_code == 404
    assert cast.ria.get(f"{place(space, opened)}/content/path/harbour").status_code == 404


def test_every_revision_stays_readable(cast: Cast, space: str, request_id: str | None) -> None:
    first = make.changes(cast.ed, space, insert("Bell", "One.\n", ref="bell"), request=request_id)
    bell = ids(first)["bell"]
    second = make.changes(
        cast.ed, space, update(bell, "Two.\n", title="Horn", slug="horn"), request=request_id
    )
    make.changes(cast.ed, space, delete(bell), request=request_id)
    for revision, title, path, body in (
        (first["revision"], "Bell", "bell", "One.\n"),
        (second["revision"], "Horn", "horn", "Two.\n"),
    ):
        there = f"/v1/spaces/{space}/revisions/{revision}"
        found = cast.ria.get(f"{there}/page/{bell}").json()
        assert (found["title"], found["path"], found["markdown"]) == (title, path, body)
        assert cast.ria.get(f"{there}/path/{path}").json()["id"] == bell
        assert [each["path"] for each in cast.ria.get(f"{there}/pages").json()["pages"]] == [path]
        assert cast.ria.get(there).json()["id"] == revision
    assert paths(cast.ria, space, request_id) == []
    assert cast.gus.get(f"/v1/spaces/{space}/revisions/{first['revision']}").status_code == 404


def test_what_changes_nothing_makes_no_revision(cast: Cast, space: str, request_id: str | None) -> None:
    bell = ids(make.changes(cast.ed, space, insert("Bell", "Ding.\n", ref="bell"), request=request_id))[
        "bell"
    ]
    before = content(cast.ed, space, request_id)
    again = make.changes(cast.ed, space, update(bell, "Ding.\n", title="Bell"), request=request_id)
    assert again["revision"] == before["id"]
    assert content(cast.ed, space, request_id) == before


def test_nothing_is_done_where_the_last_change_cannot_be(
    cast: Cast, space: str, request_id: str | None
) -> None:
    pages = three(cast.ed, space, request_id)
    good = [insert("Bell"), update(pages["quay"], "Other.\n"), delete(pages["steps"])]
    for bad, path in (
        (delete("nothing"), "changes.3.page"),
        (update(pages["steps"], "Back.\n"), "changes.3.page"),
        (insert("Horn", into="nowhere"), "changes.3.into"),
        (insert("Horn", into=pages["steps"]), "changes.3.into"),
        (insert("Horn", "a\0b"), ""),
        ({"operation": "insert_page"}, "changes.3.document"),
        ({"operation": "update_page", "title": "Horn"}, "changes.3.page"),
        ({"operation": "delete_file", "file": "nothing"}, "changes.3.file"),
        ({"operation": "revert_page", "page": "nothing"}, "changes.3.page"),
        ({"operation": "delete_reusable_content", "reusableContent": "x"}, "changes.3.reusableContent"),
        ({"operation": "update_variables"}, "changes.3.variables"),
        (update(pages["quay"], slug="Not A Slug"), "changes.3.slug"),
        (update(pages["quay"], slug="x" * 101), "changes.3.slug"),
        (insert("x" * 501), "changes.3.title"),
        (insert("Horn", ref=""), "changes.3.ref"),
        ({"operation": "sing"}, "changes.3.operation"),
    ):
        assert refused(cast.ed, space, *good, bad, request=request_id, path=path) == 400


def test_pages_of_other_spaces_are_no_pages_here(cast: Cast, space: str, request_id: str | None) -> None:
    other = make.space(cast.ada, cast.organization)["id"]
    theirs = three(cast.ed, other)["quay"]
    for change in (delete(theirs), update(theirs, "Ours.\n"), {"operation": "revert_page", "page": theirs}):
        assert refused(cast.ed, space, change, request=request_id, path="changes.0.page") == 400
    assert refused(cast.ed, space, insert("Bell", into=theirs), request=request_id) == 400
    assert paths(cast.ed, other) == ["harbour", "quay", "quay/steps"]
    there = "" if request_id is None else f"/change-requests/{request_id}"
    assert cast.ed.get(f"/v1/spaces/{space}{there}/content/page/{theirs}").status_code == 404


def test_a_batch_has_one_to_fifty_changes(cast: Cast, space: str) -> None:
    wrong: dict[str, Any]
    for wrong in ({}, {"changes": []}, {"changes": None}, {"changes": [insert("Bell")] * 51}):
        assert cast.ed.post(f"/v1/spaces/{space}/content", wrong).status_code == 400
    assert paths(cast.ed, space) == []
    make.changes(cast.ed, space, *[insert("Bell")] * 50)
    assert len(set(paths(cast.ed, space))) == 50


def test_a_ref_means_one_thing(cast: Cast, space: str) -> None:
    twice = [insert("Bell", ref="it"), insert("Horn", ref="it")]
    assert refused(cast.ed, space, *twice, path="changes.1.ref") == 400
    make.changes(cast.ed, space, insert("Bell", ref="it"))
    assert refused(cast.ed, space, update("it", "Ding.\n"), path="changes.0.page") == 400


def test_who_may_change_content(cast: Cast, space: str) -> None:
    opened = make.change_request(cast.ed, space)["id"]
    expected = {
        "admin": 200,
        "create": 200,
        "review": 200,
        "edit": 200,
        "comment": 403,
        "read": 403,
        "guest": 404,
    }
    for where in (None, opened):
        for role, person in cast.members.items():
            assert send(person, space, insert("Bell"), request=where).status_code == expected[role]
        assert send(cast.sol, space, insert("Bell"), request=where).status_code == 404
        assert len(paths(cast.ed, space, where)) == 4


def test_a_locked_space_is_changed_in_change_requests_alone(cast: Cast, space: str) -> None:
    opened = make.change_request(cast.ed, space)["id"]
    assert cast.ada.patch(f"/v1/spaces/{space}", {"editMode": "locked"}).status_code == 200
    assert refused(cast.ada, space, insert("Bell")) == 409
    make.changes(cast.ed, space, insert("Bell"), request=opened)
    cast.ada.patch(f"/v1/spaces/{space}", {"editMode": "live"})
    make.changes(cast.ed, space, insert("Bell"))


def test_an_archived_or_merged_change_request_is_not_changed(cast: Cast, space: str) -> None:
    opened = make.change_request(cast.ed, space)["id"]
    for status, expected in (("archived", 409), ("open", 200), ("draft", 200)):
        cast.ed.patch(place(space, opened), {"status": status})
        assert send(cast.ed, space, insert("Bell"), request=opened).status_code == expected
    assert cast.rhea.post(f"{place(space, opened)}/merge").status_code == 200
    assert refused(cast.ed, space, insert("Bell"), request=opened) == 409


@pytest.mark.parametrize(
    "title", ["Bell\n* [Horn](horn.md)", "Old\u2028lamp", "Old \x07lamp", "\u202elleB", " \n\t"]
)
def test_a_title_is_one_line_of_words(cast: Cast, space: str, request_id: str | None, title: str) -> None:
    for name in ("title", "linkTitle"):
        bad = {**insert("Bell"), name: title}
        assert refused(cast.ed, space, bad, request=request_id, path=f"changes.0.{name}") == 400
    oil = {"operation": "insert_reusable_content", "title": title, "document": {"markdown": "Oil.\n"}}
    assert refused(cast.ed, space, oil, request=request_id, path="changes.0.title") == 400


def test_a_key_of_a_write_belongs_to_its_query_too(cast: Cast, space: str) -> None:
    path, body = f"/v1/spaces/{space}/content", {"changes": [insert("Bell")]}
    key = {"Idempotency-Key": "ring"}
    first = cast.ed.post(path, body, params={"compat": "false"}, headers=key)
    assert first.status_code == 200, first.text
    again = cast.ed.post(path, body, params={"compat": "false"}, headers=key)
    assert (again.json(), again.headers["idempotency-replayed"]) == (first.json(), "true")
    assert cast.ed.post(path, body, params={"compat": "true"}, headers=key).status_code == 422
