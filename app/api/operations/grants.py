"""Operations on what people and teams are granted on spaces, collections and sites."""

from __future__ import annotations

from app.api.operation import Operation, family, get, listing, patch, post, remove
from app.domain.organizations import effective_access, grants
from app.domain.organizations.effective_access import Audience, ExplanationQuery
from app.domain.organizations.grants import GrantStatements
from app.domain.sites import site_grants
from app.models.base import Shape
from app.models.grants import (
    AccessQuery,
    CollectionExplainQuery,
    GrantsCreate,
    GrantUpdate,
    SiteExplainQuery,
    SpaceExplainQuery,
)
from app.present.people import explanation, team_permission, user_permission


def _rows(
    noun: str,
    path: str,
    granting: GrantStatements,
    people: Audience,
    why: ExplanationQuery,
    asked: type[Shape],
) -> list[Operation]:
    users, teams, kind = f"{path}/users", f"{path}/teams", noun.lower()
    admin = f"{kind}:admin"
    return [
        post(
            f"inviteTo{noun}",
            path,
            granting.grant,
            body=GrantsCreate,
            status=204,
            field=f"grant{noun}Access",
            permission=admin,
        ),
        listing(
            f"listUserPermissionsIn{noun}",
            users,
            granting.list_users,
            show=user_permission,
            field=f"{noun}.userPermissions",
            permission=admin,
        ),
        listing(
            f"listTeamPermissionsIn{noun}",
            teams,
            granting.list_teams,
            show=team_permission,
            field=f"{noun}.teamPermissions",
            permission=admin,
        ),
        patch(
            f"updateUserPermissionIn{noun}",
            f"{users}/{{userId}}",
            granting.change_user,
            body=GrantUpdate,
            status=204,
            field=f"updateUserPermissionIn{noun}",
            permission=admin,
        ),
        patch(
            f"updateTeamPermissionIn{noun}",
            f"{teams}/{{teamId}}",
            granting.change_team,
            body=GrantUpdate,
            status=204,
            field=f"updateTeamPermissionIn{noun}",
            permission=admin,
        ),
        remove(
            f"removeUserFrom{noun}",
            f"{users}/{{userId}}",
            granting.withdraw_user,
            field=f"removeUserFrom{noun}",
            permission=admin,
        ),
        remove(
            f"removeTeamFrom{noun}",
            f"{teams}/{{teamId}}",
            granting.withdraw_team,
            field=f"removeTeamFrom{noun}",
            permission=admin,
        ),
        listing(
            f"listPermissionsAggregateIn{noun}",
            f"{path}/aggregate",
            people.list_everybody,
            query=AccessQuery,
            show=user_permission,
            field=f"{noun}.audience",
            permission=f"{admin}+organization:listMembers",
        ),
        get(
            f"explainPermissionIn{noun}",
            f"{path}/explain",
            why.explain,
            query=asked,
            show=explanation,
            field=f"{noun}.explanation",
            permission=admin,
        ),
    ]


SITE_PERMISSIONS = "/orgs/{organizationId}/sites/{siteId}/permissions"
USER, TEAM = f"{SITE_PERMISSIONS}/users/{{userId}}", f"{SITE_PERMISSIONS}/teams/{{teamId}}"


OPERATIONS = [
    *family(
        "Permissions",
        *_rows(
            "Space",
            "/spaces/{spaceId}/permissions",
            grants.SPACES,
            effective_access.SPACE_AUDIENCE,
            effective_access.SPACE_EXPLANATIONS,
            SpaceExplainQuery,
        ),
        *_rows(
            "Collection",
            "/collections/{collectionId}/permissions",
            grants.COLLECTIONS,
            effective_access.COLLECTION_AUDIENCE,
            effective_access.COLLECTION_EXPLANATIONS,
            CollectionExplainQuery,
        ),
    ),
    *family(
        "Permissions",
        post(
            "inviteToSite",
            SITE_PERMISSIONS,
            site_grants.grant,
            body=GrantsCreate,
            status=204,
            field="grantSiteAccess",
            permission="site:admin",
        ),
        listing(
            "listUserPermissionsInSite",
            f"{SITE_PERMISSIONS}/users",
            site_grants.list_users,
            show=user_permission,
            field="Site.userPermissions",
            permission="site:admin",
        ),
        listing(
            "listTeamPermissionsInSite",
            f"{SITE_PERMISSIONS}/teams",
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
            f"{SITE_PERMISSIONS}/aggregate",
            site_grants.list_everybody,
            query=AccessQuery,
            show=user_permission,
            field="Site.audience",
            permission="site:admin+organization:listMembers",
        ),
        get(
            "explainPermissionInSite",
            f"{SITE_PERMISSIONS}/explain",
            site_grants.explain,
            query=SiteExplainQuery,
            show=explanation,
            field="Site.explanation",
            permission="site:admin",
        ),
    ),
]
