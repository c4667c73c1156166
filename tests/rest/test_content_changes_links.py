"""Links after content changes: rewritten when pages move, broken when they are deleted, repaired later."""

from __future__ import annotations

from tests import make
from tests.cast import Cast
from tests.factories.changes import delete, ids, insert, place, statuses, text, three, update


def test_links_lead_where_they_should(cast: Cast, space: str, request_id: str | None) -> None:
    pages = three(cast.ed, space, request_id)
    for name, expected in (("harbour", ["ok", "ok"]), ("quay", ["ok"]), ("steps", ["ok", "ok"])):
        assert statuses(cast.ria, space, pages[name], request_id) == expected


def test_links_follow_a_page_with_another_slug(cast: Cast, space: str, request_id: str | None) -> None:
    pages = three(cast.ed, space, request_id)
    make.changes(cast.ed, space, update(pages["quay"], slug="pier"), request=request_id)
    assert (
        text(cast.ria, space, pages["harbour"], request_id)
        == "[Quay](pier.md), [steps](pier/steps.md#down)\n"
    )
    assert text(cast.ria, space, pages["quay"], request_id) == "[Harbour](harbour.md)\n"
    assert "[Up](../pier.md), [home](../harbour.md)" in text(cast.ria, space, pages["steps"], request_id)
    for name in pages:
        assert set(statuses(cast.ria, space, pages[name], request_id)) == {"ok"}


def test_links_follow_pages_that_move(cast: Cast, space: str, request_id: str | None) -> None:
    pages = three(cast.ed, space, request_id)
    before = {name: text(cast.ria, space, page, request_id) for name, page in pages.items()}
    make.changes(cast.ed, space, update(pages["quay"], into=pages["harbour"]), request=request_id)
    assert text(cast.ria, space, pages["harbour"], request_id) == (
        "[Quay](harbour/quay.md), [steps](harbour/quay/steps.md#down)\n"
    )
    assert text(cast.ria, space, pages["quay"], request_id) == "[Harbour](../harbour.md)\n"
    assert "[Up](../quay.md), [home](../../harbour.md)" in text(cast.ria, space, pages["steps"], request_id)
    make.changes(cast.ed, space, update(pages["quay"], into=None), request=request_id)
    assert {name: text(cast.ria, space, page, request_id) for name, page in pages.items()} == before


def test_links_between_two_subtrees_that_both_move(cast: Cast, space: str, request_id: str | None) -> None:
    made = make.changes(
        cast.ed,
        space,
        insert("East", ref="east"),
        insert("Bell", "[Horn](../west/horn.md) [East](../east.md)\n", into="east", ref="bell"),
        insert("West", ref="west"),
        insert(
            "Horn", "[Bell](../east/bell.md#ding), [out](https://example.org/a.md)\n", into="west", ref="horn"
        ),
        insert(
            "Coast",
            "[B](east/bell.md) ![no](east/bell.png) [H](/west/horn.md) `[B](east/bell.md)`\n",
            ref="coast",
        ),
        request=request_id,
    )
    pages = ids(made)
    make.changes(
        cast.ed,
        space,
        update(pages["east"], slug="orient"),
        update(pages["west"], into=pages["coast"]),
        update(pages["horn"], slug="trumpet"),
        request=request_id,
    )
    assert text(cast.ria, space, pages["bell"], request_id) == (
        "[Horn](../coast/west/trumpet.md) [East](../orient.md)\n"
    )
    assert text(cast.ria, space, pages["horn"], request_id) == (
        "[Bell](../../orient/bell.md#ding), [out](https://example.org/a.md)\n"
    )
    assert text(cast.ria, space, pages["coast"], request_id) == (
        "[B](orient/bell.md) ![no](east/bell.png) [H](/coast/west/trumpet.md) `[B](east/bell.md)`\n"
    )
    assert statuses(cast.ria, space, pages["coast"], request_id) == ["ok", "broken", "ok"]
    assert set(statuses(cast.ria, space, pages["bell"], request_id)) == {"ok"}


def test_two_pages_change_places(cast: Cast, space: str, request_id: str | None) -> None:
    made = make.changes(
        cast.ed,
        space,
        insert("One", "[Two](two.md)\n", ref="one"),
        insert("Two", "[One](one.md)\n", ref="two"),
        insert("List", "[One](one.md) [Two](two.md)\n", ref="list"),
        request=request_id,
    )
    pages = ids(made)
    swap = [
        update(pages["one"], slug="x"),
        update(pages["two"], slug="one"),
        update(pages["one"], slug="two"),
    ]
    make.changes(cast.ed, space, *swap, request=request_id)
    assert text(cast.ria, space, pages["list"], request_id) == "[One](two.md) [Two](one.md)\n"
    assert text(cast.ria, space, pages["one"], request_id) == "[Two](one.md)\n"
    assert set(statuses(cast.ria, space, pages["list"], request_id)) == {"ok"}


def test_links_break_with_what_they_lead_to_and_heal(cast: Cast, space: str, request_id: str | None) -> None:
    pages = three(cast.ed, space, request_id)
    before = text(cast.ria, space, pages["harbour"], request_id)
    make.changes(cast.ed, space, delete(pages["quay"]), request=request_id)
    assert statuses(cast.ria, space, pages["harbour"], request_id) == ["broken", "broken"]
    assert text(cast.ria, space, pages["harbour"], request_id) == before
    make.changes(cast.ed, space, insert("Quay", ref="quay"), request=request_id)
    assert statuses(cast.ria, space, pages["harbour"], request_id) == ["ok", "broken"]
    assert text(cast.ria, space, pages["harbour"], request_id) == before


def test_a_page_brought_back_is_led_to_again(cast: Cast, space: str) -> None:
    pages = three(cast.ed, space)
    revision = cast.ria.get(f"/v1/spaces/{space}").json()["revision"]
    opened = make.change_request(cast.ed, space)["id"]
    for request in (None, opened):
        make.changes(cast.ed, space, delete(pages["quay"]), request=request)
        back = [
            {"operation": "revert_page", "page": pages[name], "revision": revision}
            for name in ("quay", "steps")
        ]
        answer = make.changes(cast.ed, space, *back, request=request)
        assert [change["object"] for change in answer["changes"]] == ["created_page", "created_page"]
        assert [change["page"]["id"] for change in answer["changes"]] == [pages["quay"], pages["steps"]]
        assert statuses(cast.ria, space, pages["harbour"], request) == ["ok", "ok"]
        assert text(cast.ria, space, pages["quay"], request) == "[Harbour](harbour.md)\n"


def test_texts_may_name_what_the_batch_makes(cast: Cast, space: str, request_id: str | None) -> None:
    made = make.changes(
        cast.ed,
        space,
        insert(
            "List",
            "[B](/pages/bell), [D](/pages/bell#ding), ![d](/files/dot), [?](/pages/none)\n",
            ref="list",
        ),
        insert("Tower", ref="tower"),
        insert("Bell", "[Home](/pages/list)\n", into="tower", ref="bell"),
        {"operation": "insert_files", "files": [make.upload("dot.png", make.picture(1, 1), ref="dot")]},
        request=request_id,
    )
    pages = ids(made)
    assert text(cast.ria, space, pages["list"], request_id) == (
        "[B](tower/bell.md), [D](tower/bell.md#ding), ![d](.gitbook/assets/dot.png), [?](/pages/none)\n"
    )
    assert text(cast.ria, space, pages["bell"], request_id) == "[Home](../list.md)\n"
    make.changes(cast.ed, space, update(pages["bell"], f"[T](/pages/{pages['tower']})\n"), request=request_id)
    assert text(cast.ria, space, pages["bell"], request_id) == "[T](../tower.md)\n"


def test_a_change_request_rewrites_nothing_outside_itself(cast: Cast, space: str) -> None:
    pages = three(cast.ed, space)
    opened = make.change_request(cast.ed, space)["id"]
    before = {name: text(cast.ria, space, page) for name, page in pages.items()}
    make.changes(cast.ed, space, update(pages["quay"], slug="pier"), request=opened)
    make.changes(cast.ed, space, delete(pages["harbour"]), request=opened)
    assert {name: text(cast.ria, space, page) for name, page in pages.items()} == before
    assert statuses(cast.ria, space, pages["steps"]) == ["ok", "ok"]
    assert statuses(cast.ria, space, pages["steps"], opened) == ["ok", "broken"]
    listed = cast.ria.get(f"{place(space, opened)}/content/page/{pages['steps']}/links").json()
    assert listed["stats"] == {"total": 2, "broken": {"total": 1, "changeRequest": 1}}
    assert listed["items"][0]["targetReference"]["versionContext"] == {
        "type": "changeRequest",
        "changeRequest": opened,
    }
    assert cast.ria.get(f"/v1/spaces/{space}/links").json()["stats"] == {"total": 5, "broken": {"total": 0}}


def test_links_of_a_change_request_are_those_of_its_pages(cast: Cast, space: str) -> None:
    pages = three(cast.ed, space)
    opened = make.change_request(cast.ed, space)["id"]
    make.changes(cast.ed, space, update(pages["steps"], "[Out](https://example.org)\n"), request=opened)
    assert statuses(cast.ria, space, pages["steps"], opened) == ["ok"]
    assert statuses(cast.ria, space, pages["harbour"], opened) == ["ok", "broken"], "the heading is gone"
    assert statuses(cast.ria, space, pages["harbour"]) == ["ok", "ok"]
    assert len(statuses(cast.ria, space, pages["steps"])) == 2
    make.changes(cast.ed, space, update(pages["quay"], "No more.\n"))
    assert statuses(cast.ria, space, pages["quay"], opened) == ["ok"]
    assert statuses(cast.ria, space, pages["quay"]) == []
    assert cast.gus.get(f"{place(space, opened)}/content/page/{pages['quay']}/links").status_code == 404


def test_files_in_change_requests_know_what_leads_to_them(cast: Cast, space: str) -> None:
    picture = {"operation": "insert_files", "files": [make.upload("dot.png", make.picture(1, 1), ref="dot")]}
    file_id = make.changes(cast.ed, space, picture)["insertedFiles"][0]["id"]
    opened = make.change_request(cast.ed, space)["id"]
    made = make.changes(
        cast.ed, space, insert("Bell", f"![dot](/files/{file_id})\n", ref="b"), request=opened
    )
    there = f"/content/files/{file_id}/backlinks"
    (found,) = cast.ria.get(place(space, opened) + there).json()["items"]
    assert found["page"]["id"] == ids(made)["b"]
    assert found["versionContext"] == {"type": "changeRequest", "changeRequest": opened}
    assert cast.ria.get(place(space) + there).json()["items"] == []
    make.changes(cast.ed, space, {"operation": "delete_file", "file": file_id}, request=opened)
    assert cast.ria.get(place(space, opened) + there).status_code == 404
    assert statuses(cast.ria, space, ids(made)["b"], opened) == ["broken"]
