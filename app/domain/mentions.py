"""Whom comments, replies and descriptions of change requests mention: members, who are told of it once."""

from __future__ import annotations

from typing import Any

from sqlalchemy import false, select

from app.access.context import Context
from app.domain import notifications
from app.kit import workers
from app.kit.database.sql import among
from app.kit.database.statements import given, rows, table
from app.models.comments import CommentMention
from app.models.organizations import Member

MOST = 50  # people whom one text mentions
MEMBERS, COMMENT_MENTIONS = table(Member), table(CommentMention)
_MEMBERS = rows(
    lambda: select(MEMBERS.c.user_id).where(
        MEMBERS.c.organization_id == given("organization"),
        MEMBERS.c.disabled == false(),
        among(MEMBERS.c.user_id, "users"),
    )
)
_BEFORE = rows(
    lambda: select(COMMENT_MENTIONS.c.user_id).where(COMMENT_MENTIONS.c.subject_id == given("subject"))
)


async def note_in_comment(
    cx: Context,
    space: Any,
    text: str,
    *,
    comment_id: str,
    reply_id: str | None = None,
    change_request_id: str | None,
) -> None:
    """Keep whom a comment or reply mentions now, and let those know who were not mentioned before.

    Whoever is no member of the organization is nobody here.
    """
    subject = reply_id or comment_id
    named = await _named(text)
    before = {row.user_id for row in await cx.db.all(_BEFORE, subject=subject)} if named else set()
    await cx.tx.remove(CommentMention, subject_id=subject)
    found = await _members(cx, space, named)
    whose = {"subject_id": subject, "comment_id": comment_id, "reply_id": reply_id}
    mentions = [{**whose, "user_id": user, "position": n} for n, user in enumerate(found)]
    await cx.tx.add_many(CommentMention, mentions)
    await notifications.record(
        cx,
        "mentions",
        [user for user in found if user not in before],
        space.id,
        change_request_id=change_request_id,
        comment_id=comment_id,
        reply_id=reply_id,
    )


async def note_in_description(
    cx: Context, space: Any, request_id: str, text: str | None, before: str | None = None
) -> None:
    """Let those know whom the description of a change request mentions and the one before did not."""
    named = await _named(text or "")
    known = set(await _named(before or "")) if named else set()
    found = await _members(cx, space, [user for user in named if user not in known])
    await notifications.record(cx, "mentions", found, space.id, change_request_id=request_id)


async def _members(cx: Context, space: Any, named: list[str]) -> list[str]:
    """Return who of these are members of the organization, in their order."""
    if not named:
        return []
    known = {
        row.user_id for row in await cx.db.all(_MEMBERS, organization=space.organization_id, users=named)
    }
    return [user for user in named if user in known]


async def _named(text: str) -> list[str]:
    return await workers.run(len(text), _users, text) if "mention:" in text else []


def _users(text: str) -> list[str]:
    from app.formats.markdown.nodes import walk
    from app.formats.markdown.parser import to_document

    found = [
        str((node["data"].get("ref") or {}).get("user", ""))
        for node in walk(to_document(text))
        if node.get("type") == "mention"
    ]
    return [user for user in dict.fromkeys(found) if user and len(user) <= 100][:MOST]
