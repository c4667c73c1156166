"""Pages computed from an OpenAPI specification: placed, read, renewed, and never edited."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests import make
from tests.cast import Cast, Person
from tests.factories import openapi

Page = dict[str, Any]


@pytest.fixture(autouse=True)
def by_hand() -> Iterator[None]:
    """Here specifications are read when a test says so."""
    with openapi.left_alone():
        yield


def placed(person: Person, space: str, slug: str = "kennel", request: Any = None, **fields: Any) -> str:
    """A page with all that a specification says below it; its id."""
    change = {
        "operation": "insert_page",
        "type": "computed",
        "title": "API",
        "computed": {"type": "builtin:openapi", "spec": slug},
        **fields,
    }
    done = make.changes(person, space, change, request=request)
    return str(done["changes"][0]["page"]["id"])


def tree(person: Person, place: str, **params: Any) -> list[Page]:
    """The pages of a place."""
    answer = person.get(f"{place}/content/pages", params=params)
    assert answer.status_code == 200, answer.text
    found: list[Page] = answer.json()["pages"]
    return found


def outline(pages: list[Page]) -> list[Any]:
    """Titles with those below them."""
    return [[page["title"], outline(page["pages"])] if page.get("pages") else page["title"] for page in pages]


def by_path(person: Person, space: str, path: str, **params: Any) -> Page:
    """One page."""
    answer = person.get(f"/v1/spaces/{space}/content/path/{path}", params=params)
    assert answer.status_code == 200, answer.text
    found: Page = answer.json()
    return found


def test_a_specification_becomes_pages(cast: Cast, space: str, request_id: str | None) -> None:
    spec = openapi.spec(cast)
    placed(cast.ed, space, request=request_id)
    place = f"/v1/spaces/{space}" + (f"/change-requests/{request_id}" if request_id else "")
    pages = tree(cast.ed, place)
    assert outline(pages) == [
        ["API", [["pets", ["List pets", "Add a pet", "Get a pet"]], ["Models", ["Pet"]]]]
    ]
    operation = pages[0]["pages"][0]["pages"][0]
    assert operation["path"] == "api/pets/listpets"
    assert operation["computed"] == {
        "type": "builtin:openapi",
        "props": {"doc": "operation", "page": "pets", "path": "/pets", "method": "get"},
        "dependencies": {"spec": {"ref": {"kind": "openapi", "spec": spec["id"]}}},
    }
    assert operation["computedSeed"]
    assert tree(cast.ed, place, computed="false") == []


def test_an_operation_is_read_as_markdown_and_as_a_document(cast: Cast, space: str) -> None:
    openapi.spec(cast)
    placed(cast.ed, space)
    page = by_path(cast.ed, space, "api/pets/listpets")
    assert "All of them, *oldest* first." in page["markdown"]
    assert '{% openapi-operation spec="kennel" path="/pets" method="get" %}' in page["markdown"]
    assert "* `limit` (query): How many" in page["markdown"]
    document = by_path(cast.ed, space, "api/pets/listpets", format="document")["document"]
    block = next(node for node in document["nodes"] if node["type"] == "openapi-operation")
    assert block["data"] == {"spec": "kennel", "path": "/pets", "method": "get"}
    assert block["nodes"]


def test_only_what_differs_is_written_of_a_new_version(cast: Cast, space: str) -> None:
    openapi.spec(cast)
    placed(cast.ed, space)
    before = _ids(tree(cast.ed, f"/v1/spaces/{space}"))
    first = _revision(cast, space)
    changed = openapi.document()
    changed["paths"]["/pets"]["get"]["summary"] = "Find pets"
    changed["paths"]["/pets"]["delete"] = {
        "operationId": "clear", "tags": ["pets"], "responses": {"204": {"description": "None is left"}}
    }  # fmt: skip
    del changed["paths"]["/pets/{petId}"]
    openapi.spec(cast, value=changed)
    openapi.renew(cast)
    pages = tree(cast.ed, f"/v1/spaces/{space}")
    assert outline(pages) == [["API", [["pets", ["Find pets", "Add a pet", "clear"]], ["Models", ["Pet"]]]]]
    after = _ids(pages)
    assert after["api/pets/listpets"] == before["api/pets/listpets"]
    revision = cast.ed.get(f"/v1/spaces/{space}/content").json()
    assert (revision["type"], revision["sourceRevision"]) == ("computed", first)
    told = cast.ed.get(f"/v1/spaces/{space}/revisions/{revision['id']}/changes", params={"limit": 100}).json()
    kinds = sorted((change["type"], change["page"]["title"]) for change in told["changes"])
    assert kinds == [
        ("page_created", "clear"),
        ("page_deleted", "Get a pet"),
        ("page_edited", "API"),
        ("page_edited", "Find pets"),
    ]


def test_the_same_version_again_makes_no_revision(cast: Cast, space: str) -> None:
    openapi.spec(cast)
    placed(cast.ed, space)
    before = _revision(cast, space)
    openapi.spec(cast)
    openapi.renew(cast)
    assert _revision(cast, space) == before


def test_a_change_request_that_shows_a_specification_is_renewed_and_merged(cast: Cast, space: str) -> None:
    openapi.spec(cast)
    request = make.change_request(cast.ed, space)["id"]
    placed(cast.ed, space, request=request)
    changed = openapi.document()
    del changed["paths"]["/pets/{petId}"]
    openapi.spec(cast, value=changed)
    openapi.renew(cast)
    place = f"/v1/spaces/{space}/change-requests/{request}"
    expected = [["API", [["pets", ["List pets", "Add a pet"]], ["Models", ["Pet"]]]]]
    assert outline(tree(cast.ed, place)) == expected
    merged = cast.rhea.post(f"{place}/merge", {})
    assert merged.json()["result"] == "merge", merged.text
    assert outline(tree(cast.ed, f"/v1/spaces/{space}")) == expected


def test_a_request_that_was_begun_before_a_new_version_merges_without_conflict(
    cast: Cast, space: str
) -> None:
    openapi.spec(cast)
    source = placed(cast.ed, space)
    request = make.change_request(cast.ed, space)["id"]
    move = {"operation": "update_page", "page": source, "slug": "reference"}
    make.changes(cast.ed, space, move, request=request)
    changed = openapi.document()
    changed["paths"]["/pets"]["get"]["summary"] = "Find pets"
    changed["paths"]["/dogs"] = {"get": {"tags": ["pets"], "responses": {"200": {"description": "Dogs"}}}}
    openapi.spec(cast, value=changed)
    openapi.renew(cast)
    merged = cast.rhea.post(f"/v1/spaces/{space}/change-requests/{request}/merge", {})
    assert merged.json()["result"] == "merge", merged.text
    pages = tree(cast.ed, f"/v1/spaces/{space}")
    assert outline(pages) == [
        ["API", [["pets", ["Find pets", "Add a pet", "Get a pet", "GET /dogs"]], ["Models", ["Pet"]]]]
    ]
    assert pages[0]["pages"][0]["path"] == "reference/pets"


def test_what_a_request_deletes_is_gone_though_a_new_version_added_to_it(cast: Cast, space: str) -> None:
    openapi.spec(cast)
    source = placed(cast.ed, space)
    request = make.change_request(cast.ed, space)["id"]
    make.changes(cast.ed, space, {"operation": "delete_page", "page": source}, request=request)
    changed = openapi.document()
    changed["paths"]["/pets"]["get"]["summary"] = "Find pets"
    changed["paths"]["/dogs"] = {"get": {"tags": ["dogs"], "responses": {"200": {"description": "Dogs"}}}}
    openapi.spec(cast, value=changed)
    openapi.renew(cast)
    merged = cast.rhea.post(f"/v1/spaces/{space}/change-requests/{request}/merge", {})
    assert merged.json()["result"] == "merge", merged.text
    assert tree(cast.ed, f"/v1/spaces/{space}") == []


def test_what_was_deleted_or_archived_comes_back_with_the_last_version(cast: Cast, space: str) -> None:
    openapi.spec(cast)
    request = f"/v1/spaces/{space}/change-requests/{make.change_request(cast.ed, space)['id']}"
    placed(cast.ed, space, request=request.rpartition("/")[2])
    gone = make.space(cast.ada, cast.organization)["id"]
    placed(cast.ada, gone)
    assert cast.ed.patch(request, {"status": "archived"}).status_code == 200
    assert cast.ada.delete(f"/v1/spaces/{gone}").status_code == 205
    changed = openapi.document()
    changed["paths"]["/pets"]["get"]["summary"] = "Find pets"
    openapi.spec(cast, value=changed)
    openapi.renew(cast)
    assert cast.ada.post(f"/v1/spaces/{gone}/restore").status_code == 200
    assert cast.ed.patch(request, {"status": "open"}).status_code == 200
    for place in (f"/v1/spaces/{gone}", request):
        assert "Find pets" in str(outline(tree(cast.ada, place)))


def test_a_specification_that_was_not_read_yet_gets_its_pages_later(cast: Cast, space: str) -> None:
    answer = cast.ada.post(openapi.path(cast), {"slug": "later", "source": {"url": "https://docs.invalid/a"}})
    assert answer.status_code == 201, answer.text
    source = placed(cast.ed, space, "later")
    page = cast.ed.get(f"/v1/spaces/{space}/content/page/{source}").json()
    assert "are being made" in page["markdown"]
    openapi.spec(cast, "later")
    openapi.renew(cast, "later")
    assert len(tree(cast.ed, f"/v1/spaces/{space}")[0]["pages"]) == 2


def test_a_specification_that_cannot_be_read_says_so_where_its_pages_would_be(cast: Cast, space: str) -> None:
    body = {"source": {"text": "no specification"}}
    spec_id = cast.ada.put(openapi.path(cast, "kennel"), body).json()["id"]
    placed(cast.ed, space)
    assert "are being made" in by_path(cast.ria, space, "api", format="markdown")["markdown"]
    openapi.settled(cast, spec_id)
    openapi.renew(cast)
    assert "cannot be read" in by_path(cast.ria, space, "api", format="markdown")["markdown"]
    placed(cast.ed, space, title="Again")
    assert "cannot be read" in by_path(cast.ria, space, "again", format="markdown")["markdown"]
    openapi.spec(cast)
    openapi.renew(cast)
    assert "cannot be read" not in by_path(cast.ria, space, "api", format="markdown")["markdown"]


def test_many_pages_are_made_by_the_job(cast: Cast, space: str) -> None:
    answers = {"responses": {"200": {"description": "Fine"}}}
    many = openapi.document(paths={f"/p{n}": {"get": answers, "put": answers} for n in range(520)})
    openapi.spec(cast, value=many)
    source = placed(cast.ed, space)
    assert "are being made" in cast.ed.get(f"/v1/spaces/{space}/content/page/{source}").json()["markdown"]
    openapi.renew(cast)
    (page,) = tree(cast.ed, f"/v1/spaces/{space}")
    assert [each["title"] for each in page["pages"]] == ["Other operations", "Models"]
    assert len(page["pages"][0]["pages"]) == 1040


def test_models_can_be_left_out(cast: Cast, space: str) -> None:
    openapi.spec(cast)
    placed(cast.ed, space, computed={"type": "builtin:openapi", "spec": "kennel", "models": False})
    assert [page["title"] for page in tree(cast.ed, f"/v1/spaces/{space}")[0]["pages"]] == ["pets"]


def test_what_is_computed_is_not_edited(cast: Cast, space: str, request_id: str | None) -> None:
    openapi.spec(cast)
    source = placed(cast.ed, space, request=request_id)
    place = f"/v1/spaces/{space}" + (f"/change-requests/{request_id}" if request_id else "")
    operation = tree(cast.ed, place)[0]["pages"][0]["pages"][0]["id"]
    body = {"markdown": "Mine."}
    for change, status in (
        ({"operation": "update_page", "page": operation, "title": "Mine"}, 409),
        ({"operation": "update_page", "page": operation, "document": body}, 409),
        ({"operation": "update_page", "page": source, "document": body}, 409),
        ({"operation": "delete_page", "page": operation}, 409),
        ({"operation": "insert_page", "document": body, "into": source}, 400),
        ({"operation": "insert_page", "document": body, "into": operation}, 400),
        ({"operation": "insert_page", "type": "computed"}, 400),
        ({"operation": "insert_page", "type": "computed",
          "computed": {"type": "builtin:openapi", "spec": "nothing"}}, 400),
    ):  # fmt: skip
        answer = cast.ed.post(f"{place}/content", {"changes": [change]})
        assert answer.status_code == status, (change, answer.text)


def test_the_placed_page_is_moved_named_and_deleted(cast: Cast, space: str) -> None:
    openapi.spec(cast)
    source = placed(cast.ed, space)
    made = make.changes(
        cast.ed, space, {"operation": "insert_page", "title": "Guide", "document": {"markdown": "Hello."}}
    )
    guide = made["changes"][0]["page"]["id"]
    change = {
        "operation": "update_page",
        "page": source,
        "into": guide,
        "title": "Reference",
        "emoji": "1f436",
    }
    make.changes(cast.ed, space, change)
    assert by_path(cast.ed, space, "guide/api/pets/listpets")["title"] == "List pets"
    openapi.spec(cast, value=openapi.document(info={"title": "Another", "version": "2"}))
    openapi.renew(cast)
    page = by_path(cast.ed, space, "guide/api")
    assert (page["title"], page["emoji"]) == ("Reference", "1f436")
    assert "Version: 2" in page["markdown"]
    make.changes(cast.ed, space, {"operation": "delete_page", "page": source})
    assert outline(tree(cast.ed, f"/v1/spaces/{space}")) == ["Guide"]


def test_another_organizations_specification_is_unknown(cast: Cast, space: str) -> None:
    answer = cast.sol.post(
        f"/v1/orgs/{cast.elsewhere}/openapi",
        {"slug": "sundial", "source": {"text": openapi.as_text(openapi.document())}},
    )
    assert answer.status_code == 201, answer.text
    for name in ("sundial", answer.json()["id"]):
        change = {
            "operation": "insert_page",
            "type": "computed",
            "computed": {"type": "builtin:openapi", "spec": name},
        }
        refused = cast.ed.post(f"/v1/spaces/{space}/content", {"changes": [change]})
        assert refused.status_code == 400, refused.text


def test_imports_and_exports_leave_computed_pages_alone(cast: Cast) -> None:
    space = make.filled_space(cast)
    openapi.spec(cast)
    placed(cast.ed, space)
    files = make.repository()
    files["README.md"] = str(files["README.md"]) + "\nMore.\n"
    make.imported(cast, space, files, mirror=True)
    assert by_path(cast.ed, space, "api/pets/listpets")["computed"]
    files["api.md"] = "# API\n\nBy hand.\n"
    make.imported(cast, space, files, mirror=True)
    assert by_path(cast.ed, space, "api/pets/listpets")["title"] == "List pets"


def test_search_finds_operations(cast: Cast, space: str) -> None:
    openapi.spec(cast)
    placed(cast.ed, space)
    found = cast.ed.get(f"/v1/spaces/{space}/search", params={"query": "oldest"}).json()
    assert [item["title"] for item in found["items"]] == ["List pets"]


def test_tags_in_descriptions_stay_text(cast: Cast, space: str) -> None:
    hostile = openapi.document()
    hostile["paths"]["/pets"]["get"]["description"] = (
        '{% include "x.md" %} {{ space.vars.secret }} <script>alert(1)</script>'
    )
    hostile["paths"]["/pets"]["get"]["summary"] = "{% endopenapi-operation %}"
    openapi.spec(cast, value=hostile)
    placed(cast.ed, space)
    document = by_path(cast.ed, space, "api/pets/listpets", format="document")["document"]
    kinds = [node["type"] for node in document["nodes"]]
    assert "openapi-operation" in kinds
    assert "reusable-content" not in str(document)
    assert "expression" not in str(document)


def _ids(pages: list[Page]) -> dict[str, str]:
    found: dict[str, str] = {}
    for page in pages:
        found |= {page["path"]: page["id"], **_ids(page["pages"])}
    return found


def _revision(cast: Cast, space: str) -> str:
    return str(cast.ed.get(f"/v1/spaces/{space}/content").json()["id"])


def test_deleting_a_specification_deletes_its_pages(cast: Cast, space: str) -> None:
    spec = openapi.spec(cast)
    request = make.change_request(cast.ed, space)["id"]
    placed(cast.ed, space, request=request)
    make.changes(
        cast.ed, space, {"operation": "insert_page", "title": "Guide", "document": {"markdown": "Hi."}}
    )
    placed(cast.ed, space)
    locked = make.space(cast.ada, cast.organization)["id"]
    placed(cast.ed, locked)
    assert cast.ada.patch(f"/v1/spaces/{locked}", {"editMode": "locked"}).status_code == 200
    assert cast.cleo.delete(openapi.path(cast, "kennel")).status_code == 205
    openapi.renew_pages(cast, spec["id"])
    assert outline(tree(cast.ada, f"/v1/spaces/{space}")) == ["Guide"]
    assert outline(tree(cast.ada, f"/v1/spaces/{locked}")) == []
    assert outline(tree(cast.ada, f"/v1/spaces/{space}/change-requests/{request}")) == []
    last = cast.ada.get(f"/v1/spaces/{space}/content").json()
    assert last["type"] == "computed"


def test_every_computed_page_tells_what_it_depends_on(cast: Cast, space: str) -> None:
    spec = openapi.spec(cast)
    source = placed(cast.ed, space)
    place = f"/v1/spaces/{space}/content/page"
    child = by_path(cast.ed, space, "api/pets/listpets")
    on = {"kind": "openapi", "spec": spec["id"]}
    assert child["computed"]["dependencies"] == {"spec": {"ref": on}}
    above = cast.ed.get(f"{place}/{source}").json()["computed"]["dependencies"]
    assert above == {"spec": {"ref": on, "version": spec["lastVersion"]}}


def test_a_specification_tells_the_spaces_that_show_it(cast: Cast, space: str) -> None:
    where = f"{openapi.path(cast, 'kennel')}/spaces"
    openapi.spec(cast)
    hidden = make.space(cast.ada, cast.organization)["id"]
    cast.ada.patch(f"/v1/spaces/{hidden}", {"defaultLevel": None})
    for person, place in ((cast.ed, space), (cast.ada, hidden)):
        page = placed(person, place)
    assert {each["id"] for each in cast.ada.get(where).json()["items"]} == {space, hidden}
    assert [each["id"] for each in cast.ria.get(where).json()["items"]] == [space]
    assert cast.sol.get(where).status_code == 404
    make.changes(cast.ada, hidden, {"operation": "delete_page", "page": page})
    assert [each["id"] for each in cast.ada.get(where).json()["items"]] == [space]
