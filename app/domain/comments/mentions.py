"""Mentions: the people that a comment or reply names by a link to `mention://` and their id."""

from __future__ import annotations

from sqlalchemy import false, select

from app.access.context import Context
from app.kit import workers
from app.kit.database.sql import among
from app.kit.database.statements import given, rows, table
from app.models.comments import CommentMention
from app.models.organizations import Member

MOST = 50
_m = table(Member)
_MEMBERS = rows(
    lambda: select(_m.c.user_id).where(
        _m.c.organization_id == given("organization"), _m.c.disabled == false(), among(_m.c.user_id, "users")
    )
)


async def note(
    cx: Context, organization_id: str, text: str, *, comment_id: str, reply_id: str | None = None
) -> None:
    """Keep whom a text mentions now; whoever is no member of the organization is nobody here."""
    subject = reply_id or comment_id
    await cx.tx.remove(CommentMention, subject_id=subject)
    named = await _named(text)
    if not named:
        return
    known = {row.user_id for row in await cx.db.all(_MEMBERS, organization=organization_id, users=named)}
    whose = {"subject_id": subject, "comment_id": comment_id, "reply_id": reply_id}
    found = [user for user in named if user in known]
    mentions = [{**whose, "user_id": user, "position": n} for n, user in enumerate(found)]
    await cx.tx.add_many(CommentMention, mentions)


async def _named(text: str) -> list[str]:
    return await workers.run(len(text), _users, text) if "mention:" in text else []


def _users(text: str) -> list[str]:
    from app.formats.dialect.nodes import walk
    from app.formats.dialect.parse import to_document

    found = [
        str((node["data"].get("ref") or {}).get("user", ""))
        for node in walk(to_document(text))
        if node.get("type") == "mention"
    ]
    return [user for user in dict.fromkeys(found) if user and len(user) <= 100][:MOST]
