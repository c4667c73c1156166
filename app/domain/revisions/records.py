"""Records of a draft: pages, files and reusable contents, without their place and their validity."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any, Self, TypeVar

from app.formats.repository.names import MAX_SLUG
from app.kit.ids import rank_between


@dataclass(slots=True, kw_only=True)
class Record:
    """The columns of something as it shall be; the names of the fields are those of the columns."""

    @classmethod
    def of(cls, row: object) -> Self:
        """Return the record of a row."""
        return cls(**dict(zip(names(cls), _values_of(cls)(row), strict=True)))

    def values(self) -> dict[str, Any]:
        """Return the values by column."""
        return dict(zip(names(type(self)), _values_of(type(self))(self), strict=True))

    def differs(self, row: object) -> bool:
        """Tell whether it says anything else than a row."""
        values = _values_of(type(self))
        return values(row) != values(self)

    def set(self, **values: Any) -> None:
        """Say something else."""
        for name, value in values.items():
            setattr(self, name, value)


@dataclass(slots=True, kw_only=True)
class PageRecord(Record):
    """A page as it shall be. `path` and `source` follow from its place (see `paths`)."""

    page_id: str
    kind: str
    title: str
    slug: str
    parent_id: str | None
    rank: str
    path: str = ""
    link_title: str | None = None
    source: str | None = None
    front_matter: str = ""
    document_id: str | None = None
    description: str | None = None
    emoji: str | None = None
    icon: str | None = None
    hidden: bool = False
    no_index: bool = False
    no_robots_index: bool = False
    layout: dict[str, Any] | None = None
    cover: dict[str, Any] | None = None
    variables: dict[str, Any] | None = None
    condition: str | None = None
    href: str | None = None
    computed: dict[str, Any] | None = None
    computed_seed: str | None = None
    git_oid: str | None = None


@dataclass(slots=True, kw_only=True)
class FileRecord(Record):
    """A file as it shall be."""

    file_id: str
    name: str
    source: str | None
    content_type: str
    size: int
    width: int | None
    height: int | None
    blob_id: str
    git_oid: str | None = None


@dataclass(slots=True, kw_only=True)
class ReusableRecord(Record):
    """A reusable content as it shall be."""

    reusable_id: str
    title: str
    source: str
    front_matter: str
    document_id: str


AnyRecord = TypeVar("AnyRecord", PageRecord, FileRecord, ReusableRecord)
_NAMES: dict[type[Record], tuple[str, ...]] = {}
_VALUES: dict[type[Record], Callable[[object], tuple[Any, ...]]] = {}


def names(kind: type[Record]) -> tuple[str, ...]:
    """Return the columns of a kind of record."""
    found = _NAMES.get(kind)
    if found is None:
        found = _NAMES[kind] = tuple(field.name for field in fields(kind))
    return found


def _values_of(kind: type[Record]) -> Callable[[object], tuple[Any, ...]]:
    """Return what takes the columns of a kind of record from a row, or from a record, all at once."""
    found = _VALUES.get(kind)
    if found is None:
        found = _VALUES[kind] = attrgetter(*names(kind))
    return found


def storable(value: Any) -> Any:
    """Return the value with no NUL in its texts: YAML can spell it, PostgreSQL cannot store it."""
    if isinstance(value, str):
        return value.replace("\0", "\ufffd")
    if isinstance(value, dict):
        return {storable(name): storable(item) for name, item in value.items()}
    return [storable(item) for item in value] if isinstance(value, list) else value


class Siblings:
    """The pages under one parent while they get slugs and ranks of their own, one after the other."""

    def __init__(self, pages: Iterable[PageRecord]) -> None:
        known = list(pages)
        self._slugs = Counter(page.slug for page in known)
        self._ranks = sorted(page.rank for page in known)

    def part_slug(self, page: PageRecord) -> None:
        """Give one of them another slug where another has it."""
        self._slugs[page.slug] -= 1
        if not self._slugs[page.slug]:
            del self._slugs[page.slug]
        page.slug = free_slug(page.slug, self._slugs)
        self._slugs[page.slug] += 1

    def part_rank(self, page: PageRecord) -> None:
        """Give one of them a rank right after its own where another has it."""
        del self._ranks[bisect_left(self._ranks, page.rank)]
        page.rank = free_rank(page.rank, self._ranks)
        insort(self._ranks, page.rank)


def free_slug(slug: str, taken: Container[str]) -> str:
    """Return the slug, with a number where it is taken."""
    number, free = 0, slug
    while free in taken:
        number += 1
        free = f"{slug[: MAX_SLUG - 5]}-{number}"
    return free


def free_rank(rank: str, others: Sequence[str]) -> str:
    """Return the rank, or one right after it where it is among the others, which are in order."""
    after = bisect_right(others, rank)
    if after == 0 or others[after - 1] != rank:
        return rank
    return rank_between(rank, others[after] if after < len(others) else None)
