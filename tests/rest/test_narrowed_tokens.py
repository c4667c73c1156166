"""Tokens that are limited to spaces or to scopes: on both faces, in lists, searches, files and streams."""

from __future__ import annotations

from typing import Any

import pytest

from app.domain.organizations import organizations
from tests import make
from tests.cast import Cast, Person
from tests.factories import collections, grants
from tests.factories.grants import items
from tests.rest.test_tokens import created


class Grounds:
    """A filled space in a collection and one beside it; an administrator's token for the first."""

    def __init__(self, cast: Cast, person: Person | None = None) -> None:
        self.cast = cast
        self.collection = collections.collection(cast.ada, cast.organization)["id"]
        self.space = make.filled_space(cast, parent=self.collection)
        self.other = make.filled_space(cast)
        _, self.token = created(person or cast.ada, spaces=[self.space])


@pytest.fixture
def grounds(cast: Cast) -> Grounds:
    return Grounds(cast)


def test_everything_in_the_space_and_nothing_else_is_there(cast: Cast, grounds: Grounds) -> None:
    token, org = grounds.token, f"/v1/orgs/{cast.organization}"
    for path in ("", "/content/pages", "/content/files", "/change-requests", "/revisions", "/comments"):
        assert token.get(f"/v1/spaces/{grounds.space}{path}").status_code == 200, path
        assert token.get(f"/v1/spaces/{grounds.other}{path}").status_code == 404, path
    assert [each["id"] for each in items(token, f"{org}/spaces")] == [grounds.space]
    assert items(token, f"{org}/collections") == []
    assert token.get(f"/v1/collections/{grounds.collection}").status_code == 404
    assert {each["id"] for each in items(token, f"{org}/search", query="lighthouse")} == {grounds.space}
    for path in ("members", "teams", "tokens", "audit-events", "invites"):
        assert token.get(f"{org}/{path}").status_code == 403, path
    assert token.post(f"{org}/spaces", {"title": "More"}).status_code == 403
    assert token.patch(f"/v1/spaces/{grounds.other}", {"title": "Mine"}).status_code == 404
    assert token.patch(f"/v1/spaces/{grounds.space}", {"title": "Ours"}).status_code == 200


def test_graphql_shows_as_much(cast: Cast, grounds: Grounds) -> None:
    asked = """query ($o: ID!, $s: ID!, $t: ID!) {
        organization(id: $o) { spaces { nodes { restId } } collections { totalCount } members { totalCount } }
        space(id: $s) { title pageList { totalCount } parent { id } } other: space(id: $t) { title } }"""
    answer = grounds.token.gql(asked, o=cast.organization, s=grounds.space, t=grounds.other)
    told = answer["data"]
    assert told["organization"]["spaces"]["nodes"] == [{"restId": grounds.space}]
    assert told["organization"]["collections"] == {"totalCount": 0}
    assert told["organization"]["members"] is None
    assert told["space"]["title"]
    assert told["other"] is None
    codes = {tuple(error["path"]): error["extensions"]["code"] for error in answer["errors"]}
    assert codes["organization", "members"] == "FORBIDDEN"
    assert codes["other",] == "NOT_FOUND"


def test_the_levels_of_its_person_are_those_of_the_token(cast: Cast) -> None:
    grounds = Grounds(cast, cast.ria)
    space = f"/v1/spaces/{grounds.space}"
    assert grants.level(grounds.token, space) == "read"
    grants.grant(cast.ada, f"/v1/collections/{grounds.collection}", "edit", users=[cast.ria])
    assert grants.level(grounds.token, space) == "edit"
    cast.ada.patch(space, {"defaultLevel": None})
    assert grants.level(grounds.token, space) == "edit", "the grant on the collection stays"
    cast.ada.delete(f"/v1/collections/{grounds.collection}/permissions/users/{cast.ria.id}")
    assert grants.level(grounds.token, space) is None
    assert items(grounds.token, f"/v1/orgs/{cast.organization}/spaces") == []


def test_other_organizations_stay_closed_and_none_is_joined(cast: Cast, grounds: Grounds) -> None:
    cast.instance.inside(lambda cx: organizations.add_member(cx, cast.elsewhere, cast.ada.id, "admin"))
    assert cast.ada.get(f"/v1/orgs/{cast.elsewhere}").status_code == 200
    assert grounds.token.get(f"/v1/orgs/{cast.elsewhere}").status_code == 403
    assert [each["id"] for each in items(grounds.token, "/v1/orgs")] == [cast.organization]
    assert grounds.token.post("/v1/orgs", {"title": "Own"}).status_code == 403
    assert grounds.token.patch(f"/v1/users/{cast.ada.id}", {"displayName": "Eve"}).status_code == 403


def test_a_space_that_moves_to_another_organization_leaves_the_token(cast: Cast, grounds: Grounds) -> None:
    cast.instance.inside(lambda cx: organizations.add_member(cx, cast.elsewhere, cast.ada.id, "admin"))
    moved = cast.ada.post(f"/v1/spaces/{grounds.space}/transfer", {"organization": cast.elsewhere})
    assert moved.status_code == 200
    assert grounds.token.get(f"/v1/spaces/{grounds.space}").status_code in (403, 404)


def test_a_page_token_of_a_wider_token_shows_no_more(cast: Cast, grounds: Grounds) -> None:
    spaces = f"/v1/orgs/{cast.organization}/spaces"
    first = cast.ada.get(spaces, params={"limit": 1})
    token = first.json()["next"]["page"]
    rest = grounds.token.get(spaces, params={"limit": 10, "page": token}).json()
    assert {each["id"] for each in rest["items"]} <= {grounds.space}
    assert rest["count"] == 1


def test_scopes_open_their_operations_and_fields_only(cast: Cast) -> None:
    space = make.filled_space(cast)
    _, token = created(cast.ada, scopes=["space:metadata:read"])
    assert token.get(f"/v1/spaces/{space}").status_code == 200
    assert token.get(f"/v1/spaces/{space}/content/pages").status_code == 403
    assert token.patch(f"/v1/spaces/{space}", {"title": "New"}).status_code == 403
    asked = (
        "query ($s: ID!) { space(id: $s) { title pageList { totalCount } changeRequests { totalCount } } }"
    )
    answer = token.gql(asked, s=space)
    assert answer["data"]["space"]["title"]
    assert answer["data"]["space"]["pageList"] is None
    assert {error["extensions"]["code"] for error in answer["errors"]} == {"FORBIDDEN"}
    assert token.refused("updateSpace", space=space, title="New") == "FORBIDDEN"
    _, syncs = created(cast.ada, scopes=["space:git:sync"])
    watch = "subscription ($s: ID!) { spaceChanged(space: $s) { __typename } }"
    streamed = syncs.call(
        "POST",
        "/graphql",
        json={"query": watch, "variables": {"s": space}},
        headers={"Accept": "text/event-stream"},
        timeout=10,
    )
    assert "FORBIDDEN" in streamed.text, "streams need what reads their object"


def test_read_and_write_open_what_reads_and_what_writes(cast: Cast) -> None:
    space = make.filled_space(cast)
    _, reads = created(cast.ada, scopes=["read"])
    _, writes = created(cast.ada, scopes=["write"])
    change: dict[str, Any] = {"title": "New"}
    assert reads.get(f"/v1/orgs/{cast.organization}/members").status_code == 200
    assert reads.patch(f"/v1/spaces/{space}", change).status_code == 403
    assert reads.refused("updateSpace", space=space, **change) == "FORBIDDEN"
    assert writes.get(f"/v1/spaces/{space}").status_code == 403
    assert writes.patch(f"/v1/spaces/{space}", change).status_code == 200
    wide = make.token(cast.ria, scopes=["read", "write"])
    assert wide.patch(f"/v1/spaces/{space}", change).status_code == 403, "scopes give nothing"


def test_a_space_of_a_token_that_is_gone_is_null_beside_the_others(cast: Cast) -> None:
    kept, gone, hidden = (make.space(cast.ada, cast.organization)["id"] for _ in range(3))
    made, _ = created(cast.ed, spaces=[kept, gone, hidden])
    collections.patched(cast.ada, f"/v1/spaces/{hidden}", {"defaultLevel": None})
    assert cast.ada.delete(f"/v1/spaces/{gone}").status_code == 205
    asked = "query ($id: ID!) { me { token(id: $id) { spaces { restId } spaceIds } } }"
    told = cast.ed.ask(asked, id=made["id"])["me"]["token"]
    assert told == {"spaces": [{"restId": kept}, None, None], "spaceIds": [kept, gone, hidden]}
