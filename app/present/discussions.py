"""Change requests as callers see them (specification, ChangeRequest), their reviews, and what merging did.

Comments and replies as callers see them (specification, Comment and CommentReply).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from app.access.context import Context
from app.access.scopes import rights_of
from app.domain import notifications
from app.domain.comments import threads
from app.domain.comments.comments import CommentDetails
from app.domain.comments.mention_lists import MentionRow
from app.domain.comments.replies import ReplyDetails
from app.domain.comments.threads import Around
from app.models.change_requests import ChangeRequestOut, ContributorOut
from app.models.comments import CommentOut, CommentReplyOut
from app.models.mentions import MentionOut
from app.models.merges import ConflictsOut, MergeOut, RollbackOut, UpdateOut
from app.models.pages import PageVersion
from app.models.reviews import RequestedReviewersOut, ReviewOut
from app.models.users import User
from app.present import links
from app.present.people import user
from app.present.shape import Presenter, When, presenter, shows

if TYPE_CHECKING:
    from app.domain.change_requests.change_requests import ChangeRequestDetails
    from app.domain.change_requests.reviews import ContributorRow, ReviewDetails
    from app.domain.revisions.merge_states import MergeConflict, MergeOutcome

MENTION_TEXT = 300  # characters


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


@shows(ConflictsOut)
def conflicts(_cx: Context, outcome: MergeOutcome) -> dict[str, Any]:
    """Return what stands in the way of a merge."""
    found = [_conflict(each, "changeRequest") for each in outcome.conflicts]
    return {"revision": outcome.revision_id, "mergeable": outcome.done, "conflicts": found}


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
    if each.passage:
        about["passage"] = each.passage
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


def _resolved_by(cx: Context, commented: CommentDetails) -> dict[str, Any]:
    return _person(cx, commented.around, commented.row.resolved_by or "")


def _permissions(cx: Context, space: Any, written: threads.Posted) -> dict[str, bool]:
    """Return what the caller may do with a comment or reply, as far as their token goes: agents reply, and
    leave what is said as it is."""
    told, rights = threads.permissions(cx, space, written), rights_of(cx.actor)
    if rights is None:
        return told
    return {**told, "reply": told["reply"] and "comment" in rights, "edit": False, "delete": False}


comment: Presenter[Context, CommentDetails] = presenter(
    CommentOut,
    of="row",
    posted_by=lambda cx, commented: _person(cx, commented.around, commented.row.posted_by),
    reactions=lambda cx, commented: _reactions(cx, commented.around, commented.row.id),
    body=lambda _cx, commented: commented.body,
    mentions=lambda cx, commented: _mentions(cx, commented.around, commented.row.id),
    target=lambda _cx, commented: _target(commented),
    urls=lambda cx, commented: links.comment(cx, commented.space.id, commented.row),
    permissions=lambda cx, commented: _permissions(cx, commented.space, commented.row),
    resolved_by=When("resolved_at", _resolved_by),
)

reply: Presenter[Context, ReplyDetails] = presenter(
    CommentReplyOut,
    of="row",
    posted_by=lambda cx, replied: _person(cx, replied.around, replied.row.posted_by),
    reactions=lambda cx, replied: _reactions(cx, replied.around, replied.row.id),
    body=lambda _cx, replied: replied.body,
    mentions=lambda cx, replied: _mentions(cx, replied.around, replied.row.id),
    urls=lambda cx, replied: links.reply(cx, replied.space.id, replied.row),
    permissions=lambda cx, replied: _permissions(cx, replied.space, replied.row),
)


mention: Presenter[Context, MentionRow] = presenter(
    MentionOut,
    optional=("change_request",),
    id=lambda _cx, row: row.subject_id,
    posted_by=lambda cx, row: user(cx, row.author[0]),
    text=lambda _cx, row: notifications.beginning(row.body, MENTION_TEXT),
    urls=lambda cx, row: {
        "app": links.discussion(cx, row.organization_id, row.space_id, row.request_number, row.comment_id)
    },
)


def _person(cx: Context, around: Around, user_id: str) -> dict[str, Any]:
    """Return somebody around comments or replies; answers share what is returned."""
    known = around.shown.get(user_id)
    if known is None:
        known = around.shown[user_id] = user(cx, around.people[user_id])
    return known


def _mentions(cx: Context, around: Around, subject_id: str) -> list[dict[str, Any]]:
    return [_person(cx, around, each) for each in around.mentioned(subject_id)]


def _reactions(cx: Context, around: Around, subject_id: str) -> list[dict[str, Any]]:
    """Return reactions by emoji, that which somebody chose first before the others."""
    by_emoji: dict[str, list[dict[str, Any]]] = {}
    for each in around.reactions(subject_id):
        reacted = {"user": _person(cx, around, each.user_id), "reactedAt": each.reacted_at}
        by_emoji.setdefault(each.emoji, []).append(reacted)
    return [{"emoji": emoji, "count": len(users), "users": users} for emoji, users in by_emoji.items()]


def _target(commented: CommentDetails) -> dict[str, Any]:
    """Return what a comment is about; on a space as a whole that has no page."""
    row, target = commented.row, commented.target
    out: dict[str, Any] = {"space": row.space_id, "revision": row.revision_id}
    if row.change_request_id:
        out["changeRequest"] = row.change_request_id
    if row.review_id:
        out["review"] = row.review_id
    if target.page is not None:
        out["page"] = _page(target.page, outdated=target.outdated)
    if target.node is not None:
        out["node"] = {"id": target.node, "preview": row.preview}
    return out


def _page(page: PageVersion, *, outdated: bool) -> dict[str, Any]:
    out = {
        "id": page.page_id,
        "title": page.title,
        "createdAt": page.created_at,
        "updatedAt": page.updated_at,
        "path": page.path,
        "outdated": outdated,
    }
    if page.emoji:  # lists have a page for every comment
        out["emoji"] = page.emoji
    if page.icon:
        out["icon"] = page.icon
    return out
