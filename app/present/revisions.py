"""Revisions as callers see them (specification, Revision), and what an import made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.access.context import Context
from app.domain.content.content import Content
from app.models.revisions import ImportOut, ReusableContentOut, ReusableVersion, RevisionOut
from app.present import links
from app.present.files import bare_file
from app.present.pages import tree
from app.present.shape import shows

if TYPE_CHECKING:
    from app.domain.importing.importing import Imported


@shows(RevisionOut)
def revision(cx: Context, content: Content) -> dict[str, Any]:
    """A revision with the tree of its pages, its files, reusable contents and variables."""
    row = content.revision
    assert row is not None
    out: dict[str, Any] = {
        "object": "revision",
        "id": row.id,
        "parents": row.parents,
        "pages": tree(cx, content, content.pages, metadata=content.metadata),
        "files": [bare_file(cx, content, file, metadata=content.metadata) for file in content.files],
        "reusableContents": [_reusable(block, metadata=content.metadata) for block in content.reusable],
        "variables": content.variables,
        "createdAt": row.created_at,
        "urls": links.revision(cx, content, row),
        "type": row.type,
    }
    if row.merged_from:
        out["mergedFrom"] = row.merged_from
    if row.type == "computed" and row.parents:
        out["sourceRevision"] = row.parents[0]
    if row.git and content.metadata:
        out["git"] = row.git
    return out


@shows(ReusableContentOut)
def reusable_content(cx: Context, content: Content) -> dict[str, Any]:
    """One reusable content."""
    return _reusable(content.reusable[0], metadata=content.metadata)


def _reusable(block: ReusableVersion, *, metadata: bool) -> dict[str, Any]:
    out: dict[str, Any] = {"id": block.reusable_id, "title": block.title, "document": block.document_id}
    return {**out, "git": {"path": block.source}} if metadata else out


@shows(ImportOut)
def imported(cx: Context, result: Imported) -> dict[str, Any]:
    """What an import did."""
    return {
        "revision": result.revision_id,
        "importedResources": result.imported,
        "totalResources": result.total,
    }
