"""Matches imported pages with existing ones, which gives their ids, parents, paths and ranks.

A page of the same source, or of one that was renamed, is the same page and keeps its id; groups and links,
which have none, are known by their title among their siblings. Pages that stay follow a page that moves.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from app.domain.revisions.branch import BranchContent
from app.domain.revisions.link_targets import LinkTargets, own_addresses
from app.formats.repository.import_plan import Plan, PlannedPage
from app.formats.repository.names import MAX_PATH_BYTES
from app.kit.errors import Invalid
from app.kit.ids import new_id, rank_between
from app.kit.settings import Settings
from app.models.files import FileVersion
from app.models.pages import PageVersion


@dataclass(slots=True)
class PlacedPage:
    """A planned page with its place."""

    planned: PlannedPage
    source: str | None
    page_id: str
    parent_id: str | None
    slug: str
    path: str
    held: PageVersion | None
    rank: str = ""


@dataclass(slots=True, frozen=True)
class RelocatedPage:
    """A page that is not in the plan, but whose path changes with that of a page above it."""

    held: PageVersion
    slug: str
    path: str


@dataclass(slots=True)
class ImportTarget:
    """The place that an import goes under: a page (None: the root), and the folder that its sources get.

    Only a `whole` tree brings its table of contents and settings along.
    """

    page: PageVersion | None = None
    folder: str = ""
    whole: bool = True

    def source(self, path: str) -> str:
        """Return a path of the imported tree as a path of the space."""
        return f"{self.folder}/{path}" if self.folder else path


@dataclass(slots=True)
class _PathsInUse:
    """Paths in use, and whose they are."""

    by_path: dict[str, str] = field(default_factory=dict)

    def free(self, parent: str, slug: str, page_id: str) -> tuple[str, str]:
        """Return the slug and path for a page, with a number where another page has the path."""
        number, name = 0, slug
        while True:
            path = f"{parent}/{name}" if parent else name
            if self.by_path.setdefault(path, page_id) == page_id:
                break
            number += 1
            name = f"{slug[:95]}-{number}"
        if len(path.encode()) > MAX_PATH_BYTES:
            message = f"The path of “{name}” would be longer than {MAX_PATH_BYTES:,} bytes."
            raise Invalid(message, path="path")
        return name, path


def place_pages(
    plan: Plan,
    host: ImportTarget,
    held: Sequence[PageVersion],
    renamed: Mapping[str, PageVersion],
    *,
    mirror: bool,
) -> tuple[list[PlacedPage], list[RelocatedPage]]:
    """Return every planned page with its place, parents first; and the pages that move along.

    With `mirror`, held pages not planned give way; `renamed` has those known by another source than theirs.
    Raises Invalid where a path would be too long.
    """
    known = _known(plan, host, held, renamed)
    coming = {page.page_id for page in known if page}
    staying = [page for page in held if page.page_id not in coming]
    if mirror:
        staying = computed_beside(staying, coming)
    taken = _PathsInUse({page.path: page.page_id for page in staying})
    placed: list[PlacedPage] = []
    for planned, page in zip(plan.pages, known, strict=True):
        parent = placed[planned.parent] if planned.parent is not None else None
        above = parent.path if parent else host.page.path if host.page else ""
        page_id = page.page_id if page else new_id()
        slug, path = taken.free(above, planned.slug, page_id)
        parent_id = parent.page_id if parent else host.page.page_id if host.page else None
        source = host.source(planned.source) if planned.source else None
        placed.append(PlacedPage(planned, source, page_id, parent_id, slug, path, page))
    _rank(placed, staying)
    return placed, _moved_along(placed, staying, taken)


def computed_beside(held: Sequence[PageVersion], coming: Collection[str]) -> list[PageVersion]:
    """Return the pages without a file in the repository that stay: computed pages whose parents stay."""
    below: defaultdict[str | None, list[PageVersion]] = defaultdict(list)
    for page in held:
        if page.computed is not None:
            below[page.parent_id].append(page)
    staying: list[PageVersion] = []
    waiting: list[str | None] = [None, *coming]
    while waiting:
        found = below[waiting.pop()]
        staying += found
        waiting += [page.page_id for page in found]
    return staying


def link_targets(
    plan: Plan,
    host: ImportTarget,
    held: BranchContent,
    placed: Sequence[PlacedPage],
    renamed: Mapping[str, FileVersion],
    settings: Settings,
    space_id: str,
) -> LinkTargets:
    """Return what links may lead to of what is coming; `renamed` files keep their ids, as pages do."""
    files = {file.source: file.file_id for file in held.files if file.source}
    files |= {source: file.file_id for source, file in renamed.items()}
    blocks = {block.source: block.reusable_id for block in held.reusable}
    coming = [host.source(file.source) for file in plan.files]
    included = [host.source(block.source) for block in plan.reusable]
    found = LinkTargets(
        {page.source: page.page_id for page in placed if page.source},
        {source: files.get(source) or new_id() for source in coming},
        {source: blocks.get(source) or new_id() for source in included},
        dict.fromkeys((page.page_id for page in placed), "page"),
        space_id,
        own_addresses(settings),
    )
    found.named.update(dict.fromkeys(found.files.values(), "file"))
    found.named.update(dict.fromkeys(found.reusable.values(), "reusable-content"))
    return found


def all_link_targets(held: BranchContent, coming: LinkTargets) -> LinkTargets:
    """Return what links may lead to where all that is held stays."""
    return LinkTargets(
        {**{page.source: page.page_id for page in held.pages if page.source}, **coming.pages},
        {**{file.source: file.file_id for file in held.files if file.source}, **coming.files},
        {**{block.source: block.reusable_id for block in held.reusable}, **coming.reusable},
        {
            **dict.fromkeys((page.page_id for page in held.pages), "page"),
            **dict.fromkeys((file.file_id for file in held.files), "file"),
            **dict.fromkeys((block.reusable_id for block in held.reusable), "reusable-content"),
            **coming.named,
        },
        coming.space,
        coming.own,
    )


def _known(
    plan: Plan, host: ImportTarget, held: Sequence[PageVersion], renamed: Mapping[str, PageVersion]
) -> list[PageVersion | None]:
    """Return for each planned page the one that it already is, if any; in a new folder all are new."""
    by_source = {**{page.source: page for page in held if page.source}, **renamed}
    by_title: defaultdict[tuple[str | None, str, str], list[PageVersion]] = defaultdict(list)
    for page in sorted(held, key=lambda page: page.rank, reverse=True):
        if not page.source:
            by_title[page.parent_id, page.kind, page.title].append(page)
    known: list[PageVersion | None] = []
    for planned in plan.pages:
        above = host.page if planned.parent is None else known[planned.parent]
        if planned.source:
            known.append(by_source.get(host.source(planned.source)))
        elif host.folder or (above is None and planned.parent is not None):
            known.append(None)
        else:
            same = by_title[above.page_id if above else None, planned.kind, planned.title]
            known.append(same.pop() if same else None)
    return known


def _moved_along(
    placed: Sequence[PlacedPage], staying: Sequence[PageVersion], taken: _PathsInUse
) -> list[RelocatedPage]:
    below: defaultdict[str | None, list[PageVersion]] = defaultdict(list)
    for page in staying:
        below[page.parent_id].append(page)
    carried: list[RelocatedPage] = []
    moved = [(page.page_id, page.path) for page in placed if page.held and page.held.path != page.path]
    while moved:
        parent_id, above = moved.pop()
        for page in below[parent_id]:
            slug, path = taken.free(above, page.slug, page.page_id)
            carried.append(RelocatedPage(page, slug, path))
            moved.append((page.page_id, path))
    return carried


def _rank(placed: Sequence[PlacedPage], staying: Sequence[PageVersion]) -> None:
    """Order siblings as planned; those in order already keep their ranks, and new families come last."""
    others: defaultdict[str | None, list[str]] = defaultdict(list)
    for page in staying:
        others[page.parent_id].append(page.rank)
    families: defaultdict[str | None, list[PlacedPage]] = defaultdict(list)
    for each in placed:
        families[each.parent_id].append(each)
    for parent_id, family in families.items():
        _keep_order(family)
        _fill_gaps(family, sorted([*others[parent_id], *(page.rank for page in family if page.rank)]))


def _keep_order(family: Sequence[PlacedPage]) -> None:
    """Keep the ranks of the longest row of pages that are in the planned order already."""
    ends: list[str] = []  # the least rank that a row of each length may end in, and where
    at: list[int] = []
    before: dict[int, int | None] = {}
    for index, page in enumerate(family):
        if page.held is None or page.held.parent_id != page.parent_id:
            continue
        length = bisect_left(ends, page.held.rank)
        before[index] = at[length - 1] if length else None
        ends[length : length + 1] = [page.held.rank]
        at[length : length + 1] = [index]
    last = at[-1] if at else None
    while last is not None:
        held = family[last].held
        assert held is not None
        family[last].rank = held.rank
        last = before[last]


def _fill_gaps(family: Sequence[PlacedPage], fixed: Sequence[str]) -> None:
    """Rank the others: close after the page before them, or close before the first that keeps its rank."""
    high = next((page.rank for page in family if page.rank), None)
    ahead = len(fixed) if high is None else bisect_left(fixed, high)
    low = fixed[ahead - 1] if ahead else None
    gap: list[PlacedPage] = []
    for page in family:
        if not page.rank:
            gap.append(page)
            continue
        _fill(gap, low, high)
        gap, low = [], page.rank
        ahead = bisect_right(fixed, low)
        high = fixed[ahead] if ahead < len(fixed) else None
    _fill(gap, low, high)


def _fill(pages: Sequence[PlacedPage], low: str | None, high: str | None) -> None:
    """Spread ranks between two others, halving, so that they stay short."""
    if pages:
        middle = len(pages) // 2
        rank = pages[middle].rank = rank_between(low, high)
        _fill(pages[:middle], low, rank)
        _fill(pages[middle + 1 :], rank, high)
