"""Calls that bring content together: reviews, merges, updates, going back (see `recipes`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests import make
from tests.cast import Cast
from tests.contract.faces import Call
from tests.factories.agents import agent

Recipe = Callable[[Cast], Call]


def _space(cast: Cast) -> str:
    return str(make.space(cast.ada, cast.organization, emoji="1f4d8")["id"])


def _insert(title: str) -> dict[str, Any]:
    return {"operation": "insert_page", "title": title, "document": {"markdown": f"{title}.\n"}}


def _request(cast: Cast) -> Call:
    """A change request of somebody else with a page of its own, on a space that has gone on since."""
    made = _space(cast)
    opened = str(make.change_request(cast.ed, made, subject="Lamps")["id"])
    make.changes(cast.ed, made, _insert("Lamp"), request=opened)
    make.changes(cast.ada, made, _insert("Wick"))
    return Call({"spaceId": made, "changeRequestId": opened})


def _agent(cast: Cast) -> str:
    """The token of an agent that has opened a change request, written in it and commented on it."""
    made, eve = _space(cast), agent(cast.ada)
    eve.run = "nightly"
    opened = eve.write("open_change_request", spaceId=made, subject="Lamps")
    there = {"spaceId": made, "changeRequestId": opened["id"]}
    eve.write("edit_pages", **there, expectedRevision=opened["revision"], changes=[_insert("Lamp")])
    eve.write("comment", **there, body={"markdown": "Lit."})
    return eve.token_id


def _agent_changes(cast: Cast) -> Call:
    _agent(cast)
    return Call({"organizationId": cast.organization}, {"run": "nightly"})


def _merge(cast: Cast) -> Call:
    return Call(_request(cast).path, body={"onConflict": "change-request", "dryRun": False})


def _going_back(cast: Cast, body: dict[str, Any] | None) -> Call:
    made = _space(cast)
    make.changes(cast.ada, made, _insert("Lamp"))
    revision = cast.ada.get(f"/v1/spaces/{made}").json()["revision"]
    make.changes(cast.ada, made, _insert("Wick"))
    return Call({"spaceId": made, "revisionId": revision}, body=body)


def _reviewed(cast: Cast) -> Call:
    made = _request(cast)
    path = f"/v1/spaces/{made.path['spaceId']}/change-requests/{made.path['changeRequestId']}"
    users = {"users": [cast.ada.id, cast.rhea.id]}
    assert cast.ed.post(f"{path}/requested-reviewers", users).status_code == 200
    body = {"status": "changes-requested", "comment": {"markdown": "Not *yet*."}}
    answer = cast.ada.post(f"{path}/reviews", body)
    assert answer.status_code == 201, answer.text
    return Call({**made.path, "reviewId": answer.json()["id"]})


def _reviews(cast: Cast) -> Call:
    path = dict(_reviewed(cast).path)
    del path["reviewId"]
    return Call(path, {"format": "document", "outdated": False})


def _in_reviewed(cast: Cast) -> Call:
    return Call(_reviews(cast).path)


def _review(cast: Cast) -> Call:
    return Call(_reviewed(cast).path, {"format": "document"})


def _submit(cast: Cast) -> Call:
    return Call(_request(cast).path, body={"status": "approved", "comment": {"markdown": "*Good.*"}})


def _ask(cast: Cast) -> Call:
    body = {"users": [cast.rhea.id], "subject": "Please", "description": {"markdown": "Look at the lamp."}}
    return Call(_request(cast).path, body=body)


def _withdraw(cast: Cast) -> Call:
    return Call({**_in_reviewed(cast).path, "userId": cast.rhea.id})


MERGES: dict[str, Recipe] = {
    "mergeChangeRequest": _merge,
    "updateChangeRequest": _request,
    "listAgentChanges": _agent_changes,
    "undoAgentChanges": lambda cast: Call(
        {"organizationId": cast.organization}, body={"token": _agent(cast), "run": "nightly"}
    ),
    "getChangeRequestConflicts": _request,
    "restoreRevisionById": lambda cast: _going_back(cast, None),
    "revertRevisionById": lambda cast: _going_back(cast, {"onConflict": "revert", "dryRun": False}),
    "listReviewsInChangeRequest": _reviews,
    "submitChangeRequestReview": _submit,
    "getReviewInChangeRequest": _review,
    "listRequestedReviewers": _in_reviewed,
    "requestReviewersForChangeRequest": _ask,
    "removeRequestedReviewer": _withdraw,
    "listContributors": _in_reviewed,
}
