"""Operations on teams and their members."""

from __future__ import annotations

from app.api.operation import family, get, listing, patch, put, remove
from app.domain.organizations import team_members, teams
from app.models.teams import TeamCreate, TeamMembershipUpdate, TeamMembersUpdate, TeamsQuery, TeamUpdate
from app.present.people import team, team_member

T = "/orgs/{organizationId}/teams"

OPERATIONS = family(
    "Teams and team members",
    listing(
        "listTeamsInOrganizationById",
        T,
        teams.list_in_organization,
        query=TeamsQuery,
        show=team,
        field="Organization.teams",
        permission="organization:listTeams",
    ),
    put(
        "createOrganizationTeam",
        T,
        teams.create,
        body=TeamCreate,
        show=team,
        status=201,
        field="createTeam",
        permission="organization:admin",
    ),
    get(
        "getTeamInOrganizationById",
        f"{T}/{{teamId}}",
        teams.get,
        show=team,
        field="Organization.team",
        permission="organization:listTeams",
    ),
    remove(
        "removeTeamFromOrganizationById",
        f"{T}/{{teamId}}",
        teams.delete,
        field="deleteTeam",
        permission="organization:admin",
    ),
    patch(
        "updateTeamInOrganizationById",
        f"{T}/{{teamId}}",
        teams.update,
        body=TeamUpdate,
        show=team,
        field="updateTeam",
        permission="organization:admin",
    ),
    listing(
        "listTeamMembersInOrganizationById",
        f"{T}/{{teamId}}/members",
        team_members.list_members,
        show=team_member,
        field="Team.members",
        permission="organization:listTeams",
    ),
    put(
        "updateMembersInOrganizationTeam",
        f"{T}/{{teamId}}/members",
        team_members.update_members,
        body=TeamMembersUpdate,
        status=204,
        field="updateTeamMembers",
        permission="organization:admin",
    ),
    put(
        "addMemberToOrganizationTeamById",
        f"{T}/{{teamId}}/members/{{userId}}",
        team_members.put,
        body=TeamMembershipUpdate,
        status=204,
        field="putTeamMember",
        permission="organization:admin",
    ),
    remove(
        "deleteMemberFromOrganizationTeamById",
        f"{T}/{{teamId}}/members/{{userId}}",
        team_members.remove,
        field="removeTeamMember",
        permission="organization:admin",
    ),
)
