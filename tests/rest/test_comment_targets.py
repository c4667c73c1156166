"""Targets of comments: pages and blocks, and whether they have changed since."""

from __future__ import annotations

from typing import Any

import pytest

from tests import make
from tests.cast import Cast, Person
from tests.factories.changes import delete, insert, place, update
from tests.factories.comments import again, comment, comments, texts

TEXT = "# Lamp\n\nIt burns oil.\n\n* one\n* two\n\n```\nlight()\n```\n"


@pytest.fixture
def page(cast: Cast, space: str, request_id: str | None) -> str:
    """A page of the place."""
    return new_page(cast.ed, space, request_id)


def new_page(person: Person, space: str, request_id: str | None = None, text: str = TEXT) -> str:
    made = make.changes(person, space, insert("Lamp", text, emoji="1f4a1"), request=request_id)
    return str(made["changes"][0]["page"]["id"])


def written(cast: Cast, space: str, request_id: str | None, page: str, text: str, **fields: Any) -> None:
    make.changes(cast.ed, space, update(page, text, **fields), request=request_id)


def node_of(comment_: dict[str, Any]) -> tuple[str, str, bool]:
    target = comment_["target"]
    return target["node"]["id"], target["node"]["preview"], target["page"]["outdated"]


def keys(person: Person, space: str, page: str, request_id: str | None) -> dict[str, str]:
    """The blocks of a page: their types by their keys."""
    answer = person.get(f"{place(space, request_id)}/content/page/{page}", params={"format": "document"})
    found: dict[str, str] = {}

    def look(nodes: list[dict[str, Any]]) -> None:
        for node in nodes:
            if node["object"] == "block":
                found[node["key"]] = node["type"]
                look(node["nodes"])

    look(answer.json()["document"]["nodes"])
    return found


def test_a_comment_on_a_page_shows_the_page(
    cast: Cast, space: str, request_id: str | None, page: str
) -> None:
    made = comment(cast.tom, space, request=request_id, page=page)
    told = made["target"]["page"]
    held = cast.ria.get(f"{place(space, request_id)}/content/page/{page}").json()
    assert told == {
        name: held[name] for name in ("id", "title", "emoji", "createdAt", "updatedAt", "path")
    } | {"outdated": False}
    assert "node" not in made["target"]
    assert made["target"]["revision"] == cast.ria.get(place(space, request_id)).json()["revision"]


def test_every_block_of_a_page_may_be_commented_on(
    cast: Cast, space: str, request_id: str | None, page: str
) -> None:
    found = keys(cast.ria, space, page, request_id)
    assert {"heading-1", "paragraph", "list-item", "code"} & set(found.values())
    for key in found:
        made = comment(cast.tom, space, request=request_id, page=page, node=key)
        assert node_of(made)[0::2] == (key, False)
    (paragraph,) = [key for key, kind in found.items() if kind == "paragraph" and "." not in key]
    made = comment(cast.tom, space, request=request_id, page=page, node=paragraph)
    assert made["target"]["node"]["preview"] == "It burns oil."


@pytest.mark.parametrize("node", ["99", "0.0.0.0", "x", "-1", " ", "0" * 100, "\u0661"])
def test_an_unknown_block_is_not_found(
    cast: Cast, space: str, request_id: str | None, page: str, node: str
) -> None:
    body = {"body": {"markdown": "a"}, "page": page, "node": node}
    answer = cast.tom.post(comments(space, request_id), body)
    assert (answer.status_code, answer.json()["error"]["details"][0]["path"]) == (400, "node")
    assert texts(cast.tom, comments(space, request_id)) == []


def test_an_unknown_page_is_not_found(cast: Cast, space: str, request_id: str | None, page: str) -> None:
    other = make.space(cast.ada, cast.organization)["id"]
    elsewhere = make.space(cast.sol, cast.elsewhere)["id"]
    strange = [new_page(cast.ada, other), new_page(cast.sol, elsewhere), "nowhere", "0" * 20]
    for wrong in strange:
        for node in ({}, {"node": "0"}):
            body = {"body": {"markdown": "a"}, "page": wrong, **node}
            answer = cast.tom.post(comments(space, request_id), body)
            assert (answer.status_code, answer.json()["error"]["details"][0]["path"]) == (400, "page")


def test_a_page_of_a_change_request_is_not_in_the_space(cast: Cast, space: str) -> None:
    request = make.change_request(cast.ed, space)["id"]
    body = {"body": {"markdown": "a"}, "page": new_page(cast.ed, space, request)}
    assert cast.tom.post(comments(space), body).status_code == 400
    assert cast.tom.post(comments(space, request), body).status_code == 200


def test_a_block_is_of_a_page(cast: Cast, space: str, request_id: str | None) -> None:
    answer = cast.tom.post(comments(space, request_id), {"body": {"markdown": "a"}, "node": "0"})
    assert (answer.status_code, answer.json()["error"]["details"][0]["path"]) == (400, "node")


def test_a_group_has_no_blocks(cast: Cast, space: str) -> None:
    group = {"operation": "insert_page", "title": "Group", "type": "group"}
    made = make.changes(cast.ed, space, group)["changes"][0]["page"]["id"]
    assert comment(cast.tom, space, page=made)["target"]["page"]["title"] == "Group"
    body = {"body": {"markdown": "a"}, "page": made, "node": "0"}
    assert cast.tom.post(comments(space), body).status_code == 400


def test_a_comment_on_a_page_is_outdated_when_its_text_changes(
    cast: Cast, space: str, request_id: str | None, page: str
) -> None:
    made = comment(cast.tom, space, request=request_id, page=page)
    make.changes(cast.ed, space, update(page, title="Lantern"), request=request_id)
    told = again(cast.ria, made)["target"]
    assert (told["page"]["title"], told["page"]["outdated"]) == ("Lantern", False)
    written(cast, space, request_id, page, TEXT + "\nMore.\n")
    assert again(cast.ria, made)["target"]["page"]["outdated"] is True
    written(cast, space, request_id, page, TEXT)
    assert again(cast.ria, made)["target"]["page"]["outdated"] is False
    assert again(cast.ria, made)["target"]["revision"] == made["target"]["revision"]


def test_a_comment_on_a_block_stays_with_its_block(
    cast: Cast, space: str, request_id: str | None, page: str
) -> None:
    found = keys(cast.ria, space, page, request_id)
    heading, paragraph, *_ = (key for key in found if "." not in key)
    on_paragraph = comment(cast.tom, space, request=request_id, page=page, node=paragraph)
    on_heading = comment(cast.tom, space, request=request_id, page=page, node=heading)
    below = TEXT.replace("light()", "dark()")
    written(cast, space, request_id, page, below)
    assert node_of(again(cast.ria, on_paragraph)) == (paragraph, "It burns oil.", False)
    written(cast, space, request_id, page, f"Before.\n\n{below}")
    moved = again(cast.ria, on_paragraph)
    assert node_of(moved) == (str(int(paragraph) + 1), "It burns oil.", False)
    assert node_of(again(cast.ria, on_heading))[2] is False
    written(cast, space, request_id, page, below.replace("burns oil", "burns *whale* oil"))
    assert node_of(again(cast.ria, on_paragraph)) == (paragraph, "It burns oil.", True)
    assert node_of(again(cast.ria, on_heading))[2] is False
    listed = cast.ria.get(comments(space, request_id)).json()["items"]
    assert [node_of(item)[2] for item in listed] == [False, True]


def test_of_two_equal_blocks_the_nearer_one_is_meant(cast: Cast, space: str) -> None:
    page = new_page(cast.ed, space, text="Same.\n\nOther.\n\nSame.\n")
    first, _, last = sorted(keys(cast.ria, space, page, None))
    about = {key: comment(cast.tom, space, page=page, node=key) for key in (first, last)}
    written(cast, space, None, page, "Same.\n\nOther.\n\nThird.\n\nSame.\n")
    assert node_of(again(cast.ria, about[first]))[0] == first
    assert node_of(again(cast.ria, about[last]))[0] == str(int(last) + 1)


def test_of_equal_blocks_the_same_one_is_meant_when_more_stands_above(cast: Cast, space: str) -> None:
    page = new_page(cast.ed, space, text="Same.\n\nSame.\n")
    first, last = sorted(keys(cast.ria, space, page, None))
    about = {key: comment(cast.tom, space, page=page, node=key) for key in (first, last)}
    written(cast, space, None, page, "New.\n\nSame.\n\nSame.\n")
    assert [node_of(again(cast.ria, each))[0] for each in about.values()] == ["1", "2"]


def test_a_comment_outlives_its_page(cast: Cast, space: str, request_id: str | None, page: str) -> None:
    made = comment(cast.tom, space, request=request_id, page=page, node="0")
    make.changes(cast.ed, space, delete(page), request=request_id)
    told = again(cast.ria, made)["target"]
    assert told["node"] == made["target"]["node"]
    assert told["page"] == made["target"]["page"] | {"outdated": True}
    assert texts(cast.ria, comments(space, request_id), targetPage=page) == ["Who trims it?"]
    assert (
        cast.tom.post(comments(space, request_id), {"body": {"markdown": "a"}, "page": page}).status_code
        == 400
    )


def test_a_page_that_comes_back_is_no_longer_outdated(cast: Cast, space: str) -> None:
    page = new_page(cast.ed, space)
    revision = cast.ria.get(f"/v1/spaces/{space}").json()["revision"]
    made = comment(cast.tom, space, page=page)
    make.changes(cast.ed, space, delete(page))
    assert cast.rhea.post(f"/v1/spaces/{space}/revisions/{revision}/restore").status_code == 200
    assert again(cast.ria, made)["target"]["page"]["outdated"] is False


def test_the_space_going_on_does_not_outdate_a_change_request(cast: Cast, space: str) -> None:
    page = new_page(cast.ed, space)
    request = make.change_request(cast.ed, space)["id"]
    there, here = comment(cast.tom, space, request=request, page=page), comment(cast.tom, space, page=page)
    written(cast, space, None, page, "Another text.\n")
    assert again(cast.ria, there)["target"]["page"]["outdated"] is False
    assert again(cast.ria, here)["target"]["page"]["outdated"] is True


def test_comments_are_found_by_their_page(cast: Cast, space: str, request_id: str | None, page: str) -> None:
    comment(cast.tom, space, "on it", request_id, page=page)
    comment(cast.ed, space, "in it", request_id, page=page, node="0")
    comment(cast.tom, space, "elsewhere", request_id, page=new_page(cast.ed, space, request_id, "Other.\n"))
    comment(cast.tom, space, "of all", request_id)
    path = comments(space, request_id)
    assert texts(cast.ria, path, targetPage=page) == ["in it", "on it"]
    assert texts(cast.ria, path, targetPage=page, authors=cast.tom.id, order="asc") == ["on it"]
    assert texts(cast.ria, path, targetPage=page, status="resolved") == []
    assert texts(cast.ria, path, targetPage="nowhere") == []


def test_a_long_block_is_previewed_by_its_beginning(cast: Cast, space: str) -> None:
    page = new_page(cast.ed, space, text="word " * 300 + "\n")
    preview = comment(cast.tom, space, page=page, node="0")["target"]["node"]["preview"]
    assert len(preview) <= 200
    assert preview.startswith("word word")
    assert preview.endswith("…")


def test_a_very_large_page_is_commented_on_as_a_whole(cast: Cast, space: str) -> None:
    page = new_page(cast.ed, space, text="word " * 50_000 + "\n")
    body = {"body": {"markdown": "a"}, "page": page, "node": "0"}
    answer = cast.tom.post(comments(space), body)
    assert (answer.status_code, answer.json()["error"]["details"][0]["path"]) == (400, "node")
    assert comment(cast.tom, space, page=page)["target"]["page"]["outdated"] is False
