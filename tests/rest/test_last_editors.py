"""The last editor of a page, wherever it is read: both faces say the same."""

from __future__ import annotations

from typing import Any

from alembic import command
from alembic.config import Config

from app import migrations
from tests import make
from tests.cast import Cast, Person
from tests.databases import asked
from tests.factories.changes import delete, latest, new_page, place, send, update
from tests.instance import running
from tests.visitors import PublishedSite

ASKED = """
query ($space: ID!, $request: ID!, $past: ID!, $page: ID!) {
  space(id: $space) {
    ...Editors
    changeRequest(id: $request) { ...Editors }
    revision(id: $past) { ...Editors }
  }
}
fragment Editors on Content {
  page(id: $page) { lastEditedBy { restId } }
  pageList { nodes { restId lastEditedBy { restId displayName } } }
}
"""
TEXT = "First.\n\nLast.\n"


def changed(person: Person, space: str, *batch: dict[str, Any], request: int | None = None) -> None:
    """A batch that must be taken."""
    answer = send(person, space, *batch, request=request)
    assert answer.status_code == 200, answer.text


def editor(person: Person, space: str, page: str, below: str = "") -> str | None:
    """The id of who last edited a page, as REST says."""
    at = below if below.startswith("/revisions") else f"{below}/content"
    answer = person.get(f"{place(space)}{at}/page/{page}")
    assert answer.status_code == 200, answer.text
    return (answer.json().get("lastEditedBy") or {}).get("id")


def merged(person: Person, space: str, request: int) -> None:
    """A change request that must be merged."""
    answer = person.post(f"{place(space, request)}/merge", {})
    assert (answer.status_code, answer.json()["result"]) == (200, "merge"), answer.text


def test_the_editor_is_that_of_the_place(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    one, two = (new_page(cast.ed, space, title=title) for title in ("One", "Two"))
    past = latest(cast.ria, space)
    request = make.change_request(cast.ed, space)["number"]
    changed(cast.rhea, space, update(one, "Changed there."), request=request)
    changed(cast.cleo, space, update(two, "Changed here."))
    found = cast.ria.ask(ASKED, space=space, request=str(request), past=past, page=one)["space"]
    expected = {
        "": {one: cast.ed, two: cast.cleo},
        f"/change-requests/{request}": {one: cast.rhea, two: cast.ed},
        f"/revisions/{past}": {one: cast.ed, two: cast.ed},
    }
    shown = [found, found["changeRequest"], found["revision"]]
    for (below, people), content in zip(expected.items(), shown, strict=True):
        listed = {node["restId"]: node["lastEditedBy"]["restId"] for node in content["pageList"]["nodes"]}
        assert listed == {page: person.id for page, person in people.items()}, below
        assert content["page"]["lastEditedBy"]["restId"] == people[one].id
        for page, person in people.items():
            assert editor(cast.ria, space, page, below) == person.id, below


def test_a_merge_keeps_who_wrote_and_a_rollback_is_an_edit(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    one, two = (
        new_page(cast.ed, space, title=title, document={"markdown": TEXT}) for title in ("One", "Two")
    )
    before = latest(cast.ria, space)
    request = make.change_request(cast.ed, space)["number"]
    changed(cast.rhea, space, update(one, "First, by Rhea.\n\nLast.\n"), request=request)
    changed(cast.rhea, space, update(two, "First, by Rhea.\n\nLast.\n"), request=request)
    changed(cast.cleo, space, update(two, "First.\n\nLast, by Cleo.\n"))
    answer = cast.ed.post(f"{place(space, request)}/update", {})
    assert answer.status_code == 200, answer.text
    there = f"/change-requests/{request}"
    assert [editor(cast.ria, space, page, there) for page in (one, two)] == [cast.rhea.id, cast.cleo.id]
    merged(cast.ada, space, request)
    assert [editor(cast.ria, space, page) for page in (one, two)] == [cast.rhea.id, cast.cleo.id]
    copy = str(cast.ada.post(f"{place(space)}/duplicate").json()["id"])
    assert [editor(cast.ria, copy, page) for page in (one, two)] == [cast.rhea.id, cast.cleo.id]
    answer = cast.ada.post(f"{place(space)}/revisions/{before}/restore", {})
    assert answer.status_code == 200, answer.text
    assert [editor(cast.ria, space, page) for page in (one, two)] == [cast.ada.id, cast.ada.id]


def test_what_follows_an_edit_elsewhere_is_not_an_edit_of_a_draft(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    target = new_page(cast.ed, space, title="Target")
    page = new_page(cast.ed, space, title="Page", document={"markdown": "[There](target.md)\n"})
    request = make.change_request(cast.ed, space)["number"]
    changed(cast.rhea, space, delete(target), request=request)
    below = f"/change-requests/{request}"
    assert editor(cast.ria, space, page, below) == cast.ed.id


def test_who_has_left_is_still_named(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    page = new_page(cast.cleo, space, title="One")
    answer = cast.ada.delete(f"/v1/orgs/{cast.organization}/members/{cast.cleo.id}")
    assert answer.status_code == 204, answer.text
    assert editor(cast.ria, space, page) == cast.cleo.id
    query = "query ($s: ID!) { space(id: $s) { pageList { nodes { lastEditedBy { restId } } } } }"
    (node,) = cast.ria.ask(query, s=space)["space"]["pageList"]["nodes"]
    assert node["lastEditedBy"] == {"restId": cast.cleo.id}


def test_visitors_are_told_of_nobody(cast: Cast) -> None:
    space = PublishedSite(cast).spaces[0]
    query = 'query ($s: ID!) { space(id: $s) { page(path: "guide") { restId lastEditedBy { email } } } }'
    listed = "query ($s: ID!) { space(id: $s) { pageList { nodes { lastEditedBy { email } } } } }"
    page = cast.sol.ask(query, s=space)["space"]["page"]
    changed(cast.ed, space, update(page["restId"], "Changed."))
    assert page["lastEditedBy"] is None
    assert editor(cast.sol, space, page["restId"]) is None
    assert editor(cast.ria, space, page["restId"]) == cast.ed.id
    nodes = cast.sol.ask(listed, s=space)["space"]["pageList"]["nodes"]
    assert [node["lastEditedBy"] for node in nodes] == [None] * 4


def test_editors_of_before_are_found_in_the_history(fresh_database: str) -> None:
    kept = "SELECT line_id, page_id, valid_from, edited_by FROM page_version ORDER BY 1, 2, 3"
    with running(fresh_database) as instance:
        cast = make.cast(instance)
        test_a_merge_keeps_who_wrote_and_a_rollback_is_an_edit(cast)
        test_the_editor_is_that_of_the_place(cast)
    before = asked(fresh_database, kept)
    command.downgrade(migrations.configuration(Config(), fresh_database), "0049")
    migrations.upgrade(fresh_database)
    after = asked(fresh_database, kept)
    copied = {line for (line,) in asked(fresh_database, "SELECT id FROM space WHERE title LIKE '%(copy)'")}
    assert [row for row in after if row[0] not in copied] == [row for row in before if row[0] not in copied]
    assert {row[-1] for row in after if row[0] in copied} == {cast.ada.id}
