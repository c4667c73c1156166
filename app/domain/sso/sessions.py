"""What signing in gives: a session for the browser and, where asked for, a token for the caller.

Both are rows of tokens, so that both end, are revoked and are limited in the same way; which of the two a
secret is, it says itself (see kit.signing).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import delete, select

from app.access.context import Context
from app.domain.organizations import users
from app.kit.database.columns import Instant
from app.kit.database.statements import command, given, rows, table
from app.kit.errors import Unauthenticated
from app.kit.signing import new_session, new_token, token_hash
from app.models.access import Token
from app.models.organizations import Organization
from app.models.users import User

_k, _u, _o = table(Token), table(User), table(Organization)
_FORGET = command(
    lambda: delete(_k).where(
        _k.c.user_id == given("user"),
        _k.c.sso_organization_id.is_not(None),
        _k.c.expires_at < given("now", Instant()),
    )
)
_SESSION = rows(
    lambda: (
        select(*_u.c, _k.c.expires_at, _o.c.id.label("organization"), _o.c.title)
        .select_from(_k)
        .join(_u, _u.c.id == _k.c.user_id)
        .join(_o, _o.c.id == _k.c.sso_organization_id)
        .where(_k.c.hash == given("hash"))
    )
)


@dataclass(frozen=True, slots=True)
class SignedIn:
    """Somebody who has signed in: until when, and with what; `token` is empty where none was asked for."""

    user: User
    organization_id: str
    organization: str
    until: datetime
    session: str
    token: str


async def begin(
    cx: Context,
    user: User,
    provider: Any,
    until: datetime,
    *,
    with_token: bool,
) -> SignedIn:
    """Let somebody in for whom a provider answered, and forget what of theirs is over.

    The provider's row has the title of its organization beside it.
    """
    await cx.tx.run(_FORGET, user=user.id, now=cx.now)
    session, token = new_session(), new_token() if with_token else ""
    await _give(cx, user, provider, session, "browser session", until)
    if token:
        await _give(cx, user, provider, token, "single sign-on", until)
    organization = provider.organization_id, provider.organization_title
    return SignedIn(user, *organization, until, session, token)


async def end_all(cx: Context, provider_id: str) -> None:
    """Revoke every session and token that an identity provider issued."""
    await cx.tx.remove(Token, sso_provider_id=provider_id)


async def get(cx: Context, secret: str) -> SignedIn:
    """Return who is signed in with this session; raises Unauthenticated."""
    found = await cx.db.first(_SESSION, hash=token_hash(secret))
    if found is None or found.expires_at <= cx.now:
        raise Unauthenticated("Nobody is signed in in this browser.")
    return SignedIn(found, found.organization, found.title, found.expires_at, secret, "")


async def end(cx: Context, secret: str) -> None:
    """End a browser's session; tokens that were given live on."""
    await cx.tx.remove(Token, hash=token_hash(secret))


async def _give(cx: Context, user: User, provider: Any, secret: str, name: str, until: datetime) -> None:
    await users.give_token(
        cx,
        user,
        secret,
        name=name,
        organization_id=provider.organization_id,
        until=until,
        provider=provider,
    )
