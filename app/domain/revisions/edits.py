"""Changing content: a batch of changes becomes one revision of a space or a change request, or nothing.

(decisions, Content changes.) Changes are made in their order on a draft; a page or file that the batch makes
may be named by its `ref` in those that follow, in texts too (`/pages/REF`, `/files/REF`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.access.context import Context
from app.domain.change_requests import change_requests
from app.domain.content.views import ContentVersion, Where
from app.domain.revisions import branch
from app.models.content_changes import ContentChanges, ContentChangesQuery

if TYPE_CHECKING:  # what reads Markdown is loaded when somebody writes
    from app.domain.revisions.batch import Batch
    from app.domain.revisions.new_files import NewFile


@dataclass(slots=True)
class EditResult:
    """What a batch did: the line's revision now, the batch, the change request that was written in."""

    batch: Batch
    revision_id: str
    request: change_requests.ChangeRequestDetails | None
    compat: bool

    @property
    def space(self) -> Any:
        """The space that was written in."""
        return self.batch.draft.line.space

    @property
    def at(self) -> ContentVersion | None:
        """Where in it."""
        request = self.batch.draft.line.request
        return ContentVersion("changeRequest", request.id, request.number) if request else None


async def gather(
    cx: Context, where: Where, query: ContentChangesQuery, body: ContentChanges
) -> Mapping[int, Sequence[NewFile]]:
    """Return the files of a batch, decoded or fetched before anything is written."""
    from app.domain.revisions.new_files import gather

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
    from app.domain.revisions.block_changes import make_changes
    from app.domain.revisions.drafts import Draft

    on = await branch.writable(cx, where)
    batch = Batch(Draft(cx, on), new_files)
    revision = await make_changes(batch, body.changes)
    request = await change_requests.get(cx, where) if on.request else None
    return EditResult(batch, revision.id if revision else on.revision_id, request, query.compat)
