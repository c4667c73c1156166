"""GraphQL face of change requests, of revisions as places to read in, and of content that is changed."""

from __future__ import annotations

from typing import Any

import strawberry
from strawberry import ID

from app.api.graphql.calls import FIRST, Connection, Info, body, pages, plain, read, reads, write, writes
from app.api.graphql.comments import Discussed
from app.api.graphql.content import PlaceContent, Snapshot
from app.api.graphql.printing import Printed
from app.api.graphql.reviews import Reviewed
from app.api.graphql.revisions import Changed, History
from app.api.graphql.shapes import enum_of, input_of, output
from app.api.graphql.users import User  # noqa: F401 - declared before the first type that names people
from app.domain.change_requests import change_requests
from app.domain.content.views import Where
from app.domain.revisions import edits
from app.models import change_requests as models
from app.models.base import checked
from app.models.change_requests import (
    ChangeRequestCreate,
    ChangeRequestOut,
    ChangeRequestQuery,
    ChangeRequestUpdate,
    OrganizationChangeRequestQuery,
)
from app.models.content_changes import ContentChange, ContentChangesOut, ContentChangesQuery
from app.models.content_changes import ContentChanges as Batch
from app.present.change_requests import change_request as show_change_request
from app.present.changes import content_changes as show_content_changes

ChangeRequestStatus: Any = enum_of(models.Status)
ChangeRequestOrder: Any = enum_of(models.OrderBy)
ChangeRequestCreateInput: Any = input_of(ChangeRequestCreate)
ChangeRequestUpdateInput: Any = input_of(ChangeRequestUpdate)
ContentChangeInput: Any = input_of(ContentChange)


@output(ChangeRequestOut)
class ChangeRequest(PlaceContent, Changed, History, Reviewed, Discussed, Printed):
    """A change request, and the content of its space with its changes."""


@output(ContentChangesOut)
class ContentChanges:
    """What a batch of changes did, and the revision it made."""


@strawberry.type
class SpaceVersions:
    """The other places where a space's content can be read."""

    @strawberry.field(description="A revision of the space, or of one of its change requests, to read in.")
    def at(self: Any, revision: ID) -> Snapshot:
        return _snapshot(self["id"], revision)

    @reads(change_requests.get)
    async def change_request(self: Any, info: Info, id: ID) -> ChangeRequest | None:
        where = Where(self["id"], id)
        return await read(info, change_requests.get, where, show=show_change_request)

    @reads(change_requests.list_in_space)
    async def change_request_list(
        self: Any,
        info: Info,
        first: int = FIRST,
        after: str | None = None,
        status: list[ChangeRequestStatus] | None = None,
        creator: ID | None = None,
        contributor: ID | None = None,
    ) -> Connection[ChangeRequest]:
        return await pages(
            info,
            change_requests.list_in_space,
            self["id"],
            first=first,
            after=after,
            show=show_change_request,
            shape=ChangeRequestQuery,
            status=status,
            creator=creator,
            contributor=contributor,
        )


@strawberry.type
class OrganizationChangeRequests:
    """The change requests of an organization."""

    @reads(change_requests.list_in_organization)
    async def change_requests(
        self: Any,
        info: Info,
        first: int = FIRST,
        after: str | None = None,
        status: list[ChangeRequestStatus] | None = None,
        creator: ID | None = None,
        contributor: ID | None = None,
        requested_reviewer: ID | None = None,
        site: ID | None = None,
        space: ID | None = None,
        order_by: ChangeRequestOrder | None = None,
    ) -> Connection[ChangeRequest]:
        return await pages(
            info,
            change_requests.list_in_organization,
            self["id"],
            first=first,
            after=after,
            show=show_change_request,
            shape=OrganizationChangeRequestQuery,
            status=status,
            creator=creator,
            contributor=contributor,
            requestedReviewer=requested_reviewer,
            site=site,
            space=space,
            orderBy=order_by,
        )


@strawberry.type
class ChangeRequestMutation:
    @writes(change_requests.create)
    async def create_change_request(
        self, info: Info, space: ID, new: ChangeRequestCreateInput
    ) -> ChangeRequest | None:
        asked = body(ChangeRequestCreate, new)
        return await write(info, change_requests.create, space, asked, show=show_change_request)

    @writes(change_requests.update)
    async def update_change_request(
        self, info: Info, space: ID, id: ID, change: ChangeRequestUpdateInput
    ) -> ChangeRequest | None:
        asked = body(ChangeRequestUpdate, change)
        return await write(info, change_requests.update, Where(space, id), asked, show=show_change_request)

    @writes(edits.change_content)
    async def change_content(
        self, info: Info, space: ID, changes: list[ContentChangeInput]
    ) -> ContentChanges | None:
        return await _change(info, Where(space), changes)

    @writes(edits.change_content)
    async def change_content_in_change_request(
        self, info: Info, space: ID, change_request: ID, changes: list[ContentChangeInput]
    ) -> ContentChanges | None:
        return await _change(info, Where(space, change_request), changes)


def _snapshot(space_id: str, revision_id: str) -> Any:
    return {"object": "snapshot", "space": space_id, "revision": revision_id}


async def _change(info: Info, where: Where, changes: list[Any]) -> Any:
    return await write(
        info,
        edits.change_content,
        where,
        ContentChangesQuery(compat=False),
        checked(Batch, {"changes": plain(changes)}, strict=True),
        show=show_content_changes,
        prepare=edits.gather,
    )
