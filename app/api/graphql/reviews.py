"""GraphQL face of reviews, and of the people around a change request."""

from __future__ import annotations

from typing import Any

import strawberry
from strawberry import ID

from app.api.graphql.calls import FIRST, Connection, Info, body, pages, read, reads, write, writes
from app.api.graphql.shapes import enum_of, input_of, output
from app.api.graphql.users import User
from app.domain.change_requests import reviews as reviewing
from app.domain.content.views import Where
from app.models.change_requests import ContributorOut
from app.models.queries import BodyFormat as BodyFormatValue
from app.models.reviews import (
    RequestedReviewersOut,
    ReviewCreate,
    ReviewFormatQuery,
    ReviewOut,
    ReviewQuery,
    ReviewRequest,
)
from app.present.change_requests import contributor, requested_reviewers
from app.present.change_requests import review as show_review
from app.present.people import user as show_user

BodyFormat: Any = enum_of(BodyFormatValue)
ReviewCreateInput: Any = input_of(ReviewCreate)
ReviewRequestInput: Any = input_of(ReviewRequest)


@output(ReviewOut)
class Review:
    """What somebody thinks of a change request as it was at a revision."""


@output(RequestedReviewersOut)
class RequestedReviewers:
    """Everybody who is asked for a review now."""


@output(ContributorOut)
class Contributor:
    """Somebody who had a hand in a change request."""


@strawberry.type
class Reviewed:
    """What can be asked of the people around a change request."""

    @reads(reviewing.list_reviews)
    async def reviews(
        self: Any,
        info: Info,
        first: int = FIRST,
        after: str | None = None,
        format: BodyFormat | None = None,
        outdated: bool | None = None,
    ) -> Connection[Review]:
        return await pages(
            info,
            reviewing.list_reviews,
            _where(self),
            first=first,
            after=after,
            show=show_review,
            shape=ReviewQuery,
            format=format,
            outdated=outdated,
        )

    @reads(reviewing.get)
    async def review(self: Any, info: Info, id: ID, format: BodyFormat | None = None) -> Review | None:
        query = ReviewFormatQuery(**({"format": format.value} if format else {}))
        return await read(info, reviewing.get, _where(self), id, query, show=show_review)

    @reads(reviewing.list_requested)
    async def requested_reviewers(
        self: Any, info: Info, first: int = FIRST, after: str | None = None
    ) -> Connection[User]:
        return await pages(
            info, reviewing.list_requested, _where(self), first=first, after=after, show=show_user
        )

    @reads(reviewing.list_contributors)
    async def contributors(
        self: Any, info: Info, first: int = FIRST, after: str | None = None
    ) -> Connection[Contributor]:
        return await pages(
            info, reviewing.list_contributors, _where(self), first=first, after=after, show=contributor
        )


@strawberry.type
class ReviewMutation:
    @writes(reviewing.submit)
    async def submit_review(
        self, info: Info, space: ID, change_request: ID, new: ReviewCreateInput
    ) -> Review | None:
        asked = body(ReviewCreate, new)
        return await write(info, reviewing.submit, Where(space, change_request), asked, show=show_review)

    @writes(reviewing.request_reviews)
    async def request_reviews(
        self, info: Info, space: ID, change_request: ID, new: ReviewRequestInput
    ) -> RequestedReviewers | None:
        asked = body(ReviewRequest, new)
        where = Where(space, change_request)
        return await write(info, reviewing.request_reviews, where, asked, show=requested_reviewers)

    @writes(reviewing.withdraw_request)
    async def withdraw_review_request(
        self, info: Info, space: ID, change_request: ID, user: ID
    ) -> bool | None:
        return await write(info, reviewing.withdraw_request, Where(space, change_request), user)


def _where(source: dict[str, Any]) -> Where:
    return Where(source["space"], source["id"])
