"""GraphQL face of bringing content together: merges, updates, and going back."""

from __future__ import annotations

from typing import Any

import strawberry
from strawberry import ID

from app.api.graphql.calls import Info, body, write, writes
from app.api.graphql.shapes import input_of, output
from app.domain.content.views import Where
from app.domain.revisions import merge, rollback
from app.models.merges import Merge, MergeOut, Revert, RollbackOut, UpdateOut
from app.present.change_requests import merged, rolled_back, updated

MergeInput: Any = input_of(Merge, "MergeInput")
RevertInput: Any = input_of(Revert, "RevertInput")


@output(MergeOut)
class MergeOutcome:
    """What a merge did, or would do."""


@output(UpdateOut)
class UpdateOutcome:
    """What an update from the main content did."""


@output(RollbackOut)
class RollbackOutcome:
    """What going back did, or would do."""


@strawberry.type
class MergeMutation:
    @writes(merge.merge)
    async def merge_change_request(
        self, info: Info, space: ID, id: ID, how: MergeInput | None = None
    ) -> MergeOutcome | None:
        asked = body(Merge, how) if how else Merge()
        return await write(info, merge.merge, Where(space, id), asked, show=merged)

    @writes(merge.update)
    async def update_change_request_from_main(self, info: Info, space: ID, id: ID) -> UpdateOutcome | None:
        return await write(info, merge.update, Where(space, id), show=updated)

    @writes(rollback.restore)
    async def restore_revision(self, info: Info, space: ID, revision: ID) -> RollbackOutcome | None:
        return await write(info, rollback.restore, Where(space, revision=revision), show=rolled_back)

    @writes(rollback.revert)
    async def revert_revision(
        self, info: Info, space: ID, revision: ID, how: RevertInput | None = None
    ) -> RollbackOutcome | None:
        asked = body(Revert, how) if how else Revert()
        return await write(info, rollback.revert, Where(space, revision=revision), asked, show=rolled_back)
