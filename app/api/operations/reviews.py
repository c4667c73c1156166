"""Operations on reviews and on the people around a change request."""

from __future__ import annotations

from app.api.operation import family, get, listing, post, remove
from app.domain.change_requests import reviews
from app.models.reviews import ReviewCreate, ReviewFormatQuery, ReviewQuery, ReviewRequest
from app.present.change_requests import contributor, requested_reviewers, review
from app.present.people import user

R = "/spaces/{spaceId}/change-requests/{changeRequestId}"

OPERATIONS = family(
    "Change requests",
    listing(
        "listReviewsInChangeRequest",
        f"{R}/reviews",
        reviews.list_reviews,
        query=ReviewQuery,
        show=review,
        field="ChangeRequest.reviews",
        permission="space:view",
        where=True,
    ),
    post(
        "submitChangeRequestReview",
        f"{R}/reviews",
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
        f"{R}/reviews/{{reviewId}}",
        reviews.get,
        query=ReviewFormatQuery,
        show=review,
        field="ChangeRequest.review",
        permission="space:view",
        where=True,
    ),
    listing(
        "listRequestedReviewers",
        f"{R}/requested-reviewers",
        reviews.list_requested,
        show=user,
        field="ChangeRequest.requestedReviewers",
        permission="space:view",
        where=True,
    ),
    post(
        "requestReviewersForChangeRequest",
        f"{R}/requested-reviewers",
        reviews.request_reviews,
        body=ReviewRequest,
        show=requested_reviewers,
        field="requestReviews",
        permission="space:review",
        where=True,
    ),
    remove(
        "removeRequestedReviewer",
        f"{R}/requested-reviewers/{{userId}}",
        reviews.withdraw_request,
        field="withdrawReviewRequest",
        permission="space:review",
        where=True,
    ),
    listing(
        "listContributors",
        f"{R}/contributors",
        reviews.list_contributors,
        show=contributor,
        field="ChangeRequest.contributors",
        permission="space:view",
        where=True,
    ),
)
