"""Taking files out of a plan that cannot be imported."""

from __future__ import annotations

from dataclasses import replace

from app.content.repository.plan import Plan, PlannedPage
from app.domain.writing.file_faults import Leaving
from app.domain.writing.line import Held
from app.domain.writing.placing import Host


def leave_out(plan: Plan, leaving: Leaving, host: Host, held: Held) -> None:
    """Tell the files that an import is leaving in its report, and take those out that are not held yet.

    What is held stays as it is. What is planned below a page that is taken out goes up to where that was.
    """
    for fault in leaving.faults:
        plan.report.add("skipped", fault.file, f"Left out: {fault.told}.")
    there = {row.source for rows in (held.pages, held.files, held.reusable) for row in rows}
    unknown = leaving.files - there
    if not unknown:
        return
    plan.files = [each for each in plan.files if host.source(each.source) not in unknown]
    plan.reusable = [each for each in plan.reusable if host.source(each.source) not in unknown]
    plan.pages = _without(plan.pages, {page.index for page in plan.pages if _is_in(page, unknown, host)})


def _is_in(page: PlannedPage, sources: set[str], host: Host) -> bool:
    return page.source is not None and host.source(page.source) in sources


def _without(pages: list[PlannedPage], gone: set[int]) -> list[PlannedPage]:
    """The pages without some of them, numbered anew."""
    kept: list[PlannedPage] = []
    stands: dict[int, int | None] = {}  # where a page, or what was below it, is now
    for page in pages:
        parent = None if page.parent is None else stands[page.parent]
        if page.index in gone:
            stands[page.index] = parent
            continue
        path = page.slug if parent is None else f"{kept[parent].path}/{page.slug}"
        stands[page.index] = len(kept)
        kept.append(replace(page, index=len(kept), parent=parent, path=path))
    return kept
