"""The structure of sites in REST: sections, groups, spaces, links, their order, paths and defaults."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from app.domain.sites import structure
from tests import make
from tests.cast import Cast
from tests.factories import collections
from tests.factories.sites import ManagedSite, answered, spaces


def beside(kind: str, id: str, *, after: bool = False) -> dict[str, Any]:
    """A position as the sorting takes it."""
    return {"after" if after else "before": {"type": kind, "id": id}}


def paths(s: ManagedSite) -> list[str]:
    return [section["path"] for section in s.get("/sections")["items"]]


def test_spaces_without_sections_are_variants(cast: Cast) -> None:
    s = ManagedSite(cast, "English", "Deutsch")
    found = s.get("/structure")
    assert found["type"] == "siteSpaces"
    assert [item["object"] for item in found["structure"]] == ["site-space"] * 2
    assert s.outline() == ["English*", "Deutsch"]
    assert s.get("/sections") == {"count": 0, "items": []}
    assert "section" not in found["structure"][0]


def test_the_first_section_gathers_the_spaces_that_were_there(cast: Cast) -> None:
    s = ManagedSite(cast, "Guide", "Guide 2")
    (blog,) = spaces(cast, "Blog")
    made = s.post("/sections", {"spaceId": blog, "icon": "gear"})
    assert (made["title"], made["path"], made["default"], made["icon"]) == ("Blog", "blog", False, "gear")
    assert s.get("/structure")["type"] == "sections"
    assert s.outline() == [("Guide*", ["Guide*", "Guide 2"]), ("Blog", ["Blog*"])]
    assert paths(s) == ["guide", "blog"]


def test_the_first_section_of_an_empty_site_is_its_default(cast: Cast) -> None:
    s = ManagedSite(cast)
    made = s.section("Guide", title="All about lamps")
    assert (made["default"], made["title"], made["path"]) == (True, "All about lamps", "all-about-lamps")
    assert made["siteSpaces"][0]["default"] is True
    assert "sectionGroup" not in made


def test_paths_are_made_unique(cast: Cast) -> None:
    s = ManagedSite(cast)
    for _ in range(3):
        s.section("Guide")
    assert paths(s) == ["guide", "guide-1", "guide-2"]
    first = s.get("/sections")["items"][0]["id"]
    for space in spaces(cast, "Guide", "GUIDE", "../~x"):
        s.post("/site-spaces", {"spaceId": space, "sectionId": first})
    items = s.get("/sections")["items"][0]["siteSpaces"]
    assert [item["path"] for item in items] == ["guide", "guide-1", "guide-2", "x"]
    s.patch(f"/site-spaces/{items[1]['id']}", {"path": "GUIDE"}, status=409)
    s.patch(f"/site-spaces/{items[1]['id']}", {"path": "a/b"}, status=400)
    assert s.patch(f"/site-spaces/{items[1]['id']}", {"path": "v2"})["path"] == "v2"
    s.patch(f"/sections/{first}", {"path": "guide-1"}, status=409)
    assert s.patch(f"/sections/{first}", {"path": "guide"})["path"] == "guide"
    for of_programs in ("robots.txt", "llms.txt", "llms-full.txt", "sitemap.xml", "Sitemap-2.xml"):
        s.patch(f"/sections/{first}", {"path": of_programs}, status=400)
        s.patch(f"/site-spaces/{items[1]['id']}", {"path": of_programs}, status=400)
    assert s.section("llms.txt")["path"] == "llms-txt"


def test_a_space_is_added_to_the_section_that_is_named_else_to_the_default_one(cast: Cast) -> None:
    s = ManagedSite(cast)
    s.section("Guide")
    second = s.section("Blog")["id"]
    one, two = spaces(cast, "One", "Two")
    s.post("/site-spaces", {"spaceId": one})
    made = s.post("/site-spaces", {"spaceId": two, "sectionId": second})
    assert made["section"] == second
    assert s.outline() == [("Guide*", ["Guide*", "One"]), ("Blog", ["Blog*", "Two"])]
    assert s.get()["siteSpaces"] == 4
    assert cast.ada.post(f"{s.path}/site-spaces", {"spaceId": two, "sectionId": "x"}).status_code == 400
    assert cast.ada.post(f"{s.path}/site-spaces", {"sectionId": second}).status_code == 400


def test_a_space_is_in_a_section_once(cast: Cast) -> None:
    s = ManagedSite(cast)
    first, second = s.section("Guide"), s.section("Blog")
    space = first["siteSpaces"][0]["space"]["id"]
    s.post("/site-spaces", {"spaceId": space}, status=409)
    again = s.post("/site-spaces", {"spaceId": space, "sectionId": second["id"]})
    item = second["siteSpaces"][0]["id"]
    s.patch(f"/site-spaces/{item}", {"spaceId": space}, status=409)
    (other,) = spaces(cast, "Other")
    assert s.patch(f"/site-spaces/{again['id']}", {"spaceId": other})["space"]["id"] == other


def test_a_space_moves_to_another_section(cast: Cast) -> None:
    s = ManagedSite(cast)
    guide, blog = s.section("Guide")["id"], s.section("Blog")["id"]
    english, german = spaces(cast, "Blog", "Deutsch")
    first = s.post("/site-spaces", {"spaceId": english, "sectionId": guide})["id"]
    s.post("/site-spaces", {"spaceId": german, "sectionId": guide})
    default = s.get("/sections")["items"][0]["siteSpaces"][0]["id"]

    moved = s.patch(f"/site-spaces/{first}", {"sectionId": blog})
    assert (moved["section"], moved["path"], moved["default"]) == (blog, "blog-1", False)
    assert s.outline() == [("Guide*", ["Guide*", "Deutsch"]), ("Blog", ["Blog*", "Blog"])]
    moved = s.patch(f"/site-spaces/{default}", {"sectionId": blog, "path": "old-guide"})
    assert (moved["path"], moved["default"]) == ("old-guide", False)
    assert s.outline() == [("Guide*", ["Deutsch*"]), ("Blog", ["Blog*", "Blog", "Guide"])]
    assert s.patch(f"/site-spaces/{default}", {"sectionId": blog})["path"] == "old-guide"

    back = s.post("/site-spaces", {"spaceId": english, "sectionId": guide})["id"]
    before = s.outline()
    refused = s.patch(f"/site-spaces/{back}", {"sectionId": blog}, status=409)
    assert "already there" in refused["error"]["message"]
    s.patch(f"/site-spaces/{back}", {"sectionId": "nowhere"}, status=400)
    assert s.outline() == before


def test_the_address_that_a_space_had_in_its_section_leads_on(cast: Cast) -> None:
    s = ManagedSite(cast)
    guide, blog = s.section("Guide")["id"], s.section("Blog")["id"]
    (german,) = spaces(cast, "Deutsch")
    moved = s.post("/site-spaces", {"spaceId": german, "sectionId": guide})["id"]
    s.post("/publish", status=200)
    s.patch(f"/site-spaces/{moved}", {"sectionId": blog})
    (redirect,) = s.get("/redirects")["items"]
    assert redirect["source"] == "/guide/deutsch"
    assert redirect["destination"] == {"kind": "site-space", "siteSpace": moved}


def test_items_are_listed_in_the_order_of_the_structure(cast: Cast) -> None:
    s = ManagedSite(cast)
    a, b, c = (s.section(title)["id"] for title in "ABC")
    group = s.group("More", sections=[a, c])
    assert s.outline() == [("B", ["B*"]), ("More", [("A*", ["A*"]), ("C", ["C*"])])]
    assert collections.titles(cast.ria, f"{s.path}/sections") == ["B", "A", "C"]
    assert collections.titles(cast.ria, f"{s.path}/site-spaces") == ["B", "A", "C"]
    assert collections.titles(cast.ria, f"{s.path}/section-groups") == ["More"]
    assert [section["title"] for section in s.get("/section-groups")["items"][0]["sections"]] == ["A", "C"]
    first = s.get("/sections", limit=2)
    assert (first["count"], len(first["items"])) == (3, 2)
    assert collections.titles(cast.ada, f"{s.path}/sections", limit=2, page=first["next"]["page"]) == ["C"]
    assert {x["sectionGroup"] for x in s.get("/sections")["items"] if x["id"] != b} == {group["id"]}
    more = {"spaceId": spaces(cast, "A2")[0], "sectionId": a}
    s.post("/site-spaces", more)
    assert collections.titles(cast.ria, f"{s.path}/site-spaces", default="false") == ["B", "A2", "C"]
    assert collections.titles(cast.ria, f"{s.path}/site-spaces", default="true") == ["A"]


def test_sections_groups_and_spaces_move_beside_their_neighbours(cast: Cast) -> None:
    s = ManagedSite(cast)
    a, b, c = (s.section(title)["id"] for title in "ABC")
    moved = {"position": {"before": {"type": "site-section", "siteSection": a}}}
    answer = cast.ada.post(f"{s.path}/sections/{c}/move", moved)
    assert (answer.status_code, "deprecation" in answer.headers) == (200, False)
    assert collections.titles(cast.ria, f"{s.path}/sections") == ["C", "A", "B"]
    s.post(f"/sections/{c}/move", {}, status=200)
    assert collections.titles(cast.ria, f"{s.path}/sections") == ["A", "B", "C"]
    group = s.group()["id"]
    answer = cast.ada.post(f"{s.path}/section-groups/{group}/move", {"position": beside("site-section", b)})
    assert (answer.status_code, answer.headers["deprecation"]) == (200, "true")
    assert [item[0] for item in s.outline()] == ["A*", "Group", "B", "C"]
    two = s.post("/site-spaces", {"spaceId": spaces(cast, "A2")[0]})["id"]
    first = s.get("/sections")["items"][0]["siteSpaces"][0]["id"]
    to = {"position": {"before": {"type": "site-space", "siteSpace": first}}}
    answer = cast.ada.post(f"{s.path}/site-spaces/{two}/move", to)
    assert (answer.status_code, answer.headers["deprecation"]) == (200, "true")
    assert s.outline()[0] == ("A*", ["A2", "A*"])


def test_the_structure_is_sorted_within_a_level(cast: Cast) -> None:
    s = ManagedSite(cast)
    a, b, c = (s.section(title)["id"] for title in "ABC")
    group = s.group(sections=[b, c])["id"]
    link = s.post("/external-links", {"title": "Status", "url": "https://status.example.org"})["id"]

    def sort(item: tuple[str, str], position: dict[str, Any]) -> int:
        body = {"item": {"type": item[0], "id": item[1]}, "position": position}
        return cast.ada.patch(f"{s.path}/structure/sort", body).status_code

    assert sort(("site-external-link", link), beside("site-section", a)) == 200
    assert sort(("site-section", c), beside("site-section", b)) == 200
    assert sort(("site-section-group", group), beside("site-external-link", link, after=True)) == 200
    assert s.outline() == ["Status", ("Group", [("C", ["C*"]), ("B", ["B*"])]), ("A*", ["A*"])]
    before = s.outline()
    assert sort(("site-section", a), beside("site-section", b)) == 400
    assert sort(("site-section", a), beside("site-section", a)) == 400
    assert sort(("site-section", a), beside("site-section-group", b)) == 400
    assert sort(("site-section", a), {}) == 400
    assert sort(("site-section", group), beside("site-section", a)) == 400
    assert sort(("site-space", "0" * 20), beside("site-section", a)) == 400
    assert s.outline() == before


@pytest.mark.parametrize("longest", [structure.LONGEST, 2])
def test_an_order_holds_through_many_moves(cast: Cast, monkeypatch: pytest.MonkeyPatch, longest: int) -> None:
    """Also where ranks get too long and all siblings have new ones, with what is in them."""
    monkeypatch.setattr(structure, "LONGEST", longest)
    s, chance = ManagedSite(cast), Random(longest)
    titles = list("ABCD")
    ids = {title: s.section(title)["id"] for title in titles}
    for _ in range(40):
        mover, other = chance.sample(titles, 2)
        after = chance.random() < 0.5
        position = beside("site-section", ids[other], after=after)
        s.patch("/structure/sort", {"item": {"type": "site-section", "id": ids[mover]}, "position": position})
        titles.remove(mover)
        titles.insert(titles.index(other) + after, mover)
    default = {"A": "A*"}
    assert s.outline() == [(default.get(title, title), [f"{title}*"]) for title in titles]
    assert collections.titles(cast.ria, f"{s.path}/site-spaces") == titles


def test_a_section_moves_into_a_group_and_out_again_while_it_is_edited(cast: Cast) -> None:
    s = ManagedSite(cast)
    first, second = s.section("Guide")["id"], s.section("Blog")["id"]
    group = s.group("More", sections=[first])["id"]
    changed = s.patch(f"/sections/{second}", {"sectionGroup": group, "title": "News", "path": "news"})
    assert (changed["sectionGroup"], changed["title"], changed["path"]) == (group, "News", "news")
    assert [each["id"] for each in s.get("/section-groups")["items"][0]["sections"]] == [first, second]
    out = s.patch(f"/sections/{first}", {"sectionGroup": None, "title": "Manual"})
    assert ("sectionGroup" in out, out["title"]) == (False, "Manual")
    structure = s.get("/structure")["structure"]
    assert [each["title"] for each in structure] == ["More", "Manual"]
    s.patch(f"/sections/{first}", {"sectionGroup": "nowhere", "title": "Lost"}, status=400)
    assert s.get("/structure")["structure"] == structure


def test_a_group_holds_sections_that_leave_where_they_were(cast: Cast) -> None:
    s = ManagedSite(cast)
    a, b = (s.section(title)["id"] for title in "AB")
    one, two = s.group("One", sections=[a])["id"], s.group("Two", icon="gear")["id"]
    put = s.post(f"/section-groups/{two}/sections", {"sectionId": a})
    assert ([x["title"] for x in put["sections"]], put["icon"]) == (["A"], "gear")
    assert s.outline() == [("B", ["B*"]), ("One", []), ("Two", [("A*", ["A*"])])]
    s.delete(f"/section-groups/{one}/sections/{a}", status=404)
    s.delete(f"/section-groups/{two}/sections/{a}")
    assert s.outline() == [("B", ["B*"]), ("One", []), ("Two", []), ("A*", ["A*"])]
    for section in (a, b):
        s.post(f"/section-groups/{one}/sections", {"sectionId": section})
    assert s.patch(f"/section-groups/{one}", {"title": "Both", "icon": None})["title"] == "Both"
    s.delete(f"/section-groups/{one}")
    assert s.outline() == [("A*", ["A*"]), ("B", ["B*"]), ("Two", [])]
    for wrong in ({"title": ""}, {"title": "x" * 101}, {}, {"title": "x", "sections": ["nowhere"]}):
        s.post("/section-groups", wrong, status=400)


def test_a_default_is_chosen_and_passes_on(cast: Cast) -> None:
    s = ManagedSite(cast)
    a, b = (s.section(title) for title in "AB")
    s.patch("", {"defaultSiteSection": b["id"]})
    assert s.outline() == [("A", ["A*"]), ("B*", ["B*"])]
    other = s.post("/site-spaces", {"spaceId": spaces(cast, "B2")[0]})
    assert other["section"] == b["id"]
    s.patch("", {"defaultSiteSpace": other["id"]})
    assert s.outline() == [("A", ["A*"]), ("B*", ["B", "B2*"])]
    s.patch("", {"defaultSiteSpace": a["siteSpaces"][0]["id"]}, status=400)
    s.patch("", {"defaultSiteSection": a["id"], "defaultSiteSpace": a["siteSpaces"][0]["id"]})
    s.patch("", {"defaultSiteSection": "x"}, status=400)
    s.patch(f"/sections/{b['id']}", {"defaultSiteSpace": b["siteSpaces"][0]["id"]})
    s.patch(f"/sections/{a['id']}", {"defaultSiteSpace": b["siteSpaces"][0]["id"]}, status=400)
    assert s.outline() == [("A*", ["A*"]), ("B", ["B*", "B2"])]
    s.delete(f"/site-spaces/{b['siteSpaces'][0]['id']}")
    s.delete(f"/sections/{a['id']}")
    assert s.outline() == [("B*", ["B2*"])]
    s.delete(f"/site-spaces/{other['id']}")
    assert s.outline() == [("B*", [])]
    s.delete(f"/sections/{b['id']}")
    assert s.get("/structure") == {"type": "siteSpaces", "structure": []}
    assert s.post("/site-spaces", {"spaceId": spaces(cast, "New")[0]})["default"] is True


def test_addresses_follow_sections_paths_and_defaults(cast: Cast) -> None:
    s = ManagedSite(cast)
    s.section("Guide")
    blog = s.section("Blog")
    two = s.post("/site-spaces", {"spaceId": spaces(cast, "Guide v2")[0]})
    old = s.post("/site-spaces", {"spaceId": spaces(cast, "Old")[0], "sectionId": blog["id"]})
    assert old["urls"] == {}
    root = s.post("/publish", status=200)["urls"]["published"]
    found = {item["title"]: item["urls"]["published"] for item in s.get("/site-spaces")["items"]}
    assert found == {
        "Guide": root,
        "Guide v2": f"{root}/guide/guide-v2",
        "Blog": f"{root}/blog",
        "Old": f"{root}/blog/old",
    }
    assert [x["urls"]["published"] for x in s.get("/sections")["items"]] == [root, f"{root}/blog"]
    s.patch(f"/site-spaces/{two['id']}", {"path": "nächste"})
    s.patch(f"/sections/{blog['id']}", {"path": "news", "defaultSiteSpace": old["id"]})
    known = cast.ria.get(f"/v1/spaces/{old['space']['id']}").json()["urls"]
    assert known["published"] == f"{root}/news"
    assert s.get("/site-spaces")["items"][1]["urls"]["published"] == f"{root}/guide/n%C3%A4chste"
    s.patch("", {"defaultSiteSection": blog["id"]})
    assert cast.ria.get(f"/v1/spaces/{old['space']['id']}").json()["urls"]["published"] == root


def test_the_key_of_a_share_link_is_part_of_the_addresses_of_such_sites_only(cast: Cast) -> None:
    s = ManagedSite(cast, "Guide", visibility="share-link")
    root = s.post("/publish", status=200)["urls"]["published"]
    key, of_another = s.share_key(), ManagedSite(cast, "Blog", visibility="share-link").share_key()

    def shown(sent: str) -> set[str]:
        of_tree = s.get("/structure", shareKey=sent)["structure"][0]["urls"]["published"]
        tree = "structure { structure { ... on SiteSpace { publishedUrl(shareKey: $k) } } }"
        asked = "query($o: ID!, $s: ID!, $k: String) { organization(id: $o) { site(id: $s) {"
        told = cast.ria.ask(f"{asked} {tree} }} }} }}", o=cast.organization, s=s.id, k=sent)
        found = told["organization"]["site"]["structure"]["structure"]
        of_list = s.get("/site-spaces", shareKey=sent)["items"][0]["urls"]["published"]
        of_site = s.get("/published", shareKey=sent)["site"]["urls"]["published"]
        return {of_tree, of_list, of_site, found[0]["publishedUrl"]}

    assert shown(key) == {f"{root}?shareKey={key}"}
    for wrong in ("sesame", "a&b", of_another):
        assert shown(wrong) == {root}, "a key that opens nothing is part of no address"
    (link,) = s.get("/share-links")["items"]
    s.patch(f"/share-links/{link['id']}", {"active": False})
    assert shown(key) == {root}
    s.patch(f"/share-links/{link['id']}", {"active": True})
    s.patch("", {"visibility": "public"})
    assert shown(key) == {root}


def test_a_deleted_space_leaves_what_sites_show_until_it_is_restored(cast: Cast) -> None:
    s = ManagedSite(cast, "Guide", "Guide 2")
    s.post("/publish", status=200)
    guide, second = s.spaces
    answered(cast.ada.delete(f"/v1/spaces/{guide}"), 205)
    assert s.outline() == ["Guide 2*"]
    assert (s.get()["siteSpaces"], s.get("/site-spaces")["count"]) == (1, 1)
    root = s.get()["urls"]["published"]
    assert cast.ria.get(f"/v1/spaces/{second}").json()["urls"]["published"] == root
    deleted = cast.ada.get(f"/v1/spaces/{guide}").json()
    assert (deleted["visibility"], "published" in deleted["urls"]) == ("private", False)
    restored = answered(cast.ada.post(f"/v1/spaces/{guide}/restore"))
    assert (restored["visibility"], restored["urls"]["published"]) == ("public", f"{root}/guide")
    assert s.outline() == ["Guide", "Guide 2*"]
    for space in (second, guide):
        answered(cast.ada.delete(f"/v1/spaces/{space}"), 205)
    answered(cast.ada.post(f"/v1/spaces/{second}/restore"))
    assert s.outline() == ["Guide 2*"]


def test_what_a_member_may_not_see_is_left_out(cast: Cast) -> None:
    s = ManagedSite(cast, "Open", "Secret")
    secret = s.get("/site-spaces")["items"][1]
    collections.patched(cast.ada, f"/v1/spaces/{s.spaces[1]}", {"defaultLevel": None})
    assert s.outline(cast.cleo) == ["Open*"]
    assert s.get("/site-spaces", cast.cleo)["count"] == 1
    path = f"{s.path}/site-spaces/{secret['id']}"
    assert cast.cleo.patch(path, {"path": "mine"}).status_code == 404
    assert cast.cleo.post(f"{path}/duplicate", {}).status_code == 404
    assert cast.cleo.get(f"{path}/customization").status_code == 404
    item = {"type": "site-space", "id": secret["id"]}
    first = {"type": "site-space", "id": s.get("/site-spaces")["items"][0]["id"]}
    for body in ({"item": item, "position": {"before": first}}, {"item": first, "position": {"after": item}}):
        assert cast.cleo.patch(f"{s.path}/structure/sort", body).status_code in (400, 404)
    s.section("More")
    assert s.outline(cast.cleo) == [("Open*", ["Open*"]), ("More", ["More*"])]
    assert s.outline() == [("Open*", ["Open*", "Secret"]), ("More", ["More*"])]


def test_an_item_of_another_site_is_not_found(cast: Cast) -> None:
    s, other = ManagedSite(cast), ManagedSite(cast)
    section, mine = other.section("Theirs"), s.section("Mine")
    group = other.group()["id"]
    link = other.post("/external-links", {"title": "x", "url": "https://example.org"})["id"]
    item = section["siteSpaces"][0]["id"]
    for path, body in (
        (f"/sections/{section['id']}", {"title": "Taken"}),
        (f"/section-groups/{group}", {"title": "Taken"}),
        (f"/site-spaces/{item}", {"path": "taken"}),
        (f"/site-spaces/{item}/customization", {}),
        (f"/external-links/{link}", {"title": "Taken"}),
        (f"/sections/{item}", {"title": "Taken"}),
    ):
        assert cast.ada.patch(s.path + path, body).status_code == 404, path
        assert cast.ada.delete(s.path + path).status_code == 404, path
    for path in (
        f"/sections/{section['id']}/move",
        f"/section-groups/{group}/move",
        f"/site-spaces/{item}/move",
    ):
        assert cast.ada.post(s.path + path, {}).status_code == 404
    s.post("/section-groups", {"title": "x", "sections": [section["id"]]}, status=400)
    s.patch("", {"defaultSiteSpace": item}, status=400)
    s.patch(f"/sections/{mine['id']}", {"defaultSiteSpace": item}, status=400)
    s.post("/external-links", {"title": "x", "url": "https://example.org", "parent": group}, status=400)
    assert (
        other.outline() == [("Theirs*", ["Theirs*"]), ("Group", ["x"])] or other.outline()[0][0] == "Theirs*"
    )


@pytest.mark.parametrize("role", ["rhea", "ria"])
def test_only_creators_change_what_a_site_shows(cast: Cast, role: str) -> None:
    person, s = getattr(cast, role), ManagedSite(cast)
    section = s.section("Guide")
    before = s.get("/structure")
    item, space = section["siteSpaces"][0]["id"], spaces(cast, "New")[0]
    calls = [
        ("POST", "/sections", {"spaceId": space}),
        ("PATCH", f"/sections/{section['id']}", {"title": "Mine"}),
        ("POST", f"/sections/{section['id']}/move", {}),
        ("DELETE", f"/sections/{section['id']}", None),
        ("POST", "/section-groups", {"title": "Mine"}),
        ("POST", "/site-spaces", {"spaceId": space}),
        ("PATCH", f"/site-spaces/{item}", {"path": "mine"}),
        ("POST", f"/site-spaces/{item}/duplicate", {}),
        ("DELETE", f"/site-spaces/{item}", None),
        ("POST", "/external-links", {"title": "Mine", "url": "https://example.org"}),
    ]
    for method, path, body in calls:
        assert person.call(method, s.path + path, json=body).status_code == 403, path
    assert s.get("/structure") == before


def test_conditions_are_held_to_the_schema_of_the_site(cast: Cast) -> None:
    s = ManagedSite(cast)
    section = s.section("Guide")
    item = section["siteSpaces"][0]["id"]
    claim = {"type": "boolean", "description": "In the beta"}
    schema = {"type": "object", "additionalProperties": False, "properties": {"beta": claim}}
    places_ = (f"/sections/{section['id']}", f"/site-spaces/{item}")
    for path in places_:
        s.patch(path, {"condition": "1 + 1"}, status=400)
        s.patch(path, {"condition": ""}, status=400)
        s.patch(path, {"condition": "true || " * 200 + "true"}, status=400)
        assert s.patch(path, {"condition": "visitor.claims.beta"})["condition"] == "visitor.claims.beta"
    answered(cast.cleo.put(f"{s.path}/adaptive-schema", {"jsonSchema": schema}))
    for path in places_:
        s.patch(path, {"condition": "visitor.claims.alpha"}, status=400)
        assert (
            s.patch(path, {"title": "Guide"} if "sections" in path else {})["condition"]
            == "visitor.claims.beta"
        )
    clash = cast.cleo.put(f"{s.path}/adaptive-schema", {"jsonSchema": {**schema, "properties": {}}})
    assert clash.status_code == 409
    for path in places_:
        assert "condition" not in s.patch(path, {"condition": None})
    answered(cast.cleo.put(f"{s.path}/adaptive-schema", {"jsonSchema": {**schema, "properties": {}}}))


def test_a_copy_of_a_space_becomes_a_variant(cast: Cast) -> None:
    space = make.filled_space(cast, title="Guide")
    s = ManagedSite(cast)
    s.post("/site-spaces", {"spaceId": space})
    item = s.get("/site-spaces")["items"][0]["id"]
    copy = s.post(f"/site-spaces/{item}/duplicate", {"draft": True})
    assert (copy["title"], copy["draft"], copy["default"], copy["urls"]) == ("Guide (copy)", True, False, {})
    pages = cast.ada.get(f"/v1/spaces/{copy['space']['id']}/content/pages").json()["pages"]
    assert [page["title"] for page in pages][:2] == ["Lighthouse", "Notes"]
    s.post("/publish", status=200)
    assert s.outline() == ["Guide*", "Guide (copy)"]
    shown = s.get("/published")["structure"]["structure"]
    assert [each["title"] for each in shown] == ["Guide"]
    assert "draft" not in s.patch(f"/site-spaces/{copy['id']}", {"draft": False})
    assert len(s.get("/published")["structure"]["structure"]) == 2


def test_links_in_the_navigation_lead_where_they_say(cast: Cast) -> None:
    s = ManagedSite(cast)
    s.section("Guide")
    group = s.group()["id"]
    made = s.post("/external-links", {"title": "Shop", "url": "https://example.org", "icon": "cart"})
    assert "parent" not in made
    moved = s.patch(f"/external-links/{made['id']}", {"parent": group, "description": "Buy lamps"})
    assert (moved["parent"], moved["description"], moved["icon"]) == (group, "Buy lamps", "cart")
    assert s.outline() == [("Guide*", ["Guide*"]), ("Group", ["Shop"])]
    for wrong in (
        "javascript:alert(1)",
        "//evil.example",
        "https://a@b.example",
        "data:text/html,x",
        "guide",
    ):
        s.post("/external-links", {"title": "x", "url": wrong}, status=400)
        s.patch(f"/external-links/{made['id']}", {"url": wrong}, status=400)
    s.delete(f"/section-groups/{group}")
    assert s.outline() == [("Guide*", ["Guide*"]), "Shop"]
    s.delete(f"/external-links/{made['id']}")
    assert s.outline() == [("Guide*", ["Guide*"])]
