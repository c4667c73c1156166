"""Shared parts of comments and replies: location, related objects, permissions, counters.

A comment belongs to a space or to one of its change requests; those of a space have no change request.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from itertools import accumulate
from typing import Any, Protocol

from sqlalchemy import ColumnElement, Label, Select, and_, delete, select, union, update
from sqlmodel import SQLModel

from app.access.context import Context
from app.access.fetch import level_on, permit
from app.access.rights import SPACE, Level
from app.domain.content.bodies import text_of
from app.domain.content.views import CHANGE_REQUESTS, PLACES, REQUEST, SPACES, View
from app.kit import workers
from app.kit.database.sql import among, nested
from app.kit.database.statements import command, given, shown, table
from app.kit.errors import Conflict, Forbidden, Invalid, OverBudget
from app.models.change_events import CommentAction
from app.models.change_requests import ChangeRequest
from app.models.comments import Comment, CommentMention, CommentReaction, CommentUpdate
from app.models.documents import Body
from app.models.organizations import Member
from app.models.spaces import Space
from app.models.texts import emoji_code
from app.models.users import User

LONGEST = 100_000  # characters of a comment or reply
BUDGET = 500_000  # characters to which one list gives their structure
MOST_BRACKETS = 2_000  # in one, so that giving its structure stays cheap
COMMENTS = table(Comment)
COMMENT_REACTIONS = table(CommentReaction)
COMMENT_MENTIONS = table(CommentMention)
_NOT_SHOWN = {"subject_id", "user_id", "emoji", "comment_id", "reply_id"}
USERS, MEMBERS = table(User), table(Member)


class Posted(Protocol):
    """A comment or a reply."""

    @property
    def posted_by(self) -> str: ...


class ReactionRow(Protocol):
    """A reaction of somebody to a comment or reply."""

    subject_id: str
    user_id: str
    emoji: str
    reacted_at: datetime


class CommentRow(Protocol):
    """A comment; what is around it stands beside the page of the list that it is in (see `around`)."""

    id: str
    space_id: str
    change_request_id: str | None
    revision_id: str
    review_id: str | None
    preview: str | None
    posted_by: str
    resolved_by: str | None
    replies: int


class ReplyRow(Protocol):
    """A reply to a comment; what is around it stands beside the page of the list that it is in."""

    id: str
    comment_id: str
    change_request_id: str | None
    posted_by: str


class Around:
    """The people, reactions and mentions around some comments or replies, from the columns of `around`.

    `shown` is for whoever shows them: a person who is named a hundred times is shown once.
    """

    __slots__ = ("_mentions", "_reactions", "people", "shown")

    def __init__(self, row: Any) -> None:
        self.people: dict[str, User] = {person.id: person for person in row.people}
        self.shown: dict[str, dict[str, Any]] = {}
        self._reactions = _by_subject(row.reactions)
        self._mentions = _by_subject(row.mentions)

    def reactions(self, subject_id: str) -> Sequence[ReactionRow]:
        """Return the reactions to a comment or reply, the first one first."""
        return self._reactions.get(subject_id, ())

    def mentioned(self, subject_id: str) -> list[str]:
        """Return the ids of the members whom a comment or reply mentions."""
        return [each.user_id for each in self._mentions.get(subject_id, ())]


def _by_subject(rows: Sequence[Any]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for row in rows:
        found.setdefault(row.subject_id, []).append(row)
    return found


def in_place(view: View, t: Any) -> ColumnElement[bool]:
    """Return the comments or replies of a place."""
    request = t.c.change_request_id
    return and_(
        t.c.space_id == SPACES.c.id, request == CHANGE_REQUESTS.c.id if view is REQUEST else request.is_(None)
    )


def around(t: Any, page: Select[Any]) -> list[Label[Any]]:
    """Return what is around a page of comments or replies: the `reactions` to them, the `mentions` of who is
    still a member, and all their `people`, each once.
    """
    written = [t.c[name] for name in ("posted_by", "resolved_by") if name in t.c]
    found = page.with_only_columns(t.c.id, *written).correlate(*PLACES).subquery()
    reacted = COMMENT_REACTIONS.c.subject_id.in_(select(found.c.id))
    reactions = (
        select(COMMENT_REACTIONS.c.subject_id, COMMENT_REACTIONS.c.user_id, COMMENT_REACTIONS.c.emoji)
        .add_columns(*shown(CommentReaction, besides=_NOT_SHOWN))
        .where(reacted)
        .order_by(COMMENT_REACTIONS.c.reacted_at, COMMENT_REACTIONS.c.emoji, COMMENT_REACTIONS.c.user_id)
    )
    mentioned = COMMENT_MENTIONS.c.subject_id.in_(select(found.c.id))
    mentions = (
        select(COMMENT_MENTIONS.c.subject_id, COMMENT_MENTIONS.c.user_id)
        .join(MEMBERS, MEMBERS.c.user_id == COMMENT_MENTIONS.c.user_id)
        .where(mentioned, MEMBERS.c.organization_id == SPACES.c.organization_id)
        .order_by(COMMENT_MENTIONS.c.position)
    )
    ids = union(
        *(select(found.c[column.name]) for column in written),
        select(COMMENT_REACTIONS.c.user_id).where(reacted),
        select(COMMENT_MENTIONS.c.user_id).where(mentioned),
    )
    people = select(USERS.c.id, USERS.c.email, USERS.c.display_name, USERS.c.photo_url)
    columns = {"people": people.where(USERS.c.id.in_(ids)), "reactions": reactions, "mentions": mentions}
    return [nested(each.correlate(*PLACES), name) for name, each in columns.items()]


def permissions(cx: Context, space: Any, written: Posted) -> dict[str, bool]:
    """Return what the caller may do with a comment or reply that they see."""
    held = level_on(cx, Space, space) or Level.NONE
    discusses = held >= SPACE["comment"] and not cx.actor.read_only
    own = discusses and written.posted_by == cx.actor.user_id
    return {
        "view": held >= SPACE["view"],
        "edit": own,
        "reply": discusses,
        "delete": own or (discusses and held >= SPACE["admin"]),
    }


def require(cx: Context, space: Any, written: Posted, right: str) -> None:
    """Refuse unless the caller may do this with a comment or reply; raises Forbidden."""
    if not permissions(cx, space, written)[right]:
        permit(cx, Space, space, can="comment")
        raise Forbidden("It belongs to somebody else.")


def require_settling(cx: Context, space: Any, comment: Posted) -> None:
    """Refuse unless the caller may resolve a comment and reopen it: its author may, and whoever may edit."""
    own = comment.posted_by == cx.actor.user_id
    permit(cx, Space, space, can="comment" if own else "edit")


async def words(body: Body) -> str:
    """Return the Markdown of a comment or reply; raises Invalid for none, and for too much."""
    text = await text_of(body, "body")
    if not text.strip():
        raise Invalid("The body is empty.", path="body")
    check(text, "body")
    return text


def check(text: str, path: str) -> None:
    """Refuse, naming `path`, what is too much for a comment or reply."""
    if len(text) > LONGEST:
        raise Invalid(f"A comment may have at most {LONGEST:,} characters.", path=path)
    if text.count("[") > MOST_BRACKETS:
        raise Invalid(f"A comment may have at most {MOST_BRACKETS:,} brackets.", path=path)


async def bodies(written: Sequence[Any], format: str) -> dict[str, dict[str, Any]]:
    """Return the bodies of comments or replies by their ids, in the form asked for.

    Structure costs a thousand times what Markdown does: from where it would be too much, they stay Markdown.
    """
    found: dict[str, dict[str, Any]] = {each.id: {"markdown": each.body} for each in written}
    if format == "markdown":
        return found
    affordable = _affordable(written)
    try:
        return found | await workers.run(sum(len(each.body) for each in affordable), _structured, affordable)
    except OverBudget:
        return found


def _affordable(written: Sequence[Any]) -> list[Any]:
    sizes = accumulate(len(each.body) for each in written)
    return [each for each, size in zip(written, sizes, strict=True) if size <= BUDGET]


def _structured(written: Sequence[Any]) -> dict[str, dict[str, Any]]:
    from app.domain.content.pages import structured

    return {each.id: {"document": structured(each.body)} for each in written}


def _counting(model: type[SQLModel]) -> Any:
    t = table(model)
    both = {name: t.c[name] + given(name) for name in ("comments", "comments_resolved")}
    return update(t).values(**both).where(t.c.id == given("place"))


def note_change(
    cx: Context, action: CommentAction, space: Any, comment: Any, *, reply_id: str | None = None
) -> None:
    """Note a change of a comment, or of a reply to it, for the feed."""
    cx.changed(
        "comment",
        action,
        space.organization_id,
        space_id=space.id,
        change_request_id=comment.change_request_id,
        comment_id=comment.id,
        reply_id=reply_id,
        page_id=comment.page_id,
    )


_COUNT = {model: command(partial(_counting, model)) for model in (Space, ChangeRequest)}


async def count(cx: Context, comment: Comment, *, open: int = 0, resolved: int = 0) -> None:
    """Keep the counters of the space, or of the change request, that a comment is in."""
    model: Any = Space if comment.change_request_id is None else ChangeRequest
    place = comment.change_request_id or comment.space_id
    await cx.tx.run(_COUNT[model], place=place, comments=open, comments_resolved=resolved)


MOST = 50  # different ones on one comment or reply
_REMOVE = command(
    lambda: delete(COMMENT_REACTIONS).where(
        COMMENT_REACTIONS.c.subject_id == given("subject"),
        COMMENT_REACTIONS.c.user_id == given("user"),
        among(COMMENT_REACTIONS.c.emoji, "emoji"),
    )
)


async def change_reaction(
    cx: Context,
    subject: Any,
    reactions: Sequence[ReactionRow],
    asked: CommentUpdate,
    *,
    comment_id: str,
    reply_id: str | None = None,
) -> None:
    """Take away and add the caller's reactions to a comment or reply (`subject`) that has these reactions.

    Raises Invalid for what is not an emoji, Conflict where there would be too many.
    """
    removed = _codes(asked.removed_reactions or (), "removedReactions")
    added = _codes(asked.added_reactions or (), "addedReactions")
    there = {reaction.emoji for reaction in reactions}
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
