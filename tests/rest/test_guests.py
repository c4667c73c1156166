"""Guests: they see what they were granted, in every list, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from tests import make
from tests.cast import Cast
from tests.factories import collections, grants
from tests.factories.grants import items


class Grounds:
    """Two collections with a filled space each, a space at the root, each with a change request."""

    def __init__(self, cast: Cast) -> None:
        self.open, self.shut = (collections.collection(cast.ada, cast.organization)["id"] for _ in range(2))
        self.spaces = {
            "open": make.filled_space(cast, parent=self.open),
            "shut": make.filled_space(cast, parent=self.shut),
            "root": make.filled_space(cast),
        }
        self.requests = {
            name: make.change_request(cast.ada, id_, subject=name)["id"] for name, id_ in self.spaces.items()
        }
        for name, id_ in self.spaces.items():
            opened = {"status": "open"}
            collections.patched(cast.ada, f"/v1/spaces/{id_}/change-requests/{self.requests[name]}", opened)


@pytest.fixture
def grounds(cast: Cast) -> Grounds:
    return Grounds(cast)


def seen(cast: Cast) -> dict[str, set[str]]:
    """Return the items that the guest finds in the organization, by list."""
    there = f"/v1/orgs/{cast.organization}"
    return {
        "spaces": {item["id"] for item in items(cast.gus, f"{there}/spaces")},
        "collections": {item["id"] for item in items(cast.gus, f"{there}/collections")},
        "search": {item["id"] for item in items(cast.gus, f"{there}/search", query="lighthouse")},
        "requests": {item["id"] for item in items(cast.gus, f"{there}/change-requests")},
    }


NOTHING: dict[str, set[str]] = {"spaces": set(), "collections": set(), "search": set(), "requests": set()}


def test_a_guest_without_grants_finds_nothing(cast: Cast, grounds: Grounds) -> None:
    assert seen(cast) == NOTHING
    assert cast.gus.get(f"/v1/orgs/{cast.organization}").status_code == 200
    for path in (f"spaces/{grounds.spaces['root']}", f"collections/{grounds.open}"):
        assert cast.gus.get(f"/v1/{path}").status_code == 404


def test_a_guest_finds_the_space_they_were_granted_and_no_other(cast: Cast, grounds: Grounds) -> None:
    space = grounds.spaces["root"]
    grants.grant(cast.ada, f"/v1/spaces/{space}", "read", users=[cast.gus])
    expected = {"spaces": {space}, "search": {space}, "requests": {grounds.requests["root"]}}
    assert seen(cast) == {**NOTHING, **expected}
    others = {*grounds.spaces.values()} - {space}
    for other in others:
        for below in (
            "",
            "/content",
            "/content/pages",
            "/comments",
            "/change-requests",
            "/permissions/explain",
        ):
            answer = cast.gus.get(f"/v1/spaces/{other}{below}", params={"action": "view"})
            assert answer.status_code == 404, below
    assert cast.ada.delete(f"/v1/spaces/{space}/permissions/users/{cast.gus.id}").status_code == 205
    assert seen(cast) == NOTHING


@pytest.mark.parametrize("through", ["user", "team"])
def test_a_guest_finds_what_is_in_a_collection_they_were_granted(
    cast: Cast, grounds: Grounds, through: str
) -> None:
    shelf = f"/v1/collections/{grounds.open}"
    if through == "user":
        grants.grant(cast.ada, shelf, "comment", users=[cast.gus])
    else:
        grants.grant(
            cast.ada, shelf, "comment", teams=[grants.team(cast.ada, cast.organization, "T", [cast.gus])]
        )
    space = grounds.spaces["open"]
    expected: dict[str, Any] = {
        "spaces": {space},
        "collections": {grounds.open},
        "search": {space},
        "requests": {grounds.requests["open"]},
    }
    assert seen(cast) == expected
    assert collections.spaces_in(cast.gus, grounds.open) == ["Handbook"]
    assert cast.gus.get(f"/v1/collections/{grounds.shut}/spaces").status_code == 404
    closed = make.space(cast.ada, cast.organization, parent=grounds.open, title="Closed")
    collections.patched(cast.ada, f"/v1/spaces/{closed['id']}", {"defaultLevel": None})
    assert collections.spaces_in(cast.gus, grounds.open) == ["Handbook", "Closed"]
    assert seen(cast) == {**expected, "spaces": {space, closed["id"]}}
    beside = make.space(cast.ada, cast.organization, title="Beside")
    collections.patched(cast.ada, f"/v1/spaces/{beside['id']}", {"defaultLevel": "admin"})
    assert seen(cast) == {**expected, "spaces": {space, closed["id"]}}


def test_counts_are_of_what_a_guest_sees(cast: Cast, grounds: Grounds) -> None:
    grants.grant(cast.ada, f"/v1/collections/{grounds.open}", "read", users=[cast.gus])
    page = cast.gus.get(f"/v1/orgs/{cast.organization}/spaces", params={"limit": 1}).json()
    assert (page["count"], "next" in page) == (1, False)


def test_a_default_level_or_default_role_is_nothing_to_a_guest(cast: Cast, grounds: Grounds) -> None:
    collections.patched(cast.ada, f"/v1/orgs/{cast.organization}", {"defaultRole": "admin"})
    collections.patched(cast.ada, f"/v1/spaces/{grounds.spaces['root']}", {"defaultLevel": "admin"})
    assert seen(cast) == NOTHING


def test_what_a_guest_was_granted_stays_when_they_become_a_member_and_a_guest_again(
    cast: Cast, grounds: Grounds
) -> None:
    here = f"/v1/spaces/{grounds.spaces['shut']}"
    grants.grant(cast.ada, here, "edit", users=[cast.gus])
    member = f"/v1/orgs/{cast.organization}/members/{cast.gus.id}"
    collections.patched(cast.ada, member, {"role": "read"})
    assert grants.level(cast.gus, here) == "edit"
    assert seen(cast)["spaces"] == {*grounds.spaces.values()}
    collections.patched(cast.ada, member, {"role": None})
    assert grants.level(cast.gus, here) == "edit"
    assert seen(cast)["spaces"] == {grounds.spaces["shut"]}
