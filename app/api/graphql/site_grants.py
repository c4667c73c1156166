"""GraphQL face of what was granted on sites, and of who may do what and why."""

from __future__ import annotations

from typing import Any

import strawberry
from strawberry import ID

from app.api.graphql.calls import FIRST, Connection, Info, body, pages, plain, read, reads, write, writes
from app.api.graphql.grants import (
    Explanation,
    GrantsCreateInput,
    GrantUpdateInput,
    Role,
    TeamPermission,
    UserPermission,
)
from app.api.graphql.shapes import enum_of
from app.domain.sites import site_grants
from app.models import grants as models
from app.models.base import checked
from app.models.grants import AccessQuery, GrantsCreate, GrantUpdate, SiteExplainQuery
from app.present.access import explanation, team_permission, user_permission

SiteAction: Any = enum_of(models.SiteAction)


@strawberry.type
class SiteGrantQuery:
    @reads(site_grants.list_users)
    async def site_user_permissions(
        self, info: Info, organization: ID, site: ID, first: int = FIRST, after: str | None = None
    ) -> Connection[UserPermission]:
        call = site_grants.list_users
        return await pages(info, call, organization, site, first=first, after=after, show=user_permission)

    @reads(site_grants.list_teams)
    async def site_team_permissions(
        self, info: Info, organization: ID, site: ID, first: int = FIRST, after: str | None = None
    ) -> Connection[TeamPermission]:
        call = site_grants.list_teams
        return await pages(info, call, organization, site, first=first, after=after, show=team_permission)

    @reads(site_grants.list_everybody)
    async def site_audience(
        self,
        info: Info,
        organization: ID,
        site: ID,
        first: int = FIRST,
        after: str | None = None,
        role: Role | None = None,
    ) -> Connection[UserPermission]:
        return await pages(
            info,
            site_grants.list_everybody,
            organization,
            site,
            first=first,
            after=after,
            show=user_permission,
            shape=AccessQuery,
            role=plain(role),
        )

    @reads(site_grants.explain)
    async def site_explanation(
        self, info: Info, organization: ID, site: ID, action: SiteAction, user: str | None = None
    ) -> Explanation | None:
        asked = checked(SiteExplainQuery, {"action": action.value, "user": user}, strict=False)
        return await read(info, site_grants.explain, organization, site, asked, show=explanation)


@strawberry.type
class SiteGrantMutation:
    @writes(site_grants.grant)
    async def grant_on_site(
        self, info: Info, organization: ID, site: ID, new: GrantsCreateInput
    ) -> bool | None:
        return await write(info, site_grants.grant, organization, site, body(GrantsCreate, new))

    @writes(site_grants.change_user)
    async def update_user_permission_in_site(
        self, info: Info, organization: ID, site: ID, user: ID, change: GrantUpdateInput
    ) -> bool | None:
        asked = body(GrantUpdate, change)
        return await write(info, site_grants.change_user, organization, site, user, asked)

    @writes(site_grants.change_team)
    async def update_team_permission_in_site(
        self, info: Info, organization: ID, site: ID, team: ID, change: GrantUpdateInput
    ) -> bool | None:
        asked = body(GrantUpdate, change)
        return await write(info, site_grants.change_team, organization, site, team, asked)

    @writes(site_grants.withdraw_user)
    async def remove_user_from_site(self, info: Info, organization: ID, site: ID, user: ID) -> bool | None:
        return await write(info, site_grants.withdraw_user, organization, site, user)

    @writes(site_grants.withdraw_team)
    async def remove_team_from_site(self, info: Info, organization: ID, site: ID, team: ID) -> bool | None:
        return await write(info, site_grants.withdraw_team, organization, site, team)
