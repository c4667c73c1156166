"""Operations on teams and their members."""

from __future__ import annotations

from app.api.operation import family, get, listing, patch, put, remove
from app.domain.organizations import team_spaces, teams
from app.models.teams import (
    TeamCreate,
    TeamMembershipUpdate,
    TeamMembersUpdate,
    TeamSpacesQuery,
    TeamsQuery,
    TeamUpdate,
)
from app.present.people import team, team_member, team_space

TEAMS = "/orgs/{organizationId}/teams"

OPERATIONS = family(
    "Teams and team members",
    listing(
        "listTeamsInOrganizationById",
        TEAMS,
        teams.list_in_organization,
        query=TeamsQuery,
        show=team,
        field="Organization.teams",
        permission="organization:listTeams",
    ),
    put(
        "createOrganizationTeam",
        TEAMS,
        teams.create,
        body=TeamCreate,
        show=team,
        status=201,
        field="createTeam",
        permission="organization:admin",
    ),
    get(
        "getTeamInOrganizationById",
        f"{TEAMS}/{{teamId}}",
        teams.get,
        show=team,
        field="Organization.team",
        permission="organization:listTeams",
    ),
    remove(
        "removeTeamFromOrganizationById",
        f"{TEAMS}/{{teamId}}",
        teams.delete,
        field="deleteTeam",
        permission="organization:admin",
    ),
    patch(
        "updateTeamInOrganizationById",
        f"{TEAMS}/{{teamId}}",
        teams.update,
        body=TeamUpdate,
        show=team,
        field="updateTeam",
        permission="organization:admin",
    ),
    listing(
        "listTeamMembersInOrganizationById",
        f"{TEAMS}/{{teamId}}/members",
        teams.list_members,
        show=team_member,
        field="Team.members",
        permission="organization:listTeams",
    ),
    listing(
        "listSpacesForOrganizationTeam",
        f"{TEAMS}/{{teamId}}/spaces",
        team_spaces.list_spaces,
        query=TeamSpacesQuery,
        show=team_space,
        field="Team.spaces",
        permission="organization:listTeams",
    ),
    put(
        "updateMembersInOrganizationTeam",
        f"{TEAMS}/{{teamId}}/members",
        teams.update_members,
        body=TeamMembersUpdate,
        status=204,
        field="updateTeamMembers",
        permission="organization:admin",
    ),
    put(
        "addMemberToOrganizationTeamById",
        f"{TEAMS}/{{teamId}}/members/{{userId}}",
        teams.put_member,
        body=TeamMembershipUpdate,
        status=204,
        field="putTeamMember",
        permission="organization:admin",
    ),
    remove(
        "deleteMemberFromOrganizationTeamById",
        f"{TEAMS}/{{teamId}}/members/{{userId}}",
        teams.remove_member,
        field="removeTeamMember",
        permission="organization:admin",
    ),
)
