"""Organizations and the caller, through GraphQL."""

from __future__ import annotations

from typing import Any

from app.kit.ids import new_id
from tests import make
from tests.cast import Cast, Person
from tests.factories import collections


def test_the_caller_is_told_who_they_are(cast: Cast) -> None:
    me = cast.ria.ask("{ me { __typename restId displayName email photoURL urls { location } } }")["me"]
    rest = cast.ria.get("/v1/user").json()
    assert (me.pop("__typename"), me.pop("restId")) == ("User", rest.pop("id"))
    assert me == {**{name: rest[name] for name in me if name in rest}, "photoURL": None}


def test_an_organization_reads_as_it_does_over_rest(cast: Cast) -> None:
    fields = "title createdAt emailDomains type defaultRole sso ai inviteLinks plan trial { status }"
    rights = "permissions { admin createOpenAPISpec }"
    query = "query ($id: ID!) { organization(id: $id) { " + fields + rights + " } }"
    shown = cast.ria.ask(query, id=cast.organization)["organization"]
    rest = cast.ria.get(f"/v1/orgs/{cast.organization}").json()
    enums = {
        "type": "BUSINESS",
        "defaultRole": "READ",
        "plan": "FREE_2024",
        "trial": {"status": "NOTAPPLICABLE"},
    }
    assert shown == {
        **{name: rest[name] for name in fields.split() if name in rest},
        **enums,
        "permissions": {"admin": False, "createOpenAPISpec": False},
    }
    hidden = cast.sol.gql(query, id=cast.organization)
    assert hidden["data"] == {"organization": None}
    assert hidden["errors"][0]["extensions"]["code"] == "NOT_FOUND"


def test_the_callers_organizations_come_in_pages(cast: Cast) -> None:
    collections.joins(cast, cast.ria, cast.elsewhere, "read")
    query = """query ($after: String) { me { organizations(first: 1, after: $after) { totalCount
        nodes { restId } edges { cursor node { title } } pageInfo { hasNextPage endCursor } } } }"""
    first = cast.ria.ask(query)["me"]["organizations"]
    assert (first["totalCount"], first["nodes"]) == (2, [{"restId": cast.organization}])
    assert first["pageInfo"]["hasNextPage"]
    assert first["edges"] == [
        {"cursor": first["pageInfo"]["endCursor"], "node": {"title": "Analytical Engines"}}
    ]
    second = cast.ria.ask(query, after=first["pageInfo"]["endCursor"])["me"]["organizations"]
    assert second["nodes"] == [{"restId": cast.elsewhere}]
    assert second["pageInfo"] == {"hasNextPage": False, "endCursor": second["edges"][0]["cursor"]}
    assert cast.ria.ask(query, after=second["pageInfo"]["endCursor"])["me"]["organizations"]["nodes"] == []


def test_an_organization_opens_into_its_spaces_and_collections(cast: Cast) -> None:
    outer = collections.collection(cast.ada, cast.organization, title="Outer")["id"]
    collections.collection(cast.ada, cast.organization, title="Inner", parent=outer)
    make.space(cast.ada, cast.organization, title="Loose")
    make.space(cast.ada, cast.organization, title="Held", parent=outer)
    query = """query ($id: ID!) { organization(id: $id) {
        spaces(first: 1) { totalCount nodes { title } }
        collections { nodes { title spaces { nodes { title parentId parent { title } } } } }
        roots: collections(filter: {nested: false}) { totalCount nodes { title } } } }"""
    found = cast.ria.ask(query, id=cast.organization)["organization"]
    assert found["spaces"] == {"totalCount": 2, "nodes": [{"title": "Loose"}]}
    assert found["roots"] == {"totalCount": 1, "nodes": [{"title": "Outer"}]}
    held = {"nodes": [{"title": "Held", "parentId": outer, "parent": {"title": "Outer"}}]}
    assert found["collections"]["nodes"] == [
        {"title": "Outer", "spaces": held},
        {"title": "Inner", "spaces": {"nodes": []}},
    ]


def test_whoever_creates_an_organization_runs_it_at_once(cast: Cast) -> None:
    shown = "organization { restId emailDomains permissions { admin } spaces { totalCount } }"
    given = {"title": "Gardens", "emailDomains": ["Example.ORG"]}
    made = cast.gus.mutate("createOrganization", shown, **given)["organization"]
    assert made["permissions"] == {"admin": True}
    assert (made["emailDomains"], made["spaces"]) == (["example.org"], {"totalCount": 0})
    assert cast.gus.get(f"/v1/orgs/{made['restId']}").json()["title"] == "Gardens"


def test_absent_and_null_differ_in_a_change(cast: Cast) -> None:
    hostname = f"h-{new_id().lower()}"
    shown = "organization { title hostname defaultRole urls { logo } }"
    change = {"hostname": hostname, "defaultRole": "EDIT", "logo": "https://example.org/l.png"}
    changed = cast.ada.mutate("updateOrganization", shown, organization=cast.organization, **change)
    assert changed["organization"] == {
        "title": "Analytical Engines",
        "hostname": hostname,
        "defaultRole": "EDIT",
        "urls": {"logo": "https://example.org/l.png"},
    }
    cleared = cast.ada.mutate("updateOrganization", shown, organization=cast.organization, defaultRole=None)
    assert cleared["organization"]["defaultRole"] is None
    assert cleared["organization"]["hostname"] == hostname


def test_refusals_carry_their_code_and_the_field(cast: Cast) -> None:
    hostname = f"h-{new_id().lower()}"
    collections.patched(cast.sol, f"/v1/orgs/{cast.elsewhere}", {"hostname": hostname})
    cases: list[tuple[Person, dict[str, Any], str, list[str] | None]] = [
        (cast.ria, {"title": "Ours"}, "FORBIDDEN", None),
        (cast.sol, {"title": "Ours"}, "NOT_FOUND", None),
        (cast.ada, {"title": "x"}, "BAD_REQUEST", ["title"]),
        (cast.ada, {"title": None}, "BAD_REQUEST", ["title"]),
        (cast.ada, {"hostname": hostname}, "CONFLICT", ["hostname"]),
        (cast.ada, {"defaultContent": {"site": "x"}}, "BAD_REQUEST", ["defaultContent"]),
    ]
    for person, change, code, path in cases:
        payload = person.tried(
            "updateOrganization", "organization { id }", organization=cast.organization, **change
        )
        assert payload["organization"] is None, change
        (error,) = payload["userErrors"]
        assert (error["code"], error["path"] and error["path"][:1]) == (code, path), change
