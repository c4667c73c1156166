"""The sessions of browsers.

A session is a row of tokens whose secret counts in a cookie only. It ends when it was not used for a while,
at the latest after some days, and with the identity provider that it came from. One got by an organization's
provider opens that organization alone; any other opens all that do not ask for single sign-on.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, select

from app.access import token_actors
from app.access.context import Context
from app.domain.accounts import tokens
from app.domain.accounts.tokens import TokenLimits
from app.kit.database.columns import Instant
from app.kit.database.statements import command, given, rows, table
from app.kit.errors import Unauthenticated
from app.kit.signing import new_session, new_token, token_hash
from app.models.access import Token
from app.models.organizations import Organization
from app.models.users import User

TOKENS, USERS, ORGANIZATIONS = table(Token), table(User), table(Organization)
_FORGET = command(
    lambda: delete(TOKENS).where(
        TOKENS.c.user_id == given("user"),
        TOKENS.c.kind == "session",
        TOKENS.c.expires_at < given("now", Instant()),
    )
)
_END_ALL = command(
    lambda: delete(TOKENS).where(TOKENS.c.user_id == given("user"), TOKENS.c.kind == "session")
)
_SESSION = rows(
    lambda: (
        select(
            *USERS.c,
            *(
                TOKENS.c.expires_at,
                TOKENS.c.idle_seconds,
                TOKENS.c.last_used_at,
                TOKENS.c.created_at.label("began_at"),
            ),
            *(
                TOKENS.c.id.label("token"),
                TOKENS.c.sso_provider_id,
                ORGANIZATIONS.c.id.label("organization"),
                ORGANIZATIONS.c.title,
            ),
        )
        .select_from(TOKENS)
        .join(USERS, USERS.c.id == TOKENS.c.user_id)
        .outerjoin(ORGANIZATIONS, ORGANIZATIONS.c.id == TOKENS.c.organization_id)
        .where(TOKENS.c.hash == given("hash"), TOKENS.c.kind == "session")
    )
)


@dataclass(frozen=True, slots=True)
class Browser:
    """The name that a browser gives itself, and the address that it calls from."""

    user_agent: str | None = None
    address: str | None = None


@dataclass(frozen=True, slots=True)
class SignedIn:
    """Somebody who has signed in: until when, and with what; `token` is empty where none was asked for.

    The organization is the one whose identity provider answered, which the session is limited to.
    """

    user: User
    organization_id: str | None
    organization: str | None
    until: datetime
    session: str
    token: str = ""
    provider_id: str | None = None


async def begin(cx: Context, user: User, browser: Browser) -> SignedIn:
    """Begin a session of a person who has proven who they are, and forget those of theirs that are over."""
    await cx.tx.run(_FORGET, user=user.id, now=cx.now)
    until, session = cx.now + timedelta(days=cx.settings.session_days), new_session()
    await _give(cx, user, session, TokenLimits(until=until), browser)
    return SignedIn(user, None, None, until, session)


async def begin_with_provider(
    cx: Context, user: User, provider: Any, until: datetime, browser: Browser, *, with_token: bool
) -> SignedIn:
    """Begin a session of somebody for whom an organization's identity provider answered.

    The provider's row has the title of its organization beside it. With a token, they get one that opens what
    the session does.
    """
    await cx.tx.run(_FORGET, user=user.id, now=cx.now)
    session, token = new_session(), new_token() if with_token else ""
    limits = TokenLimits(organization_id=provider.organization_id, until=until)
    await _give(cx, user, session, limits, browser, provider)
    if token:
        await tokens.give(cx, user.id, token, name="single sign-on", limits=limits, provider=provider)
    return SignedIn(user, provider.organization_id, provider.organization_title, until, session, token)


async def get(cx: Context, secret: str) -> SignedIn:
    """Return who is signed in with this session; raises Unauthenticated."""
    found = await cx.db.first(_SESSION, hash=token_hash(secret))
    if found is None or not _is_valid(found, cx.now):
        raise Unauthenticated("Nobody is signed in in this browser.")
    return SignedIn(
        found, found.organization, found.title, found.expires_at, secret, provider_id=found.sso_provider_id
    )


async def end(cx: Context, secret: str) -> None:
    """End a browser's session; tokens that were given live on."""
    await cx.tx.remove(Token, hash=token_hash(secret), kind="session")


async def end_all(cx: Context, user_id: str) -> None:
    """End all sessions of a person, in every browser."""
    await cx.tx.run(_END_ALL, user=user_id)


async def end_of_provider(cx: Context, provider_id: str) -> None:
    """Revoke every session and token that an identity provider issued."""
    await cx.tx.remove(Token, sso_provider_id=provider_id)


def _is_valid(found: Any, now: datetime) -> bool:
    used_at = found.last_used_at or found.began_at
    return token_actors.is_unexpired(found.expires_at, found.idle_seconds, used_at, now)


async def _give(
    cx: Context, user: User, secret: str, limits: TokenLimits, browser: Browser, provider: Any = None
) -> None:
    await tokens.give(
        cx,
        user.id,
        secret,
        name="browser session",
        kind="session",
        limits=replace(limits, idle=timedelta(days=cx.settings.session_idle_days)),
        provider=provider,
        user_agent=browser.user_agent and browser.user_agent[:300],
        address=browser.address,
    )
