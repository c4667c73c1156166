"""Users, their profiles and their tokens."""

from __future__ import annotations

import re
import unicodedata
from datetime import datetime, timedelta

from sqlalchemy import delete, exists, or_, select

from app.access.context import Context
from app.access.rights import ORGANIZATION
from app.kit.database.sql import among
from app.kit.database.statements import given, query, rows, table
from app.kit.errors import Conflict, Forbidden, Invalid, NotFound
from app.kit.http.urls import canonical_email
from app.kit.ids import new_id
from app.kit.signing import new_token, token_hash
from app.models.access import Token
from app.models.organizations import Member
from app.models.sso import SamlProvider
from app.models.users import EMAIL_PATTERN, User, UserUpdate

_t = table(Token)
_u, _m = table(User), table(Member)
_SEEN = query(
    User,
    lambda: select(*_u.c).where(
        _u.c.id == given("id"),
        or_(
            _u.c.id == given("caller"),
            exists().where(_m.c.user_id == _u.c.id, among(_m.c.organization_id, "organizations")),
        ),
    ),
)


async def get(cx: Context, user_id: str) -> User:
    """Get a person: the caller, or a member of an organization whose members the caller may list."""
    shared = [
        membership.organization_id
        for membership in cx.actor.memberships.values()
        if not membership.closed and membership.level >= ORGANIZATION["listMembers"]
    ]
    user = await cx.db.first(_SEEN, id=user_id, caller=cx.actor.user_id, organizations=shared)
    if user is None:
        raise NotFound("There is no such user.")
    return user


async def update(cx: Context, user_id: str, change: UserUpdate) -> User:
    """Change the caller's own name or picture."""
    user = await get(cx, user_id)
    if user_id != cx.actor.user_id:
        raise Forbidden("Only they change their profile.")
    if cx.actor.only_organization is not None:
        raise Forbidden("This token is limited to one organization.")
    values = change.sent()
    if "display_name" in values:
        values["name_key"] = name_key(change.display_name)
    return await cx.tx.change(User, values, id=user_id) if values else user


_BY_EMAIL = query(User, lambda: select(*_u.c).where(_u.c.email == given("email")))
_BY_ID = query(User, lambda: select(*_u.c).where(_u.c.id == given("id")))
_TOKENS = rows(
    lambda: (
        select(*(c for c in _t.c if c.name != "hash"), _u.c.email)
        .join(_u, _u.c.id == _t.c.user_id)
        .order_by(_t.c.id)
    )
)
_REVOKE = rows(lambda: delete(_t).where(_t.c.id == given("id")).returning(_t.c.id))
EMAIL = re.compile(EMAIL_PATTERN)


async def me(cx: Context) -> User:
    """Get the caller."""
    user = await cx.db.first(_BY_ID, id=cx.actor.user_id)
    if user is None:
        raise NotFound("There is no such user.")
    return user


async def by_email(cx: Context, email: str) -> User:
    """Return the person with this address; raises NotFound."""
    user = await cx.db.first(_BY_EMAIL, email=canonical_email(email))
    if user is None:
        raise NotFound(f"There is no user {email}.")
    return user


async def create(cx: Context, email: str, name: str) -> User:
    """Add a person; raises Invalid for what is no address and Conflict for one that is taken."""
    address = canonical_email(email)
    if not EMAIL.fullmatch(address) or len(address) > 320:
        raise Invalid(f"{email!r} is not an e-mail address.", path="email")
    if not 0 < len(name.strip()) <= 64:
        raise Invalid("A name has 1 to 64 characters.", path="name")
    if await cx.db.first(_BY_EMAIL, email=address):
        raise Conflict(f"There is a user {address} already.")
    return await cx.tx.add(
        User,
        id=new_id(),
        email=address,
        display_name=name.strip(),
        name_key=name_key(name),
        photo_url=None,
        created_at=cx.now,
    )


def name_key(name: str) -> str:
    """Return a name, or a part of one, as people are sorted and found by it: in any case, with single
    spaces."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


async def create_token(
    cx: Context,
    user: User,
    *,
    name: str = "",
    read_only: bool = False,
    organization_id: str | None = None,
    days: int | None = None,
    secret: str | None = None,
) -> str:
    """Give a person a token, narrowed as asked, and return it: it is shown this once and kept as a hash."""
    secret = secret or new_token()
    until = cx.now + timedelta(days=days) if days else None
    await give_token(
        cx, user, secret, name=name, read_only=read_only, organization_id=organization_id, until=until
    )
    return secret


async def give_token(
    cx: Context,
    user: User,
    secret: str,
    *,
    name: str,
    read_only: bool = False,
    organization_id: str | None = None,
    until: datetime | None = None,
    provider: SamlProvider | None = None,
) -> None:
    """Make a secret a person's token; one got by single sign-on was issued by an identity `provider`."""
    await cx.tx.add(
        Token,
        hash=token_hash(secret),
        id=new_id(),
        user_id=user.id,
        name=name,
        read_only=read_only,
        organization_id=organization_id,
        created_at=cx.now,
        expires_at=until,
        last_used_at=None,
        sso_organization_id=provider and provider.organization_id,
        sso_provider_id=provider and provider.id,
    )


async def tokens(cx: Context) -> list[Token]:
    """Return every token with its owner's address (`email`), oldest first; never the secrets."""
    return await cx.db.all(_TOKENS)


async def revoke_token(cx: Context, token_id: str) -> None:
    """Make a token worthless at once; raises NotFound."""
    if not await cx.tx.all(_REVOKE, id=token_id):
        raise NotFound(f"There is no token {token_id}.")
