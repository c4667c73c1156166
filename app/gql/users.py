"""GraphQL face of people."""

from __future__ import annotations

import strawberry

from app.domain import people
from app.gql.calls import Info, read, reads
from app.gql.shapes import output
from app.models.users import UserOut
from app.present.users import user as show_user


@output(UserOut)
class User:
    """A person."""


@strawberry.type
class UserQuery:
    @reads(people.me)
    async def me(self, info: Info) -> User | None:
        return await read(info, people.me, show=show_user)
