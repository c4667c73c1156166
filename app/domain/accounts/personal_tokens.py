"""Tokens as people manage them: their own, and, for administrators, those that open one organization alone.

No token makes one that opens more than itself: a person creates tokens in a browser in which they are signed
in, or with a token that opens everything they may do. What is limited to an organization knows of the tokens
that are limited to it, too, and of no others. Sessions are managed apart (see `sessions`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, or_, select

from app.access.context import Actor, Context, Membership
from app.access.fetch import permit_in
from app.access.scopes import OPERATION, READ, WRITE, refuse_narrowed
from app.domain.accounts import tokens
from app.domain.accounts.tokens import TokenLimits
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import among
from app.kit.database.statements import given, query, rows, table
from app.kit.errors import Forbidden, Invalid, NotFound
from app.kit.signing import new_token
from app.models.access import Token
from app.models.accounts import TokenCreate, TokenUpdate
from app.models.queries import PageQuery
from app.models.spaces import Space

TOKENS, SPACES = table(Token), table(Space)
UNKNOWN = "There is no such token."


def _no_sessions(*conditions: ColumnElement[bool]) -> Select[Any]:
    return select(*TOKENS.c).where(TOKENS.c.kind != "session", *conditions)


def _own() -> tuple[ColumnElement[bool], ...]:
    only = given("only")
    return TOKENS.c.user_id == given("user"), or_(only == "", TOKENS.c.organization_id == only)


_OF_ORGANIZATION = TOKENS.c.organization_id == given("organization")
_MINE = Listing("tokens", Token, lambda: _no_sessions(*_own()), order=lambda: [TOKENS.c.id])
_ONE_OF_MINE = query(Token, lambda: _no_sessions(*_own(), TOKENS.c.id == given("id")))
_THEIRS = Listing(
    "tokens of an organization", Token, lambda: _no_sessions(_OF_ORGANIZATION), order=lambda: [TOKENS.c.id]
)
_ONE_OF_THEIRS = query(Token, lambda: _no_sessions(_OF_ORGANIZATION, TOKENS.c.id == given("id")))
_CALLERS = query(Token, lambda: select(*TOKENS.c).where(TOKENS.c.id == given("id")))
_SPACES = rows(lambda: select(*SPACES.c).where(among(SPACES.c.id, "spaces"), SPACES.c.deleted_at.is_(None)))


class Issuer(NamedTuple):
    """The identity provider that a token ends with, and its organization."""

    id: str
    organization_id: str


@dataclass(frozen=True, slots=True)
class CreatedToken:
    """A new token, and its secret, which is stored nowhere."""

    token: Token
    secret: str


async def list_mine(cx: Context, query: PageQuery) -> Page[Token]:
    """List the tokens of the caller, oldest first.

    Sessions of browsers are no tokens in this sense. A token that is limited to an organization lists those
    that are limited to it.
    """
    return await _MINE.page(cx.db, query.paging, cx.tokens, **own_only(cx.actor))


async def get(cx: Context, token_id: str) -> Token:
    """Get a token of the caller."""
    found = await cx.db.first(_ONE_OF_MINE, id=token_id, **own_only(cx.actor))
    if found is None:
        raise NotFound(UNKNOWN)
    return found


async def create(cx: Context, new: TokenCreate) -> CreatedToken:
    """Create a token of the caller with the given limits. Its secret is shown only once.

    In a session that an organization's identity provider began, the token is limited to the organization and
    ends with the session. Raises Forbidden for a narrowed token, which creates none.
    """
    own = await _caller(cx)
    limits = await _limits(cx, own, new)
    secret = new_token()
    issuer = Issuer(own.sso_provider_id, own.sso_organization_id or "") if own.sso_provider_id else None
    made = await tokens.give(cx, cx.actor.user_id, secret, name=new.name, limits=limits, provider=issuer)
    _note(cx, made)
    return CreatedToken(made, secret)


async def update(cx: Context, token_id: str, change: TokenUpdate) -> Token:
    """Rename a token of the caller or change its expiry. Its limits cannot be changed.

    Raises Forbidden for a narrowed token, which changes none.
    """
    own = await _caller(cx)
    found = await get(cx, token_id)
    values = change.sent()
    if "expires_at" in values:
        values["expires_at"] = _end(cx, own, change.expires_at)
    _note(cx, found)
    return await cx.tx.change(Token, values, id=found.id) if values else found


async def revoke(cx: Context, token_id: str) -> None:
    """Revoke a token of the caller. It stops working immediately."""
    found = await get(cx, token_id)
    _note(cx, found)
    await tokens.revoke(cx, found.id)


async def list_in_organization(cx: Context, organization_id: str, query: PageQuery) -> Page[Token]:
    """List the tokens that open this organization alone, oldest first.

    Tokens that open more belong to their people only.
    """
    permit_in(cx, organization_id, can="admin")
    return await _THEIRS.page(cx.db, query.paging, cx.tokens, organization=organization_id)


async def get_in_organization(cx: Context, organization_id: str, token_id: str) -> Token:
    """Get a token that is limited to this organization."""
    permit_in(cx, organization_id, can="admin")
    found = await cx.db.first(_ONE_OF_THEIRS, organization=organization_id, id=token_id)
    if found is None:
        raise NotFound(UNKNOWN)
    return found


async def revoke_in_organization(cx: Context, organization_id: str, token_id: str) -> None:
    """Revoke a token that is limited to this organization, whoever owns it."""
    found = await get_in_organization(cx, organization_id, token_id)
    await tokens.revoke(cx, found.id)


async def check_spaces(
    cx: Context, memberships: Sequence[Membership], spaces: Sequence[str], organization_id: str | None
) -> str:
    """Return the organization of the spaces that a token is to be limited to.

    Raises Invalid for a space that the person with these memberships does not see, and where the spaces are
    not all of one organization, the given one if there is one.
    """
    found = {row.id: row for row in await cx.db.all(_SPACES, spaces=sorted(set(spaces)))}
    held = {each.organization_id: each for each in memberships if not each.closed}
    for n, space_id in enumerate(spaces):
        space = found.get(space_id)
        if space is None or space.organization_id not in held or not held[space.organization_id].on(space):
            raise Invalid("There is no such space.", path=f"spaces.{n}")
        organization_id = organization_id or space.organization_id
        if space.organization_id != organization_id:
            raise Invalid(
                "This space belongs to a different organization than the token.", path=f"spaces.{n}"
            )
    assert organization_id is not None
    return organization_id


def scopes_of(
    scopes: Sequence[str] | None, operations: Sequence[str] | None, *, is_agent: bool
) -> list[str] | None:
    """Return the scopes of a token as they are stored: with those of operations that it opens by name."""
    if not operations:
        return list(dict.fromkeys(scopes)) if scopes else None
    named = (f"{OPERATION}{each}" for each in operations)
    return list(dict.fromkeys([*(scopes or ((READ, WRITE) if is_agent else ())), *named]))


def own_only(actor: Actor) -> dict[str, Any]:
    """Return the values that say which tokens and sessions the caller knows of; raises Forbidden for none."""
    refuse_narrowed(actor)
    return {"user": actor.user_id, "only": actor.only_organization or ""}


async def _caller(cx: Context) -> Token:
    """Return the token or session of the caller; raises Forbidden for one that may not create others."""
    own_only(cx.actor)
    if cx.actor.only_organization is not None and not cx.actor.is_session:
        raise Forbidden("A limited token cannot create or change tokens. Sign in, or use an unlimited token.")
    own = await cx.db.first(_CALLERS, id=cx.actor.token_id)
    if own is None:
        raise Forbidden("Only people can create and change tokens.")
    return own


async def _limits(cx: Context, own: Token, new: TokenCreate) -> TokenLimits:
    organization_id = new.organization or cx.actor.only_organization
    if organization_id is not None:
        membership = cx.actor.memberships.get(organization_id)
        if membership is None or membership.closed:
            raise Invalid(
                (membership and membership.closed) or "There is no such organization.", path="organization"
            )
    spaces = list(dict.fromkeys(new.spaces)) if new.spaces else None
    if spaces is not None:
        held = list(cx.actor.memberships.values())
        organization_id = await check_spaces(cx, held, spaces, organization_id)
    return TokenLimits(
        read_only=new.read_only,
        organization_id=organization_id,
        spaces=spaces,
        scopes=scopes_of(new.scopes, new.operations, is_agent=new.is_agent),
        is_agent=new.is_agent,
        until=_end(cx, own, new.expires_at),
    )


def _end(cx: Context, own: Token, wanted: datetime | None) -> datetime | None:
    """Return when a token ends: as wanted, or as late as it may; raises Invalid for what it may not."""
    is_bounded = own.kind != "session" or own.sso_provider_id is not None
    latest = own.expires_at if is_bounded else None
    if wanted is None:
        return latest
    if wanted <= cx.now:
        raise Invalid("This time has passed.", path="expiresAt")
    if latest is not None and wanted > latest:
        what = "session" if own.kind == "session" else "token"
        raise Invalid(f"This is later than the {what} ends that you call with.", path="expiresAt")
    return wanted


def _note(cx: Context, token: Token) -> None:
    """Note for the audit log of the organization that a token is limited to what the call is about."""
    if token.organization_id is not None:
        cx.note("token", token.id, token.organization_id, token.name)
