"""What a batch of content changes did, as its author sees it (decisions, Content change result)."""

from __future__ import annotations

from typing import Any

from app.access.context import Context
from app.domain.writing.batch import Done
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
        out["insertedFiles"] = [_file(cx, written, row) for row in written.batch.files]
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


def _file(cx: Context, written: Written, row: dict[str, Any]) -> dict[str, Any]:
    version = "" if written.at is None else row["blob_id"]
    out = {
        "id": row["file_id"],
        "name": row["name"],
        "downloadURL": links.download(cx, written.space.id, row["file_id"], row["name"], version),
    }
    return {**out, "ref": row["ref"]} if row["ref"] else out
