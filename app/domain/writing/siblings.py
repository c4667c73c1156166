"""The slugs and ranks of pages under one parent, which no two of them share."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Container, Iterable, Sequence

from app.domain.writing.records import PageRecord
from app.formats.repository.names import MAX_SLUG
from app.kit.ids import rank_between


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
