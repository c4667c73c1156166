"""Reusable contents in merges and updates: what either side wrote is kept, or told as a conflict."""

from __future__ import annotations

from typing import Any

import pytest

from tests import make
from tests.cast import Cast, Person
from tests.factories.changes import content, place

TEXT = "One.\n\nTwo.\n\nThree.\n"


def change(block: str, markdown: str | None = None, **fields: Any) -> dict[str, Any]:
    """Another text or title of a reusable content."""
    text = {} if markdown is None else {"document": {"markdown": markdown}}
    return {"operation": "update_reusable_content", "reusableContent": block, **text, **fields}


def delete(block: str) -> dict[str, Any]:
    """A reusable content goes."""
    return {"operation": "delete_reusable_content", "reusableContent": block}


@pytest.fixture
def block(cast: Cast, space: str) -> str:
    """A reusable content of the space."""
    new = {"operation": "insert_reusable_content", "title": "Oil", "document": {"markdown": TEXT}}
    return str(make.changes(cast.ed, space, new)["insertedReusableContents"][0]["id"])


@pytest.fixture
def opened(cast: Cast, space: str, block: str) -> str:
    """A change request on the space."""
    return str(make.change_request(cast.ed, space)["id"])


def titles(person: Person, space: str, request: str | None = None) -> list[str]:
    """Return the titles of the reusable contents there."""
    return [each["title"] for each in content(person, space, request)["reusableContents"]]


def lines(person: Person, space: str, block: str) -> list[str]:
    """The paragraphs of a reusable content of the space."""
    shown = person.get(f"{place(space)}/content/reusable-contents/{block}").json()
    document = person.get(f"{place(space)}/documents/{shown['document']}").json()
    return [paragraph["nodes"][0]["leaves"][0]["text"] for paragraph in document["nodes"]]


def done(person: Person, space: str, opened: str, what: str, **body: Any) -> dict[str, Any]:
    """The outcome of a merge or an update."""
    answer = person.post(f"{place(space, opened)}/{what}", body)
    assert answer.status_code == 200, answer.text
    outcome: dict[str, Any] = answer.json()
    return outcome


def test_an_update_brings_what_the_request_did_not_change_after_all(
    cast: Cast, space: str, block: str, opened: str
) -> None:
    for title in ("Lamp oil", "Oil"):
        make.changes(cast.ed, space, change(block, title=title), request=opened)
    make.changes(cast.ed, space, change(block, title="Whale oil"))
    assert done(cast.ed, space, opened, "update")["result"] == "update"
    assert titles(cast.ria, space, opened) == ["Whale oil"]
    assert done(cast.rhea, space, opened, "merge")["result"] == "merge"
    assert titles(cast.ria, space) == ["Whale oil"]


def test_an_update_brings_what_follows_an_equal_change(
    cast: Cast, space: str, block: str, opened: str
) -> None:
    for request in (opened, None):
        make.changes(cast.ed, space, change(block, title="Lamp oil"), request=request)
    done(cast.ed, space, opened, "update")
    make.changes(cast.ed, space, change(block, title="Whale oil"))
    done(cast.ed, space, opened, "update")
    assert titles(cast.ria, space, opened) == ["Whale oil"]
    done(cast.rhea, space, opened, "merge")
    assert titles(cast.ria, space) == ["Whale oil"]


def test_what_was_deleted_does_not_come_back(cast: Cast, space: str, block: str, opened: str) -> None:
    for title in ("Lamp oil", "Oil"):
        make.changes(cast.ed, space, change(block, title=title), request=opened)
    make.changes(cast.ed, space, delete(block))
    assert done(cast.ed, space, opened, "update")["result"] == "update"
    assert titles(cast.ria, space, opened) == []
    done(cast.rhea, space, opened, "merge")
    assert titles(cast.ria, space) == []


@pytest.mark.parametrize(("side", "title"), [("change-request", "Lamp oil"), ("main", "Whale oil")])
def test_titles_that_meet_are_a_conflict(
    cast: Cast, space: str, block: str, opened: str, side: str, title: str
) -> None:
    make.changes(cast.ed, space, change(block, "ONE.\n\nTwo.\n\nThree.\n", title="Lamp oil"), request=opened)
    make.changes(cast.ed, space, change(block, "One.\n\nTwo.\n\nTHREE.\n", title="Whale oil"))
    outcome = done(cast.rhea, space, opened, "merge")
    said = {"base": "Oil", "main": "Whale oil", "changeRequest": "Lamp oil"}
    assert outcome["conflicts"] == [{"page": block, "field": "title", **said}]
    assert done(cast.rhea, space, opened, "merge", onConflict=side)["result"] == "merge"
    assert titles(cast.ria, space) == [title]
    assert lines(cast.ria, space, block) == ["ONE.", "Two.", "THREE."]


def test_an_update_keeps_the_side_of_the_change_request(
    cast: Cast, space: str, block: str, opened: str
) -> None:
    make.changes(cast.ed, space, change(block, title="Lamp oil"), request=opened)
    make.changes(cast.ed, space, change(block, title="Whale oil"))
    assert len(done(cast.ed, space, opened, "update")["conflicts"]) == 1
    assert titles(cast.ria, space, opened) == ["Lamp oil"]


def test_a_title_and_a_text_do_not_meet(cast: Cast, space: str, block: str, opened: str) -> None:
    make.changes(cast.ed, space, change(block, title="Lamp oil"), request=opened)
    make.changes(cast.ed, space, change(block, "One.\n\nTwo.\n\nTHREE.\n"))
    assert done(cast.rhea, space, opened, "merge")["result"] == "merge"
    assert titles(cast.ria, space) == ["Lamp oil"]
    assert lines(cast.ria, space, block)[2] == "THREE."
