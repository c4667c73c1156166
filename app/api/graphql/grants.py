"""GraphQL face of what was granted on spaces and collections, and of who may do what and why."""

from __future__ import annotations

from typing import Any

import strawberry
from strawberry import ID

from app.api.graphql.calls import FIRST, Connection, Info, body, pages, read, reads, write, writes
from app.api.graphql.shapes import enum_of, input_of, output
from app.api.graphql.teams import Team  # noqa: F401 - declared before the first type that shows teams
from app.domain.organizations import effective_access, grants
from app.domain.organizations import effective_access as audience
from app.models import grants as models
from app.models.base import Role as RoleValue
from app.models.base import checked
from app.models.grants import (
    AccessQuery,
    CollectionExplainQuery,
    ExplanationOut,
    GrantsCreate,
    GrantUpdate,
    SpaceExplainQuery,
    TeamPermissionOut,
    UserPermissionOut,
)
from app.present.access import explanation, team_permission, user_permission

Role: Any = enum_of(RoleValue)
SpaceAction: Any = enum_of(models.SpaceAction)
CollectionAction: Any = enum_of(models.CollectionAction)
GrantsCreateInput: Any = input_of(GrantsCreate)
GrantUpdateInput: Any = input_of(GrantUpdate)
GRANTING = {"space": grants.SPACES, "collection": grants.COLLECTIONS}
AUDIENCES = {"space": audience.SPACE_AUDIENCE, "collection": audience.COLLECTION_AUDIENCE}


@output(UserPermissionOut)
class UserPermission:
    """A person and what they may do at most."""


@output(TeamPermissionOut)
class TeamPermission:
    """A team and what it was granted."""


@output(ExplanationOut)
class Explanation:
    """Whether somebody may do something, and the rule that decided it."""


@strawberry.type
class Granted:
    """What spaces and collections tell of who may do what."""

    @reads(grants.SPACES.list_users)
    async def user_permissions(
        self: Any, info: Info, first: int = FIRST, after: str | None = None
    ) -> Connection[UserPermission]:
        call = GRANTING[self["object"]].list_users
        return await pages(info, call, self["id"], first=first, after=after, show=user_permission)

    @reads(grants.SPACES.list_teams)
    async def team_permissions(
        self: Any, info: Info, first: int = FIRST, after: str | None = None
    ) -> Connection[TeamPermission]:
        call = GRANTING[self["object"]].list_teams
        return await pages(info, call, self["id"], first=first, after=after, show=team_permission)

    @reads(audience.SPACE_AUDIENCE.list_everybody)
    async def audience(
        self: Any, info: Info, first: int = FIRST, after: str | None = None, role: Role | None = None
    ) -> Connection[UserPermission]:
        return await pages(
            info,
            AUDIENCES[self["object"]].list_everybody,
            self["id"],
            first=first,
            after=after,
            show=user_permission,
            shape=AccessQuery,
            role=role,
        )


@strawberry.type
class GrantedSpace(Granted):
    """What a space tells of who may do what."""

    @reads(effective_access.SPACE_EXPLANATIONS.explain)
    async def explain(
        self: Any, info: Info, action: SpaceAction, user: str | None = None
    ) -> Explanation | None:
        asked = checked(SpaceExplainQuery, {"action": action.value, "user": user}, strict=False)
        return await read(
            info, effective_access.SPACE_EXPLANATIONS.explain, self["id"], asked, show=explanation
        )


@strawberry.type
class GrantedCollection(Granted):
    """What a collection tells of who may do what."""

    @reads(effective_access.COLLECTION_EXPLANATIONS.explain)
    async def explain(
        self: Any, info: Info, action: CollectionAction, user: str | None = None
    ) -> Explanation | None:
        asked = checked(CollectionExplainQuery, {"action": action.value, "user": user}, strict=False)
        return await read(
            info, effective_access.COLLECTION_EXPLANATIONS.explain, self["id"], asked, show=explanation
        )


@strawberry.type
class GrantMutation:
    @writes(grants.SPACES.grant)
    async def grant_on_space(self, info: Info, space: ID, new: GrantsCreateInput) -> bool | None:
        return await write(info, grants.SPACES.grant, space, body(GrantsCreate, new))

    @writes(grants.SPACES.change_user)
    async def update_user_permission_in_space(
        self, info: Info, space: ID, user: ID, change: GrantUpdateInput
    ) -> bool | None:
        return await write(info, grants.SPACES.change_user, space, user, body(GrantUpdate, change))

    @writes(grants.SPACES.change_team)
    async def update_team_permission_in_space(
        self, info: Info, space: ID, team: ID, change: GrantUpdateInput
    ) -> bool | None:
        return await write(info, grants.SPACES.change_team, space, team, body(GrantUpdate, change))

    @writes(grants.SPACES.withdraw_user)
    async def remove_user_from_space(self, info: Info, space: ID, user: ID) -> bool | None:
        return await write(info, grants.SPACES.withdraw_user, space, user)

    @writes(grants.SPACES.withdraw_team)
    async def remove_team_from_space(self, info: Info, space: ID, team: ID) -> bool | None:
        return await write(info, grants.SPACES.withdraw_team, space, team)

    @writes(grants.COLLECTIONS.grant)
    async def grant_on_collection(self, info: Info, collection: ID, new: GrantsCreateInput) -> bool | None:
        return await write(info, grants.COLLECTIONS.grant, collection, body(GrantsCreate, new))

    @writes(grants.COLLECTIONS.change_user)
    async def update_user_permission_in_collection(
        self, info: Info, collection: ID, user: ID, change: GrantUpdateInput
    ) -> bool | None:
        asked = body(GrantUpdate, change)
        return await write(info, grants.COLLECTIONS.change_user, collection, user, asked)

    @writes(grants.COLLECTIONS.change_team)
    async def update_team_permission_in_collection(
        self, info: Info, collection: ID, team: ID, change: GrantUpdateInput
    ) -> bool | None:
        asked = body(GrantUpdate, change)
        return await write(info, grants.COLLECTIONS.change_team, collection, team, asked)

    @writes(grants.COLLECTIONS.withdraw_user)
    async def remove_user_from_collection(self, info: Info, collection: ID, user: ID) -> bool | None:
        return await write(info, grants.COLLECTIONS.withdraw_user, collection, user)

    @writes(grants.COLLECTIONS.withdraw_team)
    async def remove_team_from_collection(self, info: Info, collection: ID, team: ID) -> bool | None:
        return await write(info, grants.COLLECTIONS.withdraw_team, collection, team)
