"""Operations on what people and teams were granted on sites, and of who may do what and why."""

from __future__ import annotations

from app.api.operation import family, get, listing, patch, post, remove
from app.domain.sites import site_grants
from app.models.grants import AccessQuery, GrantsCreate, GrantUpdate, SiteExplainQuery
from app.present.access import explanation, team_permission, user_permission

P = "/orgs/{organizationId}/sites/{siteId}/permissions"
USER, TEAM = f"{P}/users/{{userId}}", f"{P}/teams/{{teamId}}"

OPERATIONS = family(
    "Permissions",
    post(
        "inviteToSite",
        P,
        site_grants.grant,
        body=GrantsCreate,
        status=204,
        field="grantSiteAccess",
        permission="site:admin",
    ),
    listing(
        "listUserPermissionsInSite",
        f"{P}/users",
        site_grants.list_users,
        show=user_permission,
        field="Site.userPermissions",
        permission="site:admin",
    ),
    listing(
        "listTeamPermissionsInSite",
        f"{P}/teams",
        site_grants.list_teams,
        show=team_permission,
        field="Site.teamPermissions",
        permission="site:admin",
    ),
    patch(
        "updateUserPermissionInSite",
        USER,
        site_grants.change_user,
        body=GrantUpdate,
        status=204,
        field="updateUserPermissionInSite",
        permission="site:admin",
    ),
    patch(
        "updateTeamPermissionInSite",
        TEAM,
        site_grants.change_team,
        body=GrantUpdate,
        status=204,
        field="updateTeamPermissionInSite",
        permission="site:admin",
    ),
    remove(
        "removeUserFromSite",
        USER,
        site_grants.withdraw_user,
        field="removeUserFromSite",
        permission="site:admin",
    ),
    remove(
        "removeTeamFromSite",
        TEAM,
        site_grants.withdraw_team,
        field="removeTeamFromSite",
        permission="site:admin",
    ),
    listing(
        "listPermissionsAggregateInSite",
        f"{P}/aggregate",
        site_grants.list_everybody,
        query=AccessQuery,
        show=user_permission,
        field="Site.audience",
        permission="site:admin+organization:listMembers",
    ),
    get(
        "explainPermissionInSite",
        f"{P}/explain",
        site_grants.explain,
        query=SiteExplainQuery,
        show=explanation,
        field="Site.explanation",
        permission="site:admin",
    ),
)
