"""Who commented or replied in a place and still belongs to the organization."""

from __future__ import annotations

from typing import Any

from sqlalchemy import CTE, ColumnElement, Integer, Select, exists, false, or_, select

from app.access.context import Context
from app.domain.content import content
from app.domain.content.views import REQUEST, View, Where
from app.domain.organizations.member_rows import with_numbers
from app.kit import workers
from app.kit.database.paging import Page
from app.kit.database.sql import among
from app.kit.database.statements import given, rows, table
from app.models.change_requests import ChangeRequest
from app.models.comment_replies import CommentReply
from app.models.comments import Comment, CommentMention
from app.models.organizations import Member
from app.models.queries import PageQuery
from app.models.spaces import Space

_m = table(Member)
_here, _request = table(Space).alias("here"), table(ChangeRequest).alias("request")


def _organization() -> Any:
    """Return the organization of the space that the list is in."""
    return select(_here.c.organization_id).where(_here.c.id == given("inside")).scalar_subquery()


def _in_request(t: Any, view: View) -> ColumnElement[bool]:
    """Return what is said in the change request (see `views.is_request`), or in the space itself."""
    if view is not REQUEST:
        return t.c.change_request_id.is_(None)  # type: ignore[no-any-return]
    named = or_(_request.c.id == given("at_request"), _request.c.number == given("at_number", Integer()))
    found = select(_request.c.id).where(_request.c.space_id == given("inside"), named)
    return t.c.change_request_id == found.scalar_subquery()  # type: ignore[no-any-return]


def _members(view: View) -> Select[Any]:
    said = [
        exists()
        .where(t.c.space_id == given("inside"), _in_request(t, view), t.c.posted_by == _m.c.user_id)
        .correlate_except(t)
        for t in (table(Comment), table(CommentReply))
    ]
    return select(*_m.c).where(_m.c.organization_id == _organization(), or_(*said))


def _completed(found: CTE) -> Select[Any]:
    return with_numbers(found, _organization())


_LIST = content.listing("commenters", Member, _members, lambda: [_m.c.user_id], completed=_completed)


async def list_commenters(cx: Context, where: Where, query: PageQuery) -> Page[Any]:
    """List the members who commented or replied in a space.

    Those who did so in one of its change requests are listed with that.
    """
    return (await content.page_of(cx, where, _LIST, query.paging))[1]


MOST = 50
_MEMBERS = rows(
    lambda: select(_m.c.user_id).where(
        _m.c.organization_id == given("organization"), _m.c.disabled == false(), among(_m.c.user_id, "users")
    )
)


async def note_mentions(
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
    from app.formats.markdown.nodes import walk
    from app.formats.markdown.parser import to_document

    found = [
        str((node["data"].get("ref") or {}).get("user", ""))
        for node in walk(to_document(text))
        if node.get("type") == "mention"
    ]
    return [user for user in dict.fromkeys(found) if user and len(user) <= 100][:MOST]
