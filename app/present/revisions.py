"""Revisions as callers see them: whole, and in the history without their content."""

from __future__ import annotations

from typing import Any

from app.access.context import Context
from app.domain.content.content import Content
from app.domain.content.history import HistoryEntry
from app.models.revisions import HistoryEntryOut, ReusableContentOut, ReusableVersion, Revision, RevisionOut
from app.present import links
from app.present.pages import bare_files, tree
from app.present.people import user
from app.present.shape import Presenter, presenter, shows


def _revision(content: Content) -> Revision:
    assert content.revision is not None
    return content.revision


def _source(_cx: Context, content: Content) -> str | None:
    """Return the revision that computed pages were made from."""
    row = _revision(content)
    return row.parents[0] if row.type == "computed" and row.parents else None


revision: Presenter[Context, Content] = presenter(
    RevisionOut,
    of="revision",
    optional=("merged_from", "source_revision", "git"),
    pages=lambda cx, content: tree(cx, content, content.pages, metadata=content.metadata),
    files=lambda cx, content: bare_files(cx, content, content.files, metadata=content.metadata),
    reusable_contents=lambda cx, content: reusable_contents(cx, content),
    variables=lambda _cx, content: content.variables,
    urls=lambda cx, content: links.revision(cx, content, _revision(content)),
    source_revision=_source,
    git=lambda _cx, content: (content.metadata and _revision(content).git) or None,
)


def reusable_contents(_cx: Context, content: Content) -> list[dict[str, Any]]:
    """Return several reusable contents."""
    return [_reusable(block, metadata=content.metadata) for block in content.reusable]


@shows(ReusableContentOut)
def reusable_content(_cx: Context, content: Content) -> dict[str, Any]:
    """Return one reusable content."""
    return _reusable(content.reusable[0], metadata=content.metadata)


def _reusable(block: ReusableVersion, *, metadata: bool) -> dict[str, Any]:
    out: dict[str, Any] = {"id": block.reusable_id, "title": block.title, "document": block.document_id}
    return {**out, "git": {"path": block.source}} if metadata else out


history_entry: Presenter[Context, HistoryEntry] = presenter(
    HistoryEntryOut,
    of="revision",
    first=("object", "id", "number", "type", "parents", "created_at"),
    optional=("merged_from", "git", "author"),
    contributors=lambda cx, entry: [user(cx, each) for each in entry.contributors],
    urls=lambda cx, entry: links.revision(cx, entry, entry.revision),
    author=lambda cx, entry: user(cx, entry.author) if entry.author else None,
)
