"""Tags of answers that are known to be unchanged without being made again.

What an answer was read from is all in the database, so it stays as it is until something is committed there.
A mark of what is committed (`Reader.version`) is cheap to read. Where it is the same before and after an
answer was made, and still when the answer is asked for again, the answer would be the same.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from cachetools import TTLCache

MOST = 2_000
SECONDS = 10.0
"""For which a tag is kept: what depends on the time of day, such as a signed address, lags by no more."""

C = TypeVar("C")


@dataclass(slots=True, frozen=True)
class KeptTag(Generic[C]):
    """The tag of an answer to a caller, at a version of the database.

    `counted` are the organizations in which the request was counted.
    """

    tag: str
    version: Hashable
    caller: C
    counted: tuple[str, ...]


@dataclass(slots=True)
class KeptTags(Generic[C]):
    """The tags of the answers that were made last, by what was asked."""

    _kept: TTLCache[Hashable, KeptTag[C]] = field(default_factory=lambda: TTLCache(MOST, SECONDS))

    def get(self, asked: Hashable) -> KeptTag[C] | None:
        """Return what is kept of an answer."""
        return self._kept.get(asked)

    def put(self, asked: Hashable, kept: KeptTag[C]) -> None:
        """Keep this of an answer."""
        self._kept[asked] = kept
