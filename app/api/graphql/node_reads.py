"""Resolves objects by their ids, objects that REST only lists, and the versions of objects."""

from __future__ import annotations

import asyncio
from typing import Any

from app.api.graphql.addresses import values_of
from app.api.graphql.nodes import Node, Source, read_id
from app.api.graphql.reading import if_there, load, place
from app.api.graphql.state import Info, RequestState
from app.api.versions import arguments_at, version_of
from app.kit.errors import Invalid

MOST_NODES = 100


async def listed_object(owner: Node, target: Node, source: Source, info: Info, id: str) -> Any:
    """Resolve an object, by its id, that belongs to another and that REST only lists."""
    values = values_of(source, owner)
    place(values, target.own, id, "id")
    address = target.address(values)
    assert address is not None
    return await load(info.context, target, address)


async def version(node: Node, source: Source, info: Info) -> Any:
    """Resolve the version of an object."""
    state: RequestState = info.context
    address = node.address_of(source)
    values, row = node.named(address), node.row(address)
    state.permit(row)
    cx = await state.context()
    return await state.limit.hold(version_of, cx, row, arguments_at(row, values))


async def node(_source: Any, info: Info, id: str) -> Any:
    """Resolve the object with an id; raises Invalid for what is no id."""
    found = read_id(id)
    if found is None:
        raise Invalid("This is not the `id` of an object. A `restId` does not say its type.", path="id")
    target, address = found
    return {**await load(info.context, target, address), "@type": target.type}


async def several_nodes(_source: Any, info: Info, ids: list[str]) -> list[Any]:
    """Resolve the objects with these ids: null for one that is gone or hidden.

    An exception in the list is an error of its own entry, since the list itself may not be null: raised, it
    would take the whole response with it.
    """
    if len(ids) > MOST_NODES:
        refused = Invalid(f"At most {MOST_NODES} ids can be asked for at once.", path="ids")
        return [refused, *[None] * (len(ids) - 1)]
    found = (if_there(node(None, info, each)) for each in ids)
    return list(await asyncio.gather(*found, return_exceptions=True))
