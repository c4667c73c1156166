"""Rearranging a site: renamed paths, redirects, cycles, moves, lists."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.cast import Cast
from tests.factories.sites import ManagedSite, answered, spaces


def leads(s: ManagedSite, source: str) -> str | None:
    """The path below the site that a path leads to."""
    answer = s.cast.ria.get(f"{s.path}/redirect", params={"source": source})
    root = s.get()["urls"]["published"]
    return str(answer.json()["target"]).removeprefix(root) if answer.status_code == 200 else None


def test_a_renamed_section_and_its_spaces_are_found_at_their_old_addresses(cast: Cast) -> None:
    s = ManagedSite(cast, "Guide")
    s.section("Blog")
    (old_space,) = spaces(cast, "Archive")
    blog = s.get("/sections")["items"][1]
    archive = s.post("/site-spaces", {"spaceId": old_space, "sectionId": blog["id"]})
    s.patch(f"/sections/{blog['id']}", {"path": "journal"})
    assert s.get("/redirects")["count"] == 0, "nobody knows the addresses of a site before it is published"
    s.post("/publish", status=200)
    s.patch(f"/sections/{blog['id']}", {"path": "news"})
    assert (leads(s, "/journal"), leads(s, "/journal/archive/a")) == ("/news", "/news/archive/a")
    s.patch(f"/site-spaces/{archive['id']}", {"path": "older"})
    assert leads(s, "/news/archive/a/b") == "/news/older/a/b"
    assert leads(s, "/journal/archive") == "/news/archive", "one step at a time"
    root = s.get()["urls"]["published"]
    visited = httpx.get(f"{root}/journal", follow_redirects=False)
    assert (visited.status_code, visited.headers["location"].rpartition("/")[2]) == (307, "news"), (
        visited.text
    )
    section = {"organization": cast.organization, "site": s.id, "siteSection": blog["id"]}
    cast.ada.mutate("updateSiteSection", **section, path="journal")
    assert (leads(s, "/journal"), leads(s, "/news/x")) == (None, "/journal/x"), "back again, without a circle"


def test_what_somebody_wrote_wins_over_an_old_address(cast: Cast) -> None:
    s = ManagedSite(cast, "Guide")
    blog = s.section("Blog")
    s.post("/publish", status=200)
    s.post("/redirects", {"source": "/blog", "destination": {"kind": "path", "path": "/start"}})
    s.patch(f"/sections/{blog['id']}", {"path": "news"})
    assert leads(s, "/blog") == "/start"


def test_redirects_in_a_circle_are_refused(cast: Cast) -> None:
    s = ManagedSite(cast, "Guide")
    s.section("Blog")
    guide, blog = s.get("/sections")["items"]
    own = s.post("/publish", status=200)["urls"]["published"]

    def add(source: str, destination: dict[str, Any], **fields: Any) -> int:
        body = {"source": source, "destination": destination, **fields}
        return cast.ada.post(f"{s.path}/redirects", body).status_code

    everything = {"captureWildcard": True}
    to_path = {"kind": "path", "path": "/b"}
    assert add("/a", to_path) == 201
    assert add("/b", {"kind": "path", "path": "/a"}) == 400
    assert add("/b", {"kind": "external", "url": f"{own}/a"}) == 400, "an address of the site's own"
    assert add("/b", {"kind": "external", "url": f"{own}-not/a"}) == 201
    assert add("/blog", {"kind": "site-section", "siteSection": blog["id"]}, **everything) == 400
    assert add("/", {"kind": "site-section", "siteSection": guide["id"]}, **everything) == 400
    assert add("/old", {"kind": "site-section", "siteSection": blog["id"]}, **everything) == 201
    both = [
        {"source": "/one", "destination": {"kind": "path", "path": "/two"}},
        {"source": "/two", "destination": {"kind": "path", "path": "/one"}},
    ]
    assert cast.ada.put(f"{s.path}/redirects", {"redirects": both}).status_code == 400


def test_redirects_that_close_a_loop_elsewhere_are_refused(cast: Cast) -> None:
    s = ManagedSite(cast, "Guide")
    s.section("Blog")
    blog = s.get("/sections")["items"][1]
    s.post("/publish", status=200)

    def redirect(source: str, to: str, **fields: Any) -> dict[str, Any]:
        return {"source": source, "destination": {"kind": "path", "path": to}, **fields}

    everything = {"captureWildcard": True}
    made = {each: s.post("/redirects", redirect(each, "/a/y")) for each in ("/b/y", "/d/y")}
    refused = s.post("/redirects", redirect("/a", "/b", **everything), status=400)["error"]
    assert "/b/y" in refused["message"]
    s.post("/redirects", redirect("/c", "/b", **everything))
    s.post("/redirects", redirect("/a", "/c", **everything), status=400)
    three = [redirect("/e", "/f", **everything), redirect("/f", "/d", **everything)]
    closing = [*three, redirect("/a", "/e", **everything)]
    assert cast.ada.put(f"{s.path}/redirects", {"redirects": closing}).status_code == 400
    answered(cast.ada.put(f"{s.path}/redirects", {"redirects": three}))
    plain = s.post("/redirects", redirect("/a", "/e"))
    s.patch(f"/redirects/{plain['id']}", everything, status=400)
    site = {"organization": cast.organization, "site": s.id, "siteRedirect": plain["id"]}
    told = cast.ada.refused("updateSiteRedirect", **site, captureWildcard=True)
    assert told == "BAD_REQUEST"

    s.patch(f"/redirects/{made['/d/y']['id']}", {"destination": {"kind": "path", "path": "/end"}})
    s.patch(f"/redirects/{plain['id']}", everything)
    assert (leads(s, "/a/y"), leads(s, "/d/y")) == ("/e/y", "/end")
    s.post("/redirects", redirect("/end", "/a/y"), status=400)
    s.post("/redirects", redirect("/d", "/blog", **everything))
    refused = s.patch(f"/sections/{blog['id']}", {"path": "a"}, status=409)["error"]
    assert refused["details"][0]["path"] == "path", "what leads from the old path would lead back to it"
    assert s.get("/sections")["items"][1]["path"] == "blog"
    s.post("/redirects", redirect("/blog/y", "/d/y"))
    assert cast.ada.delete(f"{s.path}/redirects/{made['/d/y']['id']}").status_code == 409, "it ends the way"


@pytest.mark.parametrize("kind", ["site-section", "site-section-group"])
def test_sections_and_groups_move_beside_each_other_whatever_the_type_says(cast: Cast, kind: str) -> None:
    s = ManagedSite(cast, "Guide")
    s.section("Blog")
    group = s.group("More")
    guide, blog = s.get("/sections")["items"]
    assert s.outline() == [("Guide*", ["Guide*"]), ("Blog", ["Blog*"]), ("More", [])]
    beside = {"position": {"before": {"type": kind, "id": guide["id"]}}}
    s.post(f"/section-groups/{group['id']}/move", beside, 200)
    assert [item[0] for item in s.outline()] == ["More", "Guide*", "Blog"]
    s.post(f"/sections/{blog['id']}/move", {"position": {"before": {"type": kind, "id": group["id"]}}}, 200)
    assert [item[0] for item in s.outline()] == ["Blog", "More", "Guide*"]
    section = {"organization": cast.organization, "site": s.id, "siteSection": blog["id"]}
    to = {"position": {"after": {"siteSectionGroup": group["id"]}}}
    cast.ada.mutate("moveSiteSection", **section, **to)
    assert [item[0] for item in s.outline()] == ["More", "Blog", "Guide*"]
    for wrong in ({"type": kind}, {"type": kind, "id": guide["id"], "siteSection": guide["id"]}):
        s.post(f"/sections/{blog['id']}/move", {"position": {"before": wrong}}, 400)
    elsewhere = {"position": {"before": {"type": "site-space", "id": guide["id"]}}}
    s.post(f"/section-groups/{group['id']}/move", elsewhere, 400)


def test_the_default_space_of_a_site_is_one(cast: Cast) -> None:
    s = ManagedSite(cast, "Guide")
    s.section("Blog")
    (second,) = spaces(cast, "Guide 2")
    s.post("/site-spaces", {"spaceId": second})

    def titles(**params: Any) -> list[str]:
        return [item["title"] for item in s.get("/site-spaces", **params)["items"]]

    assert titles(default="true") == ["Guide"]
    assert titles(default="false") == ["Guide 2", "Blog"]
    assert titles() == ["Guide", "Guide 2", "Blog"]


def test_who_may_edit_a_site_sees_it_before_it_is_published(cast: Cast) -> None:
    s = ManagedSite(cast, "Guide")
    asked = """query($o: ID!, $s: ID!) { organization(id: $o) { site(id: $s) {
        publishedContent { site { published } } } } }"""
    for person in (cast.ada, cast.cleo):
        seen = s.get("/published", person)
        assert (seen["site"]["published"], len(seen["structure"]["structure"])) == (False, 1)
        assert "published" not in seen["site"]["urls"]
        found = person.ask(asked, o=cast.organization, s=s.id)["organization"]["site"]
        assert found["publishedContent"]["site"] == {"published": False}
    for person in (cast.rhea, cast.ria, cast.sol):
        assert person.get(f"{s.path}/published").status_code == 404
    s.post("/publish", status=200)
    assert answered(cast.ria.get(f"{s.path}/published"))["site"]["published"]
