"""Reactions to comments and replies: each user's own, one of each emoji."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import delete

from app.access.context import Context
from app.kit.database.sql import among
from app.kit.database.statements import command, given, table
from app.kit.emoji import emoji_code
from app.kit.errors import Conflict, Invalid
from app.models.comments import CommentReaction, CommentReplyUpdate, CommentUpdate

MOST = 50  # different ones on one comment or reply
_x = table(CommentReaction)
_REMOVE = command(
    lambda: delete(_x).where(
        _x.c.subject_id == given("subject"), _x.c.user_id == given("user"), among(_x.c.emoji, "emoji")
    )
)


async def change(
    cx: Context,
    subject: Any,
    asked: CommentUpdate | CommentReplyUpdate,
    *,
    comment_id: str,
    reply_id: str | None = None,
) -> None:
    """Take away and add the caller's reactions to a comment or reply (`subject`, with its reactions).

    Raises Invalid for what is not an emoji, Conflict where there would be too many.
    """
    removed = _codes(asked.removed_reactions or (), "removedReactions")
    added = _codes(asked.added_reactions or (), "addedReactions")
    there = {reaction.emoji for reaction in subject.reactions}
    if len(there | set(added)) > max(MOST, len(there)):
        raise Conflict(f"There may be at most {MOST} different reactions.", path="addedReactions")
    if removed:
        await cx.tx.run(_REMOVE, subject=subject.id, user=cx.actor.user_id, emoji=removed)
    mine = {"subject_id": subject.id, "user_id": cx.actor.user_id, "reacted_at": cx.now}
    whose = {"comment_id": comment_id, "reply_id": reply_id}
    await cx.tx.add_many(CommentReaction, [{**mine, **whose, "emoji": each} for each in added], missing=True)


def _codes(written: Sequence[str], path: str) -> list[str]:
    found = []
    for n, each in enumerate(written):
        code = emoji_code(each)
        if code is None:
            raise Invalid("This is not an emoji.", path=f"{path}.{n}")
        found.append(code)
    return list(dict.fromkeys(found))
