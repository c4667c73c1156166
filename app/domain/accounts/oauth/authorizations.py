"""Authorizations: a code that is used once, and the family of tokens that follows from it.

A family ends as a whole: its row is deleted, and everything refers to that row. A transaction that gives a
token to a family that another one ends meanwhile fails, or starts again and finds no family.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import case, delete, select, update

from app.access.audiences import Audience
from app.access.context import Context
from app.domain.accounts import tokens
from app.domain.accounts.tokens import TokenLimits
from app.kit.database.columns import Instant
from app.kit.database.statements import command, given, rows, table
from app.kit.ids import new_id
from app.kit.signing import new_access_token, new_secret, token_hash
from app.models.access import Token
from app.models.oauth import OAuthAuthorization, OAuthGrant, OAuthRefreshToken

CODE = timedelta(seconds=60)
OAUTH_AUTHORIZATIONS, OAUTH_GRANTS, OAUTH_REFRESH_TOKENS, TOKENS = (
    table(OAuthAuthorization),
    table(OAuthGrant),
    table(OAuthRefreshToken),
    table(Token),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The request of an application: scopes, and the part of this server that its tokens are for."""

    scopes: Sequence[str]
    audience: Audience


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """A code on its way to an application."""

    secret: str
    redirect_uri: str
    challenge: str


@dataclass(frozen=True, slots=True)
class SignedInWith:
    """The identity provider that answered for the person, and until when, where that was how they came."""

    provider_id: str | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Pair:
    """The tokens that an application gets."""

    access: str
    refresh: str
    seconds: int


@dataclass(frozen=True, slots=True)
class _Provider:
    id: str
    organization_id: str


def _of_client() -> Any:
    """Return the authorizations of one application."""
    return (
        select(OAUTH_AUTHORIZATIONS.c.id)
        .join(OAUTH_GRANTS, OAUTH_GRANTS.c.id == OAUTH_AUTHORIZATIONS.c.grant_id)
        .where(OAUTH_GRANTS.c.application_id == given("client"))
    )


_WHOLE = rows(
    lambda: (
        select(
            *OAUTH_AUTHORIZATIONS.c,
            OAUTH_GRANTS.c.user_id,
            OAUTH_GRANTS.c.organization_id,
            OAUTH_GRANTS.c.application_id,
        )
        .join(OAUTH_GRANTS, OAUTH_GRANTS.c.id == OAUTH_AUTHORIZATIONS.c.grant_id)
        .where(OAUTH_AUTHORIZATIONS.c.id == given("id"))
    )
)
_USE_CODE = rows(
    lambda: (
        update(OAUTH_AUTHORIZATIONS)
        .where(OAUTH_AUTHORIZATIONS.c.code_hash == given("hash"), OAUTH_AUTHORIZATIONS.c.id.in_(_of_client()))
        .values(code_uses=OAUTH_AUTHORIZATIONS.c.code_uses + 1)
        .returning(
            OAUTH_AUTHORIZATIONS.c.id,
            OAUTH_AUTHORIZATIONS.c.code_uses,
            OAUTH_AUTHORIZATIONS.c.code_expires_at,
        )
    )
)
_USE_REFRESH = rows(
    lambda: (
        update(OAUTH_REFRESH_TOKENS)
        .where(
            OAUTH_REFRESH_TOKENS.c.hash == given("hash"),
            OAUTH_REFRESH_TOKENS.c.authorization_id.in_(_of_client()),
        )
        .values(
            uses=OAUTH_REFRESH_TOKENS.c.uses + 1,
            used_at=case(
                (OAUTH_REFRESH_TOKENS.c.uses == 0, given("now", Instant())),
                else_=OAUTH_REFRESH_TOKENS.c.used_at,
            ),
        )
        .returning(*OAUTH_REFRESH_TOKENS.c)
    )
)
_REFRESH = rows(lambda: select(*OAUTH_REFRESH_TOKENS.c).where(OAUTH_REFRESH_TOKENS.c.hash == given("hash")))
_FORGET = command(
    lambda: delete(OAUTH_AUTHORIZATIONS).where(
        OAUTH_AUTHORIZATIONS.c.grant_id == given("grant"),
        OAUTH_AUTHORIZATIONS.c.expires_at < given("now", Instant()),
    )
)
_FORGET_REFRESH = command(
    lambda: delete(OAUTH_REFRESH_TOKENS).where(
        OAUTH_REFRESH_TOKENS.c.authorization_id == given("id"),
        OAUTH_REFRESH_TOKENS.c.expires_at < given("now", Instant()),
    )
)
_FORGET_ACCESS = command(
    lambda: delete(TOKENS).where(
        TOKENS.c.authorization_id == given("id"), TOKENS.c.expires_at < given("now", Instant())
    )
)
_HELD = rows(
    lambda: (
        select(OAUTH_REFRESH_TOKENS.c.authorization_id, OAUTH_GRANTS.c.application_id)
        .join(OAUTH_AUTHORIZATIONS, OAUTH_AUTHORIZATIONS.c.id == OAUTH_REFRESH_TOKENS.c.authorization_id)
        .join(OAUTH_GRANTS, OAUTH_GRANTS.c.id == OAUTH_AUTHORIZATIONS.c.grant_id)
        .where(OAUTH_REFRESH_TOKENS.c.hash == given("hash"))
    )
)
_HELD_ACCESS = rows(
    lambda: (
        select(TOKENS.c.id, OAUTH_GRANTS.c.application_id)
        .join(OAUTH_AUTHORIZATIONS, OAUTH_AUTHORIZATIONS.c.id == TOKENS.c.authorization_id)
        .join(OAUTH_GRANTS, OAUTH_GRANTS.c.id == OAUTH_AUTHORIZATIONS.c.grant_id)
        .where(TOKENS.c.hash == given("hash"))
    )
)


async def begin(
    cx: Context, grant_id: str, asked: Asked, came: SignedInWith, code: Code | None = None
) -> str:
    """Begin an authorization under a grant, with a code unless it is a device's; return its id."""
    await cx.tx.run(_FORGET, grant=grant_id, now=cx.now)
    made = await cx.tx.add(
        OAuthAuthorization,
        id=new_id(),
        grant_id=grant_id,
        scopes=list(asked.scopes),
        audience=asked.audience,
        code_hash=code and token_hash(code.secret),
        code_uses=0,
        code_expires_at=code and cx.now + CODE,
        redirect_uri=code and code.redirect_uri,
        challenge=code and code.challenge,
        sso_provider_id=came.provider_id,
        ends_at=came.until if came.provider_id else None,
        expires_at=cx.now + timedelta(days=1),  # the first tokens extend it
        created_at=cx.now,
    )
    return made.id


async def end(cx: Context, authorization_id: str) -> None:
    """End a family of tokens."""
    await cx.tx.remove(OAuthAuthorization, id=authorization_id)


async def get(cx: Context, authorization_id: str) -> Any | None:
    """Return an authorization with its person, organization and application."""
    return await cx.db.first(_WHOLE, id=authorization_id)


async def use_code(cx: Context, client_id: str, secret: str) -> Any | None:
    """Return what a code of this application was given for; None if it is good no more.

    A second use ends the tokens that came of the first: somebody else has the code too.
    """
    used = await cx.tx.first(_USE_CODE, hash=token_hash(secret), client=client_id)
    if used is None:
        return None
    if used.code_uses > 1:
        await end(cx, used.id)
        return None
    return await get(cx, used.id) if used.code_expires_at > cx.now else None


async def use_refresh(cx: Context, client_id: str, secret: str) -> Any | None:
    """Return the authorization that a refresh token of this application belongs to; None if it is used up.

    A second use ends the family, for one of the two who have the token has stolen it. Within some seconds it
    does not: tabs of one browser refresh at the same time, and answers get lost. The token that follows is
    the same then (see `issue`), so that the family stays one line, in which the next reuse is noticed.
    """
    used = await cx.tx.first(_USE_REFRESH, hash=token_hash(secret), client=client_id, now=cx.now)
    if used is None or used.expires_at <= cx.now:
        return None
    if used.uses > 1 and not await _is_repeated(cx, secret, used):
        await end(cx, used.authorization_id)
        return None
    found = await get(cx, used.authorization_id)
    return None if found is None or (found.ends_at and found.ends_at <= cx.now) else found


async def _is_repeated(cx: Context, secret: str, used: Any) -> bool:
    if cx.now - used.used_at > timedelta(seconds=cx.settings.oauth_refresh_grace) or (
        cx.settings.oauth_refresh_grace == 0
    ):
        return False
    following = await cx.db.first(_REFRESH, hash=token_hash(_following(cx, secret)))
    return following is not None and following.uses == 0


def _following(cx: Context, secret: str) -> str:
    """Return the refresh token after this one; only this server can tell."""
    return f"dcr_{cx.signer.fingerprint('oauth refresh', secret)}"


async def issue(
    cx: Context, found: Any, *, application: str, scopes: Sequence[str], after: str | None = None
) -> Pair:
    """Give an authorization an access token with these scopes, and the refresh token that follows `after`."""
    await cx.tx.run(_FORGET_ACCESS, id=found.id, now=cx.now)
    await cx.tx.run(_FORGET_REFRESH, id=found.id, now=cx.now)
    access, refresh = new_access_token(), _following(cx, after) if after else new_secret("r")
    until = _earlier(cx.now + timedelta(minutes=cx.settings.oauth_token_minutes), found.ends_at)
    lasting = _earlier(cx.now + timedelta(days=cx.settings.oauth_refresh_days), found.ends_at)
    await cx.tx.put(OAuthAuthorization, {"expires_at": max(until, lasting)}, id=found.id)
    held = {"hash": token_hash(refresh), "authorization_id": found.id, "uses": 0, "expires_at": lasting}
    await cx.tx.add_many(OAuthRefreshToken, [held], missing=True)
    limits = TokenLimits(
        organization_id=found.organization_id,
        scopes=scopes,
        is_agent=found.audience == "mcp",
        until=until,
    )
    provider = found.sso_provider_id and _Provider(found.sso_provider_id, found.organization_id)
    await tokens.give(
        cx,
        found.user_id,
        access,
        name=application,
        kind="oauth",
        limits=limits,
        provider=provider,
        authorization_id=found.id,
        audience=found.audience,
    )
    return Pair(access, refresh, int((until - cx.now).total_seconds()))


def _earlier(moment: datetime, end: datetime | None) -> datetime:
    return min(moment, end) if end else moment


async def held_by(cx: Context, secret: str) -> tuple[str, str, bool] | None:
    """Return the application that holds a token, the id of the token or of its family, and whether it is a
    refresh token, which stands for its family."""
    found = await cx.db.first(_HELD, hash=token_hash(secret))
    if found is not None:
        return found.application_id, found.authorization_id, True
    found = await cx.db.first(_HELD_ACCESS, hash=token_hash(secret))
    return None if found is None else (found.application_id, found.id, False)
