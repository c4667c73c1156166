"""Imports: a tree of Markdown becomes one revision of a space or change request, or none.

What is there already is recognised by its source (`renaming` tells what has another one now) and only what
differs is written; nothing is deleted unless the tree is to be mirrored. Bodies go in as they are, to the
byte.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlmodel import SQLModel

from app.access.context import Context
from app.content.conditional import Text
from app.content.repository.plan import Plan
from app.content.repository.report import Report
from app.domain import blobs
from app.domain.content import contributions, search_index
from app.domain.importing import import_reading
from app.domain.importing.import_reading import Preparing, prepare_here
from app.domain.importing.renaming import Renamed, renamed
from app.domain.writing import documents, line, relinking
from app.domain.writing.import_rows import (
    carried_row,
    differs,
    file_row,
    link_rows,
    page_row,
    properties_row,
    reusable_row,
)
from app.domain.writing.line import Held, Line
from app.domain.writing.placing import Carried, Host, Placed, computed_beside, place, targets, targets_beside
from app.domain.writing.preparing import Prepared, Targets
from app.models.files import FileVersion
from app.models.links import Link
from app.models.pages import PageVersion
from app.models.revisions import LineProperties, ReusableVersion

Progress = Callable[[int], None]


@dataclass(slots=True, frozen=True)
class Imported:
    """What an import did; `changed` tells whether there was anything to do."""

    revision_id: str
    imported: int
    total: int
    changed: bool
    report: Report


@dataclass(slots=True)
class _Work:
    """One import under way."""

    cx: Context
    line: Line
    plan: Plan
    host: Host
    held: Held
    placed: list[Placed]
    carried: list[Carried]
    renamed: Renamed
    targets: Targets
    preparing: Preparing
    progress: Progress
    unchanged: list[Placed] = field(default_factory=list)
    """The documents that come as they are held."""
    changed: bool = False

    @property
    def number(self) -> int:
        """The number of the revision that is being made."""
        return self.line.number

    @property
    def line_id(self) -> str:
        """The line that is written on."""
        return self.line.id


async def into_line(
    cx: Context,
    on: Line,
    plan: Plan,
    *,
    host: Host | None = None,
    mirror: bool = False,
    git: dict[str, Any] | None = None,
    preparing: Preparing = prepare_here,
    progress: Progress = lambda _done: None,
) -> Imported:
    """Write a plan to a line: one revision where anything differs, else none.

    `host` is where its pages go; with `mirror` the pages and files that the plan does not have are removed.
    `git` tells what repository it came from. The caller has the right to edit.
    """
    host = host or Host()
    held = await line.held(cx, on)
    others = await renamed(cx, plan, host, held) if mirror else Renamed()
    placed, carried = place(plan, host, held.pages, others.pages, mirror=mirror)
    own = tuple(base + "/" for base in {cx.settings.base_url, cx.settings.app_url} if base)
    leads = targets(plan, host, held, placed, others.files, own)
    leads = leads if mirror else targets_beside(held, leads)
    work = _Work(cx, on, plan, host, held, placed, carried, others, leads, preparing, progress)
    kept = await relinking.kept_by(cx, on, [page.held.page_id for page in carried])
    gone = await _make_room(work, mirror=mirror)
    await _write_files(work)
    await _write_reusable(work)
    await _write_pages(work)
    await _write_properties(work, mirror=mirror)
    relinked, broken = await relinking.settle(cx, on, held.pages, leads, gone, kept)
    work.changed |= relinked
    import_reading.note_broken_links(plan, work.unchanged, broken)
    if not work.changed:
        return _result(work, on.revision_id)
    if on.request is not None:
        await contributions.edited(cx, on.request)
    return _result(work, (await line.advance(cx, on, git=git)).id)


def _result(work: _Work, revision_id: str) -> Imported:
    plan = work.plan
    imported = len(plan.pages) + len(plan.files) + len(plan.reusable)
    skipped = sum(problem.kind == "skipped" for problem in plan.report.problems)
    return Imported(revision_id, imported, imported + skipped, work.changed, plan.report)


async def _make_room(work: _Work, *, mirror: bool) -> Mapping[str, Sequence[str]]:
    """Close what goes away or changes its path, so that no two pages want the same path at once.

    Gives the ids of what a mirror import takes away, or has under another name: links lead there no more.
    """
    moved = [p.page_id for p in work.placed if p.held and p.held.path != p.path]
    await _close(work, PageVersion, [*moved, *(page.held.page_id for page in work.carried)])
    if not mirror:
        return {}
    coming = {p.page_id for p in work.placed}
    files, blocks = set(work.targets.files.values()), set(work.targets.reusable.values())
    others = [page for page in work.held.pages if page.page_id not in coming]
    staying = {page.page_id for page in computed_beside(others, coming)}
    pages = [page for page in others if page.page_id not in staying]
    gone = {
        "pages": [page.page_id for page in pages],
        "files": await _remove(work, FileVersion, [f for f in work.held.files if f.file_id not in files]),
        "reusable": await _remove(
            work, ReusableVersion, [b for b in work.held.reusable if b.reusable_id not in blocks]
        ),
    }
    await _remove(work, PageVersion, pages)
    await _close(work, Link, gone["pages"])
    await _index_no_more(work, gone["pages"])
    gone["pages"] += [page.page_id for page in work.renamed.pages.values()]
    gone["files"] += [file.file_id for file in work.renamed.files.values()]
    return gone


async def _remove(work: _Work, model: type[SQLModel], held: Sequence[Any]) -> list[str]:
    if held:
        work.changed = True
        await line.remove(work.cx, work.line, model, held)
    return [getattr(row, line.KEYS[model]) for row in held]


async def _index_no_more(work: _Work, page_ids: Sequence[str]) -> None:
    if work.line.request is None:
        await search_index.remove(work.cx, work.line.space, page_ids)


async def _close(work: _Work, model: type[SQLModel], ids: Sequence[str]) -> None:
    if ids:
        work.changed = True
        await line.close(work.cx, work.line, model, ids)


async def _write_files(work: _Work) -> None:
    held = {file.file_id: file for file in work.held.files}
    for planned in work.plan.files:
        data = work.plan.tree.read(planned.source)
        source = work.host.source(planned.source)
        file_id = work.targets.files[source]
        row = file_row(work.line_id, work.number, file_id, planned, source, data)
        if file_id not in held or differs(held[file_id], row):
            await _close(work, FileVersion, [file_id])
            await blobs.keep(work.cx, {row["blob_id"]: data})
            await work.cx.tx.add_many(FileVersion, [row])
        work.progress(1)


async def _write_reusable(work: _Work) -> None:
    titles = {work.host.source(block.source): block.title for block in work.plan.reusable}
    held = {block.reusable_id: block for block in work.held.reusable}
    async for chunk in _prepared(work, [block.source for block in work.plan.reusable]):
        for prepared in chunk:
            reusable_id, title = work.targets.reusable[prepared.source], titles[prepared.source]
            row = reusable_row(work.line_id, work.number, reusable_id, title, prepared)
            if reusable_id not in held or differs(held[reusable_id], row):
                await _close(work, ReusableVersion, [reusable_id])
                await _add_documents(work, [prepared])
                await work.cx.tx.add_many(ReusableVersion, [row])
        work.progress(len(chunk))


async def _write_pages(work: _Work) -> None:
    """Write all pages; while one chunk is on its way to the database, the rows of the next are built."""
    await _write(work, _batch(work, [(page, None) for page in work.placed if page.source is None]))
    await work.cx.tx.add_many(PageVersion, [carried_row(page, work.line) for page in work.carried])
    by_source = {page.source: page for page in work.placed if page.source}
    news = await import_reading.news(work.plan, work.host, work.placed, work.line_id, work.targets)
    work.unchanged = news.unchanged
    work.progress(len(news.unchanged))
    writing: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    writing.set_result(None)
    try:
        async for chunk in _prepared(work, news.sources):
            batch = _batch(work, [(by_source[prepared.source], prepared) for prepared in chunk])
            await writing
            writing = asyncio.ensure_future(_write(work, batch))
    finally:
        await writing


def _prepared(work: _Work, sources: Sequence[str]) -> AsyncIterator[list[Prepared]]:
    return import_reading.prepared(work.plan, work.host, sources, work.targets, work.preparing)


@dataclass(slots=True)
class _Batch:
    """The rows of a chunk of pages, as far as they differ from what is held."""

    size: int
    held: list[str] = field(default_factory=list)
    pages: list[dict[str, Any]] = field(default_factory=list)
    prepared: list[Prepared] = field(default_factory=list)
    links: list[dict[str, Any]] = field(default_factory=list)
    sections: list[dict[str, Any]] = field(default_factory=list)


def _batch(work: _Work, pages: Sequence[tuple[Placed, Prepared | None]]) -> _Batch:
    space, number, batch = work.line.space, work.number, _Batch(len(pages))
    for page, prepared in pages:
        row = page_row(work.line_id, number, page, prepared, work.targets)
        if page.held is not None and not differs(page.held, row):
            continue
        row["created_at"] = page.held.created_at if page.held else work.cx.now
        row["updated_at"] = work.cx.now
        batch.pages.append(row)
        if page.held is not None:
            batch.held.append(page.page_id)
        if prepared is not None:
            batch.prepared.append(prepared)
            batch.links += link_rows(work.line_id, number, page.page_id, prepared.links)
        if page.planned.kind != "link" and work.line.request is None:
            passages = prepared.passages if prepared else ()
            batch.sections += search_index.sections(space, page.page_id, row["title"], passages)
    return batch


async def _write(work: _Work, batch: _Batch) -> None:
    cx = work.cx
    if batch.pages:
        work.changed = True
        await line.close(cx, work.line, PageVersion, batch.held)
        await line.close(cx, work.line, Link, batch.held)
        await _index_no_more(work, batch.held)
        await _add_documents(work, batch.prepared)
        await cx.tx.add_many(PageVersion, batch.pages)
        await cx.tx.add_many(Link, batch.links)
        await search_index.add(cx, batch.sections)
    work.progress(batch.size)


async def _add_documents(work: _Work, prepared: Sequence[Prepared]) -> None:
    await documents.keep(work.cx, {p.document_id: Text(p.body, p.conditional) for p in prepared})


async def _write_properties(work: _Work, *, mirror: bool) -> None:
    before = work.held.properties
    row = properties_row(work.line_id, work.number, work.plan, before, work.host, mirror=mirror)
    if differs(before, row):
        await _close(work, LineProperties, [work.line_id])
        await work.cx.tx.add_many(LineProperties, [row])
