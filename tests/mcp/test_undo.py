"""Undoing what an agent changed: all of it, or one of its runs; what people wrote afterwards stays."""

from __future__ import annotations

from typing import Any

import pytest

from app.cli import main
from tests import make
from tests.cast import Cast, Person
from tests.factories.agents import Agent, agent
from tests.oauth.client import Program, application

TEXT = "# Lamp\n\nfirst\n\nsecond\n\nthird\n"


def write(page: str, text: str) -> dict[str, Any]:
    """A change of a page's text."""
    return {"operation": "update_page", "page": page, "document": {"markdown": text}}


def insert(title: str, text: str = "Words.\n") -> dict[str, Any]:
    """A new page."""
    return {"operation": "insert_page", "title": title, "document": {"markdown": text}}


class Work:
    """A space with a page, and an agent of somebody who edits it."""

    def __init__(self, cast: Cast) -> None:
        self.cast = cast
        self.space = str(make.space(cast.ada, cast.organization)["id"])
        self.page = self.made(cast.ada, insert("Lamp", TEXT))
        self.eve = agent(cast.ed)

    def made(self, person: Person, change: dict[str, Any], request: str | None = None) -> str:
        """The page that a change is about."""
        done = make.changes(person, self.space, change, request=request)
        return str(done["changes"][0]["page"]["id"])

    def opened(self, person: Person | None = None) -> str:
        """A change request."""
        return str(make.change_request(person or self.eve, self.space)["id"])

    def text(self, request: str | None = None, page: str | None = None) -> str:
        """Return the text of the page."""
        place = f"/v1/spaces/{self.space}"
        if request:
            place += f"/change-requests/{request}"
        answer = self.cast.ada.get(f"{place}/content/page/{page or self.page}")
        return str(answer.json().get("markdown", answer.status_code))

    def status(self, request: str) -> str:
        """The state of a change request."""
        path = f"/v1/spaces/{self.space}/change-requests/{request}"
        return str(self.cast.ada.get(path).json()["status"])

    def undo(self, person: Person | None = None, agent: Agent | None = None, **asked: Any) -> Any:
        """Return the answer to an undo."""
        body = {"token": (agent or self.eve).token_id, **asked}
        path = f"/v1/orgs/{self.cast.organization}/agent-changes/undo"
        return (person or self.cast.ed).post(path, body)

    def undone(self, **asked: Any) -> list[dict[str, Any]]:
        """Return what became of the changes."""
        answer = self.undo(**asked)
        assert answer.status_code == 200, answer.text
        assert answer.json()["remaining"] is False
        changes: list[dict[str, Any]] = answer.json()["changes"]
        return changes


@pytest.fixture
def work(cast: Cast) -> Work:
    return Work(cast)


def test_what_an_agent_opened_is_archived(work: Work) -> None:
    request = work.opened()
    make.changes(work.eve, work.space, insert("Oil"), request=request)
    (done,) = work.undone()
    assert (done["kind"], done["result"], done["target"]) == ("change-request", "archived", request)
    assert work.status(request) == "archived"
    assert work.undo().status_code == 404


def test_what_people_wrote_in_its_change_request_stays(work: Work) -> None:
    request = work.opened()
    make.changes(work.eve, work.space, write(work.page, TEXT.replace("first", "FIRST")), request=request)
    oil = work.made(work.eve, insert("Oil"), request)
    late = TEXT.replace("first", "FIRST").replace("third", "THIRD")
    make.changes(work.cast.cleo, work.space, write(work.page, late), request=request)
    (done,) = work.undone()
    assert (done["result"], done["reason"]) == ("reverted", "changed-since")
    assert work.text(request) == TEXT.replace("third", "THIRD")
    assert work.text(request, oil) == "404"
    assert work.status(request) == "draft"


def test_what_it_wrote_for_somebody_else_is_taken_back(work: Work) -> None:
    request = work.opened(work.cast.cleo)
    kept = work.made(work.cast.cleo, insert("Wick"), request)
    make.changes(work.eve, work.space, write(work.page, TEXT.replace("second", "SECOND")), request=request)
    make.changes(work.eve, work.space, {"operation": "delete_page", "page": kept}, request=request)
    make.changes(work.cast.cleo, work.space, insert("Glass"), request=request)
    make.changes(work.eve, work.space, {"operation": "delete_page", "page": work.page}, request=request)
    (done,) = work.undone()
    assert (done["kind"], done["result"], "reason" in done) == ("content", "reverted", False)
    assert work.text(request) == TEXT
    assert work.text(request, kept) == "Words.\n"
    path = f"/v1/spaces/{work.space}/change-requests/{request}/content/pages"
    titles = {page["title"] for page in work.cast.ada.get(path).json()["pages"]}
    assert titles == {"Lamp", "Wick", "Glass"}


def test_it_holds_after_the_change_request_was_updated(work: Work) -> None:
    request = work.opened(work.cast.cleo)
    make.changes(work.eve, work.space, write(work.page, TEXT.replace("second", "SECOND")), request=request)
    make.changes(work.cast.ada, work.space, write(work.page, TEXT.replace("first", "FIRST")))
    updated = work.cast.cleo.post(f"/v1/spaces/{work.space}/change-requests/{request}/update")
    assert updated.json()["result"] == "update"
    assert work.text(request) == TEXT.replace("first", "FIRST").replace("second", "SECOND")
    (done,) = work.undone()
    assert (done["result"], work.text(request)) == ("reverted", TEXT.replace("first", "FIRST"))


def test_where_both_changed_the_same_it_is_told(work: Work) -> None:
    request = work.opened(work.cast.cleo)
    make.changes(work.eve, work.space, write(work.page, TEXT.replace("first", "agent")), request=request)
    make.changes(
        work.cast.cleo, work.space, write(work.page, TEXT.replace("first", "people")), request=request
    )
    (done,) = work.undone()
    assert done["conflicts"] == [{"page": work.page, "field": "document"}]
    assert done["reason"] == "changed-since"
    assert work.text(request) == TEXT.replace("first", "people")


def test_one_run_is_undone_and_the_other_stays(work: Work) -> None:
    request = work.opened(work.cast.cleo)
    for run, word in (("a", "first"), ("b", "second")):
        now = work.text(request).replace(word, word.upper())
        headers = {"Docyard-Run": run}
        path = f"/v1/spaces/{work.space}/change-requests/{request}/content"
        answer = work.eve.post(path, {"changes": [write(work.page, now)]}, headers=headers)
        assert answer.status_code == 200, answer.text
    work.undone(run="a")
    assert work.text(request) == TEXT.replace("second", "SECOND")
    work.undone()
    assert work.text(request) == TEXT


def test_it_goes_across_spaces_and_takes_what_was_posted(work: Work) -> None:
    other = Work(work.cast)
    other.eve = work.eve
    requests = [(each, each.opened()) for each in (work, other)]
    here = {"spaceId": work.space}
    asked = work.eve.write("comment", **here, body={"markdown": "Why?"})
    answered = work.eve.write("comment", **here, body={"markdown": "When?"})
    theirs = work.cast.ada.post(f"/v1/spaces/{work.space}/comments", {"body": {"markdown": "Lit?"}}).json()[
        "id"
    ]
    work.eve.write("reply_to_comment", **here, commentId=theirs, body={"markdown": "Yes."})
    replies = f"/v1/spaces/{work.space}/comments/{answered['id']}/replies"
    assert work.cast.ada.post(replies, {"body": {"markdown": "At night."}}).is_success
    results = [(each["kind"], each["result"], each.get("reason")) for each in work.undone()]
    assert sorted(results, key=str) == sorted(
        [
            ("reply", "deleted", None),
            ("comment", "kept", "answered"),
            ("comment", "deleted", None),
            ("change-request", "archived", None),
            ("change-request", "archived", None),
        ],
        key=str,
    )
    assert [each.status(request) for each, request in requests] == ["archived", "archived"]
    left = work.cast.ada.get(f"/v1/spaces/{work.space}/comments").json()["items"]
    assert {each["id"] for each in left} == {answered["id"], theirs}
    assert asked["id"] not in {each["id"] for each in left}


def test_requests_for_reviews_are_withdrawn(work: Work) -> None:
    request = work.opened(work.cast.ed)
    work.eve.write("request_review", spaceId=work.space, changeRequestId=request, users=[work.cast.rhea.id])
    (done,) = work.undone()
    assert (done["kind"], done["result"]) == ("review-request", "withdrawn")
    path = f"/v1/spaces/{work.space}/change-requests/{request}/requested-reviewers"
    assert work.cast.ada.get(path).json()["items"] == []


def test_what_people_merged_stays_and_is_told(work: Work) -> None:
    request = work.opened()
    make.changes(work.eve, work.space, insert("Oil"), request=request)
    assert (
        work.cast.ada.post(f"/v1/spaces/{work.space}/change-requests/{request}/merge", {}).status_code == 200
    )
    (done,) = work.undone()
    assert (done["result"], done["reason"]) == ("kept", "merged")


def test_live_content_that_it_was_allowed_to_write_is_taken_back(work: Work) -> None:
    writer = agent(work.cast.rhea, scopes=["read", "operation:changeContent"])
    make.changes(writer, work.space, write(work.page, TEXT.replace("first", "FIRST")))
    make.changes(work.cast.ada, work.space, write(work.page, work.text().replace("third", "THIRD")))
    (done,) = work.undone(person=work.cast.rhea, agent=writer)
    assert (done["result"], work.text()) == ("reverted", TEXT.replace("third", "THIRD"))


def test_only_its_person_and_administrators_undo_it(work: Work) -> None:
    request = work.opened()
    for person in (work.cast.cleo, work.cast.rhea, work.cast.tom, work.cast.gus, work.cast.sol):
        assert work.undo(person).status_code in (403, 404)
    assert work.undo(work.eve).status_code == 403, "an agent does not undo"
    assert work.undo(work.cast.ed, run="of-somebody-else").status_code == 404
    assert work.status(request) == "draft"
    listed = f"/v1/orgs/{work.cast.organization}/agent-changes"
    assert work.cast.cleo.get(listed).json()["items"] == []
    (seen,) = work.cast.ed.get(listed, params={"token": work.eve.token_id}).json()["items"]
    assert (seen["kind"], seen["target"], seen["user"]["id"]) == ("change-request", request, work.cast.ed.id)
    payload = work.cast.ada.mutate(
        "undoAgentChanges",
        "changes { result } remaining",
        organization=work.cast.organization,
        token=work.eve.token_id,
    )
    assert payload["changes"] == [{"result": "ARCHIVED"}]


def test_a_run_is_of_one_token_alone(work: Work) -> None:
    mallory = agent(work.cast.ed)
    mallory.run = work.eve.run = "nightly"
    request = work.eve.write("open_change_request", spaceId=work.space)["id"]
    foreign = mallory.write("open_change_request", spaceId=work.space)["id"]
    work.undone(run="nightly")
    assert (work.status(request), work.status(foreign)) == ("archived", "draft")


def test_a_change_request_tells_of_the_task_of_its_agent(work: Work) -> None:
    assert work.eve.write("open_change_request", spaceId=work.space)["agentTaskId"] == work.eve.token_id
    work.eve.run = "nightly-7"
    assert work.eve.write("open_change_request", spaceId=work.space)["agentTaskId"] == "nightly-7"
    sent = work.eve.write("open_change_request", spaceId=work.space, agentTaskId="LAMP-1")
    assert sent["agentTaskId"] == "LAMP-1"
    message = work.eve.message(
        "tools/call",
        {"name": "open_change_request", "arguments": {"spaceId": work.space, "idempotencyKey": "k"}},
    )
    message["params"]["_meta"]["docyard/run"] = "of-the-call"
    said = work.eve.send(message).json()["result"]["structuredContent"]
    assert said["agentTaskId"] == "of-the-call"
    for wrong in ("a b", "x" * 101, "a/b"):
        answer = work.eve.get(f"/v1/spaces/{work.space}", headers={"Docyard-Run": wrong})
        assert answer.status_code == 400, wrong


def test_an_agent_changes_no_change_request_of_others(work: Work) -> None:
    request = work.opened(work.cast.ed)
    there = {"spaceId": work.space, "changeRequestId": request, "idempotencyKey": "k"}
    calls: list[tuple[str, dict[str, Any]]] = [
        ("update_change_request", {"status": "archived"}),
        ("update_change_request", {"subject": "Mine"}),
        ("request_review", {"users": [work.cast.rhea.id], "subject": "Mine"}),
    ]
    for tool, arguments in calls:
        failed, told = work.eve.tries(tool, **there, **arguments)
        assert (failed, "people decide" in told) == (True, True), tool
    assert work.status(request) == "draft"
    own = work.opened()
    work.eve.write("update_change_request", spaceId=work.space, changeRequestId=own, status="open")
    assert work.status(own) == "open"


def test_an_application_stays_the_same_agent_when_it_refreshes_its_token(work: Work) -> None:
    program = Program(work.cast.instance, application(work.cast.ed))
    asked = {"scope": "read write", "resource": f"{work.cast.instance.base}/mcp"}
    got = program.tokens(work.cast.ed, **asked)
    eve = Agent(work.cast.instance, work.cast.ed.id, work.cast.ed.email, got["access_token"])
    once = {"spaceId": work.space, "subject": "Oil", "idempotencyKey": "once"}
    opened = eve.use("open_change_request", **once)
    eve.token = program.refresh(got["refresh_token"]).json()["access_token"]
    assert eve.use("open_change_request", **once)["id"] == opened["id"], "it is the same key"
    there = {"spaceId": work.space, "changeRequestId": opened["id"]}
    eve.write("update_change_request", **there, status="open")
    path = f"/v1/spaces/{work.space}/change-requests/{opened['id']}/merge"
    assert eve.post(path, {}).status_code == 401, "its token is for /mcp alone"
    listed = work.cast.ed.get(f"/v1/orgs/{work.cast.organization}/agent-changes").json()["items"]
    (eve.token_id,) = {each["token"] for each in listed if each["space"] == work.space}
    assert opened["agentTaskId"] == eve.token_id
    body = {"token": eve.token_id}
    undone = work.cast.ed.post(f"/v1/orgs/{work.cast.organization}/agent-changes/undo", body).json()
    assert [each["result"] for each in undone["changes"]] == ["archived"]


def test_operators_undo_it_by_command(
    work: Work, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DOCYARD_DATABASE", work.cast.instance.settings.database)
    request, foreign = work.opened(), work.opened(work.cast.cleo)
    make.changes(work.eve, work.space, write(work.page, TEXT.replace("first", "FIRST")), request=foreign)
    make.changes(work.cast.cleo, work.space, write(work.page, TEXT.replace("first", "1st")), request=foreign)
    org = ["--org", work.cast.organization]
    assert main(["agent", "undo", work.eve.token_id, *org]) == 0
    heading, *rows = (line.split() for line in capsys.readouterr().out.splitlines())
    assert heading == ["kind", "result", "why", "space", "in", "conflicts"]
    assert sorted(rows) == [
        ["change-request", "archived", "-", work.space, request, "0"],
        ["content", "reverted", "changed-since", work.space, foreign, "1"],
    ]
    assert main(["agent", "changes", *org, "--token", work.eve.token_id]) == 0
    assert [line.split()[-1] for line in capsys.readouterr().out.splitlines()[1:]] == ["yes", "yes"]
    assert main(["agent", "undo", work.eve.token_id, *org]) == 1
