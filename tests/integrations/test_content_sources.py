"""Content sources: pages that a script computes, on the main branch and in change requests."""

from __future__ import annotations

from typing import Any

from tests import make
from tests.integrations.almanac import LAMPS, Almanac
from tests.rest.test_openapi_pages import by_path, outline, tree
from tests.timing import until

ASKED = """query ($space: ID!, $page: ID!) {
    space(id: $space) { page(id: $page) { computed { type error } } } }"""


def on(**ref: str) -> dict[str, Any]:
    """Return what is computed from something else."""
    return {"dependencies": {"g": {"ref": ref}}}


def test_a_source_becomes_pages_where_it_is_placed(almanac: Almanac) -> None:
    cast = almanac.cast
    for request in (make.change_request(cast.ed, almanac.space)["id"], None):
        page = almanac.computed(almanac.placed(request), request)
        assert page["createdAt"] <= page["computed"].pop("computedAt") <= page["updatedAt"]
        assert page["computed"] == {
            "type": almanac.type, "props": {"place": "the harbour"}, "dependencies": {}, "version": 1
        }  # fmt: skip
        pages = tree(cast.ed, almanac.place(request))
        assert outline(pages) == LAMPS
        lamps, link = pages[0]["pages"]
        assert (link["type"], link["href"]) == ("link", "https://lamps.example.org/")
        north = lamps["pages"][0]
        assert north["path"] == "almanac/lamps/the-north-lamp"
        assert north["description"] == "In the harbour"
        assert north["computed"] == {"type": almanac.type, "props": {"lamp": "north"}, "dependencies": {}}
        assert almanac.page(north["id"], request)["markdown"].strip() == "north shines on nothing."
        assert tree(cast.ed, almanac.place(request), computed="false") == []
    found = cast.ed.get(f"/v1/spaces/{almanac.space}/search", params={"query": "shines"}).json()
    assert sorted(item["title"] for item in found["items"]) == ["The north lamp", "The south lamp"]
    revision = cast.ed.get(f"/v1/spaces/{almanac.space}/content").json()
    assert revision["type"] == "computed"


def test_pages_follow_what_they_depend_on_and_only_those_that_differ_are_computed(almanac: Almanac) -> None:
    cast = almanac.cast
    page = almanac.placed(dependencies={"guide": {"ref": {"kind": "space", "space": almanac.other}}})
    first = almanac.computed(page)["computed"]["dependencies"]["guide"]["value"]
    assert first == {"object": "space", "id": almanac.other, "revision": first["revision"]}
    assert first["revision"] in by_path(cast.ed, almanac.space, "almanac/lamps/the-north-lamp")["markdown"]
    body = {"operation": "insert_page", "title": "Guide", "document": {"markdown": "Hello."}}
    later = make.changes(cast.ed, almanac.other, body)["revision"]
    cast.instance.look_for_jobs()
    until(
        lambda: almanac.page(page)["computed"]["dependencies"]["guide"]["value"]["revision"] == later,
        "the page does not follow the space",
    )
    assert later in by_path(cast.ed, almanac.space, "almanac/lamps/the-south-lamp")["markdown"]


def test_a_refreshed_page_is_computed_anew_and_so_are_all_below_it(almanac: Almanac) -> None:
    page = almanac.placed()
    almanac.computed(page)
    almanac.settled()
    asked = almanac.asked()
    almanac.refresh(page)
    until(lambda: almanac.asked() == asked + 2, "the page is not refreshed")


def test_an_error_is_shown_and_the_pages_stay(almanac: Almanac) -> None:
    page = almanac.placed()
    almanac.computed(page)
    almanac.configure(broken=True)
    almanac.refresh(page)
    told = almanac.failed(page)
    assert told == "The integration answered with status 503 instead of 200: The lamps are out."
    assert outline(tree(almanac.cast.ed, almanac.place())) == LAMPS
    asked = almanac.cast.ed.ask(ASKED, space=almanac.space, page=page)
    assert asked["space"]["page"]["computed"] == {"type": almanac.type, "error": told}
    almanac.configure()
    almanac.refresh(page)
    until(lambda: "error" not in almanac.page(page)["computed"], "the error stays")


def test_a_change_request_with_a_source_is_merged_before_it_was_computed(almanac: Almanac) -> None:
    cast, request = almanac.cast, make.change_request(almanac.cast.ed, almanac.space)["id"]
    page = almanac.placed(request)
    merged = cast.rhea.post(f"{almanac.place(request)}/merge", {})
    assert merged.json()["result"] == "merge", merged.text
    almanac.computed(page)
    assert outline(tree(cast.ed, almanac.place())) == LAMPS


def test_what_is_no_source_is_refused_by_its_field(almanac: Almanac) -> None:
    cast, place = almanac.cast, f"/v1/spaces/{almanac.space}/content"
    foreign = make.space(cast.sol, cast.elsewhere)["id"]
    for computed, path in (
        ({"type": f"integration:{almanac.made.name}:other"}, "type"),
        ({"type": "integration:nobody:almanac"}, "type"),
        ({"type": "integration:almanac"}, "type"),
        ({"spec": "kennel"}, "spec"),
        ({"props": {"much": "x" * 70_000}}, "props"),
        (on(kind="space", space=almanac.space), "dependencies.g.ref.space"),
        (on(kind="space", space=foreign), "dependencies.g.ref.space"),
        (on(kind="openapi", spec="none"), "dependencies.g.ref.spec"),
        (on(kind="openapi"), "dependencies.g.ref.spec"),
    ):  # fmt: skip
        answer = cast.ed.post(place, {"changes": [almanac.change(**computed)]})
        assert answer.status_code == 400, (computed, answer.text)
        assert f"changes.0.computed.{path}" in answer.text, (computed, answer.text)
    made = make.changes(
        cast.ed,
        almanac.space,
        {"operation": "insert_page", "title": "Guide", "document": {"markdown": "Hi."}},
    )
    guide = made["changes"][0]["page"]["id"]
    refused = cast.ed.post(place, {"changes": [{"operation": "refresh_page", "page": guide}]})
    assert refused.status_code == 400, refused.text
