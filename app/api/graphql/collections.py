"""GraphQL face of collections."""

from __future__ import annotations

from typing import Annotated, Any

import strawberry
from strawberry import ID

from app.api.graphql.calls import FIRST, Connection, Info, body, pages, read, reads, write, writes
from app.api.graphql.grants import GrantedCollection
from app.api.graphql.shapes import input_of, output
from app.api.graphql.spaces import MoveInput, Space
from app.domain.spaces import children, collections, spaces
from app.models.base import for_callers
from app.models.collections import ChildOut, CollectionCreate, CollectionOut, CollectionUpdate, Move, Transfer
from app.present.spaces import child as show_child
from app.present.spaces import collection as show_collection
from app.present.spaces import space as show_space

CollectionCreateInput: Any = input_of(CollectionCreate)
CollectionUpdateInput: Any = input_of(CollectionUpdate)
TransferInput: Any = input_of(Transfer)


@output(CollectionOut)
class Collection(GrantedCollection):
    """A collection: a folder of spaces and of further collections."""

    @reads(spaces.list_in_collection)
    async def spaces(
        self: Any, info: Info, first: int = FIRST, after: str | None = None
    ) -> Connection[Space]:
        call = spaces.list_in_collection
        return await pages(info, call, self["id"], first=first, after=after, show=show_space)

    @reads(children.list_in_collection)
    async def children(
        self: Any, info: Info, first: int = FIRST, after: str | None = None
    ) -> Connection[Child]:
        call = children.list_in_collection
        return await pages(info, call, self["id"], first=first, after=after, show=show_child)


Child = Annotated[Space | Collection, strawberry.union("Child", description=for_callers(ChildOut.__doc__))]


@strawberry.type
class CollectionQuery:
    @reads(collections.get)
    async def collection(self, info: Info, id: ID) -> Collection | None:
        return await read(info, collections.get, id, show=show_collection)


@strawberry.type
class CollectionMutation:
    @writes(collections.create)
    async def create_collection(
        self, info: Info, organization: ID, new: CollectionCreateInput
    ) -> Collection | None:
        asked = body(CollectionCreate, new)
        return await write(info, collections.create, organization, asked, show=show_collection)

    @writes(collections.update)
    async def update_collection(self, info: Info, id: ID, change: CollectionUpdateInput) -> Collection | None:
        asked = body(CollectionUpdate, change)
        return await write(info, collections.update, id, asked, show=show_collection)

    @writes(collections.move)
    async def move_collection(self, info: Info, id: ID, to: MoveInput) -> Collection | None:
        return await write(info, collections.move, id, body(Move, to), show=show_collection)

    @writes(collections.transfer)
    async def transfer_collection(self, info: Info, id: ID, to: TransferInput) -> Collection | None:
        return await write(info, collections.transfer, id, body(Transfer, to), show=show_collection)

    @writes(collections.delete)
    async def delete_collection(self, info: Info, id: ID) -> bool | None:
        return await write(info, collections.delete, id)
