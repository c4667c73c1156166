"""The order of a site's structure in REST, across its levels: one request, done as a whole or not at all."""

from __future__ import annotations

from typing import Any

from tests.cast import Cast
from tests.factories.sites import ManagedSite, spaces
from tests.rest.test_site_structure import beside


def test_an_item_enters_a_section_or_group_at_a_place_in_one_request(cast: Cast) -> None:
    s = ManagedSite(cast)
    a, b, c = (s.section(title) for title in "ABC")
    group = s.group(sections=[c["id"]])["id"]
    link = s.post("/external-links", {"title": "Status", "url": "https://status.example.org"})["id"]
    (more,) = spaces(cast, "More")
    moved = s.post("/site-spaces", {"spaceId": more, "sectionId": a["id"]})["id"]

    def sort(item: tuple[str, str], **to: Any) -> tuple[int, str | None]:
        answer = cast.ada.patch(f"{s.path}/structure/sort", {"item": {"type": item[0], "id": item[1]}, **to})
        told = answer.json().get("error", {}).get("details") or [{}]
        return answer.status_code, told[0].get("path")

    def named(kind: str, id: str) -> dict[str, str]:
        return {"type": kind, "id": id}

    first = beside("site-space", b["siteSpaces"][0]["id"])
    assert sort(("site-space", moved), parent=named("site-section", b["id"]), position=first) == (200, None)
    inside = beside("site-section", c["id"])
    into = named("site-section-group", group)
    assert sort(("site-section", a["id"]), parent=into, position=inside) == (200, None)
    last = beside("site-section", c["id"], after=True)
    assert sort(("site-external-link", link), parent=into, position=last) == (200, None)
    held = [("A*", ["A*"]), ("C", ["C*"]), "Status"]
    assert s.outline() == [("B", ["More", "B*"]), ("Group", held)]
    out = beside("site-section", b["id"])
    assert sort(("site-external-link", link), parent=None, position=out) == (200, None)
    assert s.outline() == ["Status", ("B", ["More", "B*"]), ("Group", held[:2])]

    before = s.outline()
    section = named("site-section", b["id"])
    assert sort(("site-space", moved), parent=section) == (400, "position")
    assert sort(("site-space", moved), parent=None, position=first) == (400, "parent")
    assert sort(("site-space", moved), parent=into, position=first) == (400, "parent")
    assert sort(("site-section", a["id"]), parent=section, position=first) == (400, "parent")
    assert sort(("site-external-link", link), parent=section, position=first) == (400, "parent")
    assert sort(("site-section-group", group), parent=section, position=first) == (400, "parent")
    nowhere = named("site-section-group", "nowhere")
    assert sort(("site-section", a["id"]), parent=nowhere, position=inside) == (400, "parent.id")
    assert sort(("site-section", a["id"]), parent=None, position=inside) == (400, "position")
    assert s.outline() == before
    twice = s.post("/site-spaces", {"spaceId": more, "sectionId": a["id"]})["id"]
    assert sort(("site-space", twice), parent=section, position=first) == (409, "parent")


def test_a_space_that_is_sorted_into_another_section_leaves_a_redirect(cast: Cast) -> None:
    s = ManagedSite(cast)
    a, b = (s.section(title) for title in "AB")
    (more,) = spaces(cast, "More")
    moved = s.post("/site-spaces", {"spaceId": more, "sectionId": a["id"]})["id"]
    s.post("/publish", {}, status=200)
    last = beside("site-space", b["siteSpaces"][0]["id"], after=True)
    into = {"parent": {"type": "site-section", "id": b["id"]}, "position": last}
    s.patch("/structure/sort", {"item": {"type": "site-space", "id": moved}, **into})
    (left,) = s.get("/redirects")["items"]
    assert (left["source"], left["destination"]["siteSpace"]) == ("/a/more", moved)
