"""Operations on bringing content together: merges, updates, and going back."""

from __future__ import annotations

from app.api.operation import family, post
from app.domain.revisions import merge, rollback
from app.models.merges import Merge, Revert
from app.present.change_requests import merged, rolled_back, updated

R = "/spaces/{spaceId}/change-requests/{changeRequestId}"
V = "/spaces/{spaceId}/revisions/{revisionId}"

OPERATIONS = [
    *family(
        "Change requests",
        post(
            "mergeChangeRequest",
            f"{R}/merge",
            merge.merge,
            body=Merge,
            show=merged,
            field="mergeChangeRequest",
            permission="space:merge",
            where=True,
        ),
        post(
            "updateChangeRequest",
            f"{R}/update",
            merge.update,
            show=updated,
            title="Update change request from main content",
            field="updateChangeRequestFromMain",
            permission="space:edit",
            scope="space:content:write",
            where=True,
        ),
    ),
    *family(
        "Revisions",
        post(
            "restoreRevisionById",
            f"{V}/restore",
            rollback.restore,
            show=rolled_back,
            field="restoreRevision",
            permission="space:merge",
            where=True,
        ),
        post(
            "revertRevisionById",
            f"{V}/revert",
            rollback.revert,
            body=Revert,
            show=rolled_back,
            field="revertRevision",
            permission="space:merge",
            where=True,
        ),
    ),
]
