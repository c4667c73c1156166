"""Changing content: a batch of changes becomes one revision of a space or a change request, or nothing.

Changes in a batch that are not of pages: files, reusable contents, variables.

Changing content: a batch of changes becomes one revision of a space or a change request, or nothing.

(decisions, Content changes.) Changes are made in their order on a draft; a page or file that the batch makes
may be named by its `ref` in those that follow, in texts too (`/pages/REF`, `/files/REF`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.access.context import Context
from app.domain.change_requests import change_requests
from app.domain.content.bodies import page_text_of
from app.domain.content.outside_pictures import refuse_outside_pictures
from app.domain.content.views import ContentVersion, Where
from app.domain.revisions import branch, page_changes
from app.domain.revisions.batch import Batch, PageOutcome, file_rows, needs, title_of
from app.domain.revisions.branch import NewRevision
from app.domain.revisions.commit import commit
from app.domain.revisions.records import ReusableRecord
from app.formats.repository.files import INCLUDES
from app.formats.repository.names import slug as slug_of
from app.kit.errors import Invalid
from app.kit.ids import new_id
from app.models.content_changes import ContentChange, ContentChanges, ContentChangesQuery

if TYPE_CHECKING:
    from app.domain.revisions.batch import Batch, NewFile


async def insert_files(batch: Batch, change: ContentChange, path: str, index: int) -> None:
    """Insert new files, kept beside those that imports bring."""
    needs(change, path, "files")
    rows = await file_rows(batch.draft, batch.new_files[index])
    for n, (row, file) in enumerate(zip(rows, change.files, strict=True)):
        batch.remember(file.ref, row.file_id, f"{path}.files.{n}")
        batch.files.append((row, file.ref))


async def delete_file(batch: Batch, change: ContentChange, path: str, index: int) -> None:
    """Delete a file; links to it become broken."""
    needs(change, path, "file")
    draft, file_id = batch.draft, await batch.file(change.file, f"{path}.file")
    if file_id in draft.held_files:
        draft.files[file_id] = None
    else:
        del draft.files[file_id]


async def insert_reusable(batch: Batch, change: ContentChange, path: str, index: int) -> None:
    """Insert a reusable content."""
    needs(change, path, "title", "document")
    block_id, title = new_id(), title_of(change.title, f"{path}.title")
    name = f"{slug_of(title, 'content')}-{block_id[-6:].lower()}.md"
    batch.draft.reusable[block_id] = ReusableRecord(
        reusable_id=block_id,
        title=title,
        source=INCLUDES + name,
        front_matter="",
        document_id=await _keep(batch, block_id, change, path, ""),
    )
    batch.remember(change.ref, block_id, path)
    batch.reusable.append({"id": block_id, "title": title, "ref": change.ref})


async def update_reusable(batch: Batch, change: ContentChange, path: str, index: int) -> None:
    """Change the title or the text of a reusable content."""
    row = await _block(batch, change, path)
    if "title" in change.model_fields_set:
        row.title = title_of(change.title, f"{path}.title")
    if "document" in change.model_fields_set:
        before = await batch.draft.text_of(row) if change.document.document is not None else ""
        row.document_id = await _keep(batch, row.reusable_id, change, path, before)


async def delete_reusable(batch: Batch, change: ContentChange, path: str, index: int) -> None:
    """Delete a reusable content."""
    block_id = (await _block(batch, change, path)).reusable_id
    if block_id in batch.draft.held_reusable:
        batch.draft.reusable[block_id] = None
    else:
        del batch.draft.reusable[block_id]


async def _block(batch: Batch, change: ContentChange, path: str) -> ReusableRecord:
    needs(change, path, "reusable_content")
    draft, block_id = batch.draft, batch.id_of(change.reusable_content)
    if block_id not in draft.reusable:
        await draft.read_reusable([block_id])
        held = draft.held_reusable.get(block_id)
        draft.reusable[block_id] = ReusableRecord.of(held) if held else None
    row = draft.reusable[block_id]
    if row is None:
        raise Invalid("There is no such reusable content.", path=f"{path}.reusableContent")
    return row


async def _keep(batch: Batch, block_id: str, change: ContentChange, path: str, before: str) -> str:
    text = await page_text_of(change.document, f"{path}.document", before)
    return batch.draft.write_block(block_id, text)


async def update_variables(batch: Batch, change: ContentChange, path: str, index: int) -> None:
    """Change the variables of a page, or of the whole space."""
    needs(change, path, "variables")
    variables = change.variables or {}
    if "page" in change.model_fields_set:
        page = await batch.page(change.page, f"{path}.page")
        page.set(variables=variables or None, git_oid=None)
        batch.done.append(PageOutcome("updated_page", page.page_id))
    else:
        batch.draft.properties = {"variables": variables}


Maker = Callable[[Batch, ContentChange, str, int], Awaitable[None]]
_MAKERS: dict[str, Maker] = {
    "insert_page": page_changes.insert,
    "update_page": page_changes.update,
    "delete_page": page_changes.delete,
    "revert_page": page_changes.revert,
    "refresh_page": page_changes.refresh,
    "insert_files": insert_files,
    "delete_file": delete_file,
    "insert_reusable_content": insert_reusable,
    "update_reusable_content": update_reusable,
    "delete_reusable_content": delete_reusable,
    "update_variables": update_variables,
}


async def make_changes(batch: Batch, changes: Sequence[ContentChange]) -> NewRevision | None:
    """Make these changes, and write them as one revision; None where nothing differs in the end."""
    for index, change in enumerate(changes):
        await _MAKERS[change.operation](batch, change, f"changes.{index}", index)
    for holder_id, text in {**batch.draft.bodies, **batch.draft.blocks}.items():
        before = await batch.draft.stored_text(holder_id) if batch.cx.actor.is_agent else ""
        await refuse_outside_pictures(batch.cx, text, "changes", before)
    return await commit(batch.draft)


@dataclass(slots=True)
class EditResult:
    """The outcome of a batch: the line's revision now, the batch, the change request that was written in."""

    batch: Batch
    revision_id: str
    request: change_requests.ChangeRequestDetails | None
    compat: bool

    @property
    def space(self) -> Any:
        """Return the space that was written in."""
        return self.batch.draft.line.space

    @property
    def at(self) -> ContentVersion | None:
        """Return where in it."""
        request = self.batch.draft.line.request
        return ContentVersion("changeRequest", request.id, request.number) if request else None


async def gather(
    cx: Context, where: Where, query: ContentChangesQuery, body: ContentChanges
) -> Mapping[int, Sequence[NewFile]]:
    """Return the files of a batch, decoded or fetched before anything is written."""
    if not any(change.operation == "insert_files" for change in body.changes):
        return {}
    from app.domain.revisions.batch import gather

    on = await branch.writable(cx, where)
    return await gather(cx, on.space.organization_id, body)


async def change_content(
    cx: Context,
    where: Where,
    query: ContentChangesQuery,
    body: ContentChanges,
    new_files: Mapping[int, Sequence[NewFile]],
) -> EditResult:
    """Change content: pages, files, reusable contents and variables, in one revision.

    Raises Invalid naming the change that cannot be made, and then nothing is; Conflict where the space is
    locked, or the change request archived or merged.
    """
    from app.domain.revisions.batch import Batch
    from app.domain.revisions.drafts import Draft

    on = await branch.writable(cx, where)
    batch = Batch(Draft(cx, on), new_files)
    revision = await make_changes(batch, body.changes)
    request = await change_requests.get(cx, where) if on.request else None
    return EditResult(batch, revision.id if revision else on.revision_id, request, query.compat)
