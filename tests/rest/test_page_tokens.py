"""Page tokens belong to a list, its filters and its reader; every page asks what the reader may see."""

from __future__ import annotations

from typing import Any

import pytest

from tests import make
from tests.cast import Cast, Person
from tests.factories import collections, grants
from tests.factories.sites import site

Item = dict[str, Any]


def first_page(person: Person, path: str, **params: Any) -> Item:
    answer = person.get(path, params={"limit": 1, **params})
    assert answer.status_code == 200, answer.text
    found: Item = answer.json()
    return found


def rest_of(person: Person, path: str, page: Item, **params: Any) -> Item:
    answer = person.get(path, params={"page": page["next"]["page"], **params})
    assert answer.status_code == 200, answer.text
    found: Item = answer.json()
    return found


def closed(cast: Cast, kind: str, title: str, **fields: Any) -> str:
    """Content without a default level."""
    answer = cast.ada.post(f"/v1/orgs/{cast.organization}/{kind}s", {"title": title, **fields})
    made = answer.json()["id"]
    collections.patched(cast.ada, f"/v1/{kind}s/{made}", {"defaultLevel": None})
    return str(made)


@pytest.mark.parametrize("kind", ["space", "collection"])
def test_a_grant_between_two_pages_changes_what_is_shown(cast: Cast, kind: str) -> None:
    path = f"/v1/orgs/{cast.organization}/{kind}s"
    for title in ("A", "B"):
        assert cast.ada.post(path, {"title": title}).status_code == 201
    hidden = closed(cast, kind, "C")
    page = first_page(cast.ria, path)
    assert page["count"] == 2
    grants.grant(cast.ada, f"/v1/{kind}s/{hidden}", "read", users=[cast.ria])
    following = rest_of(cast.ria, path, page)
    assert [item["title"] for item in following["items"]] == ["B", "C"]
    assert following["count"] == 3
    assert cast.ada.delete(f"/v1/{kind}s/{hidden}/permissions/users/{cast.ria.id}").status_code == 205
    assert [item["title"] for item in rest_of(cast.ria, path, page)["items"]] == ["B"]


def test_a_grant_on_a_collection_between_two_pages_of_its_spaces(cast: Cast) -> None:
    folder = closed(cast, "collection", "Closed")
    shown = [make.space(cast.ada, cast.organization, title=t, parent=folder)["id"] for t in "AB"]
    for space in shown:
        grants.grant(cast.ada, f"/v1/spaces/{space}", "read", users=[cast.gus])
    grants.grant(cast.ada, f"/v1/collections/{folder}", "read", users=[cast.gus])
    path = f"/v1/collections/{folder}/spaces"
    page = first_page(cast.gus, path)
    collections.patched(cast.ada, f"/v1/spaces/{shown[1]}", {"title": "Another"})
    assert cast.ada.delete(f"/v1/spaces/{shown[1]}/permissions/users/{cast.gus.id}").status_code == 205
    assert [item["title"] for item in rest_of(cast.gus, path, page)["items"]] == ["Another"]


def test_a_change_of_role_between_two_pages_of_sites(cast: Cast) -> None:
    path = f"/v1/orgs/{cast.organization}/sites"
    made = [site(cast.ada, cast.organization, title=title)["id"] for title in ("First", "Second", "Third")]
    page = first_page(cast.ria, path)
    member = f"/v1/orgs/{cast.organization}/members/{cast.ria.id}"
    collections.patched(cast.ada, member, {"role": None})
    assert rest_of(cast.ria, path, page) == {"count": 0, "items": []}
    grants.grant(cast.ada, f"{path}/{made[2]}", "read", users=[cast.ria])
    assert [item["title"] for item in rest_of(cast.ria, path, page)["items"]] == ["Third"]


def test_the_end_of_a_list_is_counted_anew_too(cast: Cast) -> None:
    path = f"/v1/orgs/{cast.organization}/spaces"
    for title in ("A", "B"):
        make.space(cast.ada, cast.organization, title=title)
    page = first_page(cast.ria, path)
    last = rest_of(cast.ria, path, page)["items"][0]["id"]
    collections.patched(cast.ada, f"/v1/spaces/{last}", {"defaultLevel": None})
    assert rest_of(cast.ria, path, page)["items"] == []
    grants.grant(cast.ada, f"/v1/spaces/{last}", "read", users=[cast.tom])
    elsewhere = make.space(cast.ada, cast.organization, title="Before")["id"]
    grants.grant(cast.ada, f"/v1/spaces/{elsewhere}", "read", users=[cast.ria])
    assert rest_of(cast.ria, path, page)["count"] == 2


def test_a_token_fits_no_other_list_filter_or_reader(cast: Cast) -> None:
    path = f"/v1/orgs/{cast.organization}/collections"
    for title in ("A", "B"):
        collections.collection(cast.ada, cast.organization, title=title)
    token = first_page(cast.ria, path)["next"]["page"]
    for person, where, params in (
        (cast.tom, path, {}),
        (cast.ria, path, {"nested": "false"}),
        (cast.ria, f"/v1/orgs/{cast.organization}/spaces", {}),
    ):
        answer = person.get(where, params={"page": token, **params})
        assert answer.status_code == 400
        assert answer.json()["error"]["details"][0]["path"] == "page"
