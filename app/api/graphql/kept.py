"""A bounded memory of what was worked out for texts, which weigh much or little."""

from __future__ import annotations

from typing import Generic, Protocol, TypeVar

from cachetools import LRUCache


class Weighed(Protocol):
    """What knows its weight in memory, in characters."""

    @property
    def weight(self) -> int: ...


K = TypeVar("K", bound=Weighed)


class Kept(Generic[K]):
    """A memory by text of so many values, which together weigh so much; the least recently used make room."""

    def __init__(self, most: int, most_weight: int) -> None:
        least = most_weight // most  # bounds their number
        self._kept: LRUCache[str, tuple[K, int]] = LRUCache(
            most_weight, getsizeof=lambda kept: min(max(kept[1], least), most_weight)
        )

    def get(self, text: str) -> K | None:
        """Return what is kept of a text, None where nothing is."""
        found = self._kept.get(text)
        return found and found[0]

    def put(self, text: str, what: K) -> None:
        """Keep this of a text."""
        self._kept.setdefault(text, (what, len(text) + what.weight))
