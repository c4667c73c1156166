"""Imports: a tree of Markdown becomes one revision of a space or change request, or none.

What is there already is recognised by its source (`renaming` tells what has another one now) and only what
differs is written; nothing is deleted unless the tree is to be mirrored. Bodies go in as they are, to the
byte.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import literal, select

from app.access.context import Context
from app.domain.importing.import_reading import PlanTexts, Preparing, Progress, prepare_here
from app.domain.importing.import_records import file_record, page_record, properties, record_at
from app.domain.importing.leaving_out import leave_out, without_oversized
from app.domain.importing.renaming import Renamed, renamed
from app.domain.infrastructure import blobs
from app.domain.writing import line
from app.domain.writing.committing import commit
from app.domain.writing.drafts import Draft
from app.domain.writing.file_faults import Leaving, blamed
from app.domain.writing.line import Held, Line, on_line
from app.domain.writing.placing import Carried, Host, Placed, computed_beside, place, targets, targets_beside
from app.formats.repository.plan import Plan
from app.formats.repository.report import Report
from app.kit.database.statements import table
from app.models.links import Link

_l = table(Link)
_BROKEN = on_line(
    lambda view: select(_l.c.holder_id, _l.c.position, _l.c.href, _l.c.line, _l.c.target_id).where(
        view.valid(_l), _l.c.status == literal("broken")
    )
)


@dataclass(slots=True, frozen=True)
class Imported:
    """What an import did; `changed` tells whether there was anything to do."""

    revision_id: str
    imported: int
    total: int
    changed: bool
    report: Report


async def into_line(
    cx: Context,
    on: Line,
    plan: Plan,
    *,
    host: Host | None = None,
    mirror: bool = False,
    git: dict[str, Any] | None = None,
    leaving: Leaving | None = None,
    preparing: Preparing = prepare_here,
    progress: Progress = lambda _done: None,
) -> Imported:
    """Write a plan to a line: one revision where anything differs, else none.

    `host` is where its pages go; with `mirror` the pages and files that the plan does not have are removed.
    `git` tells what repository it came from. The files that it is `leaving` stay as they are held. The caller
    has the right to edit. Raises FileFault for a file that cannot be imported.
    """
    host, leaving = host or Host(), leaving or Leaving()
    held = await line.held(cx, on)
    leaving = without_oversized(plan, leaving, host, held)
    leave_out(plan, leaving, host, held)
    others = await renamed(cx, plan, host, held) if mirror else Renamed()
    placed, carried = place(plan, host, held.pages, others.pages, mirror=mirror)
    leads = targets(plan, host, held, placed, others.files, cx.settings, on.space.id)
    leads = leads if mirror else targets_beside(held, leads)
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
    draft: Draft, held: Held, placed: Sequence[Placed], carried: Sequence[Carried], leaving: Leaving
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


def _take_away(draft: Draft, held: Held, texts: PlanTexts) -> None:
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
