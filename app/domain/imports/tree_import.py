"""Imports: a tree of Markdown becomes one revision of a space or change request, or none.

What is there already is recognised by its source (`find_renames` tells what has another one now) and only
what differs is written; nothing is deleted unless the tree is to be mirrored. Bodies go in as they are, to
the byte.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sqlalchemy import literal, select

from app.access.context import Context
from app.domain.imports.import_records import (
    Renames,
    file_record,
    find_renames,
    page_record,
    properties,
    record_at,
)
from app.domain.imports.import_texts import PlanTexts, Preparing, Progress, prepare_here
from app.domain.imports.page_placement import (
    ImportTarget,
    PlacedPage,
    RelocatedPage,
    all_link_targets,
    computed_beside,
    link_targets,
    place_pages,
)
from app.domain.imports.parallel import prepare_in_processes
from app.domain.infrastructure import blobs
from app.domain.revisions import branch
from app.domain.revisions.branch import Branch, BranchContent, on_branch
from app.domain.revisions.commit import commit
from app.domain.revisions.documents import SkippedFiles, blamed
from app.domain.revisions.drafts import Draft
from app.formats.repository.file_tree import Folder
from app.formats.repository.files import MAX_FILE, PlannedFile, name_of
from app.formats.repository.import_plan import Plan, PlannedPage, count, read_plan
from app.formats.repository.import_report import Report
from app.formats.repository.source_text import MAX_MARKDOWN
from app.formats.repository.zip_archive import Zip
from app.kit.database.statements import table
from app.kit.errors import Invalid
from app.models.links import Link
from app.models.spaces import Space

LINKS = table(Link)
_BROKEN = on_branch(
    lambda view: select(
        LINKS.c.holder_id, LINKS.c.position, LINKS.c.href, LINKS.c.line, LINKS.c.target_id
    ).where(view.valid(LINKS), LINKS.c.status == literal("broken"))
)


@dataclass(slots=True, frozen=True)
class Imported:
    """The result of an import; `changed` tells whether there was anything to do."""

    revision_id: str
    imported: int
    total: int
    changed: bool
    report: Report


async def import_tree(
    cx: Context,
    on: Branch,
    plan: Plan,
    *,
    host: ImportTarget | None = None,
    mirror: bool = False,
    git: dict[str, Any] | None = None,
    leaving: SkippedFiles | None = None,
    preparing: Preparing = prepare_here,
    progress: Progress = lambda _done: None,
) -> Imported:
    """Write a plan to a line: one revision where anything differs, else none.

    `host` is where its pages go; with `mirror` the pages and files that the plan does not have are removed.
    `git` tells what repository it came from. The files that it is `leaving` stay as they are held. The caller
    has the right to edit. Raises FileFault for a file that cannot be imported.
    """
    host, leaving = host or ImportTarget(), leaving or SkippedFiles()
    held = await branch.read_content(cx, on)
    leaving = without_oversized(plan, leaving, host, held)
    leave_out(plan, leaving, host, held)
    others = await find_renames(cx, plan, host, held) if mirror else Renames()
    placed, carried = place_pages(plan, host, held.pages, others.pages, mirror=mirror)
    leads = link_targets(plan, host, held, placed, others.files, cx.settings, on.space.id)
    leads = leads if mirror else all_link_targets(held, leads)
    draft = Draft(cx, on)
    texts = PlanTexts(plan, host, draft, placed, leads, preparing, progress, leaving)
    _lay_out(draft, held, placed, carried, leaving)
    draft.incoming = texts
    draft.properties = properties(plan, held.properties, host, mirror=mirror)
    draft.verbatim = {page.page_id for page in placed} | set(leads.reusable.values())
    if mirror:
        _take_away(draft, held, texts)
    await _read_files(texts)
    await texts.compare()
    step = await commit(draft, git=git)
    texts.note_broken(await on.all(cx, _BROKEN))
    return _result(plan, on.revision_id if step is None else step.id, changed=step is not None)


def _result(plan: Plan, revision_id: str, *, changed: bool) -> Imported:
    imported = len(plan.pages) + len(plan.files) + len(plan.reusable)
    skipped = sum(problem.kind == "skipped" for problem in plan.report.problems)
    return Imported(revision_id, imported, imported + skipped, changed, plan.report)


def _lay_out(
    draft: Draft,
    held: BranchContent,
    placed: Sequence[PlacedPage],
    carried: Sequence[RelocatedPage],
    leaving: SkippedFiles,
) -> None:
    """Give the draft all that is held, and the pages that come at their places."""
    draft.learn(held.pages)
    draft.held_files = {file.file_id: file for file in held.files}
    draft.held_reusable = {block.reusable_id: block for block in held.reusable}
    for page in placed:
        is_left = page.source in leaving.files
        draft.pages[page.page_id] = record_at(page) if is_left else page_record(page)
    for each in carried:
        record = draft.pages[each.held.page_id]
        assert record is not None
        record.set(slug=each.slug, path=each.path)


def _take_away(draft: Draft, held: BranchContent, texts: PlanTexts) -> None:
    """Take away what is not planned, but for what is computed below pages that stay."""
    coming = {page.page_id for page in texts.placed}
    others = [page for page in held.pages if page.page_id not in coming]
    staying = {page.page_id for page in computed_beside(others, coming)}
    texts.targets.named.update(dict.fromkeys(staying, "page"))
    draft.pages |= {page.page_id: None for page in others if page.page_id not in staying}
    files, blocks = set(texts.targets.files.values()), set(texts.targets.reusable.values())
    draft.files |= {file.file_id: None for file in held.files if file.file_id not in files}
    draft.reusable |= {row.reusable_id: None for row in held.reusable if row.reusable_id not in blocks}


async def _read_files(texts: PlanTexts) -> None:
    """Keep the bytes of files that are new or other ones; their records are in the draft then."""
    draft, plan, space = texts.draft, texts.plan, texts.draft.line.space
    for planned in plan.files:
        source = texts.host.source(planned.source)
        if source in texts.leaving.files:
            continue
        with blamed(source):
            data = plan.tree.read(planned.source)
            record = file_record(texts.targets.files[source], planned, source, data)
        was = draft.held_files.get(record.file_id)
        if was is None or record.differs(was):
            draft.files[record.file_id] = record
            await blobs.keep(draft.cx, {record.blob_id: data}, space.organization_id, space.id)
        texts.progress(1)


def without_oversized(
    plan: Plan, leaving: SkippedFiles, host: ImportTarget, held: BranchContent
) -> SkippedFiles:
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


def leave_out(plan: Plan, leaving: SkippedFiles, host: ImportTarget, held: BranchContent) -> None:
    """Tell the files that an import is leaving in its report, and take those out that are not held yet.

    What is held stays as it is. What is planned below a page that is taken out goes up to where that was.
    """
    for fault in leaving.faults:
        plan.report.add("skipped", fault.file, f"Left out: {fault.told}.")
    there = {row.source for rows in (held.pages, held.files, held.reusable) for row in rows}
    unknown = leaving.files - there
    _take_out(plan, unknown, host)


def _take_out(plan: Plan, sources: set[str], host: ImportTarget) -> None:
    if not sources:
        return
    plan.files = [each for each in plan.files if host.source(each.source) not in sources]
    plan.reusable = [each for each in plan.reusable if host.source(each.source) not in sources]
    plan.pages = _without(plan.pages, {page.index for page in plan.pages if _is_in(page, sources, host)})


def _is_in(page: PlannedPage, sources: set[str], host: ImportTarget) -> bool:
    return page.source is not None and host.source(page.source) in sources


def _without(pages: list[PlannedPage], gone: set[int]) -> list[PlannedPage]:
    """Return the pages without some of them, numbered anew."""
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


MANY = 2_000  # pages from which processes of their own pay


@contextmanager
def open_plan(path: Path) -> Iterator[Plan]:
    """Yield the plan of an import of the folder or zip at a path; raises Invalid for anything else."""
    if path.is_dir():
        yield read_plan(Folder(path), of_any_tool=True)
    elif path.is_file():
        with closing(Zip(path)) as packed:
            yield read_plan(packed, of_any_tool=True)
    else:
        raise Invalid(f"{path} is neither a folder nor a zip file.", path="PATH")


async def import_plan(
    cx: Context,
    space: Space,
    plan: Plan,
    *,
    mirror: bool = False,
    leaving: SkippedFiles | None = None,
    progress: Progress = lambda _done: None,
) -> Imported:
    """Import a plan into a space, but for the files it is `leaving`; with all cores where it is large."""
    preparing = prepare_in_processes if len(plan.pages) >= MANY else prepare_here
    return await import_tree(
        cx, Branch(space), plan, mirror=mirror, leaving=leaving, preparing=preparing, progress=progress
    )


def count_steps(plan: Plan) -> int:
    """Return how many steps of progress an import of this plan takes."""
    return len(plan.pages) + len(plan.files) + len(plan.reusable)
