"""Pages and files that a mirror import has under another name: they stay what they are, with their ids.

So comments, change requests and links by id go on with them; a page that was deleted and made anew would lose
them all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TypeVar

from sqlalchemy import select

from app.access.context import Context
from app.domain.imports.page_placement import ImportTarget
from app.domain.revisions.branch import BranchContent
from app.domain.revisions.documents import taken_apart
from app.formats.repository import files as renames
from app.formats.repository.import_plan import Plan
from app.kit import workers
from app.kit.database.sql import among
from app.kit.database.statements import rows, table
from app.models.files import FileVersion
from app.models.pages import Document, PageVersion

_d = table(Document)
_TEXTS = rows(lambda: select(_d.c.id, _d.c.markdown).where(among(_d.c.id, "ids")))
_Row = TypeVar("_Row", PageVersion, FileVersion)


@dataclass(slots=True, frozen=True)
class Renames:
    """What a line holds, by the source that it has in the tree."""

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
