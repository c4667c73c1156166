"""The changes of a batch, made one after another on its draft."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from app.domain.writing import block_changes, page_changes
from app.domain.writing.batch import Batch
from app.domain.writing.committing import commit
from app.domain.writing.line import Step
from app.models.content_changes import ContentChange

Make = Callable[[Batch, ContentChange, str, int], Awaitable[None]]
_MAKE: dict[str, Make] = {
    "insert_page": page_changes.insert,
    "update_page": page_changes.update,
    "delete_page": page_changes.delete,
    "revert_page": page_changes.revert,
    "insert_files": block_changes.insert_files,
    "delete_file": block_changes.delete_file,
    "insert_reusable_content": block_changes.insert_reusable,
    "update_reusable_content": block_changes.update_reusable,
    "delete_reusable_content": block_changes.delete_reusable,
    "update_variables": block_changes.update_variables,
}


async def make(batch: Batch, changes: Sequence[ContentChange]) -> Step | None:
    """Make these changes, and write them as one revision; None where nothing differs in the end."""
    for index, change in enumerate(changes):
        await _MAKE[change.operation](batch, change, f"changes.{index}", index)
    return await commit(batch.draft)
