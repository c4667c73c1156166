"""The history of a space and of its change requests, and documents by themselves."""

from __future__ import annotations

from typing import Any

from tests import make
from tests.cast import Cast
from tests.factories.changes import history, latest, new_page, place
from tests.factories.comments import comment
from tests.factories.sites import ManagedSite


def test_a_space_remembers_who_changed_it_when(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    page = new_page(cast.ed, space, title="One")
    make.changes(cast.rhea, space, {"operation": "update_page", "page": page, "title": "Two"})
    found = history(cast.ria, space)
    third, second, first = found["items"]
    assert found["count"] == 3
    assert [entry["number"] for entry in found["items"]] == [3, 2, 1]
    assert [entry["author"]["id"] for entry in found["items"]] == [cast.rhea.id, cast.ed.id, cast.ada.id]
    assert (third["parents"], second["parents"], first["parents"]) == ([second["id"]], [first["id"]], [])
    assert {entry["type"] for entry in found["items"]} == {"edits"}
    assert third["urls"]["app"].endswith(f"/~/revisions/{third['id']}")
    assert cast.ria.get(f"{place(space)}/revisions/{third['id']}").json()["createdAt"] == third["createdAt"]
    assert cast.ria.get(f"{place(space)}/content").json()["id"] == third["id"]


def test_the_revision_that_a_site_shows_says_where(cast: Cast) -> None:
    s = ManagedSite(cast, "Guide")
    (space,) = s.spaces
    new_page(cast.ed, space, title="One")
    opened = make.change_request(cast.ed, space)["number"]
    addresses = [f"{place(space)}/content", f"{place(space)}/revisions/{latest(cast.ria, space)}"]
    for address in addresses:
        assert cast.ria.get(address).json()["urls"].keys() == {"app"}
    s.post("/publish", status=200)
    now = cast.ria.get(f"/v1/spaces/{space}").json()["urls"]
    shown = {"published": now["published"], "public": now["public"]}
    for address in addresses:
        urls = cast.ria.get(address).json()["urls"]
        assert {name: urls[name] for name in urls if name != "app"} == shown
    second, first = history(cast.ria, space)["items"]
    assert second["urls"] == {"app": second["urls"]["app"], **shown}
    assert first["urls"].keys() == {"app"}
    assert cast.ria.get(f"{place(space, opened)}/content").json()["urls"].keys() == {"app"}


def test_the_history_of_one_page(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    one, two = (new_page(cast.ed, space, title=title) for title in ("One", "Two"))
    make.changes(cast.ed, space, {"operation": "update_page", "page": one, "title": "Uno"})
    make.changes(cast.ed, space, {"operation": "delete_page", "page": one})
    assert [entry["number"] for entry in history(cast.ria, space, pageId=one)["items"]] == [5, 4, 2]
    assert [entry["number"] for entry in history(cast.ria, space, pageId=two)["items"]] == [3]
    assert history(cast.ria, space, pageId="0" * 20) == {"count": 0, "items": []}


def test_histories_come_in_pages(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    for number in range(4):
        new_page(cast.ed, space, title=f"P{number}")
    seen, asked = [], {"limit": 2}
    for _ in range(3):
        found = history(cast.ria, space, **asked)
        seen += [entry["number"] for entry in found["items"]]
        asked = {"limit": 2, "page": found.get("next", {}).get("page")}
    assert seen == [5, 4, 3, 2, 1]
    assert asked["page"] is None
    token = history(cast.ria, space, limit=2)["next"]["page"]
    for other in ({"pageId": "x"}, {"page": "nonsense"}):
        wrong = cast.ria.get(f"{place(space)}/revisions", params={"page": token, **other})
        assert wrong.status_code == 400


def test_a_change_request_has_a_history_of_its_own(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    page = new_page(cast.ed, space, title="One")
    base = latest(cast.ria, space)
    number = make.change_request(cast.ed, space)["number"]
    assert history(cast.ria, space, number) == {"count": 0, "items": []}
    make.changes(cast.rhea, space, {"operation": "update_page", "page": page, "title": "Two"}, request=number)
    other = new_page(cast.ed, space, title="Other", request=number)
    second, first = history(cast.ria, space, number)["items"]
    assert (first["number"], first["parents"], first["author"]["id"]) == (1, [base], cast.rhea.id)
    assert (second["number"], second["parents"]) == (2, [first["id"]])
    assert [entry["id"] for entry in history(cast.ria, space, number, pageId=other)["items"]] == [
        second["id"]
    ]
    assert history(cast.ria, space)["count"] == 2
    assert cast.ria.get(f"{place(space, 9)}/revisions").status_code == 404


def test_a_merge_names_who_edited_its_change_request(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    page = new_page(cast.ed, space, title="One")
    number = make.change_request(cast.ed, space)["number"]
    request = place(space, number)
    for person, title in ((cast.rhea, "Two"), (cast.ed, "Three")):
        change = {"operation": "update_page", "page": page, "title": title}
        make.changes(person, space, change, request=number)
    comment(cast.tom, space, "Loud.", request=number)
    new_page(cast.ada, space, title="Beside")
    assert cast.ada.post(f"{request}/update").status_code == 200
    assert cast.ada.post(f"{request}/merge").status_code == 200
    queries: list[dict[str, Any]] = [{}, {"pageId": page}]
    for query in queries:
        merged, *_, first = history(cast.ria, space, **query)["items"]
        assert (merged["type"], merged["author"]["id"]) == ("merge", cast.ada.id)
        named = {person["id"] for person in merged["contributors"]}
        assert named == {cast.ed.id, cast.rhea.id}, "an update brings nothing of who asked for it"
        assert [person["id"] for person in first["contributors"]] == [first["author"]["id"]]
    found = cast.ria.get(f"{request}/contributors").json()["items"]
    assert {(each["user"]["id"], each["actionType"]) for each in found} == {
        (cast.ed.id, "edit"), (cast.rhea.id, "edit"), (cast.tom.id, "comment"),
    }  # fmt: skip


def test_a_history_is_for_those_who_see_the_space(cast: Cast) -> None:
    space = make.filled_space(cast)
    number = make.change_request(cast.ada, space)["number"]
    for person in (cast.gus, cast.sol):
        for path in (place(space), place(space, number)):
            assert person.get(f"{path}/revisions").status_code == 404


def test_a_document_is_read_as_it_was_at_a_revision(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    page = new_page(cast.ed, space, title="One", document={"markdown": "Old words.\n"})
    group = new_page(cast.ed, space, title="Group", type="group")
    revision = latest(cast.ria, space)
    make.changes(
        cast.ed, space, {"operation": "update_page", "page": page, "document": {"markdown": "New words.\n"}}
    )
    path = f"{place(space)}/revisions/{revision}/page"
    found = cast.ria.get(f"{path}/{page}/document")
    assert found.status_code == 200
    whole = cast.ria.get(f"{path}/{page}", params={"format": "document"}).json()
    assert found.json() == whole["document"]
    assert "Old words." in found.text
    assert cast.ria.get(f"{path}/{group}/document").status_code == 404
    assert cast.ria.get(f"{path}/{'0' * 20}/document").status_code == 404


def test_a_document_is_found_by_its_id_only_where_it_is_held(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    texts = [f"Written in {name} by {cast.organization}.\n" for name in ("main", "a request", "a block")]
    page = new_page(cast.ed, space, title="One", document={"markdown": texts[0]})
    number = make.change_request(cast.ed, space)["number"]
    other = new_page(cast.ed, space, title="Two", document={"markdown": texts[1]}, request=number)
    block = {"operation": "insert_reusable_content", "title": "Oil", "document": {"markdown": texts[2]}}
    make.changes(cast.ed, space, block, {"operation": "update_page", "page": page, "title": "Uno"})
    ids = [
        cast.ria.get(f"{place(space)}/content/page/{page}").json()["documentId"],
        cast.ria.get(f"{place(space, number)}/content/page/{other}").json()["documentId"],
        cast.ria.get(f"{place(space)}/content").json()["reusableContents"][0]["document"],
    ]
    make.changes(cast.ed, space, {"operation": "delete_page", "page": page})  # what was stays readable
    elsewhere = make.space(cast.ada, cast.organization)["id"]
    for key, text in zip(ids, texts, strict=True):
        found = cast.ria.get(f"{place(space)}/documents/{key}")
        assert found.status_code == 200, found.text
        assert text.strip() in found.text
        assert cast.ria.get(f"{place(elsewhere)}/documents/{key}").status_code == 404
        assert cast.sol.get(f"{place(space)}/documents/{key}").status_code == 404
    assert cast.ria.get(f"{place(space)}/documents/nothing").status_code == 404


def test_a_document_by_its_id_knows_the_variables_of_its_space(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    text = 'Kept by {% code %} <code class="expression">space.vars.keeper</code>.\n'
    page = new_page(cast.ed, space, title="One", document={"markdown": text})
    make.changes(cast.ed, space, {"operation": "update_variables", "variables": {"keeper": "Ada L"}})
    key = cast.ria.get(f"{place(space)}/content/page/{page}").json()["documentId"]
    plain, evaluated = (
        cast.ria.get(f"{place(space)}/documents/{key}", params={"evaluated": value}).text
        for value in ("false", "true")
    )
    assert "Ada L" not in plain
    assert "Ada L" in evaluated
