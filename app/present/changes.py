"""What changed, as callers see it: between revisions, in a page's text, by a batch of content changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.access.context import Context
from app.domain.content.changes import (
    PAGE_FIELDS,
    REUSABLE_FIELDS,
    ChangedFile,
    ChangedPage,
    Changes,
    ContentDifference,
)
from app.domain.content.diffs import PageDiff
from app.domain.revisions.batch import PageOutcome
from app.domain.revisions.edits import EditResult
from app.domain.revisions.records import FileRecord
from app.models.changes import DocumentOut, SemanticChangesOut
from app.models.content_changes import ContentAnswerOut, ContentChangesOut
from app.models.diffs import PageDiffOut
from app.present import links
from app.present.change_requests import change_request
from app.present.pages import LAYOUT
from app.present.shape import shows

if TYPE_CHECKING:
    from app.formats.text.diffs import Hunk


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


def _page(row: ChangedPage) -> dict[str, Any]:
    out = {"id": row.id, "type": row.kind, "title": row.title}
    return out if row.kind == "link" else {**out, "path": row.path}


def _file(cx: Context, found: Changes, row: ChangedFile) -> dict[str, Any]:
    return {
        "id": row.id,
        "name": row.name,
        "contentType": row.content_type,
        "downloadURL": links.download(cx, found.space.id, row.id, row.name, row.blob_id),
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
        "downloadURL": links.download(cx, written.space.id, file.file_id, file.name, version),
    }
    return {**out, "ref": ref} if ref else out
