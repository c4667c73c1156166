"""Change requests: opened, listed, named, set aside. Merging and updating are in `revisions.merge`.

Draft and open interchange; either may be archived and come back; merged is final (decisions, 7). Numbers
count up in each space, and the space's counters follow every change of status.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import ColumnElement, Integer, Select, exists, or_, select

from app.access.context import Context
from app.access.fetch import fetch, fetch_page, permit, permit_in, seeing, visible
from app.domain import mentions
from app.domain.content.bodies import documents, text_of
from app.domain.content.outside_pictures import refuse_outside_pictures
from app.domain.content.views import CHANGE_REQUESTS, REQUEST, SPACES, Where, find, reading
from app.kit.database.columns import Key
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import among, contains_one, nested
from app.kit.database.statements import given, rows, table
from app.kit.errors import Conflict, Forbidden
from app.kit.ids import new_id
from app.models.agents import AgentChange
from app.models.change_events import ChangeRequestAction
from app.models.change_requests import (
    ChangeRequest,
    ChangeRequestCreate,
    ChangeRequestQuery,
    ChangeRequestUpdate,
    Contribution,
    OrganizationChangeRequestQuery,
)
from app.models.documents import Body
from app.models.reviews import RequestedReview
from app.models.site_items import SiteItem
from app.models.sites import Site
from app.models.spaces import Space
from app.models.users import User

USERS, CONTRIBUTIONS, REQUESTED_REVIEWS = table(User), table(Contribution), table(RequestedReview)
SITE_ITEMS, SITES, AGENT_CHANGES = table(SiteItem), table(Site), table(AgentChange)
COUNTED = {"draft": "change_requests_draft", "open": "change_requests_open"}


@dataclass(slots=True, frozen=True)
class ChangeRequestDetails:
    """A change request with its space and the people it names."""

    space: Any
    request: ChangeRequest
    people: dict[str, Any]
    description: dict[str, Any] | None = None  # as a document

    @property
    def outdated(self) -> bool:
        """Tell whether the space has another revision than the one this stands on; merged, it needs none."""
        goes_on = self.request.status != "merged"
        return goes_on and bool(self.space.revision_id != self.request.base_revision_id)


def _people(t: Any) -> Any:
    named = or_(USERS.c.id == t.c.created_by, USERS.c.id == t.c.merged_by)
    return nested(select(*USERS.c).where(named), "people")


def request_column() -> Any:
    """Return the change request of a REQUEST view with its people, as the column `request`."""
    same = CHANGE_REQUESTS.alias()
    return nested(select(*same.c, _people(same)).where(same.c.id == CHANGE_REQUESTS.c.id), "request")


_GET = reading(lambda view: [request_column()] if view is REQUEST else [])


def _matching() -> list[ColumnElement[bool]]:
    """Return what all filters ask for; one that is not given is empty and asks for nothing."""
    had_a_hand = exists().where(
        CONTRIBUTIONS.c.change_request_id == CHANGE_REQUESTS.c.id,
        CONTRIBUTIONS.c.user_id == given("contributor"),
    )
    return [
        among(CHANGE_REQUESTS.c.status, "statuses"),
        or_(given("creator", Key) == "", CHANGE_REQUESTS.c.created_by == given("creator", Key)),
        or_(given("contributor", Key) == "", had_a_hand),
        or_(
            given("search", Key) == "",
            contains_one(CHANGE_REQUESTS.c.subject_folded, "texts"),
            CHANGE_REQUESTS.c.number == given("number", Integer()),
        ),
    ]


def _in_organization() -> Select[Any]:
    is_asked = exists().where(
        REQUESTED_REVIEWS.c.change_request_id == CHANGE_REQUESTS.c.id,
        REQUESTED_REVIEWS.c.user_id == given("reviewer"),
    )
    is_shown = exists().where(
        SITE_ITEMS.c.space_id == SPACES.c.id,
        SITE_ITEMS.c.site_id == given("site"),
        SITES.c.id == SITE_ITEMS.c.site_id,
        SITES.c.organization_id == given("organization"),
        visible(Site),
    )
    return (
        select(
            *CHANGE_REQUESTS.c,
            _people(CHANGE_REQUESTS),
            nested(select(*_space.c).where(_space.c.id == SPACES.c.id), "space"),
        )
        .join_from(CHANGE_REQUESTS, SPACES, SPACES.c.id == CHANGE_REQUESTS.c.space_id)
        .where(
            SPACES.c.organization_id == given("organization"),
            SPACES.c.deleted_at.is_(None),
            visible(Space),
            or_(given("reviewer", Key) == "", is_asked),
            or_(given("space", Key) == "", SPACES.c.id == given("space", Key)),
            or_(given("site", Key) == "", is_shown),
            *_matching(),
        )
    )


_space = SPACES.alias("its_space")
_OPENED = rows(
    lambda: (
        select(AGENT_CHANGES.c.id)
        .where(
            AGENT_CHANGES.c.object_id == given("request"),
            AGENT_CHANGES.c.token_id == given("token"),
            AGENT_CHANGES.c.kind == "change-request",
        )
        .limit(1)
    )
)
_IN_SPACE = Listing(
    "change requests of a space",
    ChangeRequest,
    lambda: select(*CHANGE_REQUESTS.c, _people(CHANGE_REQUESTS)).where(
        CHANGE_REQUESTS.c.space_id == SPACES.c.id, *_matching()
    ),
    order=lambda: [CHANGE_REQUESTS.c.number],
    descending=True,
    inside=Space,
)
_IN_ORGANIZATION = {
    "updatedAt": Listing(
        "change requests of an organization by change",
        ChangeRequest,
        _in_organization,
        order=lambda: [CHANGE_REQUESTS.c.updated_at, CHANGE_REQUESTS.c.id],
        descending=True,
    ),
    "createdAt": Listing(
        "change requests of an organization",
        ChangeRequest,
        _in_organization,
        order=lambda: [CHANGE_REQUESTS.c.created_at, CHANGE_REQUESTS.c.id],
        descending=True,
    ),
}


def details_of(row: Any) -> ChangeRequestDetails:
    """Return a change request from a row that has it as `request`."""
    request = row.request[0]
    return ChangeRequestDetails(row, request, {person.id: person for person in request.people})


async def get(cx: Context, where: Where) -> ChangeRequestDetails:
    """Get a change request, by its id or its number in the space."""
    [found] = await _described([details_of(await find(cx, where, _GET))])
    return found


async def list_in_space(cx: Context, space_id: str, query: ChangeRequestQuery) -> Page[ChangeRequestDetails]:
    """List the change requests of a space, newest first."""
    space, page = await fetch_page(cx, Space, space_id, _IN_SPACE, query.paging, **_filters(query))
    return page.of(await _described([_asked(space, row) for row in page.items]))


async def list_in_organization(
    cx: Context, organization_id: str, query: OrganizationChangeRequestQuery
) -> Page[ChangeRequestDetails]:
    """List the change requests of an organization that the caller can see, newest first."""
    permit_in(cx, organization_id)
    page = await _IN_ORGANIZATION[query.order_by].page(
        cx.db,
        query.paging,
        cx.tokens,
        organization=organization_id,
        reviewer=query.requested_reviewer or "",
        space=query.space or "",
        site=query.site or "",
        sight=seeing(cx, organization_id),
        **_filters(query),
    )
    rows: Sequence[Any] = page.items
    return page.of(await _described([_asked(row.space[0], row) for row in rows]))


async def _described(found: list[ChangeRequestDetails]) -> list[ChangeRequestDetails]:
    """Return the change requests with their descriptions as documents."""
    made = await documents([each.request.description or "" for each in found])
    return [
        replace(each, description=document) if each.request.description else each
        for each, document in zip(found, made, strict=True)
    ]


def _filters(query: ChangeRequestQuery) -> dict[str, Any]:
    search = (query.search or "").strip().casefold()
    number = search.removeprefix("#")
    return {
        "statuses": query.status,
        "creator": query.creator or "",
        "contributor": query.contributor or "",
        "search": search,
        "texts": [search],
        "number": int(number) if number.isascii() and number.isdecimal() and len(number) < 10 else 0,
    }


def _asked(space: Any, row: Any) -> ChangeRequestDetails:
    return ChangeRequestDetails(space, row, {person.id: person for person in row.people})


async def create(cx: Context, space_id: str, new: ChangeRequestCreate) -> ChangeRequestDetails:
    """Open a change request on a space, as a draft. It costs the same however large the space is."""
    space = await fetch(cx, Space, space_id, can="edit")
    await cx.tx.lock(space.id)
    number = space.change_requests + 1
    request = await cx.tx.add(
        ChangeRequest,
        id=new_id(),
        space_id=space.id,
        number=number,
        status="draft",
        subject=new.subject,
        subject_folded=new.subject.casefold(),
        description=await _description_of(cx, new.description),
        agent_task_id=new.agent_task_id or task_of(cx),
        created_by=cx.actor.user_id,
        created_at=cx.now,
        updated_at=cx.now,
        revision_id=space.revision_id,
        revision_number=0,
        base_number=space.revision_number,
        base_revision_id=space.revision_id,
        revision_initial=space.revision_id,
        revision_merged_ancestor=None,
        revision_merged=None,
        merged_by=None,
        merged_at=None,
        comments=0,
    )
    counters = {"change_requests": number, "change_requests_draft": space.change_requests_draft + 1}
    await cx.tx.change(Space, counters, id=space.id)
    await mentions.note_in_description(cx, space, request.id, request.description)
    note_change(cx, "created", space, request.id)
    cx.agent_made("change-request", space, request.id, request.id)
    return await get(cx, Where(space.id, request.id))


def task_of(cx: Context) -> str | None:
    """Return the task of an agent that calls: the run that it names, or else its token."""
    return cx.actor.run or cx.actor.holder if cx.actor.is_agent else None


def note_change(cx: Context, action: ChangeRequestAction, space: Any, request_id: str) -> None:
    """Note a change of a change request for the feed."""
    ids = {"space_id": space.id, "change_request_id": request_id}
    cx.changed("change-request", action, space.organization_id, **ids)


async def update(cx: Context, where: Where, change: ChangeRequestUpdate) -> ChangeRequestDetails:
    """Change a change request's subject, description or status. Its author may, and whoever may review.

    An agent may change those that it opened itself.
    """
    found = details_of(await find(cx, where, _GET, can="edit"))
    await refuse_other_agents(cx, found.request.id)
    if found.request.created_by != cx.actor.user_id:
        permit(cx, Space, found.space, can="review")
    await cx.tx.lock(found.space.id)
    values = change.sent()
    if "description" in values:
        values["description"] = await describe(cx, found, change.description)
    if "subject" in values:
        values["subject_folded"] = change.subject.casefold()
    if values.keys() & {"subject", "description"}:
        note_change(cx, "updated", found.space, found.request.id)
    if "status" in values:
        await set_status(cx, found, change.status)
    await cx.tx.change(ChangeRequest, {**values, "updated_at": cx.now}, id=found.request.id)
    return await get(cx, Where(found.space.id, found.request.id))


async def refuse_other_agents(cx: Context, request_id: str) -> None:
    """Raise Forbidden where an agent calls that did not open the change request itself."""
    token = cx.actor.holder
    if cx.actor.is_agent and not await cx.db.all(_OPENED, request=request_id, token=token):
        raise Forbidden("Agents propose and people decide: this agent did not open the change request.")


async def set_status(cx: Context, found: ChangeRequestDetails, status: str) -> None:
    """Note a change of status, and keep the space's counters; raises Conflict for one that is merged."""
    before = found.request.status
    if before == "merged":
        raise Conflict("The change request is merged.")
    counters: dict[str, int] = {}
    for counted, step in ((before, -1), (status, 1)):
        if name := COUNTED.get(counted):
            counters[name] = counters.get(name, getattr(found.space, name)) + step
    if before == status:
        return
    note_change(cx, "merged" if status == "merged" else "status-changed", found.space, found.request.id)
    if counters:
        await cx.tx.change(Space, counters, id=found.space.id)


async def describe(cx: Context, found: ChangeRequestDetails, body: Body | None) -> str | None:
    """Return the text of a new description, None where it is empty, and let those know whom it mentions and
    the one before did not."""
    before = found.request.description
    text = await _description_of(cx, body, before or "")
    await mentions.note_in_description(cx, found.space, found.request.id, text, before=before)
    return text


async def _description_of(cx: Context, body: Body | None, before: str = "") -> str | None:
    """Return the text of a description that was sent, which was another `before`; None where it is empty."""
    text = await text_of(body, "description") if body else ""
    await refuse_outside_pictures(cx, text, "description", before)
    return text or None
