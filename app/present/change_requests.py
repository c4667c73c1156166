"""Change requests as callers see them (specification, ChangeRequest), and what merging them did."""

from __future__ import annotations

from typing import Any

from app.access.context import Context
from app.domain.change_requests.change_requests import Asked
from app.domain.merging.outcomes import Conflict, Outcome
from app.models.change_requests import ChangeRequestOut, MergeOut, UpdateOut
from app.models.revisions import RollbackOut
from app.present import links
from app.present.shape import shows
from app.present.users import user


@shows(ChangeRequestOut)
def change_request(cx: Context, asked: Asked) -> dict[str, Any]:
    """A change request; what has not happened yet is left out."""
    row, space = asked.request, asked.space
    out: dict[str, Any] = {
        "object": "change-request",
        "id": row.id,
        "number": row.number,
        "status": row.status,
        "subject": row.subject,
        "createdBy": user(cx, asked.people[row.created_by]),
        "createdAt": row.created_at,
        "updatedAt": row.updated_at,
        "space": space.id,
        "revision": row.revision_id,
        "revisionInitial": row.revision_initial,
        "comments": row.comments,
        "outdated": asked.outdated,
        "urls": links.change_request(cx, space, row),
    }
    for name, value in (
        ("revisionMergedAncestor", row.revision_merged_ancestor),
        ("revisionMerged", row.revision_merged),
        ("mergedAt", row.merged_at),
        ("agentTaskId", row.agent_task_id),
    ):
        if value:
            out[name] = value
    if row.merged_by:
        out["mergedBy"] = user(cx, asked.people[row.merged_by])
    if asked.description:
        out["description"] = asked.description
    return out


@shows(MergeOut)
def merged(cx: Context, outcome: Outcome) -> dict[str, Any]:
    """What a merge did, or would do."""
    return _outcome(outcome, "merge")


@shows(UpdateOut)
def updated(cx: Context, outcome: Outcome) -> dict[str, Any]:
    """What an update did."""
    return _outcome(outcome, "update")


@shows(RollbackOut)
def rolled_back(cx: Context, outcome: Outcome) -> dict[str, Any]:
    """What going back did, or would do."""
    return _outcome(outcome, "rollback", ours="before")


def _outcome(outcome: Outcome, done: str, ours: str = "changeRequest") -> dict[str, Any]:
    out = {"revision": outcome.revision_id, "result": done if outcome.done else "conflicts"}
    if not outcome.conflicts:
        return out
    return {**out, "conflicts": [_conflict(each, ours) for each in outcome.conflicts]}


def _conflict(each: Conflict, ours: str) -> dict[str, Any]:
    states = {"base": each.base, "main": each.main, ours: each.ours}
    about = {"page": each.page, "field": each.field}
    return {**about, **{name: value for name, value in states.items() if value is not None}}
