"""Merges and reverts whose conflicts are won part by part."""

from __future__ import annotations

from typing import Any

import pytest

from tests import make
from tests.cast import Cast, Person

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


def _twice(cast: Cast) -> tuple[str, str, str]:
    """A space, a page and the merge of a change request: both changed three passages of its text."""
    space = make.filled_space(cast)
    page = next(each["id"] for each in _pages(cast, space) if each["path"] == "notes")
    text = "# Notes\n\nFirst {0}.\n\nSame.\n\nSecond {0}.\n\nSame.\n\nThird {0}."
    _write(cast.cleo, space, page, text.format("base"))
    opened = cast.ed.post(f"/v1/spaces/{space}/change-requests", {"subject": "Ours"}).json()
    _write(cast.ed, space, page, text.format("ours"), opened["number"])
    _write(cast.cleo, space, page, text.format("theirs"))
    return space, page, f"/v1/spaces/{space}/change-requests/{opened['id']}/merge"


def _write(person: Person, space: str, page: str, text: str, request: int | None = None) -> None:
    change = {"operation": "update_page", "page": page, "document": {"markdown": text}}
    make.changes(person, space, change, request=request)


def _lines(cast: Cast, space: str, page: str) -> list[str]:
    path = f"/v1/spaces/{space}/content/page/{page}"
    text: str = cast.ada.get(path, params={"format": "markdown"}).json()["markdown"]
    return [line for line in text.splitlines() if line not in ("", "Same.", "# Notes")]


def test_passages_of_a_text_have_their_own_winners(cast: Cast) -> None:
    space, page, merge = _twice(cast)
    conflicts = cast.rhea.post(merge, {"dryRun": True}).json()["conflicts"]
    assert [each["main"] for each in conflicts] == ["First theirs.\n", "Second theirs.\n", "Third theirs."]
    passages = [each["passage"] for each in conflicts]
    assert len(set(passages)) == 3
    part = {"page": page, "field": "document"}
    first = {**part, "passage": passages[0], "winner": "main"}
    assert cast.rhea.post(merge, {"winners": [first]}).json()["result"] == "conflicts"
    last = {**part, "passage": passages[2], "winner": "both"}
    others = {**part, "winner": "change-request"}
    assert cast.rhea.post(merge, {"winners": [first, last, others]}).json()["result"] == "merge"
    assert _lines(cast, space, page) == ["First theirs.", "Second ours.", "Third theirs.", "Third ours."]


def test_a_passage_that_has_changed_since_is_asked_for_again(cast: Cast) -> None:
    space, page, merge = _twice(cast)
    conflicts = cast.rhea.post(merge, {"dryRun": True}).json()["conflicts"]
    winners = [
        {"page": page, "field": "document", "passage": each["passage"], "winner": "main"}
        for each in conflicts
    ]
    _write(cast.cleo, space, page, "# Notes\n\nFirst theirs.\n\nSame.\n\nNewer.\n\nSame.\n\nThird theirs.")
    tried = cast.rhea.post(merge, {"winners": winners}).json()
    assert tried["result"] == "conflicts"
    known = {each["passage"] for each in conflicts}
    assert [each["main"] for each in tried["conflicts"] if each["passage"] not in known] == ["Newer.\n"]


def test_both_sides_are_kept_of_texts_only(cast: Cast, met: tuple[str, str, str]) -> None:
    space, page, merge = met
    title, text = ({"page": page, "field": field, "winner": "both"} for field in WINNERS)
    assert cast.rhea.post(merge, {"winners": [title, text]}).json()["result"] == "conflicts"
    assert _shown(cast, space, page) == ("Theirs", "Theirs.")
    assert cast.rhea.post(merge, {"winners": [text], "onConflict": "main"}).json()["result"] == "merge"
    path = f"/v1/spaces/{space}/content/page/{page}"
    found = cast.ada.get(path, params={"format": "markdown"}).json()
    assert (found["title"], found["markdown"]) == ("Theirs", "# Notes\n\nTheirs.\nOurs.\n")


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


def _passages(cast: Cast, page: str, merge: str) -> list[dict[str, Any]]:
    """The conflicts in a text, as winners name them."""
    found = cast.rhea.post(merge, {"dryRun": True}).json()["conflicts"]
    return [{"page": page, "field": "document", "passage": each["passage"]} for each in found]


def test_a_passage_can_be_written_anew(cast: Cast) -> None:
    space, page, merge = _twice(cast)
    first, second, third = _passages(cast, page, merge)
    winners = [
        {**first, "winner": "text", "text": "First of both,\nin two lines."},
        {**second, "winner": "text", "text": ""},
        {**third, "winner": "text", "text": "Third [link](/machinery/lamp)."},
    ]
    assert cast.rhea.post(merge, {"winners": winners}).json()["result"] == "merge"
    written = ["First of both,", "in two lines.", "Third [link](/machinery/lamp)."]
    assert _lines(cast, space, page) == written
    links = cast.ada.get(f"/v1/spaces/{space}/content/page/{page}/links").json()["items"]
    assert [each["status"] for each in links] == ["ok"]


def test_a_text_that_fits_no_conflict_is_refused_by_its_place(cast: Cast) -> None:
    _space, page, merge = _twice(cast)
    first, *_ = _passages(cast, page, merge)
    title = {"page": page, "field": "title", "winner": "text", "text": "Mine"}
    wrong: list[tuple[dict[str, Any], str]] = [
        ({**first, "winner": "text"}, "winners.0"),
        ({**first, "winner": "main", "text": "Mine"}, "winners.0"),
        ({**first, "passage": None, "winner": "text", "text": "Mine"}, "winners.0"),
        (title, "winners.0"),
        ({**first, "winner": "text", "text": "a\0b"}, "winners.0.text"),
        ({**first, "winner": "text", "text": "x" * 100_001}, "winners.0.text"),
    ]
    for winner, place in wrong:
        answer = cast.rhea.post(merge, {"winners": [winner]})
        assert (answer.status_code, answer.json()["error"]["details"][0]["path"]) == (400, place), winner


def test_a_revert_takes_a_text_of_ones_own(cast: Cast) -> None:
    space = make.filled_space(cast)
    page = next(each["id"] for each in _pages(cast, space) if each["path"] == "notes")
    revisions = []
    for name in ("First", "Second"):
        _write(cast.cleo, space, page, f"# Notes\n\n{name}.\n")
        revisions.append(cast.ada.get(f"/v1/spaces/{space}").json()["revision"])
    revert = f"/v1/spaces/{space}/revisions/{revisions[0]}/revert"
    (winner,) = _passages(cast, page, revert)
    winners = [{**winner, "winner": "text", "text": "Neither."}]
    assert cast.rhea.post(revert, {"winners": winners}).json()["result"] == "rollback"
    assert _shown(cast, space, page)[1] == "Neither."


def test_a_variable_that_both_sides_changed_is_told_by_side_and_won_by_name(cast: Cast) -> None:
    space = make.filled_space(cast)
    page = next(each["id"] for each in _pages(cast, space) if each["path"] == "notes")
    change = {"operation": "update_variables", "page": page}
    make.changes(cast.cleo, space, {**change, "variables": {"lamp": "oil", "rounds": 3}})
    opened = cast.ed.post(f"/v1/spaces/{space}/change-requests", {"subject": "Ours"}).json()
    ours = {**change, "variables": {"lamp": "gas", "rounds": 4}}
    make.changes(cast.ed, space, ours, request=opened["number"])
    make.changes(cast.cleo, space, {**change, "variables": {"lamp": "electric"}})
    merge = f"/v1/spaces/{space}/change-requests/{opened['id']}/merge"
    found = {each["field"]: each for each in cast.rhea.post(merge, {"dryRun": True}).json()["conflicts"]}
    told = {
        name: [each.get(side) for side in ("base", "main", "changeRequest")] for name, each in found.items()
    }
    assert told == {"variables.lamp": ["oil", "electric", "gas"], "variables.rounds": [3, None, 4]}
    sides = {"variables.lamp": "main", "variables.rounds": "change-request"}
    parts = [{"page": page, "field": field, "winner": side} for field, side in sides.items()]
    assert cast.rhea.post(merge, {"winners": parts}).json()["result"] == "merge"
    kept = cast.ada.get(f"/v1/spaces/{space}/content/page/{page}").json()["variables"]
    assert kept == {"lamp": "electric", "rounds": 4}
