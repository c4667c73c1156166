"""Where the pages of an import go among those that are there: ids, parents, paths and ranks.

A page of the same source is the same page and keeps its id; groups and links are known by their path.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from app.content.repository.plan import Plan, PlannedPage
from app.kit.ids import new_id
from app.kit.ranks import after, spread
from app.models.pages import PageVersion


@dataclass(slots=True)
class Placed:
    """A planned page with its place."""

    planned: PlannedPage
    source: str | None
    page_id: str
    parent_id: str | None
    slug: str
    path: str
    held: PageVersion | None
    rank: str = ""


@dataclass(slots=True)
class Host:
    """What an import goes under: a page (None: the root), and the folder that its sources get."""

    page: PageVersion | None = None
    folder: str = ""

    def source(self, path: str) -> str:
        """A path of the imported tree as a path of the space."""
        return f"{self.folder}/{path}" if self.folder else path


@dataclass(slots=True)
class _Taken:
    """Paths in use, and whose they are."""

    by_path: dict[str, str] = field(default_factory=dict)

    def free(self, parent: str, slug: str, page_id: str) -> tuple[str, str]:
        """The slug and path for a page, with a number where another page has the path."""
        number, name = 0, slug
        while True:
            path = f"{parent}/{name}" if parent else name
            if self.by_path.setdefault(path, page_id) == page_id:
                return name, path
            number += 1
            name = f"{slug[:95]}-{number}"


def place(plan: Plan, host: Host, held: Sequence[PageVersion], *, mirror: bool) -> list[Placed]:
    """Every planned page with its place, parents first. With `mirror`, held pages not planned give way."""
    by_source = {page.source: page for page in held if page.source}
    by_path = {page.path: page for page in held}
    known = [_known(page, host, by_source, by_path) for page in plan.pages]
    coming = {page.page_id for page in known if page}
    staying = [] if mirror else [page for page in held if page.page_id not in coming]
    taken = _Taken({page.path: page.page_id for page in staying})
    placed: list[Placed] = []
    for planned, page in zip(plan.pages, known, strict=True):
        parent = placed[planned.parent] if planned.parent is not None else None
        above = parent.path if parent else host.page.path if host.page else ""
        page_id = page.page_id if page else new_id()
        slug, path = taken.free(above, planned.slug, page_id)
        parent_id = parent.page_id if parent else host.page.page_id if host.page else None
        source = host.source(planned.source) if planned.source else None
        placed.append(Placed(planned, source, page_id, parent_id, slug, path, page))
    _rank(placed, staying)
    return placed


def _known(
    planned: PlannedPage, host: Host, by_source: dict[str, PageVersion], by_path: dict[str, PageVersion]
) -> PageVersion | None:
    if planned.source:
        return by_source.get(host.source(planned.source))
    found = by_path.get(f"{host.page.path}/{planned.path}" if host.page else planned.path)
    return found if found is not None and found.kind == planned.kind else None


def _rank(placed: list[Placed], staying: Sequence[PageVersion]) -> None:
    """Order siblings as planned, after those that stay; where the order is right already, nothing changes."""
    last: dict[str | None, str] = {}
    for other in staying:
        last[other.parent_id] = max(last.get(other.parent_id, ""), other.rank)
    families: defaultdict[str | None, list[Placed]] = defaultdict(list)
    for page in placed:
        families[page.parent_id].append(page)
    for parent_id, family in families.items():
        ranks = [p.held.rank for p in family if p.held and p.held.parent_id == parent_id]
        if len(ranks) == len(family) and all(a < b for a, b in pairwise(ranks)):
            for page, rank in zip(family, ranks, strict=True):
                page.rank = rank
            continue
        start = last.get(parent_id)
        for page, rank in zip(family, spread(len(family)), strict=True):
            page.rank = rank if start is None else (start := after(start))
