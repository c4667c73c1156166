"""Comments and replies as callers see them (specification, Comment and CommentReply)."""

from __future__ import annotations

from typing import Any

from app.access.context import Context
from app.domain.comments import threads
from app.domain.comments.comments import Commented
from app.domain.comments.replies import Replied
from app.models.comments import CommentOut, CommentReplyOut
from app.present import links
from app.present.shape import shows
from app.present.users import user


@shows(CommentOut)
def comment(cx: Context, commented: Commented) -> dict[str, Any]:
    """A comment; on a space as a whole its target has no page."""
    row, space, people = commented.row, commented.space, commented.people
    out: dict[str, Any] = {
        "object": "comment",
        "id": row.id,
        "postedBy": user(cx, people[row.posted_by]),
        "postedAt": row.posted_at,
        "reactions": _reactions(cx, row),
        "replies": row.replies,
        "body": commented.body,
        "mentions": [user(cx, person) for person in row.mentions],
        "target": _target(commented),
        "urls": links.comment(cx, space.id, row),
        "permissions": threads.permissions(cx, space, row),
        "status": row.status,
    }
    if row.edited_at:
        out["editedAt"] = row.edited_at
    if row.resolved_at:
        out |= {"resolvedAt": row.resolved_at, "resolvedBy": user(cx, people[row.resolved_by])}
    return out


@shows(CommentReplyOut)
def reply(cx: Context, replied: Replied) -> dict[str, Any]:
    """A reply to a comment."""
    row, space = replied.row, replied.space
    out: dict[str, Any] = {
        "object": "comment-reply",
        "id": row.id,
        "postedBy": user(cx, row.people[0]),
        "postedAt": row.posted_at,
        "reactions": _reactions(cx, row),
        "body": replied.body,
        "mentions": [user(cx, person) for person in row.mentions],
        "urls": links.reply(cx, space.id, row),
        "permissions": threads.permissions(cx, space, row),
    }
    return {**out, "editedAt": row.edited_at} if row.edited_at else out


def _reactions(cx: Context, row: Any) -> list[dict[str, Any]]:
    """By emoji, that which somebody chose first before the others."""
    by_emoji: dict[str, list[dict[str, Any]]] = {}
    for each in row.reactions:
        reacted = {"user": user(cx, each), "reactedAt": each.reacted_at}
        by_emoji.setdefault(each.emoji, []).append(reacted)
    return [{"emoji": emoji, "count": len(users), "users": users} for emoji, users in by_emoji.items()]


def _target(commented: Commented) -> dict[str, Any]:
    row, target = commented.row, commented.target
    out = {"space": row.space_id, "revision": row.revision_id}
    if row.change_request_id:
        out["changeRequest"] = row.change_request_id
    if row.review_id:
        out["review"] = row.review_id
    if target.page is not None:
        out["page"] = _page(target.page, outdated=target.outdated)
    if target.node is not None:
        out["node"] = {"id": target.node, "preview": row.preview}
    return out


def _page(page: Any, *, outdated: bool) -> dict[str, Any]:
    out = {
        "id": page.page_id,
        "title": page.title,
        "createdAt": page.created_at,
        "updatedAt": page.updated_at,
        "path": page.path,
        "outdated": outdated,
    }
    return out | {name: value for name, value in (("emoji", page.emoji), ("icon", page.icon)) if value}
