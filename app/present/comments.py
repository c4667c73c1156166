"""Comments and replies as callers see them (specification, Comment and CommentReply)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.access.context import Context
from app.domain.comments import threads
from app.domain.comments.comments import CommentDetails
from app.domain.comments.replies import ReplyDetails
from app.domain.comments.threads import ReactionRow
from app.models.comment_replies import CommentReplyOut
from app.models.comments import CommentOut
from app.models.pages import PageVersion
from app.present import links
from app.present.people import user
from app.present.shape import Presenter, When, presenter


def _resolved_by(cx: Context, commented: CommentDetails) -> dict[str, Any]:
    return user(cx, commented.people[commented.row.resolved_by or ""])


comment: Presenter[Context, CommentDetails] = presenter(
    CommentOut,
    of="row",
    posted_by=lambda cx, commented: user(cx, commented.people[commented.row.posted_by]),
    reactions=lambda cx, commented: _reactions(cx, commented.row.reactions),
    body=lambda _cx, commented: commented.body,
    mentions=lambda cx, commented: [user(cx, person) for person in commented.row.mentions],
    target=lambda _cx, commented: _target(commented),
    urls=lambda cx, commented: links.comment(cx, commented.space.id, commented.row),
    permissions=lambda cx, commented: threads.permissions(cx, commented.space, commented.row),
    resolved_by=When("resolved_at", _resolved_by),
)

reply: Presenter[Context, ReplyDetails] = presenter(
    CommentReplyOut,
    of="row",
    posted_by=lambda cx, replied: user(cx, replied.row.people[0]),
    reactions=lambda cx, replied: _reactions(cx, replied.row.reactions),
    body=lambda _cx, replied: replied.body,
    mentions=lambda cx, replied: [user(cx, person) for person in replied.row.mentions],
    urls=lambda cx, replied: links.reply(cx, replied.space.id, replied.row),
    permissions=lambda cx, replied: threads.permissions(cx, replied.space, replied.row),
)


def _reactions(cx: Context, reactions: Sequence[ReactionRow]) -> list[dict[str, Any]]:
    """Return reactions by emoji, that which somebody chose first before the others."""
    by_emoji: dict[str, list[dict[str, Any]]] = {}
    for each in reactions:
        reacted = {"user": user(cx, each), "reactedAt": each.reacted_at}
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
    return out | {name: value for name, value in (("emoji", page.emoji), ("icon", page.icon)) if value}
