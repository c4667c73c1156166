"""Operations on what people and teams were granted, and of who may do what and why: on every kind alike."""

from __future__ import annotations

from app.api.operation import Operation, family, get, listing, patch, post, remove
from app.domain.organizations import effective_access, grants
from app.domain.organizations.effective_access import Audience, ExplanationQuery
from app.domain.organizations.grants import GrantStatements
from app.models.base import Shape
from app.models.grants import (
    AccessQuery,
    CollectionExplainQuery,
    GrantsCreate,
    GrantUpdate,
    SpaceExplainQuery,
)
from app.present.access import explanation, team_permission, user_permission


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


OPERATIONS = family(
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
)
