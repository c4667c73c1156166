"""What a batch of content changes did, as its author sees it (decisions, Content change result)."""

from __future__ import annotations

from typing import Any

from app.access.context import Context
from app.domain.writing.batch import Done
from app.domain.writing.records import FileRecord
from app.domain.writing.writing import Written
from app.models.content_changes import ContentAnswerOut, ContentChangesOut
from app.present import links
from app.present.change_requests import change_request
from app.present.shape import shows


@shows(ContentChangesOut)
def content_changes(cx: Context, written: Written) -> dict[str, Any]:
    """The revision, what each change made, and the files."""
    out: dict[str, Any] = {
        "revision": written.revision_id,
        "changes": [_done(cx, written, done) for done in written.batch.done],
    }
    if written.request is not None:
        out["changeRequest"] = change_request(cx, written.request)
    if written.batch.files:
        out["insertedFiles"] = [_file(cx, written, *each) for each in written.batch.files]
    if written.batch.reusable:
        out["insertedReusableContents"] = [
            {name: value for name, value in row.items() if value} for row in written.batch.reusable
        ]
    return out


@shows(ContentAnswerOut)
def content_answer(cx: Context, written: Written) -> dict[str, Any]:
    """The change request as it is now, unless the caller asks what each change made."""
    if written.compat and written.request is not None:
        return change_request(cx, written.request)
    return content_changes(cx, written)


def _done(cx: Context, written: Written, done: Done) -> dict[str, Any]:
    out: dict[str, Any] = {"object": done.kind, **({"ref": done.ref} if done.ref else {})}
    page: dict[str, Any] = {"object": "page", "id": done.page_id}
    if written.batch.draft.pages.get(done.page_id) is not None:
        page["urls"] = links.written_page(cx, written, done.page_id)
    return {**out, "page": page}


def _file(cx: Context, written: Written, file: FileRecord, ref: str | None) -> dict[str, Any]:
    version = "" if written.at is None else file.blob_id
    out = {
        "id": file.file_id,
        "name": file.name,
        "downloadURL": links.download(cx, written.space.id, file.file_id, file.name, version),
    }
    return {**out, "ref": ref} if ref else out
