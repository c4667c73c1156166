"""Reviews as callers see them, and the people around a change request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.access.context import Context
from app.domain.change_requests.reviews import Reviewed
from app.models.reviews import ContributorOut, RequestedReviewersOut, ReviewOut
from app.present.shape import shows
from app.present.users import user


@shows(ReviewOut)
def review(cx: Context, reviewed: Reviewed) -> dict[str, Any]:
    """A review; without a comment it has none."""
    row, people = reviewed.row, reviewed.people
    out: dict[str, Any] = {
        "object": "review",
        "id": row.id,
        "changeRequest": row.change_request_id,
        "revision": row.revision_id,
        "reviewer": user(cx, people[row.reviewer_id]),
        "status": row.status,
        "outdated": reviewed.outdated,
        "createdAt": row.created_at,
    }
    if row.requested_by in people:
        out["requestedBy"] = user(cx, people[row.requested_by])
    if reviewed.comment:
        out["comment"] = reviewed.comment
    return out


@shows(RequestedReviewersOut)
def requested_reviewers(cx: Context, people: Sequence[Any]) -> dict[str, Any]:
    """Everybody who is asked now."""
    return {"users": [user(cx, person) for person in people]}


@shows(ContributorOut)
def contributor(cx: Context, row: Any) -> dict[str, Any]:
    """Somebody who had a hand in it."""
    return {
        "user": user(cx, row.user[0]),
        "count": row.count,
        "updatedAt": row.updated_at,
        "actionType": row.kind,
    }
