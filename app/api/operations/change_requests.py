"""Operations on change requests: reviews, merges, updates, rollbacks, and undoing what an agent changed."""

from __future__ import annotations

from app.api.operation import family, get, listing, patch, post, remove
from app.domain.agents import agent_changes, agent_undo
from app.domain.change_requests import change_requests, reviews
from app.domain.revisions import merge, rollback
from app.models.agents import AgentChangesQuery, AgentUndo
from app.models.change_requests import (
    ChangeRequestCreate,
    ChangeRequestQuery,
    ChangeRequestUpdate,
    OrganizationChangeRequestQuery,
)
from app.models.merges import Merge, Revert
from app.models.reviews import ReviewCreate, ReviewFormatQuery, ReviewQuery, ReviewRequest
from app.present.changes import agent_change
from app.present.changes import agent_undo as undone
from app.present.discussions import (
    change_request,
    conflicts,
    contributor,
    merged,
    requested_reviewers,
    review,
    rolled_back,
    updated,
)
from app.present.people import user

REQUESTS = "/spaces/{spaceId}/change-requests"


REQUEST = "/spaces/{spaceId}/change-requests/{changeRequestId}"


REVISION = "/spaces/{spaceId}/revisions/{revisionId}"


AGENT_CHANGES = "/orgs/{organizationId}/agent-changes"


OPERATIONS = [
    *family(
        "Change requests",
        listing(
            "listChangeRequestsForSpace",
            REQUESTS,
            change_requests.list_in_space,
            query=ChangeRequestQuery,
            show=change_request,
            field="Space.changeRequests",
            permission="space:view",
            scope="space:content:read",
            tool="list_change_requests",
        ),
        post(
            "createChangeRequest",
            REQUESTS,
            change_requests.create,
            body=ChangeRequestCreate,
            show=change_request,
            status=201,
            field="createChangeRequest",
            permission="space:edit",
            scope="space:content:write",
            tool="open_change_request",
        ),
        get(
            "getChangeRequestById",
            f"{REQUESTS}/{{changeRequestId}}",
            change_requests.get,
            show=change_request,
            field="Space.changeRequest",
            permission="space:view",
            scope="space:content:read",
            where=True,
            tool="read_change_request",
        ),
        patch(
            "updateChangeRequestById",
            f"{REQUESTS}/{{changeRequestId}}",
            change_requests.update,
            body=ChangeRequestUpdate,
            show=change_request,
            field="updateChangeRequest",
            permission="space:review",
            scope="space:content:write",
            where=True,
            tool="update_change_request",
        ),
        listing(
            "listChangeRequestsForOrganization",
            "/orgs/{organizationId}/change-requests",
            change_requests.list_in_organization,
            query=OrganizationChangeRequestQuery,
            show=change_request,
            field="Organization.changeRequests",
            permission="organization:view",
            tool="list_change_requests",
        ),
    ),
    *family(
        "Change requests",
        listing(
            "listReviewsInChangeRequest",
            f"{REQUEST}/reviews",
            reviews.list_reviews,
            query=ReviewQuery,
            show=review,
            field="ChangeRequest.reviews",
            permission="space:view",
            where=True,
            tool="list_reviews",
        ),
        post(
            "submitChangeRequestReview",
            f"{REQUEST}/reviews",
            reviews.submit,
            body=ReviewCreate,
            show=review,
            status=201,
            field="submitReview",
            permission="space:review",
            where=True,
        ),
        get(
            "getReviewInChangeRequest",
            f"{REQUEST}/reviews/{{reviewId}}",
            reviews.get,
            query=ReviewFormatQuery,
            show=review,
            field="ChangeRequest.review",
            permission="space:view",
            where=True,
        ),
        listing(
            "listRequestedReviewers",
            f"{REQUEST}/requested-reviewers",
            reviews.list_requested,
            show=user,
            field="ChangeRequest.requestedReviewers",
            permission="space:view",
            where=True,
        ),
        post(
            "requestReviewersForChangeRequest",
            f"{REQUEST}/requested-reviewers",
            reviews.request_reviews,
            body=ReviewRequest,
            show=requested_reviewers,
            field="requestReviews",
            permission="space:review",
            where=True,
            tool="request_review",
        ),
        remove(
            "removeRequestedReviewer",
            f"{REQUEST}/requested-reviewers/{{userId}}",
            reviews.withdraw_request,
            field="withdrawReviewRequest",
            permission="space:review",
            where=True,
        ),
        listing(
            "listContributors",
            f"{REQUEST}/contributors",
            reviews.list_contributors,
            show=contributor,
            field="ChangeRequest.contributors",
            permission="space:view",
            where=True,
        ),
    ),
    *family(
        "Change requests",
        post(
            "mergeChangeRequest",
            f"{REQUEST}/merge",
            merge.merge,
            body=Merge,
            show=merged,
            field="mergeChangeRequest",
            permission="space:merge",
            where=True,
        ),
        get(
            "getChangeRequestConflicts",
            f"{REQUEST}/conflicts",
            merge.preview,
            show=conflicts,
            field="ChangeRequest.conflicts",
            permission="space:view",
            scope="space:content:read",
            where=True,
            tool="read_conflicts",
        ),
        post(
            "updateChangeRequest",
            f"{REQUEST}/update",
            merge.update,
            show=updated,
            title="Update change request from main content",
            field="updateChangeRequestFromMain",
            permission="space:edit",
            scope="space:content:write",
            where=True,
            tool="update_from_space",
        ),
    ),
    *family(
        "Revisions",
        post(
            "restoreRevisionById",
            f"{REVISION}/restore",
            rollback.restore,
            show=rolled_back,
            field="restoreRevision",
            permission="space:merge",
            where=True,
        ),
        post(
            "revertRevisionById",
            f"{REVISION}/revert",
            rollback.revert,
            body=Revert,
            show=rolled_back,
            field="revertRevision",
            permission="space:merge",
            where=True,
        ),
    ),
    *family(
        "Agents",
        listing(
            "listAgentChanges",
            AGENT_CHANGES,
            agent_changes.list_changes,
            query=AgentChangesQuery,
            show=agent_change,
            field="Organization.agentChanges",
            permission="organization:view",
        ),
        post(
            "undoAgentChanges",
            f"{AGENT_CHANGES}/undo",
            agent_undo.undo,
            body=AgentUndo,
            show=undone,
            field="undoAgentChanges",
            permission="organization:view",
        ),
    ),
]
