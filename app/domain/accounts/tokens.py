"""The tokens that callers are known by: personal ones, sessions of browsers, those of applications.

All are rows of one table, so that all are narrowed, limited, listed and revoked in the same way. What a
secret is, it says itself (see kit.signing).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, select

from app.access.context import Context
from app.kit.database.statements import given, rows, table
from app.kit.errors import NotFound
from app.kit.ids import new_id
from app.kit.signing import new_token, token_hash
from app.models.access import Token, TokenKind
from app.models.users import User

TOKENS, USERS = table(Token), table(User)
_TOKENS = rows(
    lambda: (
        select(*(c for c in TOKENS.c if c.name != "hash"), USERS.c.email)
        .join(USERS, USERS.c.id == TOKENS.c.user_id)
        .order_by(TOKENS.c.id)
    )
)
_REVOKE = rows(
    lambda: delete(TOKENS).where(TOKENS.c.id == given("id")).returning(TOKENS.c.id, TOKENS.c.authorization_id)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenLimits:
    """The reach of a token: everything that its person may do, unless it is narrowed."""

    read_only: bool = False
    organization_id: str | None = None
    spaces: Sequence[str] | None = None
    scopes: Sequence[str] | None = None
    is_agent: bool = False
    until: datetime | None = None
    idle: timedelta | None = None


async def create(
    cx: Context,
    user: User,
    *,
    name: str = "",
    read_only: bool = False,
    organization_id: str | None = None,
    spaces: Sequence[str] | None = None,
    scopes: Sequence[str] | None = None,
    is_agent: bool = False,
    days: int | None = None,
    secret: str | None = None,
) -> str:
    """Give a person a token, narrowed as asked, and return it: it is shown this once and kept as a hash."""
    secret = secret or new_token()
    until = cx.now + timedelta(days=days) if days else None
    limits = TokenLimits(
        read_only=read_only,
        organization_id=organization_id,
        spaces=spaces,
        scopes=scopes,
        is_agent=is_agent,
        until=until,
    )
    await give(cx, user.id, secret, name=name, limits=limits)
    return secret


async def give(
    cx: Context,
    user_id: str,
    secret: str,
    *,
    name: str,
    limits: TokenLimits,
    kind: TokenKind = "personal",
    provider: Any = None,
    user_agent: str | None = None,
    address: str | None = None,
    authorization_id: str | None = None,
    audience: str | None = None,
) -> Token:
    """Make a secret a person's token.

    One got by single sign-on was issued by an identity `provider`. One of an application belongs to an
    authorization, and opens its `audience` only.
    """
    return await cx.tx.add(
        Token,
        hash=token_hash(secret),
        id=new_id(),
        user_id=user_id,
        name=name,
        kind=kind,
        read_only=limits.read_only,
        organization_id=limits.organization_id,
        spaces=limits.spaces and list(limits.spaces),
        scopes=None if limits.scopes is None else list(limits.scopes),
        is_agent=limits.is_agent,
        user_agent=user_agent,
        address=address,
        idle_seconds=limits.idle and int(limits.idle.total_seconds()),
        created_at=cx.now,
        expires_at=limits.until,
        last_used_at=None,
        sso_organization_id=provider and provider.organization_id,
        sso_provider_id=provider and provider.id,
        authorization_id=authorization_id,
        audience=audience,
    )


async def every(cx: Context) -> list[Token]:
    """Return every token with its owner's address (`email`), oldest first; never the secrets."""
    return await cx.db.all(_TOKENS)


async def revoke(cx: Context, token_id: str) -> None:
    """Make a token worthless at once; raises NotFound.

    With the token of an application ends the authorization that it was given for: otherwise the application
    would refresh it.
    """
    revoked = await cx.tx.first(_REVOKE, id=token_id)
    if revoked is None:
        raise NotFound(f"There is no token {token_id}.")
    if revoked.authorization_id is not None:
        from app.models.oauth import OAuthAuthorization  # callers are found without it

        await cx.tx.remove(OAuthAuthorization, id=revoked.authorization_id)
