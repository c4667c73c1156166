"""Users and their profiles."""

from __future__ import annotations

import re
import unicodedata

from sqlalchemy import exists, or_, select

from app.access.context import Context
from app.access.rights import ORGANIZATION
from app.kit.database.sql import among
from app.kit.database.statements import given, query, table
from app.kit.errors import Conflict, Forbidden, Invalid, NotFound
from app.kit.http.urls import canonical_email
from app.kit.ids import new_id
from app.models.organizations import Member
from app.models.users import EMAIL_PATTERN, User, UserUpdate

USERS, MEMBERS = table(User), table(Member)
_SEEN = query(
    User,
    lambda: select(*USERS.c).where(
        USERS.c.id == given("id"),
        or_(
            USERS.c.id == given("caller"),
            exists().where(
                MEMBERS.c.user_id == USERS.c.id, among(MEMBERS.c.organization_id, "organizations")
            ),
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
        raise Forbidden("You can only change your own profile.")
    if cx.actor.only_organization is not None:
        raise Forbidden("This token is limited to one organization.")
    values = change.sent()
    if "display_name" in values:
        values["name_key"] = name_key(change.display_name)
    return await cx.tx.change(User, values, id=user_id) if values else user


_BY_EMAIL = query(User, lambda: select(*USERS.c).where(USERS.c.email == given("email")))
_BY_ID = query(User, lambda: select(*USERS.c).where(USERS.c.id == given("id")))
EMAIL = re.compile(EMAIL_PATTERN)


async def me(cx: Context) -> User:
    """Get the caller."""
    found = await cx.db.get_by_key(_BY_ID, id=cx.actor.user_id)
    if not found:
        raise NotFound("There is no such user.")
    return found[0]


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
        raise Conflict(f"There is already a user {address}.")
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
