"""Taking files out of a plan that cannot be imported, or not as what they are planned."""

from __future__ import annotations

from dataclasses import replace

from app.domain.writing.file_faults import Leaving
from app.domain.writing.line import Held
from app.domain.writing.placing import Host
from app.formats.repository.inventory import MAX_FILE, PlannedFile, name_of
from app.formats.repository.plan import Plan, PlannedPage, count
from app.formats.repository.reading import MAX_MARKDOWN


def without_oversized(plan: Plan, leaving: Leaving, host: Host, held: Held) -> Leaving:
    """Settle what becomes of files that are too large, and tell it in the report.

    A page, a reusable content or a file that is held stays as it is, planned at its place; the result has it
    among the `kept`. Else what is too large for a text becomes a file, and what is too large for one goes.
    """
    texts = {row.source for rows in (held.pages, held.reusable) for row in rows}
    files = {row.source for row in held.files}
    planned_files = {file.source for file in plan.files}
    kept, gone = set[str](), set[str]()
    for path, size in sorted(plan.oversized.items()):
        source = host.source(path)
        if source in (files if path in planned_files else texts):
            kept.add(source)
            limit = MAX_FILE if path in planned_files else MAX_MARKDOWN
            stays = f"more than {limit >> 20} MB; what is there stays as it is"
            plan.report.add("skipped", path, f"Left out: {stays}.")
            continue
        gone.add(source)
        if size > MAX_FILE:
            plan.report.add("skipped", path, "Larger than 50 MB; left out.")
        else:
            plan.report.add("skipped", path, "Too large for a page (more than 5 MB); kept as a file.")
    _take_out(plan, gone, host)
    large = [(path, size) for path, size in plan.oversized.items() if host.source(path) in gone]
    plan.files += [PlannedFile(path, name_of(path), size) for path, size in large if size <= MAX_FILE]
    plan.files.sort(key=lambda file: file.source)
    plan.oversized = {path: size for path, size in plan.oversized.items() if host.source(path) in kept}
    count(plan)
    return replace(leaving, kept=frozenset(kept))


def leave_out(plan: Plan, leaving: Leaving, host: Host, held: Held) -> None:
    """Tell the files that an import is leaving in its report, and take those out that are not held yet.

    What is held stays as it is. What is planned below a page that is taken out goes up to where that was.
    """
    for fault in leaving.faults:
        plan.report.add("skipped", fault.file, f"Left out: {fault.told}.")
    there = {row.source for rows in (held.pages, held.files, held.reusable) for row in rows}
    unknown = leaving.files - there
    _take_out(plan, unknown, host)


def _take_out(plan: Plan, sources: set[str], host: Host) -> None:
    if not sources:
        return
    plan.files = [each for each in plan.files if host.source(each.source) not in sources]
    plan.reusable = [each for each in plan.reusable if host.source(each.source) not in sources]
    plan.pages = _without(plan.pages, {page.index for page in plan.pages if _is_in(page, sources, host)})


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
