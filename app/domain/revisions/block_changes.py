"""Changes in a batch that are not of pages: files, reusable contents, variables."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from app.domain.content.bodies import page_text_of
from app.domain.revisions import page_changes
from app.domain.revisions.batch import Batch, PageOutcome, needs, title_of
from app.domain.revisions.branch import NewRevision
from app.domain.revisions.commit import commit
from app.domain.revisions.new_files import file_rows
from app.domain.revisions.records import ReusableRecord
from app.formats.repository.files import INCLUDES
from app.formats.repository.names import slug as slug_of
from app.kit.errors import Invalid
from app.kit.ids import new_id
from app.models.content_changes import ContentChange


async def insert_files(batch: Batch, change: ContentChange, path: str, index: int) -> None:
    """New files, kept beside those that imports bring."""
    needs(change, path, "files")
    rows = await file_rows(batch.draft, batch.new_files[index])
    for n, (row, file) in enumerate(zip(rows, change.files, strict=True)):
        batch.remember(file.ref, row.file_id, f"{path}.files.{n}")
        batch.files.append((row, file.ref))


async def delete_file(batch: Batch, change: ContentChange, path: str, index: int) -> None:
    """A file goes; links to it are broken then."""
    needs(change, path, "file")
    draft, file_id = batch.draft, await batch.file(change.file, f"{path}.file")
    if file_id in draft.held_files:
        draft.files[file_id] = None
    else:
        del draft.files[file_id]


async def insert_reusable(batch: Batch, change: ContentChange, path: str, index: int) -> None:
    """A new reusable content."""
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
    """Another title or text of a reusable content."""
    row = await _block(batch, change, path)
    if "title" in change.model_fields_set:
        row.title = title_of(change.title, f"{path}.title")
    if "document" in change.model_fields_set:
        before = await batch.draft.text_of(row) if change.document.document is not None else ""
        row.document_id = await _keep(batch, row.reusable_id, change, path, before)


async def delete_reusable(batch: Batch, change: ContentChange, path: str, index: int) -> None:
    """A reusable content goes."""
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
    """The variables of a page, or of the whole space."""
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
    return await commit(batch.draft)
