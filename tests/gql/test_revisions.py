"""Changes in GraphQL: a history with the changes of each revision in one query."""

from __future__ import annotations

from typing import Any

from tests import make
from tests.cast import Cast, Person
from tests.factories.changes import latest, new_page, place

HISTORY = """
query ($space: ID!, $page: ID) {
  space(id: $space) {
    revisions(first: 2, filter: {page: $page}) { totalCount nodes { number type author { restId } } }
  }
}
"""
CHANGED = """
query ($space: ID!, $revision: ID!, $page: ID!, $number: ID!) {
  space(id: $space) {
    revision(id: $revision) {
      pageDocument(page: $page)
      changes(first: 1) { ...Changes }
      page(id: $page) { ...Diff }
    }
    changeRequest(id: $number) {
      changes { ...Changes }
      page(id: $page) { ...Diff }
      revisions { nodes { number parents { restId } parentIds } }
    }
  }
}
fragment Changes on SemanticChanges {
  more changes { type page { title path } attributes { title { before after } } }
}
fragment Diff on Page {
  diff(context: 0) { unified hunks { oldStart oldLines lines { type text } } }
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
    people = [(node["number"], node["type"], node["author"]["restId"]) for node in found["nodes"]]
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
    at, request = found["revision"], found["changeRequest"]
    (change,) = at["changes"]["changes"]
    assert change["type"] == "PAGE_EDITED"
    assert change["page"] == {"title": "Two", "path": "one"}
    assert change["attributes"]["title"] == {"before": "One", "after": "Two"}
    assert at["changes"]["more"] is None
    (hunk,) = at["page"]["diff"]["hunks"]
    assert (hunk["oldStart"], hunk["oldLines"]) == (1, 1)
    assert hunk["lines"] == [{"type": "REMOVED", "text": "One\n"}, {"type": "ADDED", "text": "Two\n"}]
    assert "+Two" in at["page"]["diff"]["unified"]
    assert "Two" in str(at["pageDocument"])
    (change,) = request["changes"]["changes"]
    assert change["attributes"]["title"] == {"before": "One", "after": "Zwei"}
    assert request["page"]["diff"]["hunks"][0]["lines"][1]["text"] == "Zwei\n"
    (first,) = request["revisions"]["nodes"]
    assert first["number"] == 1
    assert [each["restId"] for each in first["parents"]] == first["parentIds"] != []


def test_a_document_by_its_id_is_what_rest_gives(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    page = new_page(cast.ed, space, title="One", document={"markdown": "# One\n\nWords.\n"})
    key = cast.ria.get(f"{place(space)}/content/page/{page}").json()["documentId"]
    asked = "query ($space: ID!, $id: ID!) { space(id: $space) { document(document: $id) } }"
    found = cast.ria.ask(asked, space=space, id=key)["space"]["document"]
    assert found == cast.ria.get(f"{place(space)}/documents/{key}").json()
    refused = cast.ria.gql(asked, space=space, id="nothing")
    assert refused["errors"][0]["extensions"]["status"] == 404


def test_wrong_arguments_are_refused(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    page = new_page(cast.ed, space, title="One")
    for field, name in (
        ("changes(first: 1001) { more }", "first"),
        (f'page(id: "{page}") {{ diff(context: -1) {{ unified }} }}', "context"),
    ):
        text = f"query ($s: ID!, $r: ID!) {{ space(id: $s) {{ revision(id: $r) {{ {field} }} }} }}"
        (error,) = cast.ria.gql(text, s=space, r=latest(cast.ria, space))["errors"]
        assert error["extensions"]["status"] == 400
        assert [each["path"] for each in error["extensions"]["details"]] == [name]
