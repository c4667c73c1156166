"""A bounded memory of what was worked out for texts, which weigh much or little."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, Protocol, TypeVar


class Weighed(Protocol):
    """What knows its weight in memory, in characters."""

    @property
    def weight(self) -> int: ...


K = TypeVar("K", bound=Weighed)


class Kept(Generic[K]):
    """A memory by text; what was not asked for longest makes room."""

    def __init__(self, most: int, most_weight: int) -> None:
        self._most, self._most_weight = most, most_weight
        self._kept: OrderedDict[str, K] = OrderedDict()
        self._weight = 0

    def get(self, text: str) -> K | None:
        """Return what is kept of a text, None where nothing is."""
        found = self._kept.get(text)
        if found is not None:
            self._kept.move_to_end(text)
        return found

    def put(self, text: str, what: K) -> None:
        """Keep this of a text."""
        if text in self._kept:
            return
        self._kept[text] = what
        self._weight += len(text) + what.weight
        while len(self._kept) > self._most or self._weight > self._most_weight:
            gone, dropped = self._kept.popitem(last=False)
            self._weight -= len(gone) + dropped.weight
