"""Change requests as callers see them (specification, ChangeRequest), their reviews, and what merging did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from app.access.context import Context
from app.models.change_requests import ChangeRequestOut, ContributorOut
from app.models.merges import MergeOut, RollbackOut, UpdateOut
from app.models.reviews import RequestedReviewersOut, ReviewOut
from app.models.users import User
from app.present import links
from app.present.people import user
from app.present.shape import Presenter, When, presenter, shows

if TYPE_CHECKING:
    from app.domain.change_requests.change_requests import ChangeRequestDetails
    from app.domain.change_requests.reviews import ContributorRow, ReviewDetails
    from app.domain.revisions.merge_states import MergeConflict, MergeOutcome

change_request: Presenter[Context, ChangeRequestDetails] = presenter(
    ChangeRequestOut,
    of="request",
    optional=(
        "revision_merged_ancestor", "revision_merged", "merged_at", "agent_task_id", "merged_by",
        "description",
    ),
    created_by=lambda cx, asked: user(cx, asked.people[asked.request.created_by]),
    space=lambda _cx, asked: asked.space.id,
    outdated=lambda _cx, asked: asked.outdated,
    urls=lambda cx, asked: links.change_request(cx, asked.space, asked.request),
    merged_by=When("merged_by", lambda cx, asked: user(cx, asked.people[asked.request.merged_by or ""])),
    description=lambda _cx, asked: asked.description or None,
)  # fmt: skip


@shows(MergeOut)
def merged(_cx: Context, outcome: MergeOutcome) -> dict[str, Any]:
    """Return what a merge did, or would do."""
    return _outcome(outcome, "merge")


@shows(UpdateOut)
def updated(_cx: Context, outcome: MergeOutcome) -> dict[str, Any]:
    """Return what an update did."""
    return _outcome(outcome, "update")


@shows(RollbackOut)
def rolled_back(_cx: Context, outcome: MergeOutcome) -> dict[str, Any]:
    """Return what going back did, or would do."""
    return _outcome(outcome, "rollback", ours="before")


def _outcome(outcome: MergeOutcome, done: str, ours: str = "changeRequest") -> dict[str, Any]:
    out = {"revision": outcome.revision_id, "result": done if outcome.done else "conflicts"}
    if not outcome.conflicts:
        return out
    return {**out, "conflicts": [_conflict(each, ours) for each in outcome.conflicts]}


def _conflict(each: MergeConflict, ours: str) -> dict[str, Any]:
    states = {"base": each.base, "main": each.main, ours: each.ours}
    about = {"page": each.page, "field": each.field}
    return {**about, **{name: value for name, value in states.items() if value is not None}}


def _requested_by(cx: Context, reviewed: ReviewDetails) -> dict[str, Any] | None:
    found = reviewed.people.get(reviewed.row.requested_by or "")
    return user(cx, found) if found else None


review: Presenter[Context, ReviewDetails] = presenter(
    ReviewOut,
    of="row",
    reviewer=lambda cx, reviewed: user(cx, reviewed.people[reviewed.row.reviewer_id]),
    outdated=lambda _cx, reviewed: reviewed.outdated,
    requested_by=_requested_by,
    comment=lambda _cx, reviewed: reviewed.comment or None,
)


@shows(RequestedReviewersOut)
def requested_reviewers(cx: Context, people: Sequence[User]) -> dict[str, Any]:
    """Return everybody who is asked now."""
    return {"users": [user(cx, person) for person in people]}


contributor: Presenter[Context, ContributorRow] = presenter(
    ContributorOut, user=lambda cx, row: user(cx, row.user[0])
)
