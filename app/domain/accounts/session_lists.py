"""Sessions as people manage them: their own, and, for administrators, those that their provider began.

What is limited to an organization knows of the sessions that are limited to it, too, and of no others.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, delete, or_, select

from app.access.context import Context
from app.access.fetch import permit_in
from app.domain.accounts.personal_tokens import own_only
from app.kit.database.columns import Instant
from app.kit.database.paging import Listing, Page
from app.kit.database.statements import command, given, query, rows, table
from app.kit.errors import NotFound
from app.models.access import Token
from app.models.accounts import SessionsEnd
from app.models.organizations import Member
from app.models.queries import PageQuery

TOKENS, MEMBERS = table(Token), table(Member)
UNKNOWN = "There is no such session."


def _of_person() -> tuple[ColumnElement[bool], ...]:
    return TOKENS.c.kind == "session", TOKENS.c.user_id == given("user")


def _own() -> tuple[ColumnElement[bool], ...]:
    only = given("only")
    return *_of_person(), or_(only == "", TOKENS.c.organization_id == only)


def _of_member() -> tuple[ColumnElement[bool], ...]:
    return *_of_person(), TOKENS.c.sso_organization_id == given("organization")


def _valid() -> tuple[ColumnElement[bool], ...]:
    used = or_(
        TOKENS.c.last_used_at > given("used", Instant()), TOKENS.c.created_at > given("used", Instant())
    )
    return TOKENS.c.expires_at > given("now", Instant()), or_(TOKENS.c.idle_seconds.is_(None), used)


_MINE = Listing("sessions", Token, lambda: select(*TOKENS.c).where(*_own(), *_valid()), lambda: [TOKENS.c.id])
_OF_MEMBER = Listing(
    "sessions of a member",
    Token,
    lambda: select(*TOKENS.c).where(*_of_member(), *_valid()),
    lambda: [TOKENS.c.id],
)
_ONE = query(Token, lambda: select(*TOKENS.c).where(*_own(), *_valid(), TOKENS.c.id == given("id")))
_END = rows(
    lambda: delete(TOKENS).where(*_own(), TOKENS.c.id == given("id")).returning(TOKENS.c.organization_id)
)
_END_ALL = rows(
    lambda: (
        delete(TOKENS)
        .where(*_own(), TOKENS.c.id != given("kept"))
        .returning(TOKENS.c.id, TOKENS.c.organization_id)
    )
)
_END_OF_MEMBER = command(lambda: delete(TOKENS).where(*_of_member()))
_IS_MEMBER = rows(
    lambda: select(MEMBERS.c.user_id).where(
        MEMBERS.c.organization_id == given("organization"), MEMBERS.c.user_id == given("user")
    )
)


async def list_mine(cx: Context, query: PageQuery) -> Page[Token]:
    """List the browsers in which the caller is signed in, the oldest session first."""
    sight: dict[str, Any] = _since(cx)
    return await _MINE.page(cx.db, query.paging, cx.tokens, sight=sight, **own_only(cx.actor))


async def get(cx: Context, session_id: str) -> Token:
    """Get a session of the caller."""
    found = await cx.db.first(_ONE, id=session_id, **own_only(cx.actor), **_since(cx))
    if found is None:
        raise NotFound(UNKNOWN)
    return found


async def end(cx: Context, session_id: str) -> None:
    """End a session of the caller; tokens that were created in it live on."""
    ended = await cx.tx.all(_END, id=session_id, **own_only(cx.actor))
    if not ended:
        raise NotFound(UNKNOWN)
    _note(cx, session_id, ended[0].organization_id)


async def end_all(cx: Context, which: SessionsEnd) -> None:
    """Sign the caller out everywhere, or everywhere else; tokens live on."""
    kept = cx.actor.token_id if which.keep_current else ""
    for row in await cx.tx.all(_END_ALL, kept=kept, **own_only(cx.actor)):
        _note(cx, row.id, row.organization_id)


async def list_of_member(cx: Context, organization_id: str, user_id: str, query: PageQuery) -> Page[Token]:
    """List the sessions of a member that an identity provider of the organization began."""
    permit_in(cx, organization_id, can="admin")
    named = {"organization": organization_id, "user": user_id}
    found = await _OF_MEMBER.page(cx.db, query.paging, cx.tokens, sight=_since(cx), **named)
    if not found.count:
        await _require_member(cx, named)
    return found


async def end_of_member(cx: Context, organization_id: str, user_id: str) -> None:
    """End the sessions of a member that an identity provider of the organization began.

    What was opened otherwise stays open: disable the member to close the organization to it.
    """
    permit_in(cx, organization_id, can="admin")
    named = {"organization": organization_id, "user": user_id}
    await _require_member(cx, named)
    await cx.tx.run(_END_OF_MEMBER, **named)


async def _require_member(cx: Context, named: dict[str, str]) -> None:
    if await cx.db.first(_IS_MEMBER, **named) is None:
        raise NotFound("There is no such member.")


def _since(cx: Context) -> dict[str, datetime]:
    """Return since when a session has to be used, and must not have expired: to the hour, so that the pages
    of a list are of the same one."""
    hour = cx.now.replace(minute=0, second=0, microsecond=0)
    return {"now": hour, "used": hour - timedelta(days=cx.settings.session_idle_days)}


def _note(cx: Context, session_id: str, organization_id: str | None) -> None:
    if organization_id is not None:
        cx.note("session", session_id, organization_id)
