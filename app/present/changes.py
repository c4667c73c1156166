"""Revisions, diffs, results of content changes, and changes of agents as callers see them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.access.context import Context
from app.domain.content.changes import (
    PAGE_FIELDS,
    REUSABLE_FIELDS,
    ChangedFile,
    Changes,
    ContentDifference,
    PageDifference,
)
from app.domain.content.content import Content
from app.domain.content.history import HistoryEntry, PageDiff
from app.domain.revisions.batch import PageOutcome
from app.domain.revisions.edits import EditResult
from app.domain.revisions.records import FileRecord
from app.models.agents import AgentChangeOut, AgentUndoOut
from app.models.changes import DocumentOut, PageDiffOut, SemanticChangesOut
from app.models.content_changes import ContentAnswerOut, ContentChangesOut
from app.models.revisions import HistoryEntryOut, ReusableContentOut, ReusableVersion, Revision, RevisionOut
from app.present import links, signed_links
from app.present.discussions import change_request
from app.present.pages import LAYOUT, bare_files, tree
from app.present.people import user
from app.present.shape import Presenter, presenter, shows

if TYPE_CHECKING:
    from app.domain.agents.agent_undo import Undone, UndoOutcome
    from app.formats.text.diffs import Hunk


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


@shows(SemanticChangesOut)
def changes(cx: Context, found: Changes) -> dict[str, Any]:
    """Return every change that is told; `more` only where some are not."""
    out: dict[str, Any] = {"changes": [_change(cx, found, item) for item in found.items]}
    if found.more:
        out["more"] = found.more
    if found.merged_from:
        out["mergedFrom"] = found.merged_from
    return out


@shows(PageDiffOut)
def page_diff(cx: Context, diff: PageDiff) -> dict[str, Any]:
    """Return a diff to show and to apply."""
    out: dict[str, Any] = {"unified": diff.unified, "hunks": [_hunk(hunk) for hunk in diff.hunks]}
    sides = (("before", diff.before), ("after", diff.after))
    return {**out, **{name: value for name, value in sides if value}}


@shows(DocumentOut)
def document(cx: Context, found: dict[str, Any]) -> dict[str, Any]:
    """Return a document as it is."""
    return found


def _hunk(hunk: Hunk) -> dict[str, Any]:
    return {
        "oldStart": hunk.old_start,
        "oldLines": hunk.old_count,
        "newStart": hunk.new_start,
        "newLines": hunk.new_count,
        "lines": [{"type": kind, "text": text} for kind, text in hunk.lines],
    }


def _change(cx: Context, found: Changes, item: ContentDifference) -> dict[str, Any]:
    kind = item.type.rpartition("_")[0]
    out: dict[str, Any] = {"type": item.type}
    if kind == "page":
        out["page"] = _page(item.row)
    elif kind == "file":
        out["file"] = _file(cx, found, item.row)
    elif kind == "reusable_content":
        out["reusableContent"] = {"id": item.row.id, "title": item.row.title}
    if item.type == "page_moved":
        out["parent"] = _sides(*(row and _page(row) for row in item.parents))
    elif item.type.endswith("_edited"):
        was, now = (_attributes(cx, found, kind, row) for row in (item.before, item.after))
        names = dict.fromkeys([*was, *now])
        pairs = {name: (was.get(name), now.get(name)) for name in names}
        out["attributes"] = {name: _sides(*pair) for name, pair in pairs.items() if pair[0] != pair[1]}
    return out


def _page(row: PageDifference) -> dict[str, Any]:
    out = {"id": row.id, "type": row.kind, "title": row.title}
    return out if row.kind == "link" else {**out, "path": row.path}


def _file(cx: Context, found: Changes, row: ChangedFile) -> dict[str, Any]:
    return {
        "id": row.id,
        "name": row.name,
        "contentType": row.content_type,
        "downloadURL": signed_links.download(cx, found.space.id, row.id, row.name, row.blob_id),
    }


def _attributes(cx: Context, found: Changes, kind: str, row: Any) -> dict[str, Any]:
    """Return what is told of a thing under the wire's names."""
    if kind == "file":
        _, *told = _file(cx, found, row).items()
        pixels = {"width": row.width, "height": row.height} if row.width and row.height else None
        return {**dict(told), "size": row.size, "dimensions": pixels}
    if kind == "variables":
        return {"variables": row}
    names = PAGE_FIELDS if kind == "page" else REUSABLE_FIELDS
    out = {name.removesuffix("_id"): getattr(row, name) or None for name in names}
    if kind == "page":
        out["layout"] = {**LAYOUT, **(row.layout or {})}
    return out


def _sides(before: Any, after: Any) -> dict[str, Any]:
    sides = (("before", before), ("after", after))
    return {name: value for name, value in sides if value is not None}


@shows(ContentChangesOut)
def content_changes(cx: Context, written: EditResult) -> dict[str, Any]:
    """Return the revision, what each change made, and the files."""
    out: dict[str, Any] = {
        "revision": written.revision_id,
        "changes": [_done(cx, written, done) for done in written.batch.done],
    }
    if written.request is not None:
        out["changeRequest"] = change_request(cx, written.request)
    if written.batch.files:
        out["insertedFiles"] = [_written_file(cx, written, *each) for each in written.batch.files]
    if written.batch.reusable:
        out["insertedReusableContents"] = [
            {name: value for name, value in row.items() if value} for row in written.batch.reusable
        ]
    return out


@shows(ContentAnswerOut)
def content_answer(cx: Context, written: EditResult) -> dict[str, Any]:
    """Return the change request as it is now, unless the caller asks what each change made."""
    if written.compat and written.request is not None:
        return change_request(cx, written.request)
    return content_changes(cx, written)


def _done(cx: Context, written: EditResult, done: PageOutcome) -> dict[str, Any]:
    out: dict[str, Any] = {"object": done.kind, **({"ref": done.ref} if done.ref else {})}
    page: dict[str, Any] = {"object": "page", "id": done.page_id}
    if written.batch.draft.pages.get(done.page_id) is not None:
        page["urls"] = links.written_page(cx, written, done.page_id)
    return {**out, "page": page}


def _written_file(cx: Context, written: EditResult, file: FileRecord, ref: str | None) -> dict[str, Any]:
    version = "" if written.at is None else file.blob_id
    out = {
        "id": file.file_id,
        "name": file.name,
        "downloadURL": signed_links.download(cx, written.space.id, file.file_id, file.name, version),
    }
    return {**out, "ref": ref} if ref else out


agent_change: Presenter[Context, Any] = presenter(
    AgentChangeOut,
    id=lambda _cx, row: str(row.id),
    token=lambda _cx, row: row.token_id,
    user=lambda cx, row: user(cx, row.person[0]),
)


@shows(AgentUndoOut)
def agent_undo(_cx: Context, outcome: UndoOutcome) -> dict[str, Any]:
    """Return what became of the changes of an agent."""
    return {"changes": [_undone(each) for each in outcome.changes], "remaining": outcome.remaining}


def _undone(each: Undone) -> dict[str, Any]:
    out: dict[str, Any] = {
        "kind": each.kind,
        "result": each.result,
        "space": each.space_id,
        "target": each.target,
    }
    if each.reason is not None:
        out["reason"] = each.reason
    if each.change_request_id is not None:
        out["changeRequest"] = each.change_request_id
    if each.conflicts:
        out["conflicts"] = [{"page": conflict.page, "field": conflict.field} for conflict in each.conflicts]
    return out
