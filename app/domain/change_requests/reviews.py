"""Reviews of change requests: asked for, given, out of date when the change request goes on.

A review is of the revision that was active then. Giving one answers the request for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Protocol

from sqlalchemy import ColumnElement, Select, and_, or_, select

from app.access import memberships
from app.access.context import Context
from app.access.fetch import permit, refusal
from app.domain import notifications
from app.domain.change_requests import change_requests
from app.domain.change_requests.change_requests import ChangeRequestDetails, details_of, request_column
from app.domain.comments import comments
from app.domain.content.bodies import documents, text_of
from app.domain.content.content import listing, page_of
from app.domain.content.outside_pictures import refuse_outside_pictures
from app.domain.content.views import CHANGE_REQUESTS, REQUEST, SPACES, View, Where, find, reading
from app.kit.database.columns import Key
from app.kit.database.paging import Page
from app.kit.database.sql import among, nested
from app.kit.database.statements import given, rows, table
from app.kit.errors import Conflict, Invalid, NotFound
from app.kit.ids import new_id
from app.models.change_requests import ChangeRequest, Contribution
from app.models.queries import PageQuery
from app.models.reviews import (
    RequestedReview,
    Review,
    ReviewCreate,
    ReviewFormatQuery,
    ReviewQuery,
    ReviewRequest,
)
from app.models.spaces import Space
from app.models.users import User

REVIEWS, REQUESTED_REVIEWS, CONTRIBUTIONS, USERS = (
    table(Review),
    table(RequestedReview),
    table(Contribution),
    table(User),
)


class ReviewRow(Protocol):
    """A review with who reviewed and who asked for it."""

    id: str
    revision_id: str
    reviewer_id: str
    requested_by: str | None
    people: Sequence[User]


class ContributorRow(Protocol):
    """The part that somebody had in a change request, with the person in a list of one."""

    user: Sequence[User]
    count: int
    kind: str
    updated_at: datetime


@dataclass(slots=True, frozen=True)
class ReviewDetails:
    """A review with the change request's active revision, and its comment in the form asked for."""

    row: ReviewRow
    revision_id: str
    comment: dict[str, Any] | None

    @property
    def outdated(self) -> bool:
        """Tell whether the change request has gone on since."""
        return self.row.revision_id != self.revision_id

    @property
    def people(self) -> dict[str, Any]:
        """Return who reviewed, and who asked."""
        return {person.id: person for person in self.row.people}


def _review_rows(*conditions: ColumnElement[bool]) -> Select[Any]:
    people = select(*USERS.c).where(
        or_(USERS.c.id == REVIEWS.c.reviewer_id, USERS.c.id == REVIEWS.c.requested_by)
    )
    of_request = REVIEWS.c.change_request_id == CHANGE_REQUESTS.c.id
    return select(*REVIEWS.c, nested(people.correlate(REVIEWS), "people")).where(of_request, *conditions)


def _active(_view: View) -> list[Any]:
    return [CHANGE_REQUESTS.c.revision_id.label("active")]


def _wanted() -> ColumnElement[bool]:
    asked_for, is_outdated = given("outdated", Key), REVIEWS.c.revision_id != CHANGE_REQUESTS.c.revision_id
    return or_(asked_for == "", and_(asked_for == "1", is_outdated), and_(asked_for == "0", ~is_outdated))


def _people_of(t: Any, *conditions: ColumnElement[bool]) -> Select[Any]:
    """Select rows about a change request with the person each is about, as the columns of `user`."""
    person = select(*USERS.c).where(USERS.c.id == t.c.user_id)
    of_request = t.c.change_request_id == CHANGE_REQUESTS.c.id
    return select(*t.c, nested(person.correlate(t), "user")).where(of_request, *conditions)


_of_requests = partial(listing, views=[REQUEST])
_LIST = _of_requests("reviews", Review, lambda _: _review_rows(_wanted()), lambda: [REVIEWS.c.id], _active)
_ONE = reading(
    lambda view: [*_active(view), nested(_review_rows(REVIEWS.c.id == given("review")), "reviews")], [REQUEST]
)
_REQUESTED = _of_requests(
    "requested reviewers",
    RequestedReview,
    lambda _: _people_of(REQUESTED_REVIEWS),
    lambda: [REQUESTED_REVIEWS.c.user_id],
)
_CONTRIBUTORS = _of_requests(
    "contributors",
    Contribution,
    lambda _: _people_of(CONTRIBUTIONS),
    lambda: [CONTRIBUTIONS.c.user_id, CONTRIBUTIONS.c.kind],
)
_TO_REVIEW = reading(
    lambda _: [
        request_column(),
        nested(
            select(*REQUESTED_REVIEWS.c).where(REQUESTED_REVIEWS.c.change_request_id == CHANGE_REQUESTS.c.id),
            "requested",
        ),
        *memberships.memberships_columns(SPACES),
    ],
    [REQUEST],
)
_PEOPLE = rows(lambda: select(*USERS.c).where(among(USERS.c.id, "ids")).order_by(USERS.c.id))


async def list_reviews(cx: Context, where: Where, query: ReviewQuery) -> Page[ReviewDetails]:
    """List the reviews of a change request, oldest first."""
    outdated = "" if query.outdated is None else str(int(query.outdated))
    row, page = await page_of(cx, where, _LIST, query.paging, outdated=outdated)
    return page.of(await _commented(page.items, row.active, query.format))


async def get(cx: Context, where: Where, review_id: str, query: ReviewFormatQuery) -> ReviewDetails:
    """Get a review of a change request."""
    row = await find(cx, where, _ONE, review=review_id)
    if not row.reviews:
        raise NotFound("There is no such review.")
    [found] = await _commented(row.reviews, row.active, query.format)
    return found


async def _commented(found: Sequence[Any], revision_id: str, format: str) -> list[ReviewDetails]:
    texts = [str(row.comment or "") for row in found]
    bodies: list[dict[str, Any]]
    if format == "document":
        bodies = [{"document": document} for document in await documents(texts)]
    else:
        bodies = [{"markdown": text} for text in texts]
    return [
        ReviewDetails(row, revision_id, body if row.comment else None)
        for row, body in zip(found, bodies, strict=True)
    ]


async def submit(cx: Context, where: Where, new: ReviewCreate) -> ReviewDetails:
    """Review a change request as it is now. Its author cannot.

    What the review says is a comment on the change request as well, where it is answered.
    """
    row = await find(cx, where, _TO_REVIEW, can="review", users=[])
    request = _unsettled(details_of(row))
    if request.created_by == cx.actor.user_id:
        raise Conflict("You cannot review your own change request.")
    comment = await text_of(new.comment, "comment") if new.comment else ""
    await refuse_outside_pictures(cx, comment, "comment")
    mine = [each for each in row.requested if each.user_id == cx.actor.user_id]
    review = await cx.tx.add(
        Review,
        id=new_id(),
        change_request_id=request.id,
        revision_id=request.revision_id,
        reviewer_id=cx.actor.user_id,
        requested_by=mine[0].requested_by if mine else None,
        status=new.status,
        comment=comment or None,
        created_at=cx.now,
    )
    await cx.tx.remove(RequestedReview, change_request_id=request.id, user_id=cx.actor.user_id)
    change_requests.note_change(cx, "reviewed", row, request.id)
    if comment.strip():
        await comments.post_review(cx, Where(row.id, request.id), review.id, comment)
    return await get(cx, Where(row.id, request.id), review.id, ReviewFormatQuery())


async def list_requested(cx: Context, where: Where, query: PageQuery) -> Page[Any]:
    """List the people who were asked to review a change request and have not reviewed it yet."""
    _, page = await page_of(cx, where, _REQUESTED, query.paging)
    return page.map(lambda row: row.user[0])


async def request_reviews(cx: Context, where: Where, new: ReviewRequest) -> Sequence[Any]:
    """Ask people to review a change request; a draft becomes open by that."""
    wanted = list(dict.fromkeys(new.users))
    row = await find(cx, where, _TO_REVIEW, can="edit", users=wanted)
    found = details_of(row)
    request = _unsettled(found)
    if request.created_by != cx.actor.user_id:
        permit(cx, Space, row, can="review")
    known = memberships.memberships_of_columns(row)
    for n, user_id in enumerate(wanted):
        if user_id not in known:
            raise Invalid("There is no such member of the organization.", path=f"users.{n}")
        if user_id == request.created_by:
            raise Conflict("You cannot review your own change request.", path=f"users.{n}")
        if refusal(known[user_id], Space, row, can="review"):
            raise Conflict("They may not review here.", path=f"users.{n}")
    here = {"change_request_id": request.id, "requested_by": cx.actor.user_id, "created_at": cx.now}
    await cx.tx.add_many(RequestedReview, [{**here, "user_id": user} for user in wanted], missing=True)
    before = {each.user_id for each in row.requested}
    asked = [user for user in wanted if user not in before]
    await notifications.record(cx, "review_requests", asked, request.space_id, change_request_id=request.id)
    change_requests.note_change(cx, "review-requested", row, request.id)
    for user in asked:
        cx.agent_made("review-request", row, user, request.id)
    await _open(cx, found, new)
    everybody = sorted({*wanted, *(each.user_id for each in row.requested)})
    return await cx.db.all(_PEOPLE, ids=everybody)


async def _open(cx: Context, found: ChangeRequestDetails, new: ReviewRequest) -> None:
    values = {name: value for name, value in new.sent().items() if name == "subject"}
    if values or new.description is not None:
        await change_requests.refuse_other_agents(cx, found.request.id)
    if new.description is not None:
        values["description"] = await change_requests.describe(cx, found, new.description)
    if found.request.status == "draft":
        await change_requests.set_status(cx, found, "open")
        values["status"] = "open"
    await cx.tx.change(ChangeRequest, {**values, "updated_at": cx.now}, id=found.request.id)


async def withdraw_request(cx: Context, where: Where, user_id: str) -> None:
    """Withdraw the request for somebody's review."""
    row = await find(cx, where, _TO_REVIEW, can="edit", users=[])
    request = details_of(row).request
    if cx.actor.user_id not in (request.created_by, user_id):
        permit(cx, Space, row, can="review")
    if not any(each.user_id == user_id for each in row.requested):
        raise NotFound("They were not asked for a review.")
    await cx.tx.remove(RequestedReview, change_request_id=request.id, user_id=user_id)
    change_requests.note_change(cx, "review-withdrawn", row, request.id)


async def list_contributors(cx: Context, where: Where, query: PageQuery) -> Page[Any]:
    """List who edited or commented on a change request, and how often."""
    return (await page_of(cx, where, _CONTRIBUTORS, query.paging))[1]


def _unsettled(found: ChangeRequestDetails) -> ChangeRequest:
    if found.request.status in ("archived", "merged"):
        raise Conflict(f"The change request is {found.request.status}.")
    return found.request
