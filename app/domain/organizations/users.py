"""People's profiles: seen by those they share an organization with, changed by themselves."""

from __future__ import annotations

from sqlalchemy import exists, or_, select

from app.access.context import Context
from app.access.rights import ORGANIZATION
from app.domain.organizations.people import name_key
from app.kit.database.sql import among
from app.kit.database.statements import given, query, table
from app.kit.errors import Forbidden, NotFound
from app.models.organizations import Member
from app.models.users import User, UserUpdate

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
