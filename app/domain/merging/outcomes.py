"""What merging and updating come to, as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(slots=True)
class Conflict:
    """Where both sides changed the same; `page` is the id of a page, file or reusable content."""

    page: str
    field: str
    base: Any
    main: Any
    ours: Any


@dataclass(slots=True, frozen=True)
class Outcome:
    """The revision now, whether it was done without leaving anything open, and where sides met."""

    revision_id: str
    done: bool
    conflicts: Sequence[Conflict]
