"""Content is shown to more people by its administrators only, not by whoever may create and move it."""

from __future__ import annotations

from typing import Any

import pytest

from tests import make
from tests.cast import Cast, Person
from tests.factories import collections, grants
from tests.factories.grants import level
from tests.factories.sites import ManagedSite, answered


def collection(cast: Cast, **fields: Any) -> str:
    return f"/v1/collections/{collections.collection(cast.ada, cast.organization, **fields)['id']}"


def space(cast: Cast, **fields: Any) -> str:
    return f"/v1/spaces/{make.space(cast.ada, cast.organization, **fields)['id']}"


def id_of(place: str) -> str:
    return place.rpartition("/")[2]


def move(person: Person, moved: str, parent: str | None) -> int:
    """Move content into a collection, or to the root."""
    return person.post(f"{moved}/move", {"parent": parent and id_of(parent)}).status_code


def move_by_graphql(person: Person, moved: str, parent: str | None) -> int:
    field = "moveSpace" if "/spaces/" in moved else "moveCollection"
    given = {field.removeprefix("move").lower(): id_of(moved), "parent": parent and id_of(parent)}
    codes = [error["code"] for error in person.tried(field, **given)["userErrors"]]
    return {"FORBIDDEN": 403}[codes[0]] if codes else 200


@pytest.mark.parametrize("face", [move, move_by_graphql])
def test_whoever_creates_does_not_move_closed_content_into_the_open(cast: Cast, face: Any) -> None:
    closed = collection(cast, defaultLevel=None)
    grants.grant(cast.ada, closed, "create", users=[cast.cleo])
    inside, inner = space(cast, parent=id_of(closed)), collection(cast, parent=id_of(closed))
    for content in (inside, inner):
        assert face(cast.cleo, content, None) == 403
        assert cast.ria.get(content).status_code == 404
    grants.grant(cast.ada, closed, "admin", users=[cast.cleo])
    for content in (inside, inner):
        assert face(cast.cleo, content, None) == 200
        assert cast.ria.get(content).status_code == 200


def test_a_guest_does_not_show_content_to_other_guests(cast: Cast) -> None:
    mine, theirs = collection(cast), collection(cast)
    other = make.newcomer(cast, "Gil", None)
    grants.grant(cast.ada, mine, "create", users=[cast.gus])
    grants.grant(cast.ada, theirs, "create", users=[cast.gus, other])
    inside, inner = space(cast, parent=id_of(mine)), collection(cast, parent=id_of(mine))
    deep = space(cast, parent=id_of(inner))
    for content in (inside, inner):
        refused = cast.gus.post(f"{content}/move", {"parent": id_of(theirs)})
        assert refused.status_code == 403
        assert "more people" in refused.json()["error"]["message"]
    for content in (inside, deep):
        assert level(other, content) is None
    assert move(cast.gus, space(cast, parent=id_of(theirs)), mine) == 200
    grants.grant(cast.ada, mine, "read", users=[other])
    assert move(cast.gus, inner, theirs) == 200
    assert level(other, deep) == "create"


def test_a_team_of_the_new_place_counts_like_people(cast: Cast) -> None:
    closed, other = collection(cast, defaultLevel=None), collection(cast, defaultLevel=None)
    team = grants.team(cast.ada, cast.organization, members=[cast.ria])
    for place in (closed, other):
        grants.grant(cast.ada, place, "create", users=[cast.cleo])
    moved = space(cast, parent=id_of(closed))
    grants.grant(cast.ada, other, "read", teams=[team])
    assert move(cast.cleo, moved, other) == 403
    grants.grant(cast.ada, moved, "read", users=[cast.ria])
    assert move(cast.cleo, moved, other) == 200


def test_what_is_closed_inside_stays_closed(cast: Cast) -> None:
    """A collection that everybody administrates holds a space that its mover does not."""
    outer, target = collection(cast, defaultLevel="admin"), collection(cast)
    inner = collection(cast, parent=id_of(outer))
    secret = space(cast, parent=id_of(inner))
    collections.patched(cast.ada, secret, {"defaultLevel": None})
    grants.grant(cast.ada, target, "read", users=[cast.ria])
    assert level(cast.cleo, secret) is None
    assert move(cast.cleo, inner, target) == 403
    assert level(cast.ria, secret) is None
    grants.grant(cast.ada, inner, "admin", users=[cast.cleo])
    assert move(cast.cleo, inner, target) == 200
    assert level(cast.ria, secret) == "read"


def test_moving_among_equals_and_into_the_closed_needs_no_administrator(cast: Cast) -> None:
    here, there, closed = collection(cast), collection(cast), collection(cast, defaultLevel=None)
    grants.grant(cast.ada, closed, "create", users=[cast.cleo])
    grants.grant(cast.ada, there, "edit", users=[cast.ria])
    moved, inner = space(cast, parent=id_of(here)), collection(cast, parent=id_of(here))
    for content in (moved, inner):
        assert move(cast.cleo, content, there) == 200
        assert move(cast.cleo, content, None) == 200
        assert move(cast.cleo, content, closed) == 200
        assert move(cast.cleo, content, None) == 403


def test_a_change_of_order_opens_nothing(cast: Cast) -> None:
    closed = collection(cast, defaultLevel=None)
    grants.grant(cast.ada, closed, "create", users=[cast.cleo])
    first, second = (space(cast, parent=id_of(closed)) for _ in range(2))
    assert cast.cleo.post(f"{second}/move", collections.before("space", id_of(first))).status_code == 200


def test_a_default_level_is_the_matter_of_administrators(cast: Cast) -> None:
    made = make.space(cast.cleo, cast.organization)["id"]
    shelf = collections.collection(cast.cleo, cast.organization)["id"]
    for path in (f"/v1/spaces/{made}", f"/v1/collections/{shelf}"):
        collections.patched(cast.ada, path, {"defaultLevel": "create"})
        assert cast.cleo.patch(path, {"defaultLevel": "inherit"}).status_code == 403
        assert cast.ada.get(path).json()["defaultLevel"] == "create"


def test_deleting_a_closed_collection_opens_nothing(cast: Cast) -> None:
    closed = collection(cast, defaultLevel=None)
    inside, inner = space(cast, parent=id_of(closed)), collection(cast, parent=id_of(closed))
    deep = space(cast, parent=id_of(inner))
    gone = space(cast, parent=id_of(closed))
    assert cast.ada.delete(gone).status_code == 205
    grants.grant(cast.ada, closed, "comment", users=[cast.gus])
    assert cast.ada.delete(closed).status_code == 205
    assert cast.ada.post(f"{gone}/restore").status_code == 200
    for content in (inside, deep, gone):
        assert [level(person, content) for person in (cast.cleo, cast.ria)] == [None, None]
        assert level(cast.gus, content) == "comment"
    assert cast.ria.get(inner).status_code == 404
    assert cast.ada.get(inside).json()["visibility"] == "private"


def test_what_a_published_site_shows_is_decided_by_administrators(cast: Cast) -> None:
    s = ManagedSite(cast, "Guide")
    other = make.space(cast.ada, cast.organization, title="Other")["id"]
    answered(cast.cleo.post(f"{s.path}/site-spaces", {"spaceId": other}), 201)
    answered(cast.ada.delete(f"{s.path}/site-spaces/{added(s, other)['id']}"), 205)
    answered(cast.ada.post(f"{s.path}/publish"))
    refused = cast.cleo.post(f"{s.path}/site-spaces", {"spaceId": other})
    assert refused.status_code == 403
    assert "more people" in refused.json()["error"]["message"]
    assert cast.cleo.post(f"{s.path}/sections", {"spaceId": other}).status_code == 403
    shown = added(s, s.spaces[0])["id"]
    assert cast.cleo.patch(f"{s.path}/site-spaces/{shown}", {"spaceId": other}).status_code == 403
    assert cast.cleo.post(f"{s.path}/site-spaces/{shown}/duplicate").status_code == 403
    copy = answered(cast.cleo.post(f"{s.path}/site-spaces/{shown}/duplicate", {"draft": True}), 201)
    there = f"{s.path}/site-spaces/{copy['id']}"
    assert cast.cleo.patch(there, {"draft": False}).status_code == 403
    answered(cast.ada.patch(there, {"draft": False}))
    grants.grant(cast.ada, f"/v1/spaces/{other}", "admin", users=[cast.cleo])
    answered(cast.cleo.post(f"{s.path}/site-spaces", {"spaceId": other}), 201)


def test_a_condition_of_a_published_site_is_loosened_by_administrators(cast: Cast) -> None:
    s = ManagedSite(cast, "Guide")
    section = s.section("Guide")
    shown = section["siteSpaces"][0]["id"]
    for path in (f"{s.path}/sections/{section['id']}", f"{s.path}/site-spaces/{shown}"):
        answered(cast.cleo.patch(path, {"condition": "false"}))
        answered(cast.cleo.patch(path, {"condition": "1 == 2"}))
    answered(cast.ada.post(f"{s.path}/publish"))
    for path in (f"{s.path}/sections/{section['id']}", f"{s.path}/site-spaces/{shown}"):
        assert cast.cleo.patch(path, {"condition": None}).status_code == 403
        assert cast.cleo.patch(path, {"condition": "true"}).status_code == 403
        answered(cast.cleo.patch(path, {"condition": "1 == 2"}))
        answered(cast.ada.patch(path, {"condition": None}))
        answered(cast.cleo.patch(path, {"condition": "false"}))


def added(s: ManagedSite, space_id: str) -> dict[str, Any]:
    """The space of the site that shows this space."""
    found: dict[str, Any] = next(
        item for item in s.get("/site-spaces")["items"] if item["space"]["id"] == space_id
    )
    return found
