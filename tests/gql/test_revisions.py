"""What changed, over GraphQL: one question for a history with all that its revisions did."""

from __future__ import annotations

from typing import Any

from tests import make
from tests.cast import Cast, Person
from tests.edits import latest, new_page, place

HISTORY = """
query ($space: ID!, $page: ID) {
  space(id: $space) {
    revisions(first: 2, page: $page) { totalCount nodes { id number type author { id } } }
  }
}
"""
CHANGED = """
query ($space: ID!, $revision: ID!, $page: ID!, $number: ID!) {
  space(id: $space) {
    at(revision: $revision) { ...Changes pageDocument(page: $page) }
    changeRequest(id: $number) { ...Changed revisions { nodes { number parents } } }
  }
}
fragment Changes on Snapshot {
  changes(first: 1) { more changes { type page { title path } attributes { title { before after } } } }
  pageDiff(page: $page, context: 0) { unified hunks { oldStart oldLines lines { type text } } }
}
fragment Changed on ChangeRequest {
  changes { more changes { type page { title path } attributes { title { before after } } } }
  pageDiff(page: $page, context: 0) { hunks { lines { type text } } }
}
"""


def edited(person: Person, space: str, page: str, title: str, request: int | None = None) -> None:
    """Give a page another title and text."""
    change = {
        "operation": "update_page",
        "page": page,
        "title": title,
        "document": {"markdown": f"{title}\n"},
    }
    make.changes(person, space, change, request=request)


def test_a_history_with_its_authors(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    pages = [new_page(cast.ed, space, title=title) for title in ("One", "Two")]
    edited(cast.rhea, space, pages[0], "Uno")
    found = cast.ria.ask(HISTORY, space=space)["space"]["revisions"]
    assert found["totalCount"] == 4
    people = [(node["number"], node["type"], node["author"]["id"]) for node in found["nodes"]]
    assert people == [(4, "EDITS", cast.rhea.id), (3, "EDITS", cast.ed.id)]
    found = cast.ria.ask(HISTORY, space=space, page=pages[0])["space"]["revisions"]
    assert [node["number"] for node in found["nodes"]] == [4, 2]


def test_a_revision_and_a_change_request_tell_what_they_changed(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    page = new_page(cast.ed, space, title="One", document={"markdown": "One\n"})
    number = make.change_request(cast.ed, space)["number"]
    edited(cast.ed, space, page, "Zwei", number)
    edited(cast.ed, space, page, "Two")
    asked: dict[str, Any] = {"space": space, "page": page, "number": str(number)}
    found = cast.ria.ask(CHANGED, revision=latest(cast.ria, space), **asked)["space"]
    at, request = found["at"], found["changeRequest"]
    (change,) = at["changes"]["changes"]
    assert change["type"] == "PAGE_EDITED"
    assert change["page"] == {"title": "Two", "path": "one"}
    assert change["attributes"]["title"] == {"before": "One", "after": "Two"}
    assert at["changes"]["more"] is None
    (hunk,) = at["pageDiff"]["hunks"]
    assert (hunk["oldStart"], hunk["oldLines"]) == (1, 1)
    assert hunk["lines"] == [{"type": "REMOVED", "text": "One\n"}, {"type": "ADDED", "text": "Two\n"}]
    assert "+Two" in at["pageDiff"]["unified"]
    assert "Two" in str(at["pageDocument"])
    (change,) = request["changes"]["changes"]
    assert change["attributes"]["title"] == {"before": "One", "after": "Zwei"}
    assert request["pageDiff"]["hunks"][0]["lines"][1]["text"] == "Zwei\n"
    assert [node["number"] for node in request["revisions"]["nodes"]] == [1]


def test_a_document_by_its_id_is_what_rest_gives(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    page = new_page(cast.ed, space, title="One", document={"markdown": "# One\n\nWords.\n"})
    key = cast.ria.get(f"{place(space)}/content/page/{page}").json()["documentId"]
    asked = "query ($space: ID!, $id: ID!) { space(id: $space) { document(id: $id) } }"
    found = cast.ria.ask(asked, space=space, id=key)["space"]["document"]
    assert found == cast.ria.get(f"{place(space)}/documents/{key}").json()
    refused = cast.ria.gql(asked, space=space, id="nothing")
    assert refused["errors"][0]["extensions"]["status"] == 404


def test_wrong_arguments_are_refused(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    page = new_page(cast.ed, space, title="One")
    for field in ("changes(first: 1001) { more }", f'pageDiff(page: "{page}", context: -1) {{ unified }}'):
        text = f"query ($s: ID!, $r: ID!) {{ space(id: $s) {{ at(revision: $r) {{ {field} }} }} }}"
        refused = cast.ria.gql(text, s=space, r=latest(cast.ria, space))
        assert refused["errors"][0]["extensions"]["status"] == 400
