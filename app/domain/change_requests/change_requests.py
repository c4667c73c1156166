"""Change requests: opened, listed, named, set aside. Merging and updating are in `revisions.merge`.

Draft and open interchange; either may be archived and come back; merged is final (decisions, 7). Numbers
count up in each space, and the space's counters follow every change of status.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import ColumnElement, Select, exists, or_, select

from app.access.context import Context
from app.access.fetch import fetch, fetch_page, permit, permit_in, seeing, visible
from app.domain.content.bodies import documents, text_of
from app.domain.content.views import REQUEST, Where, find, r_, reading, s_
from app.kit.database.columns import Key
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import among, nested
from app.kit.database.statements import given, table
from app.kit.errors import Conflict
from app.kit.ids import new_id
from app.models.change_feed import ChangeRequestAction
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

_u, _c, _q = table(User), table(Contribution), table(RequestedReview)
_i, _t = table(SiteItem), table(Site)
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
    named = or_(_u.c.id == t.c.created_by, _u.c.id == t.c.merged_by)
    return nested(select(*_u.c).where(named), "people")


def request_column() -> Any:
    """Return the change request of a REQUEST view with its people, as the column `request`."""
    same = r_.alias()
    return nested(select(*same.c, _people(same)).where(same.c.id == r_.c.id), "request")


_GET = reading(lambda view: [request_column()] if view is REQUEST else [])


def _matching() -> list[ColumnElement[bool]]:
    """Return what all filters ask for; one that is not given is empty and asks for nothing."""
    had_a_hand = exists().where(_c.c.change_request_id == r_.c.id, _c.c.user_id == given("contributor"))
    return [
        among(r_.c.status, "statuses"),
        or_(given("creator", Key) == "", r_.c.created_by == given("creator", Key)),
        or_(given("contributor", Key) == "", had_a_hand),
    ]


def _in_organization() -> Select[Any]:
    is_asked = exists().where(_q.c.change_request_id == r_.c.id, _q.c.user_id == given("reviewer"))
    is_shown = exists().where(
        _i.c.space_id == s_.c.id,
        _i.c.site_id == given("site"),
        _t.c.id == _i.c.site_id,
        _t.c.organization_id == given("organization"),
        visible(Site),
    )
    return (
        select(*r_.c, _people(r_), nested(select(*_space.c).where(_space.c.id == s_.c.id), "space"))
        .join_from(r_, s_, s_.c.id == r_.c.space_id)
        .where(
            s_.c.organization_id == given("organization"),
            s_.c.deleted_at.is_(None),
            visible(Space),
            or_(given("reviewer", Key) == "", is_asked),
            or_(given("space", Key) == "", s_.c.id == given("space", Key)),
            or_(given("site", Key) == "", is_shown),
            *_matching(),
        )
    )


_space = s_.alias("its_space")
_IN_SPACE = Listing(
    "change requests of a space",
    ChangeRequest,
    lambda: select(*r_.c, _people(r_)).where(r_.c.space_id == s_.c.id, *_matching()),
    order=lambda: [r_.c.number],
    descending=True,
    inside=Space,
)
_IN_ORGANIZATION = {
    "updatedAt": Listing(
        "change requests of an organization by change",
        ChangeRequest,
        _in_organization,
        order=lambda: [r_.c.updated_at, r_.c.id],
        descending=True,
    ),
    "createdAt": Listing(
        "change requests of an organization",
        ChangeRequest,
        _in_organization,
        order=lambda: [r_.c.created_at, r_.c.id],
        descending=True,
    ),
}


def details_of(row: Any) -> ChangeRequestDetails:
    """A change request from a row that has it as `request`."""
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
    return {
        "statuses": query.status,
        "creator": query.creator or "",
        "contributor": query.contributor or "",
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
        description=await _description(new.description),
        agent_task_id=new.agent_task_id,
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
    note_change(cx, "created", space, request.id)
    return await get(cx, Where(space.id, request.id))


def note_change(cx: Context, action: ChangeRequestAction, space: Any, request_id: str) -> None:
    """Note a change of a change request for the feed."""
    ids = {"space_id": space.id, "change_request_id": request_id}
    cx.changed("change-request", action, space.organization_id, **ids)


async def update(cx: Context, where: Where, change: ChangeRequestUpdate) -> ChangeRequestDetails:
    """Change a change request's subject, description or status. Its author may, and whoever may review."""
    found = details_of(await find(cx, where, _GET, can="edit"))
    if found.request.created_by != cx.actor.user_id:
        permit(cx, Space, found.space, can="review")
    await cx.tx.lock(found.space.id)
    values = change.sent()
    if "description" in values:
        values["description"] = await _description(change.description)
    if values.keys() & {"subject", "description"}:
        note_change(cx, "updated", found.space, found.request.id)
    if "status" in values:
        await set_status(cx, found, change.status)
    await cx.tx.change(ChangeRequest, {**values, "updated_at": cx.now}, id=found.request.id)
    return await get(cx, Where(found.space.id, found.request.id))


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


async def _description(body: Body | None) -> str | None:
    return (await text_of(body, "description") or None) if body else None
