"""Organizations and the caller, through GraphQL."""

from __future__ import annotations

from app.kit.ids import new_id
from tests import make, places
from tests.cast import Cast

CREATE = """mutation ($new: OrganizationCreateInput!) { createOrganization(new: $new) {
    id title emailDomains permissions { admin } spaces { totalCount } } }"""
UPDATE = """mutation ($id: ID!, $change: OrganizationUpdateInput!) {
    updateOrganization(id: $id, change: $change) { title hostname defaultRole urls { logo } } }"""


def test_the_caller_is_told_who_they_are(cast: Cast) -> None:
    me = cast.ria.ask("{ me { object id displayName email photoURL urls { location } } }")["me"]
    assert me == {**cast.ria.get("/v1/user").json(), "photoURL": None}


def test_an_organization_reads_as_it_does_over_rest(cast: Cast) -> None:
    fields = "id title createdAt emailDomains type defaultRole sso ai inviteLinks plan trial { status }"
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
    assert cast.sol.gql(query, id=cast.organization)["errors"][0]["extensions"]["code"] == "NOT_FOUND"


def test_the_callers_organizations_come_in_pages(cast: Cast) -> None:
    places.joins(cast, cast.ria, cast.elsewhere, "read")
    query = """query ($after: String) { organizations(first: 1, after: $after) {
        totalCount nodes { id } edges { cursor node { title } } pageInfo { hasNextPage endCursor } } }"""
    first = cast.ria.ask(query)["organizations"]
    assert (first["totalCount"], first["nodes"]) == (2, [{"id": cast.organization}])
    assert first["pageInfo"]["hasNextPage"]
    assert first["edges"] == [
        {"cursor": first["pageInfo"]["endCursor"], "node": {"title": "Analytical Engines"}}
    ]
    second = cast.ria.ask(query, after=first["pageInfo"]["endCursor"])["organizations"]
    assert second["nodes"] == [{"id": cast.elsewhere}]
    assert second["pageInfo"] == {"hasNextPage": False, "endCursor": None}


def test_an_organization_opens_into_its_spaces_and_collections(cast: Cast) -> None:
    outer = places.collection(cast.ada, cast.organization, title="Outer")["id"]
    places.collection(cast.ada, cast.organization, title="Inner", parent=outer)
    make.space(cast.ada, cast.organization, title="Loose")
    make.space(cast.ada, cast.organization, title="Held", parent=outer)
    query = """query ($id: ID!) { organization(id: $id) {
        spaces(first: 1) { totalCount nodes { title } }
        collections { nodes { title spaces { nodes { title parent } } } }
        roots: collections(nested: false) { totalCount nodes { title } } } }"""
    found = cast.ria.ask(query, id=cast.organization)["organization"]
    assert found["spaces"] == {"totalCount": 2, "nodes": [{"title": "Loose"}]}
    assert found["roots"] == {"totalCount": 1, "nodes": [{"title": "Outer"}]}
    held = {"nodes": [{"title": "Held", "parent": outer}]}
    assert found["collections"]["nodes"] == [
        {"title": "Outer", "spaces": held},
        {"title": "Inner", "spaces": {"nodes": []}},
    ]


def test_whoever_creates_an_organization_runs_it_at_once(cast: Cast) -> None:
    new = {"title": "Gardens", "emailDomains": ["Example.ORG"]}
    made = cast.gus.ask(CREATE, new=new)["createOrganization"]
    assert made["permissions"] == {"admin": True}
    assert (made["emailDomains"], made["spaces"]) == (["example.org"], {"totalCount": 0})
    assert cast.gus.get(f"/v1/orgs/{made['id']}").json()["title"] == "Gardens"


def test_absent_and_null_differ_in_a_change(cast: Cast) -> None:
    hostname = f"h-{new_id().lower()}"
    change = {"hostname": hostname, "defaultRole": "EDIT", "logo": "https://example.org/l.png"}
    changed = cast.ada.ask(UPDATE, id=cast.organization, change=change)["updateOrganization"]
    assert changed == {
        "title": "Analytical Engines",
        "hostname": hostname,
        "defaultRole": "EDIT",
        "urls": {"logo": "https://example.org/l.png"},
    }
    cleared = cast.ada.ask(UPDATE, id=cast.organization, change={"defaultRole": None})
    assert cleared["updateOrganization"]["defaultRole"] is None
    assert cleared["updateOrganization"]["hostname"] == hostname


def test_refusals_carry_their_code(cast: Cast) -> None:
    hostname = f"h-{new_id().lower()}"
    places.patched(cast.sol, f"/v1/orgs/{cast.elsewhere}", {"hostname": hostname})
    cases = [
        (cast.ria, {"title": "Ours"}, "FORBIDDEN"),
        (cast.sol, {"title": "Ours"}, "NOT_FOUND"),
        (cast.ada, {"title": "x"}, "BAD_REQUEST"),
        (cast.ada, {"title": None}, "BAD_REQUEST"),
        (cast.ada, {"hostname": hostname}, "CONFLICT"),
        (cast.ada, {"defaultContent": {"type": "site", "site": "x"}}, "BAD_REQUEST"),
    ]
    for person, change, code in cases:
        answer = person.gql(UPDATE, id=cast.organization, change=change)
        assert answer["data"] == {"updateOrganization": None}, change
        assert answer["errors"][0]["extensions"]["code"] == code, change
