"""GraphQL face of spaces."""

from __future__ import annotations

from typing import Any

import strawberry
from strawberry import ID

from app.api.graphql.calls import Info, body, read, reads, write, writes
from app.api.graphql.change_requests import SpaceVersions
from app.api.graphql.comments import Discussed
from app.api.graphql.content import SpaceContent
from app.api.graphql.grants import GrantedSpace
from app.api.graphql.shapes import input_of, output
from app.domain.spaces import spaces
from app.models.base import checked
from app.models.collections import Move, SpaceTransfer
from app.models.queries import ShareKeyQuery
from app.models.spaces import SpaceCreate, SpaceOut, SpaceUpdate
from app.present.spaces import space as show_space

SpaceCreateInput: Any = input_of(SpaceCreate)
SpaceUpdateInput: Any = input_of(SpaceUpdate)
MoveInput: Any = input_of(Move)
SpaceTransferInput: Any = input_of(SpaceTransfer)


@output(SpaceOut)
class Space(SpaceContent, SpaceVersions, Discussed, GrantedSpace):
    """A space: a container of documentation content."""


@strawberry.type
class SpaceQuery:
    @reads(spaces.get)
    async def space(self, info: Info, id: ID, share_key: str | None = None) -> Space | None:
        asked = checked(ShareKeyQuery, {"shareKey": share_key}, strict=False)
        return await read(info, spaces.get, id, asked, show=show_space)


@strawberry.type
class SpaceMutation:
    @writes(spaces.create)
    async def create_space(self, info: Info, organization: ID, new: SpaceCreateInput) -> Space | None:
        return await write(info, spaces.create, organization, body(SpaceCreate, new), show=show_space)

    @writes(spaces.update)
    async def update_space(self, info: Info, id: ID, change: SpaceUpdateInput) -> Space | None:
        return await write(info, spaces.update, id, body(SpaceUpdate, change), show=show_space)

    @writes(spaces.duplicate)
    async def duplicate_space(self, info: Info, id: ID) -> Space | None:
        return await write(info, spaces.duplicate, id, show=show_space)

    @writes(spaces.move)
    async def move_space(self, info: Info, id: ID, to: MoveInput) -> Space | None:
        return await write(info, spaces.move, id, body(Move, to), show=show_space)

    @writes(spaces.transfer)
    async def transfer_space(self, info: Info, id: ID, to: SpaceTransferInput) -> Space | None:
        return await write(info, spaces.transfer, id, body(SpaceTransfer, to), show=show_space)

    @writes(spaces.delete)
    async def delete_space(self, info: Info, id: ID) -> bool | None:
        return await write(info, spaces.delete, id)

    @writes(spaces.restore)
    async def restore_space(self, info: Info, id: ID) -> Space | None:
        return await write(info, spaces.restore, id, show=show_space)
