"""What answers of all sites are made with, made once for a process, and which of them are the same."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Hashable
from dataclasses import dataclass
from typing import Any

import orjson
from cachetools import LRUCache

from app.domain.sites import site_blocks, site_integrations
from app.kit.http.callers import SharedWork
from app.runtime import Runtime
from app.site_reader import scripts
from app.site_reader.request_url import SiteOrigins
from app.site_reader.responses import PRIVATE, SHARED, SiteResponse
from app.site_reader.visit import VisibleSpaces, Visit


class ResponseCache:
    """Answers by what they were made of, at most so many bytes together."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: LRUCache[Hashable, SiteResponse] = LRUCache(
            most, getsizeof=lambda answer: len(answer.written)
        )
        self._making: dict[Hashable, SharedWork[SiteResponse | None]] = {}

    @property
    def held(self) -> int:
        """Return how many bytes are kept."""
        return int(self._kept.currsize)

    def get(self, key: Hashable) -> SiteResponse | None:
        """Return what was kept under a key, if it still is."""
        return self._kept.get(key)

    async def once(
        self, key: Hashable, make: Callable[[], Coroutine[Any, Any, SiteResponse | None]]
    ) -> SiteResponse | None:
        """Return what was kept under a key, or else what `make` makes, once for all who ask meanwhile.

        It goes on while one of them waits. Raises Disconnected where the caller of this request goes away.
        """
        found = self.get(key)
        if found is not None:
            return found
        making = self._making.get(key)
        if making is None or making.is_over:
            making = self._making[key] = SharedWork(make())
        try:
            made = await making.result()
        finally:
            if making.is_over and self._making.get(key) is making:
                del self._making[key]
        if made is not None:
            self.put(key, made)
        return made

    def put(self, key: Hashable, answer: SiteResponse) -> None:
        """Keep an answer; what was not asked for longest goes. One larger than a quarter of all is not."""
        if len(answer.written) * 4 <= self._most:
            self._kept[key] = answer


@dataclass(frozen=True, slots=True)
class ReaderState:
    """The way to the database and the settings, the addresses of sites, and what is kept between requests."""

    runtime: Runtime
    addresses: SiteOrigins
    cache: ResponseCache
    spaces: VisibleSpaces


def cache_control(visit: Visit) -> str:
    """Return who may keep an answer."""
    return PRIVATE if visit.is_private else SHARED


def cache_key(visit: Visit) -> Hashable:
    """Return all that an answer is made from besides what was asked for.

    These are the content by its revisions, what the site shows and how it looks, and for whom: the rows that
    the statement of the visit has read, as they are.
    """
    site = visit.site
    about = (visit.address, site.title, site.visibility, site.agents_context, visit.own_host)
    who = (visit.known, visit.visitor.kind, visit.signing.key)
    rows = (*site.holders, *site.spaces, *sorted(site.specs, key=lambda row: row.id))
    settings = orjson.dumps([site.icon, [tuple(row) for row in site.looks], scripts.of_visit(visit)])
    return about, who, rows, settings, site_integrations.is_watched(site), site_blocks.state_of(site)
