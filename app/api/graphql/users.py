"""GraphQL face of people."""

from __future__ import annotations

from typing import Any

import strawberry
from strawberry import ID

from app.api.graphql.calls import Info, body, read, reads, write, writes
from app.api.graphql.shapes import input_of, output
from app.domain.organizations import users
from app.models.users import UserOut, UserUpdate
from app.present.people import user as show_user

UserUpdateInput: Any = input_of(UserUpdate)


@output(UserOut)
class User:
    """A person."""


@strawberry.type
class UserQuery:
    @reads(users.me)
    async def me(self, info: Info) -> User | None:
        return await read(info, users.me, show=show_user)

    @reads(users.get)
    async def user(self, info: Info, id: ID) -> User | None:
        return await read(info, users.get, id, show=show_user)


@strawberry.type
class UserMutation:
    @writes(users.update)
    async def update_user(self, info: Info, id: ID, change: UserUpdateInput) -> User | None:
        return await write(info, users.update, id, body(UserUpdate, change), show=show_user)
