"""Fields that name objects by their ids, and show the objects."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.api.graphql.addresses import values_of
from app.api.graphql.nodes import Node, Source
from app.api.graphql.reading import if_there, load, with_organization
from app.api.graphql.state import Info, RequestState
from app.kit.errors import NotFound


@dataclass(slots=True, frozen=True)
class Referring:
    """Resolves a field that names one object, or several, by their ids; of several, those that are gone or
    hidden from the caller are null."""

    target: Node
    key: str
    owner: Node | None
    is_list: bool

    async def __call__(self, source: Source, info: Info) -> Any:
        named = source.get(self.key)
        if named is None:
            return None
        values = await with_organization(info.context, values_of(source, self.owner), self.target)
        if not self.is_list:
            return await self._one(info.context, values, named)
        return await asyncio.gather(*(if_there(self._one(info.context, values, each)) for each in named))

    async def _one(self, state: RequestState, values: Mapping[str, str], named: str) -> Any:
        address = self.target.address({**values, self.target.own: named})
        if address is None:
            raise NotFound(f"This {self.target.type} cannot be read from here.")
        return await load(state, self.target, address)


class ReferringIfThere(Referring):
    """Resolves a field that names an object which may be gone, or hidden from the caller: then it is null."""

    async def __call__(self, source: Source, info: Info) -> Any:
        return await if_there(Referring.__call__(self, source, info))


@dataclass(slots=True, frozen=True)
class ReferringInside:
    """Resolves a field to the object that another field of the source tells of, by its id there."""

    field: str
    inside: ReferringIfThere

    async def __call__(self, source: Source, info: Info) -> Any:
        told = source.get(self.field)
        return None if told is None else await self.inside(told, info)
