"""Changes that are sent again, and changes of what has changed meanwhile: `idempotencyKey`, `expected…`."""

from __future__ import annotations

from typing import Any

from tests import make
from tests.cast import Cast

CREATE = """mutation ($input: CreateSpaceInput!) { createSpace(input: $input) {
  space { id title createdAt etag organization { title } } userErrors { code message path } } }"""
UPDATE = """mutation ($input: UpdateSpaceInput!) { updateSpace(input: $input) {
  space { title etag } userErrors { code message path } } }"""
CHANGE = """mutation ($input: ChangeContentInput!) { changeContent(input: $input) {
  revisionId userErrors { code message path } } }"""
PAGE = {"insertPage": {"title": "Lamp", "document": {"markdown": "# Lamp\n"}}}


def test_a_change_that_is_sent_again_happens_once(cast: Cast) -> None:
    new = {"organization": cast.organization, "title": "Guide", "idempotencyKey": "guide-1"}
    first = cast.ada.ask(CREATE, input=new)["createSpace"]
    again = cast.ada.ask(CREATE, input=new)["createSpace"]
    assert first["userErrors"] == again["userErrors"] == []
    assert again["space"] == first["space"]
    other = cast.ada.ask(CREATE, input={**new, "title": "Another"})["createSpace"]
    assert other["space"] is None
    assert [(error["code"], error["path"]) for error in other["userErrors"]] == [
        ("UNPROCESSABLE", ["idempotencyKey"])
    ]
    titles = [
        space["title"] for space in cast.ada.get(f"/v1/orgs/{cast.organization}/spaces").json()["items"]
    ]
    assert titles.count("Guide") == 1
    assert "Another" not in titles
    (refused,) = cast.ada.ask(CREATE, input={**new, "idempotencyKey": ""})["createSpace"]["userErrors"]
    assert (refused["code"], refused["path"]) == ("BAD_REQUEST", ["idempotencyKey"])


def test_a_change_of_a_version_that_is_gone_is_refused(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization, title="Guide")["id"]
    version = cast.ada.ask("query ($id: ID!) { space(id: $id) { etag } }", id=space)["space"]["etag"]
    assert version == cast.ada.get(f"/v1/spaces/{space}").headers["etag"]

    def renamed(title: str, version: str) -> dict[str, Any]:
        given = {"space": space, "title": title, "expectedVersion": version}
        payload: dict[str, Any] = cast.ada.ask(UPDATE, input=given)["updateSpace"]
        return payload

    changed = renamed("Manual", version)
    assert changed["space"]["title"] == "Manual"
    stale = renamed("Book", version)
    assert stale["space"] is None
    assert [error["code"] for error in stale["userErrors"]] == ["PRECONDITION_FAILED"]
    assert renamed("Book", changed["space"]["etag"])["space"]["title"] == "Book"


def test_a_change_of_content_that_has_changed_is_refused(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization, title="Guide")["id"]
    query = "query ($id: ID!) { space(id: $id) { currentRevision { id restId } } }"
    revision = cast.ada.ask(query, id=space)["space"]["currentRevision"]
    given = {"space": space, "changes": [PAGE], "expectedRevision": revision["id"]}
    first = cast.ada.ask(CHANGE, input=given)["changeContent"]
    assert first["userErrors"] == []
    stale = cast.ada.ask(CHANGE, input=given)["changeContent"]
    assert [(error["code"], error["path"]) for error in stale["userErrors"]] == [
        ("PRECONDITION_FAILED", ["expectedRevision"])
    ]
    newer = {**given, "expectedRevision": first["revisionId"]}
    assert cast.ada.ask(CHANGE, input=newer)["changeContent"]["userErrors"] == []
