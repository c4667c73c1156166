"""People who commented or replied in a place and are still members of the organization."""

from __future__ import annotations

from typing import Any

from sqlalchemy import CTE, ColumnElement, Integer, Select, exists, or_, select

from app.access.context import Context
from app.domain.content import content
from app.domain.content.views import REQUEST, View, Where
from app.domain.organizations.member_rows import sight, with_numbers
from app.kit.database.paging import Page
from app.kit.database.statements import given, table
from app.models.change_requests import ChangeRequest
from app.models.comments import Comment, CommentReply
from app.models.organizations import Member
from app.models.queries import PageQuery
from app.models.spaces import Space

MEMBERS = table(Member)
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
        .where(t.c.space_id == given("inside"), _in_request(t, view), t.c.posted_by == MEMBERS.c.user_id)
        .correlate_except(t)
        for t in (table(Comment), table(CommentReply))
    ]
    return select(*MEMBERS.c).where(MEMBERS.c.organization_id == _organization(), or_(*said))


def _completed(found: CTE) -> Select[Any]:
    return with_numbers(found, _organization())


_LIST = content.listing("commenters", Member, _members, lambda: [MEMBERS.c.user_id], completed=_completed)


async def list_commenters(cx: Context, where: Where, query: PageQuery) -> Page[Any]:
    """List the members who commented or replied in a space.

    Those who did so in one of its change requests are listed with that.
    """
    return (await content.page_of(cx, where, _LIST, query.paging, sight=sight(cx)))[1]
