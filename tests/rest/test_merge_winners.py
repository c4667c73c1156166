"""Merges and reverts whose conflicts are won part by part."""

from __future__ import annotations

from typing import Any

import pytest

from tests import make
from tests.cast import Cast

WINNERS = {"title": "main", "document": "change-request"}


@pytest.fixture
def met(cast: Cast) -> tuple[str, str, str]:
    """A space, a page and a change request: both changed its title and its text."""
    space = make.filled_space(cast)
    page = next(each["id"] for each in _pages(cast, space) if each["path"] == "notes")
    opened = cast.ed.post(f"/v1/spaces/{space}/change-requests", {"subject": "Ours"}).json()
    for person, name, request in ((cast.ed, "Ours", opened["number"]), (cast.cleo, "Theirs", None)):
        text = {"markdown": f"# Notes\n\n{name}.\n"}
        change = {"operation": "update_page", "page": page, "title": name, "document": text}
        make.changes(person, space, change, request=request)
    return space, page, f"/v1/spaces/{space}/change-requests/{opened['id']}/merge"


def _pages(cast: Cast, space: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = cast.ada.get(f"/v1/spaces/{space}/content/pages").json()["pages"]
    return found


def _shown(cast: Cast, space: str, page: str) -> tuple[str, str]:
    path = f"/v1/spaces/{space}/content/page/{page}"
    found = cast.ada.get(path, params={"format": "markdown"}).json()
    return found["title"], found["markdown"].split()[-1]


def test_each_part_is_won_by_the_side_that_was_chosen(cast: Cast, met: tuple[str, str, str]) -> None:
    space, page, merge = met
    parts = [{"page": page, "field": field, "winner": side} for field, side in WINNERS.items()]
    tried = cast.rhea.post(merge, {"winners": parts, "dryRun": True}).json()
    assert (tried["result"], {each["field"] for each in tried["conflicts"]}) == ("merge", set(WINNERS))
    assert cast.rhea.post(merge, {"winners": parts}).json()["result"] == "merge"
    assert _shown(cast, space, page) == ("Theirs", "Ours.")


def test_nothing_is_merged_while_a_part_is_undecided(cast: Cast, met: tuple[str, str, str]) -> None:
    space, page, merge = met
    part = {"page": page, "field": "title", "winner": "change-request"}
    assert cast.rhea.post(merge, {"winners": [part]}).json()["result"] == "conflicts"
    assert _shown(cast, space, page) == ("Theirs", "Theirs.")
    assert cast.rhea.post(merge, {"winners": [part], "onConflict": "main"}).json()["result"] == "merge"
    assert _shown(cast, space, page) == ("Ours", "Theirs.")


def test_a_revert_keeps_what_was_chosen(cast: Cast) -> None:
    space = make.filled_space(cast)
    page = next(each["id"] for each in _pages(cast, space) if each["path"] == "notes")
    before, revisions = _shown(cast, space, page), []
    for name in ("First", "Second"):
        text = {"markdown": f"# Notes\n\n{name}.\n"}
        change = {"operation": "update_page", "page": page, "title": name, "document": text}
        make.changes(cast.cleo, space, change)
        revisions.append(cast.ada.get(f"/v1/spaces/{space}").json()["revision"])
    revert = f"/v1/spaces/{space}/revisions/{revisions[0]}/revert"
    conflicts = cast.rhea.post(revert, {"dryRun": True}).json()["conflicts"]
    winners = {"title": "revert", "document": "main"}
    parts = [{"page": page, "field": field, "winner": side} for field, side in winners.items()]
    assert {each["field"] for each in conflicts} == set(winners)
    cast.rhea.post(revert, {"winners": parts})
    assert _shown(cast, space, page) == (before[0], "Second.")


@pytest.mark.parametrize("deleted_by", ["main", "change-request"])
@pytest.mark.parametrize("winner", ["main", "change-request"])
def test_a_page_that_one_side_deleted_and_the_other_edited_follows_the_winner(
    cast: Cast, deleted_by: str, winner: str
) -> None:
    space = make.filled_space(cast)
    page = next(each["id"] for each in _pages(cast, space) if each["path"] == "notes")
    opened = cast.ed.post(f"/v1/spaces/{space}/change-requests", {"subject": "Ours"}).json()
    sides = {"change-request": (cast.ed, opened["number"]), "main": (cast.cleo, None)}
    for side, (person, request) in sides.items():
        edit = {"operation": "update_page", "page": page, "document": {"markdown": f"# Notes\n\n{side}.\n"}}
        delete = {"operation": "delete_page", "page": page}
        make.changes(person, space, delete if side == deleted_by else edit, request=request)
    body = {"winners": [{"page": page, "field": "page", "winner": winner}]}
    merge = cast.rhea.post(f"/v1/spaces/{space}/change-requests/{opened['id']}/merge", body).json()
    assert (merge["result"], merge["conflicts"][0]["field"]) == ("merge", "page")
    assert (page in {each["id"] for each in _pages(cast, space)}) == (winner != deleted_by)
