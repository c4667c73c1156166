"""Links that were written anew because what they lead to moved: they are nobody's words and no conflict."""

from __future__ import annotations

from typing import Any

import pytest

from tests import make
from tests.cast import Cast
from tests.factories.changes import delete, statuses

LINES = "# {}\n\none\n\nTo [B](/pages/B), well.\n"


@pytest.fixture
def space(cast: Cast) -> str:
    """A space."""
    made: str = make.space(cast.ada, cast.organization)["id"]
    return made


@pytest.fixture
def pages(cast: Cast, space: str) -> dict[str, str]:
    """Pages `A`, `B` and `C` that lead to `B`: their ids by title."""
    insert = {"operation": "insert_page"}
    documents = {title: {"markdown": LINES.format(title)} for title in "ABC"}
    batch = [{**insert, "title": title, "ref": title, "document": documents[title]} for title in documents]
    answer = make.changes(cast.ada, space, *batch)
    return {each["ref"]: each["page"]["id"] for each in answer["changes"]}


def update(page: str, **fields: Any) -> dict[str, Any]:
    return {"operation": "update_page", "page": page, **fields}


def merged(cast: Cast, space: str, how: dict[str, Any] | None = None, step: str = "merge") -> dict[str, Any]:
    answer = cast.ada.post(f"/v1/spaces/{space}/change-requests/1/{step}", how or {})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def text(cast: Cast, space: str, page: str, at: str = "") -> str:
    answer = cast.ada.get(f"/v1/spaces/{space}{at}/content/page/{page}")
    assert answer.status_code == 200, answer.text
    found: str = answer.json()["markdown"]
    return found


@pytest.mark.parametrize("step", ["merge", "update"])
def test_a_page_moved_here_and_its_target_renamed_there_are_no_conflict(
    cast: Cast, space: str, pages: dict[str, str], step: str
) -> None:
    make.change_request(cast.ada, space)
    make.changes(cast.ada, space, update(pages["C"], into=pages["B"]), request=1)
    make.changes(cast.ada, space, update(pages["B"], slug="bee"))
    assert merged(cast, space, step=step)["result"] == step
    at = "" if step == "merge" else "/change-requests/1"
    assert "[B](../bee.md), well." in text(cast, space, pages["C"], at)
    assert "[B](bee.md), well." in text(cast, space, pages["A"], at)


def test_words_beside_a_link_that_was_written_anew_are_no_conflict(
    cast: Cast, space: str, pages: dict[str, str]
) -> None:
    make.change_request(cast.ada, space)
    words = text(cast, space, pages["C"]).replace("well", "better")
    make.changes(cast.ada, space, update(pages["C"], document={"markdown": words}), request=1)
    make.changes(cast.ada, space, update(pages["B"], slug="bee"))
    assert merged(cast, space)["result"] == "merge"
    assert "To [B](bee.md), better." in text(cast, space, pages["C"])


def test_words_on_both_sides_are_a_conflict_with_the_link_or_without(
    cast: Cast, space: str, pages: dict[str, str]
) -> None:
    make.change_request(cast.ada, space)
    words = text(cast, space, pages["C"]).replace("well", "better")
    make.changes(cast.ada, space, update(pages["C"], document={"markdown": words}), request=1)
    elsewhere = text(cast, space, pages["C"]).replace("b.md", "a.md")
    make.changes(cast.ada, space, update(pages["C"], document={"markdown": elsewhere}))
    answer = merged(cast, space)
    assert answer["result"] == "conflicts"
    (conflict,) = answer["conflicts"]
    assert (conflict["page"], conflict["field"]) == (pages["C"], "document")
    assert conflict["changeRequest"] == "To [B](b.md), better.\n"
    assert conflict["main"] == "To [B](a.md), well.\n"


@pytest.mark.parametrize("deleted_on", ["main", "request"])
def test_a_page_deleted_on_one_side_whose_links_were_written_anew_on_the_other_goes(
    cast: Cast, space: str, pages: dict[str, str], deleted_on: str
) -> None:
    make.change_request(cast.ada, space)
    there, here = (None, 1) if deleted_on == "main" else (1, None)
    make.changes(cast.ada, space, {"operation": "delete_page", "page": pages["C"]}, request=there)
    make.changes(cast.ada, space, update(pages["B"], slug="bee"), request=here)
    assert merged(cast, space)["result"] == "merge"
    assert cast.ada.get(f"/v1/spaces/{space}/content/page/{pages['C']}").status_code == 404
    assert "[B](bee.md)" in text(cast, space, pages["A"])


def test_going_back_on_a_rename_keeps_what_was_written_since(
    cast: Cast, space: str, pages: dict[str, str]
) -> None:
    make.changes(cast.ada, space, update(pages["B"], slug="bee"))
    renamed = cast.ada.get(f"/v1/spaces/{space}").json()["revision"]
    words = text(cast, space, pages["C"]).replace("well", "better")
    make.changes(cast.ada, space, update(pages["C"], document={"markdown": words}))
    answer = cast.ada.post(f"/v1/spaces/{space}/revisions/{renamed}/revert", {})
    assert answer.json()["result"] == "rollback", answer.text
    assert "To [B](b.md), better." in text(cast, space, pages["C"])


@pytest.mark.parametrize("kind", ["page", "file", "reusable-content"])
def test_what_was_deleted_here_is_no_target_of_what_an_update_brings(
    cast: Cast, space: str, pages: dict[str, str], kind: str
) -> None:
    block = {"operation": "insert_reusable_content", "title": "Hint", "document": {"markdown": "Words.\n"}}
    files = {"operation": "insert_files", "files": [make.upload("dot.png", make.picture(1, 1))]}
    made = make.changes(cast.ada, space, block, files)
    block_id, file_id = made["insertedReusableContents"][0]["id"], made["insertedFiles"][0]["id"]
    make.change_request(cast.ada, space)
    target, delete = {
        "page": (pages["B"], {"operation": "delete_page", "page": pages["B"]}),
        "file": (file_id, {"operation": "delete_file", "file": file_id}),
        "reusable-content": (
            block_id,
            {"operation": "delete_reusable_content", "reusableContent": block_id},
        ),
    }[kind]
    make.changes(cast.ada, space, delete, request=1)
    link = {"markdown": f"[there](/{kind}s/{target})\n"}
    new = make.changes(cast.ada, space, {"operation": "insert_page", "title": "New", "document": link})
    page = new["changes"][0]["page"]["id"]
    assert merged(cast, space, step="update")["result"] == "update"
    assert statuses(cast.ada, space, page) == ["ok"]
    assert statuses(cast.ada, space, page, "1") == ["broken"]


def test_a_page_deleted_on_both_sides_and_restored_there_has_its_links_after_an_update(
    cast: Cast, space: str, pages: dict[str, str]
) -> None:
    before = cast.ada.get(f"/v1/spaces/{space}/content").json()["id"]
    make.change_request(cast.ada, space)
    make.changes(cast.ada, space, update(pages["C"], description="Changed"), delete(pages["B"]), request=1)
    make.changes(cast.ada, space, delete(pages["C"]), request=1)
    make.changes(cast.ada, space, delete(pages["C"]))
    assert merged(cast, space, step="update")["result"] == "update"
    assert cast.ada.post(f"/v1/spaces/{space}/revisions/{before}/restore").status_code == 200
    assert merged(cast, space, step="update")["result"] == "update"
    assert statuses(cast.ada, space, pages["C"]) == ["ok"]
    assert statuses(cast.ada, space, pages["C"], "1") == ["broken"]
    assert merged(cast, space)["result"] == "merge"
    assert statuses(cast.ada, space, pages["C"]) == ["broken"]
