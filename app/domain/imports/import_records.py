"""The records that an import makes of pages, files and reusable contents, from what was planned and read.

Pages and files that a mirror import has under another name: they stay what they are, with their ids.

So comments, change requests and links by id go on with them; a page that was deleted and made anew would lose
them all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, TypeVar

from sqlalchemy import select

from app.access.context import Context
from app.domain.imports.page_placement import ImportTarget, PlacedPage
from app.domain.revisions.branch import BranchContent
from app.domain.revisions.documents import PreparedText, git_oid, taken_apart
from app.domain.revisions.link_targets import LinkTargets
from app.domain.revisions.records import FileRecord, PageRecord, ReusableRecord, storable
from app.formats.images import content_type, dimensions
from app.formats.markdown.hrefs import classify, resolve
from app.formats.repository import files as renames
from app.formats.repository.files import PlannedFile
from app.formats.repository.import_plan import Plan
from app.formats.repository.metadata import Metadata
from app.kit import workers
from app.kit.database.sql import among
from app.kit.database.statements import rows, table
from app.models.files import FileVersion
from app.models.pages import Document, PageVersion
from app.models.revisions import LineProperties


def page_record(page: PlacedPage) -> PageRecord:
    """Return a planned page at its place; a document's text and metadata come with its file (see `fill`)."""
    planned = page.planned
    record = PageRecord.of(page.held) if page.held else _new(page)
    icon, emoji = record.icon, record.emoji  # a group keeps them where the table of contents says none
    record.set(
        kind=planned.kind,
        title=storable(planned.title),
        link_title=storable(planned.link_title),
        slug=page.slug,
        path=page.path,
        parent_id=page.parent_id,
        rank=page.rank,
        source=page.source,
        href=storable(planned.href),
        computed=None,
        computed_seed=None,
    )
    if page.source is None:
        fill(record, None, LinkTargets(), listed=planned.listed)
        if planned.kind == "group":
            record.set(icon=planned.icon or icon, emoji=planned.emoji or emoji)
    return record


def record_at(page: PlacedPage) -> PageRecord:
    """Return a page that stays as it is held, at the place that is planned for it."""
    assert page.held is not None
    record = PageRecord.of(page.held)
    record.set(slug=page.slug, path=page.path, parent_id=page.parent_id, rank=page.rank, source=page.source)
    return record


def _new(page: PlacedPage) -> PageRecord:
    planned = page.planned
    return PageRecord(
        page_id=page.page_id,
        kind=planned.kind,
        title="",
        slug=page.slug,
        parent_id=page.parent_id,
        rank=page.rank,
    )


def fill(record: PageRecord, prepared: PreparedText | None, targets: LinkTargets, *, listed: bool) -> None:
    """Give a page what its file says; one that has none says nothing."""
    said = prepared.metadata if prepared else Metadata()
    record.set(
        front_matter=prepared.front_matter if prepared else "",
        document_id=prepared.document_id if prepared else None,
        description=storable(said.description),
        emoji=storable(said.emoji),
        icon=storable(said.icon),
        hidden=said.hidden or not listed,
        no_index=said.no_index,
        no_robots_index=said.no_robots_index,
        layout=storable(said.layout),
        cover=storable(_cover(said, record.source or "", targets)),
        variables=storable(said.variables or None),
        condition=storable(said.condition),
        git_oid=prepared.git_oid if prepared else None,
    )


def _cover(said: Metadata, source: str, targets: LinkTargets) -> dict[str, Any] | None:
    if not said.cover and not said.cover_dark:
        return None
    cover: dict[str, Any] = {"yPos": said.cover_y or 0}
    if said.cover:
        cover["ref"] = _picture(said.cover, source, targets)
    if said.cover_dark:
        cover["refDark"] = _picture(said.cover_dark, source, targets)
    if said.cover_height is not None:
        cover["height"] = said.cover_height
    return cover


def _picture(href: str, source: str, targets: LinkTargets) -> dict[str, Any]:
    target = resolve(href, source) if classify(href) == "repository" else None
    found = targets.find(target.path) if target else None
    return (
        {"kind": "file", "file": found.id} if found and found.kind == "file" else {"kind": "url", "url": href}
    )


def file_record(file_id: str, planned: PlannedFile, source: str, data: bytes) -> FileRecord:
    """Return a planned file with what its bytes tell."""
    kind = content_type(planned.name)
    size = dimensions(kind, data)
    return FileRecord(
        file_id=file_id,
        name=planned.name,
        source=source,
        content_type=kind,
        size=len(data),
        width=size[0] if size else None,
        height=size[1] if size else None,
        blob_id=sha256(data).hexdigest(),
        git_oid=git_oid(data),
    )


def reusable_record(reusable_id: str, title: str, prepared: PreparedText) -> ReusableRecord:
    """Return a reusable content that was read."""
    return ReusableRecord(
        reusable_id=reusable_id,
        title=title,
        source=prepared.source,
        front_matter=prepared.front_matter,
        document_id=prepared.document_id,
    )


def properties(plan: Plan, before: LineProperties, host: ImportTarget, *, mirror: bool) -> dict[str, Any]:
    """Return what a line says as a whole; only a whole tree has a table of contents and settings."""
    said: dict[str, Any] = storable(
        {
            "variables": plan.variables if mirror else {**before.variables, **plan.variables},
            "redirects": plan.redirects if mirror else {**before.redirects, **plan.redirects},
            "summary_source": plan.summary_raw if host.whole else before.summary_source,
            "settings_source": plan.settings_raw if host.whole else before.settings_source,
            "variables_source": plan.variables_raw if host.whole else before.variables_source,
        }
    )
    return said


DOCUMENTS = table(Document)
_TEXTS = rows(lambda: select(DOCUMENTS.c.id, DOCUMENTS.c.markdown).where(among(DOCUMENTS.c.id, "ids")))
_Row = TypeVar("_Row", PageVersion, FileVersion)


@dataclass(slots=True, frozen=True)
class Renames:
    """The content of a line, by the source that it has in the tree."""

    pages: Mapping[str, PageVersion] = field(default_factory=dict)
    files: Mapping[str, FileVersion] = field(default_factory=dict)


async def find_renames(cx: Context, plan: Plan, host: ImportTarget, held: BranchContent) -> Renames:
    """Return what a tree, which a line is to become, has under another name than the line."""
    pages = {host.source(page.source): page.source for page in plan.pages if page.source}
    files = {host.source(file.source): file.source for file in plan.files}
    return Renames(await _pages(cx, plan, pages, held.pages), await _files(plan, files, held.files))


async def _pages(
    cx: Context, plan: Plan, planned: Mapping[str, str], held: Sequence[PageVersion]
) -> dict[str, PageVersion]:
    new, gone = _apart(planned, held)
    documents = {source: page.document_id for source, page in gone.items() if page.document_id}
    if not new or not documents:
        return {}
    texts = await workers.run_long(
        lambda: {source: taken_apart(source, plan.tree.read(path)) for source, path in new.items()}
    )
    found = renames.same({source: text.document_id for source, text in texts.items()}, documents)
    known = set(found.values())
    fresh = {source: text.body for source, text in texts.items() if source not in found}
    old = {source: key for source, key in documents.items() if source not in known}
    if fresh and old and len(fresh) * len(old) <= renames.MOST_PAIRS:
        bodies = {row.id: row.markdown for row in await cx.db.all(_TEXTS, ids=sorted(set(old.values())))}
        before = {source: bodies[key] for source, key in old.items()}
        found |= await workers.run_long(renames.alike, fresh, before)
    return {source: gone[was] for source, was in found.items()}


async def _files(
    plan: Plan, planned: Mapping[str, str], held: Sequence[FileVersion]
) -> dict[str, FileVersion]:
    new, gone = _apart(planned, held)
    if not new or not gone:
        return {}
    digests = await workers.run_long(
        lambda: {source: sha256(plan.tree.read(path)).hexdigest() for source, path in new.items()}
    )
    found = renames.same(digests, {source: file.blob_id for source, file in gone.items()})
    return {source: gone[was] for source, was in found.items()}


def _apart(planned: Mapping[str, str], held: Sequence[_Row]) -> tuple[dict[str, str], dict[str, _Row]]:
    """Return what is only in the tree, with its path there, and what is only on the line."""
    known = {row.source: row for row in held if row.source}
    new = {source: path for source, path in planned.items() if source not in known}
    return new, {source: row for source, row in known.items() if source not in planned}
