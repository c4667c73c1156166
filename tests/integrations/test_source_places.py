"""Where pages of content sources appear, and what becomes of them as a space goes on: merges, older
revisions, copies, exports, sites."""

from __future__ import annotations

from typing import Any

import pytest

from app.domain.organizations import organizations
from tests import anonymous, make
from tests.factories import collections, pdfs
from tests.integrations.almanac import LAMPS, Almanac
from tests.rest.test_exports import address, unpacked
from tests.rest.test_openapi_pages import by_path, outline, tree
from tests.timing import until
from tests.visitors import PublishedSite

WEST = [["Almanac", [["Lamps", ["The west lamp"]], "All lamps"]]]
TOLD = """query ($space: ID!, $page: ID!) {
    space(id: $space) { page(id: $page) { computed { version error computedAt } } } }"""
NORTH = "almanac/lamps/the-north-lamp"


@pytest.fixture
def page(almanac: Almanac) -> str:
    """A page of the source that was computed."""
    page = almanac.placed()
    almanac.computed(page)
    almanac.settled()
    return page


def lamp(almanac: Almanac, name: str) -> dict[str, Any]:
    """The page of a lamp."""
    return by_path(almanac.cast.ed, almanac.space, f"almanac/lamps/the-{name}-lamp")


def test_what_both_sides_computed_merges_without_conflict(almanac: Almanac, page: str) -> None:
    cast, request = almanac.cast, make.change_request(almanac.cast.ed, almanac.space)["id"]
    almanac.configure(words="In the request.")
    almanac.settled()
    almanac.refresh(page, request)
    almanac.settled()
    almanac.configure(words="On the main branch.", lamps=["north", "west"])
    almanac.settled()
    place = almanac.place(request)
    update = {"operation": "update_page", "page": page, "title": "Lights"}
    make.changes(cast.ed, almanac.space, update, request=request)
    almanac.configure(words="Once more in the request.", lamps=["north", "south"])
    almanac.refresh(page, request)
    almanac.settled()
    merged = cast.rhea.post(f"{place}/merge", {})
    assert merged.json()["result"] == "merge", merged.text
    almanac.settled()
    assert outline(tree(cast.ed, almanac.place())) == [
        ["Lights", [["Lamps", ["The north lamp", "The south lamp"]], "All lamps"]]
    ]
    assert lamp(almanac, "north")["markdown"].strip() == "Once more in the request."
    assert "error" not in almanac.page(page)["computed"]


def test_a_change_request_is_updated_with_what_was_computed_meanwhile(almanac: Almanac, page: str) -> None:
    cast, request = almanac.cast, make.change_request(almanac.cast.ed, almanac.space)["id"]
    almanac.refresh(page, request)
    almanac.settled()
    almanac.configure(lamps=["west"])
    almanac.settled()
    updated = cast.ed.post(f"{almanac.place(request)}/update")
    assert updated.json()["result"] == "update", updated.text
    almanac.settled()
    assert outline(tree(cast.ed, almanac.place(request))) == WEST


def test_what_a_change_request_deletes_is_gone_though_it_was_computed_meanwhile(
    almanac: Almanac, page: str
) -> None:
    cast, request = almanac.cast, make.change_request(almanac.cast.ed, almanac.space)["id"]
    make.changes(cast.ed, almanac.space, {"operation": "delete_page", "page": page}, request=request)
    almanac.configure(lamps=["west"])
    almanac.settled()
    merged = cast.rhea.post(f"{almanac.place(request)}/merge", {})
    assert merged.json()["result"] == "merge", merged.text
    almanac.settled()
    assert tree(cast.ed, almanac.place()) == []


def test_a_past_revision_shows_what_was_computed_then_and_restoring_it_renews_it(
    almanac: Almanac, page: str
) -> None:
    cast = almanac.cast
    then = cast.ed.get(f"{almanac.place()}/content").json()["id"]
    almanac.configure(lamps=["west"])
    almanac.settled()
    place = f"/v1/spaces/{almanac.space}/revisions/{then}"
    assert outline(cast.ed.get(f"{place}/pages").json()["pages"]) == LAMPS
    old = cast.ed.get(f"{place}/path/{NORTH}").json()
    assert old["markdown"].strip() == "north shines on nothing."
    assert cast.ada.post(f"{place}/restore", {}).status_code == 200
    almanac.cast.instance.look_for_jobs()
    almanac.settled()
    assert outline(tree(cast.ed, almanac.place())) == LAMPS  # nothing that it depends on has changed since
    almanac.publish()
    almanac.settled()
    assert outline(tree(cast.ed, almanac.place())) == WEST
    assert cast.ada.post(f"{place}/restore", {}).status_code == 200
    almanac.cast.instance.look_for_jobs()
    almanac.shown(page, lambda found: found["computed"].get("version") == 2)
    almanac.settled()
    assert outline(tree(cast.ed, almanac.place())) == WEST


def test_a_deleted_page_comes_back_with_what_is_below_it(almanac: Almanac, page: str) -> None:
    cast = almanac.cast
    before = cast.ed.get(f"{almanac.place()}/content").json()["id"]
    make.changes(cast.ed, almanac.space, {"operation": "delete_page", "page": page})
    assert tree(cast.ed, almanac.place()) == []
    almanac.publish()
    back = {"operation": "revert_page", "page": page, "revision": before}
    make.changes(cast.ed, almanac.space, back)
    cast.instance.look_for_jobs()
    almanac.shown(page, lambda found: found["computed"].get("version") == 2)
    assert outline(tree(cast.ed, almanac.place())) == LAMPS


def test_a_copy_of_a_space_has_the_pages_and_computes_its_own(almanac: Almanac, page: str) -> None:
    cast = almanac.cast
    copy = cast.ada.post(f"/v1/spaces/{almanac.space}/duplicate").json()["id"]
    cast.instance.look_for_jobs()
    assert outline(tree(cast.ed, f"/v1/spaces/{copy}")) == LAMPS
    almanac.configure(lamps=["west"])
    almanac.settled()
    there = cast.ed.get(f"/v1/spaces/{copy}/content/page/{page}").json()
    assert there["computed"]["error"] == "The integration is not installed here."
    assert outline(tree(cast.ed, f"/v1/spaces/{copy}")) == LAMPS
    almanac.made.on_space(almanac.installation, copy)
    almanac.settled()
    there = cast.ed.get(f"/v1/spaces/{copy}/content/page/{page}").json()
    assert "error" not in there["computed"]
    almanac.refresh(page)
    almanac.settled()
    assert outline(tree(cast.ed, almanac.place())) == WEST


def test_a_space_of_another_organization_has_its_pages_computed_there(almanac: Almanac, page: str) -> None:
    cast, made = almanac.cast, almanac.publish(visibility="public")
    almanac.settled()
    cast.instance.inside(lambda cx: organizations.add_member(cx, cast.elsewhere, cast.ada.id, "admin"))
    moved = cast.ada.post(f"/v1/spaces/{almanac.space}/transfer", {"organization": cast.elsewhere})
    assert moved.status_code == 200, moved.text
    cast.instance.look_for_jobs()
    place = f"/v1/spaces/{almanac.space}/content/page/{page}"
    said = until(lambda: cast.ada.get(place).json()["computed"].get("error"), "nobody looks at the page")
    assert said == "The integration is not installed here."
    made.on_space(made.install(cast.elsewhere), almanac.space)
    until(lambda: "error" not in cast.ada.get(place).json()["computed"], "the page is not computed there")
    found = cast.ada.get(place).json()
    assert found["computedSeed"] == f"integration:{cast.elsewhere}:{made.name}"


def test_exports_leave_computed_pages_out_and_imports_leave_them_alone(almanac: Almanac, page: str) -> None:
    cast = almanac.cast
    guide = {
        "operation": "insert_page",
        "title": "Guide",
        "document": {"markdown": f"See [it](/pages/{page})."},
    }
    make.changes(cast.ed, almanac.space, guide)
    files = unpacked(address(cast.ed, almanac.space))
    assert [name for name in files if name.endswith(".md")] == ["guide.md"]
    make.imported(cast, almanac.space, {**files, "guide.md": b"# Guide\n\nOther words.\n"}, mirror=True)
    assert outline(tree(cast.ed, almanac.place())) == [*LAMPS, "Guide"]
    assert lamp(almanac, "north")["markdown"].strip() == "north shines on nothing."
    other = make.space(cast.ada, cast.organization)["id"]
    make.imported(cast, other, files)
    assert outline(tree(cast.ed, f"/v1/spaces/{other}")) == ["Guide"]
    words = pdfs.shown(cast.ed, almanac.space)
    assert "north shines on nothing." in words
    assert "The south lamp" in words


def test_links_lead_to_computed_pages_and_from_them(almanac: Almanac, page: str) -> None:
    cast = almanac.cast
    guide = {"operation": "insert_page", "title": "Guide", "document": {"markdown": "Hello."}}
    guide_id = make.changes(cast.ed, almanac.space, guide)["changes"][0]["page"]["id"]
    almanac.configure(words=f"To [the south](/pages/south) and [the guide](/pages/{guide_id}).")
    almanac.settled()
    north = lamp(almanac, "north")
    south = lamp(almanac, "south")["id"]
    assert north["markdown"].strip() == f"To [the south](/pages/{south}) and [the guide](/pages/{guide_id})."
    links = cast.ed.get(f"{almanac.place()}/content/page/{north['id']}/links").json()["items"]
    assert all(link.get("status", "ok") != "broken" for link in links), links


def test_a_published_site_shows_finds_and_lists_them(almanac: Almanac) -> None:
    cast = almanac.cast
    site = PublishedSite(cast, "Guide")
    almanac.made.on_space(almanac.installation, site.spaces[0])
    make.changes(cast.ada, site.spaces[0], almanac.change())
    cast.instance.look_for_jobs()
    almanac.settled()
    north = site.open(f"/{NORTH}")
    assert north.status_code == 200, north.text
    assert "north shines on nothing." in north.text
    assert "The south lamp" in north.text
    assert "north shines on nothing." in site.open(f"/{NORTH}.md").text
    assert NORTH in site.open("/llms.txt").text
    assert NORTH in site.open("/sitemap-pages.xml").text + site.open("/sitemap.xml").text
    with site.browser() as browser:
        found = browser.get("/~/search", params={"q": "shines", "format": "json"}).json()
    assert sorted(hit["title"] for hit in found["hits"]) == ["The north lamp", "The south lamp"]
    home = site.open("/almanac")
    assert home.status_code == 200
    assert "integration:" not in home.text


def test_nested_sources_are_computed_below_the_pages_that_name_them(almanac: Almanac, page: str) -> None:
    almanac.configure(nested=True)
    almanac.settled()
    cast = almanac.cast
    assert outline(tree(cast.ed, almanac.place()))[0][1][2] == ["Years", ["1843", "1844"]]
    year = by_path(cast.ed, almanac.space, "almanac/years/1844")
    assert year["markdown"].strip() == "In 1844 it was dark."
    assert year["computed"]["type"] == f"integration:{almanac.made.name}:years"
    almanac.configure()
    almanac.settled()
    assert outline(tree(cast.ed, almanac.place())) == LAMPS
    assert cast.ed.get(f"{almanac.place()}/content/page/{year['id']}").status_code == 404


def test_graphql_inserts_refreshes_and_tells(almanac: Almanac) -> None:
    cast = almanac.cast
    source = {"type": almanac.type, "props": [{"name": "place", "value": {"text": "the harbour"}}]}
    insert = {"insertPage": {"type": "COMPUTED", "computed": source}}
    shown = "changes { page { restId } }"
    done = cast.ed.mutate("changeContent", shown, space=almanac.space, changes=[insert])
    cast.instance.look_for_jobs()
    page = done["changes"][0]["page"]["restId"]
    almanac.computed(page)
    almanac.settled()
    asked = almanac.asked()
    assert asked == 2, "each page is asked for once"
    found = cast.ed.ask(TOLD, space=almanac.space, page=page)["space"]["page"]["computed"]
    assert (found["version"], found["error"]) == (1, None)
    assert found["computedAt"] == almanac.page(page)["computed"]["computedAt"]
    cast.ed.mutate("changeContent", shown, space=almanac.space, changes=[{"refreshPage": {"page": page}}])
    cast.instance.look_for_jobs()
    almanac.settled()
    assert almanac.asked() == asked + 2


def test_whoever_asks_several_times_has_a_page_computed_once_at_a_time(almanac: Almanac, page: str) -> None:
    asked = almanac.asked()
    changes = [{"operation": "refresh_page", "page": page}] * 5
    make.changes(almanac.cast.ed, almanac.space, *changes)
    almanac.cast.instance.look_for_jobs()
    almanac.settled()
    assert asked + 2 <= almanac.asked() <= asked + 4


def test_only_who_may_edit_has_a_page_computed_again(almanac: Almanac, page: str) -> None:
    refresh = {"changes": [{"operation": "refresh_page", "page": page}]}
    place = f"{almanac.place()}/content"
    assert almanac.cast.ria.post(place, refresh).status_code == 403
    assert almanac.cast.sol.post(place, refresh).status_code == 404


def test_a_collection_hands_its_pages_over_with_its_spaces(almanac: Almanac, page: str) -> None:
    cast, made = almanac.cast, almanac.publish(visibility="public")
    almanac.settled()
    folder = collections.collection(cast.ada, cast.organization)["id"]
    moved = cast.ada.post(f"/v1/spaces/{almanac.space}/move", {"parent": folder})
    assert moved.status_code == 200, moved.text
    cast.instance.inside(lambda cx: organizations.add_member(cx, cast.elsewhere, cast.ada.id, "admin"))
    handed = cast.ada.post(f"/v1/collections/{folder}/transfer", {"organization": cast.elsewhere})
    assert handed.status_code == 200, handed.text
    found = cast.ada.get(f"/v1/spaces/{almanac.space}/content/page/{page}").json()
    assert found["computedSeed"] == f"integration:{cast.elsewhere}:{made.name}"


def test_visitors_are_not_told_why_computing_failed(almanac: Almanac) -> None:
    cast = almanac.cast
    site = PublishedSite(cast, "Guide")
    space = site.spaces[0]
    almanac.made.on_space(almanac.installation, space)
    made = make.changes(cast.ada, space, almanac.change())["changes"][0]["page"]["id"]
    cast.instance.look_for_jobs()
    almanac.settled()
    almanac.configure(broken=True)
    almanac.settled()
    path = f"/v1/spaces/{space}/content/page/{made}"
    assert "The lamps are out." in cast.ada.get(path).json()["computed"]["error"]
    seen = anonymous.get(f"{cast.instance.base}{path}")
    assert seen.status_code == 200, seen.text
    assert "error" not in seen.json()["computed"]
