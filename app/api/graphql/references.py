"""Fields that name objects by their ids, and show the objects."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from app.api.graphql.addresses import values_of
from app.api.graphql.nodes import Node, Source
from app.api.graphql.reading import load, with_organization
from app.api.graphql.state import Info, RequestState
from app.kit.errors import Forbidden, NotFound


class Referring:
    """Resolves a field that names one object, or several, by their ids."""

    def __init__(self, target: Node, key: str, owner: Node | None, is_list: bool) -> None:
        self.target, self.key, self.owner, self.is_list = target, key, owner, is_list

    async def __call__(self, source: Source, info: Info) -> Any:
        named = source.get(self.key)
        if named is None:
            return None
        values = await with_organization(info.context, values_of(source, self.owner), self.target)
        if not self.is_list:
            return await self._one(info.context, values, named)
        return await asyncio.gather(*(self._one(info.context, values, each) for each in named))

    async def _one(self, state: RequestState, values: Mapping[str, str], named: str) -> Any:
        address = self.target.address({**values, self.target.own: named})
        if address is None:
            raise NotFound(f"This {self.target.type} cannot be read from here.")
        return await load(state, self.target, address)


class ReferringIfThere(Referring):
    """Resolves a field that names an object which may be gone, or hidden from the caller: then it is null."""

    async def __call__(self, source: Source, info: Info) -> Any:
        try:
            return await super().__call__(source, info)
        except (NotFound, Forbidden):
            return None
