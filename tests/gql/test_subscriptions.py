"""Subscriptions over server-sent events: what is told, to whom, and how one goes on (graphql-sse)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests import make
from tests.cast import Cast, Person
from tests.change_stream import subscribed
from tests.factories import grants
from tests.timing import until

SPACE = """subscription ($space: ID!, $after: String) { spaceChanged(space: $space, after: $after) {
  kind action position changedAt space { restId title currentRevision { number } } } }"""
SPACE_AFTER = """subscription ($space: ID!, $since: String) {
  spaceChanged(space: $space, after: $since) { action position } }"""
REQUESTS = """subscription ($space: ID) { changeRequestChanged(space: $space) {
  kind action changeRequest { subject status } } }"""
COMMENTS = """subscription ($space: ID, $page: ID) { commentChanged(space: $space, page: $page) {
  action comment { body { markdown } replies { totalCount } } commentReply { body { markdown } } } }"""
JOBS = """subscription ($organization: ID) { jobChanged(organization: $organization) {
  kind action jobId importRun { status } } }"""


def events(person: Person, document: str, **variables: Any) -> Any:
    """The body of the answer to a client that reads events."""
    body = {"query": document, "variables": variables}
    return person.call("POST", "/graphql", json=body, headers={"Accept": "text/event-stream"})


def refusal(answer: Any) -> Any:
    """The body of the only event of an answer."""
    assert (answer.status_code, answer.headers["content-type"].partition(";")[0]) == (
        200,
        "text/event-stream",
    )
    first, second, *_ = answer.text.split("\n\n")
    assert second == "event: complete\ndata:"
    name, _, data = first.partition("\ndata: ")
    assert name == "event: next"
    return json.loads(data)


def test_changes_of_a_space_are_told_with_the_space_as_it_is_then(cast: Cast) -> None:
    space = make.filled_space(cast)
    with subscribed(cast.ed, SPACE, space=space) as stream:
        cast.ada.patch(f"/v1/spaces/{space}", {"title": "Manual"})
        change = stream.next()["data"]["spaceChanged"]
        assert (change["kind"], change["action"]) == ("SPACE", "UPDATED")
        assert (change["space"]["restId"], change["space"]["title"]) == (space, "Manual")
        number = change["space"]["currentRevision"]["number"]
        make.changes(
            cast.ada, space, {"operation": "insert_page", "title": "New", "document": {"markdown": "x"}}
        )
        change = stream.next()["data"]["spaceChanged"]
        assert change["action"] == "CONTENT_UPDATED"
        assert change["space"]["currentRevision"]["number"] == number + 1
        assert stream.last_id == change["position"]


def test_what_was_missed_is_told_first(cast: Cast) -> None:
    space = make.filled_space(cast)
    with subscribed(cast.ed, SPACE, space=space) as stream:
        cast.ada.patch(f"/v1/spaces/{space}", {"title": "One"})
        position = stream.next()["data"]["spaceChanged"]["position"]
    for title in ("Two", "Three"):
        cast.ada.patch(f"/v1/spaces/{space}", {"title": title})
    going_on = (
        subscribed(cast.ed, SPACE, after=position, space=space),  # as browsers do by themselves
        subscribed(cast.ed, SPACE_AFTER, space=space, since=position),
    )
    for opened in going_on:
        with opened as stream:
            until(lambda: any(line.startswith("id:") for line in stream.lines), "no position is told")
            first = next(line for line in stream.lines if line.startswith("id:"))
            assert first == f"id: {position}"  # cut off now, a client goes on from where it was
            told = [stream.next()["data"]["spaceChanged"] for _ in range(2)]
        assert [each["action"] for each in told] == ["UPDATED", "UPDATED"]
        assert int(told[0]["position"]) > int(position)


def test_change_requests_and_comments_are_told(cast: Cast) -> None:
    space = make.filled_space(cast)
    with (
        subscribed(cast.ria, REQUESTS, space=space) as requests,
        subscribed(cast.ria, COMMENTS, space=space) as comments,
    ):
        made = cast.ed.post(f"/v1/spaces/{space}/change-requests", {"subject": "Lamps"}).json()
        told = requests.next()["data"]["changeRequestChanged"]
        assert (told["action"], told["changeRequest"]) == ("CREATED", {"subject": "Lamps", "status": "DRAFT"})
        cast.ed.patch(f"/v1/spaces/{space}/change-requests/{made['id']}", {"status": "open"})
        told = requests.next()["data"]["changeRequestChanged"]
        assert (told["action"], told["changeRequest"]["status"]) == ("STATUS_CHANGED", "OPEN")
        posted = cast.ed.post(f"/v1/spaces/{space}/comments", {"body": {"markdown": "Why?"}}).json()
        told = comments.next()["data"]["commentChanged"]
        assert (told["action"], told["comment"]["body"]["markdown"]) == ("CREATED", "Why?")
        answer = {"body": {"markdown": "Because."}}
        cast.ed.post(f"/v1/spaces/{space}/comments/{posted['id']}/replies", answer)
        told = comments.next()["data"]["commentChanged"]
        assert (told["action"], told["comment"]["replies"]["totalCount"]) == ("REPLY_CREATED", 1)
        assert told["commentReply"]["body"]["markdown"] == "Because."
        cast.ada.delete(f"/v1/spaces/{space}/comments/{posted['id']}")
        told = comments.next()["data"]["commentChanged"]
        assert (told["action"], told["comment"]) == ("DELETED", None)


def test_nobody_watches_what_they_may_not_see(cast: Cast) -> None:
    space = make.filled_space(cast)
    for person, given in (
        (cast.sol, space),
        (cast.ed, "0" * 20),
        (cast.ed, f"Organization:{cast.organization}"),
    ):
        answer = refusal(events(person, SPACE, space=given))
        assert "data" not in answer
        assert answer["errors"][0]["extensions"]["code"] in ("NOT_FOUND", "BAD_REQUEST")
    unnamed = refusal(events(cast.ed, REQUESTS))
    assert unnamed["errors"][0]["extensions"]["code"] == "BAD_REQUEST"
    late = refusal(events(cast.ed, SPACE, space=space, after="x"))
    assert late["errors"][0]["extensions"]["code"] == "BAD_REQUEST"


def test_a_right_that_is_withdrawn_ends_the_subscription(cast: Cast) -> None:
    space = make.filled_space(cast)
    cast.ada.patch(f"/v1/spaces/{space}", {"defaultLevel": None})
    grants.grant(cast.ada, f"/v1/spaces/{space}", "read", users=[cast.ed])
    with subscribed(cast.ed, SPACE, space=space) as stream:
        cast.ada.delete(f"/v1/spaces/{space}/permissions/users/{cast.ed.id}")
        cast.ada.patch(f"/v1/spaces/{space}", {"title": "Secret"})
        assert stream.refusal() in ("NOT_FOUND", "FORBIDDEN")


@pytest.mark.parametrize("accept", ["application/json", "application/graphql-response+json"])
def test_a_subscription_is_sent_as_events_only(cast: Cast, accept: str) -> None:
    body = {"query": SPACE, "variables": {"space": make.filled_space(cast)}}
    answer = cast.ed.call("POST", "/graphql", json=body, headers={"Accept": accept}).json()
    assert "text/event-stream" in answer["errors"][0]["message"]


def test_a_query_is_answered_as_one_event_to_a_client_that_reads_events(cast: Cast) -> None:
    answer = events(cast.ed, "{ me { displayName } }")
    assert answer.headers["content-type"].startswith("text/event-stream")
    first, second, *_ = answer.text.split("\n\n")
    assert first.startswith("event: next\n")
    assert '"displayName":"Ed"' in first
    assert second.startswith("event: complete")


@pytest.mark.parametrize(
    "document", ["{", "{ there { isNoSuch } }", "query ($id: ID!) { node(id: $id) { id } }"]
)
def test_what_cannot_be_run_is_told_as_an_event_too(cast: Cast, document: str) -> None:
    assert refusal(events(cast.ed, document))["errors"]


def test_a_missing_token_is_a_status_to_clients_of_events_too(cast: Cast) -> None:
    body = {"query": "{ me { id } }"}
    answer = cast.instance.http.post("/graphql", json=body, headers={"Accept": "text/event-stream"})
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"].startswith("Bearer")


def test_a_client_that_reads_json_too_gets_json(cast: Cast) -> None:
    accept = "application/graphql-response+json, application/json, text/event-stream, multipart/mixed"
    answer = cast.ed.call("POST", "/graphql", json={"query": "{ me { id } }"}, headers={"Accept": accept})
    assert answer.headers["content-type"].startswith("application/graphql-response+json")


def test_jobs_are_told(cast: Cast) -> None:
    source = {"type": "file", "files": [{"name": "README.md", "base64": "IyBIaQo="}]}
    with subscribed(cast.ada, JOBS, organization=cast.organization) as stream:
        made = cast.ada.post(f"/v1/orgs/{cast.organization}/imports", {"source": source, "target": {}}).json()
        told = stream.next()["data"]["jobChanged"]
        assert (told["kind"], told["action"], told["jobId"]) == ("IMPORT_RUN", "CREATED", made["id"])
        assert told["importRun"]["status"]
