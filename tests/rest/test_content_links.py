"""Links through REST: where they stand, where they lead, and how they change when content does."""

from __future__ import annotations

from typing import Any

import pytest

from tests import make
from tests.cast import Cast, Person
from tests.factories.changes import insert

HARBOUR: make.Files = {
    "README.md": "# Harbour\n\n[Quay](quay.md), [steps](quay.md#steps), [here](#harbour), [gone](lost.md)\n\n"
    "![Map](img/map.png)\n\n[Tide tables](https://tides.example/) [mail](mailto:harbour@example.org)\n\n"
    '{% file src="img/map.png" %}\n\n{% include "shared/note.md" %}\n',
    "quay.md": "# Quay\n\n## Steps\n\n[Home](README.md), [the same](./README.md#harbour), [odd](<a b.md>)\n",
    "shared/note.md": "Mind the gap.\n",
    "img/map.png": make.picture(2, 2),
}


def links(person: Person, path: str, **params: Any) -> dict[str, Any]:
    """A list of links."""
    answer = person.get(f"/v1/spaces/{path}", params={"limit": 1000, **params})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def told(link: dict[str, Any]) -> tuple[Any, ...]:
    """Return a link in short: status, kind, and the target's path, name or address with its anchor."""
    target = link.get("targetReference")
    if target is None:
        return (link["status"], None)
    place = target.get("url") or target.get("page", {}).get("path") or target.get("file", {}).get("name")
    return (link["status"], target["kind"], place, *([target["anchor"]] if "anchor" in target else []))


def all_told(person: Person, space: str) -> list[tuple[Any, ...]]:
    """All links of a space, in short."""
    return [told(link) for link in links(person, f"{space}/links")["items"]]


def page_id(person: Person, space: str, path: str) -> str:
    """The id of a page."""
    found: str = person.get(f"/v1/spaces/{space}/content/path/{path}").json()["id"]
    return found


def test_links_say_where_they_lead(cast: Cast) -> None:
    space = make.filled_space(cast, HARBOUR)
    assert sorted(all_told(cast.ria, space), key=str) == sorted(
        [
            ("ok", "page", "quay"),
            ("ok", "anchor", "quay", "steps"),
            ("ok", "anchor", "readme", "harbour"),
            ("broken", None),
            ("ok", "file", "map.png"),
            ("ok", "url", "https://tides.example/"),
            ("ok", "url", "mailto:harbour@example.org"),
            ("ok", "file", "map.png"),
            ("ok", "reusable-content", None),
            ("ok", "page", "readme"),
            ("ok", "anchor", "readme", "harbour"),
            ("broken", None),
        ],
        key=str,
    )


def test_a_part_of_a_file_is_no_place_on_a_page(cast: Cast) -> None:
    space = make.filled_space(cast, {"README.md": "[Map](map.png#north)\n", "map.png": make.picture(2, 2)})
    assert all_told(cast.ria, space) == [("ok", "file", "map.png")]


def test_pages_of_one_change_that_would_be_kept_in_one_file_get_two(cast: Cast, space: str) -> None:
    both = "[One](index-page.md) [Other](index-page-1.md)"
    make.changes(cast.ada, space, insert("Index"), insert("Index page"), insert("Links", both))
    assert all_told(cast.ria, space) == [("ok", "page", "index"), ("ok", "page", "index-page")]


def test_links_say_where_they_stand(cast: Cast) -> None:
    space = make.filled_space(cast, HARBOUR)
    revision = cast.ria.get(f"/v1/spaces/{space}").json()["revision"]
    (place,) = links(cast.ria, f"{space}/links")["items"][0]["locationReferences"]
    assert (place["kind"], place["page"]["path"]) == ("page", "readme")
    assert place["internalLocation"] == {"type": "node", "node": "1"}
    assert place["versionContext"] == {"type": "revision", "revision": revision}
    assert (place["space"]["id"], place["organization"]["id"]) == (space, cast.organization)


def test_what_a_page_needs_is_told_from_what_it_mentions(cast: Cast) -> None:
    space = make.filled_space(cast, HARBOUR)
    found = links(cast.ria, f"{space}/links")["items"]
    needed = [told(link)[1] for link in found if link["relation"] == "dependsOn"]
    assert sorted(needed) == ["file", "file", "reusable-content"]


def test_an_address_of_this_very_place_is_told_apart(cast: Cast) -> None:
    own, other = f"{cast.instance.base}/o/x/s/y", "https://elsewhere.example/o/x"
    space = make.filled_space(cast, {"README.md": f"[a]({own}) [b]({cast.instance.base}0/) [c]({other})\n"})
    assert [link[0] for link in all_told(cast.ria, space)] == ["in-app", "ok", "ok"]


def test_links_are_counted_and_filtered(cast: Cast) -> None:
    space = make.filled_space(cast, HARBOUR)
    everything = links(cast.ria, f"{space}/links")
    assert (everything["count"], everything["stats"]) == (12, {"total": 12, "broken": {"total": 2}})
    for status, count in (("ok", 10), ("broken", 2), ("in-app", 0)):
        found = links(cast.ria, f"{space}/links", status=status)
        assert (found["count"], len(found["items"])) == (count, count)
        assert {link["status"] for link in found["items"]} <= {status}
        assert found["stats"] == everything["stats"]
    assert cast.ria.get(f"/v1/spaces/{space}/links", params={"status": "lost"}).status_code == 400


def test_links_of_one_page(cast: Cast) -> None:
    space = make.filled_space(cast, HARBOUR)
    quay = page_id(cast.ria, space, "quay")
    found = links(cast.ria, f"{space}/content/page/{quay}/links")
    assert [told(link) for link in found["items"]] == [
        ("ok", "page", "readme"),
        ("ok", "anchor", "readme", "harbour"),
        ("broken", None),
    ]
    assert (found["count"], found["stats"]) == (3, {"total": 3, "broken": {"total": 1}})
    broken = links(cast.ria, f"{space}/content/page/{quay}/links", status="broken")
    assert (broken["count"], broken["stats"]) == (1, found["stats"])


def test_links_come_in_pages_in_the_order_of_the_text(cast: Cast) -> None:
    text = " ".join(f"[{n}](https://example.org/{n})" for n in range(25))
    space = make.filled_space(cast, {"a.md": text, "b.md": text})
    seen: list[str] = []
    token: dict[str, Any] = {}
    for _ in range(8):
        answer = links(cast.ria, f"{space}/links", limit=7, **token)
        assert (answer["count"], answer["stats"]["total"]) == (50, 50)
        seen += [told(link)[2].rpartition("/")[2] for link in answer["items"]]
        token = {"page": answer.get("next", {}).get("page")}
    assert seen == [str(n) for n in range(25)] * 2
    assert token == {"page": None}


def test_backlinks_of_a_page_name_the_places_that_lead_there(cast: Cast) -> None:
    space = make.filled_space(cast, HARBOUR)
    home, quay = page_id(cast.ria, space, "readme"), page_id(cast.ria, space, "quay")
    found = links(cast.ria, f"{space}/content/page/{home}/backlinks")
    assert found["count"] == 3
    assert [place["page"]["path"] for place in found["items"]] == ["readme", "quay", "quay"]
    assert "stats" not in found
    to_quay = links(cast.ria, f"{space}/content/page/{quay}/backlinks")["items"]
    assert [place["internalLocation"]["node"] for place in to_quay] == ["1", "1"]


def test_backlinks_of_a_file(cast: Cast) -> None:
    space = make.filled_space(cast, HARBOUR)
    file = cast.ria.get(f"/v1/spaces/{space}/content/files").json()["items"][0]
    found = links(cast.ria, f"{space}/content/files/{file['id']}/backlinks")
    assert [(place["kind"], place["page"]["path"]) for place in found["items"]] == [("page", "readme")] * 2
    first = cast.ria.get(
        f"/v1/spaces/{space}/content/files/{file['id']}/backlinks", params={"limit": 1}
    ).json()
    assert (first["count"], len(first["items"])) == (2, 1)


@pytest.mark.parametrize(
    "path", ["page/{}/links", "page/{}/backlinks", "files/{}/backlinks", "page/{}", "files/{}"]
)
def test_what_is_not_there_has_no_links(cast: Cast, path: str) -> None:
    space = make.filled_space(cast, {"README.md": "No links.\n", "a.txt": "x"})
    for unknown in ("nothing", "0" * 20, "%00", "x" * 500):
        assert cast.ria.get(f"/v1/spaces/{space}/content/{path.format(unknown)}").status_code == 404
    found = cast.ria.get(f"/v1/spaces/{space}/content/page/{page_id(cast.ria, space, 'readme')}/links").json()
    assert (found["count"], found["items"], found["stats"]["total"]) == (0, [], 0)


def test_a_page_token_of_one_page_does_not_fit_another(cast: Cast) -> None:
    space = make.filled_space(cast, HARBOUR)
    home, quay = page_id(cast.ria, space, "readme"), page_id(cast.ria, space, "quay")
    first = links(cast.ria, f"{space}/content/page/{home}/links", limit=1)
    token = first["next"]["page"]
    for path in (f"content/page/{quay}/links", "links", f"content/page/{home}/backlinks"):
        assert cast.ria.get(f"/v1/spaces/{space}/{path}", params={"page": token}).status_code == 400


def test_a_broken_link_is_whole_once_its_target_arrives(cast: Cast) -> None:
    space = make.filled_space(cast, {"README.md": "[a](later.md#part) ![b](pic.png) [c](never.md)\n"})
    assert [link[0] for link in all_told(cast.ria, space)] == ["broken"] * 3
    before = cast.ria.get(f"/v1/spaces/{space}/content/path/readme").json()
    make.imported(cast, space, {"later.md": "# Later\n\n## Part\n", "pic.png": make.picture(1, 1)})
    assert all_told(cast.ria, space) == [
        ("ok", "anchor", "later", "part"),
        ("ok", "file", "pic.png"),
        ("broken", None),
    ]
    assert cast.ria.get(f"/v1/spaces/{space}/content/path/readme").json() == before
    assert links(cast.ria, f"{space}/links")["stats"] == {"total": 3, "broken": {"total": 1}}
    later = page_id(cast.ria, space, "later")
    assert links(cast.ria, f"{space}/content/page/{later}/backlinks")["count"] == 1


def test_a_link_breaks_when_a_mirror_import_takes_its_target_away(cast: Cast) -> None:
    kept = {"README.md": HARBOUR["README.md"]}
    space = make.filled_space(cast, HARBOUR)
    make.imported(cast, space, kept, mirror=True)
    assert [link for link in all_told(cast.ria, space) if link[0] == "ok"] == [
        ("ok", "anchor", "readme", "harbour"),
        ("ok", "url", "https://tides.example/"),
        ("ok", "url", "mailto:harbour@example.org"),
    ]
    assert links(cast.ria, f"{space}/links")["stats"] == {"total": 9, "broken": {"total": 6}}
    make.imported(cast, space, HARBOUR, mirror=True)
    assert links(cast.ria, f"{space}/links")["stats"] == {"total": 12, "broken": {"total": 2}}


def test_links_follow_a_page_that_moves_in_the_tree(cast: Cast) -> None:
    flat = {"SUMMARY.md": "* [A](a.md)\n* [B](b.md)\n", "a.md": "[b](b.md)\n", "b.md": "[a](a.md)\n"}
    space = make.filled_space(cast, flat)
    b = page_id(cast.ria, space, "b")
    make.imported(cast, space, {**flat, "SUMMARY.md": "* [A](a.md)\n  * [B](b.md)\n"})
    assert page_id(cast.ria, space, "a/b") == b
    assert all_told(cast.ria, space) == [("ok", "page", "a/b"), ("ok", "page", "a")]
    assert cast.ria.get(f"/v1/spaces/{space}/content/path/b").status_code == 404
