"""REST rows of teams and their members."""

from __future__ import annotations

from app.api.operation import family, get, listing, patch, put, remove
from app.domain.people import team_members, teams
from app.models.teams import TeamCreate, TeamMembershipUpdate, TeamMembersUpdate, TeamsQuery, TeamUpdate
from app.present.team_members import team_member
from app.present.teams import team

T = "/orgs/{organizationId}/teams"

OPERATIONS = family(
    "Teams and team members",
    listing("listTeamsInOrganizationById", T, teams.list_in_organization, query=TeamsQuery, show=team),
    put("createOrganizationTeam", T, teams.create, body=TeamCreate, show=team, status=201),
    get("getTeamInOrganizationById", f"{T}/{{teamId}}", teams.get, show=team),
    remove("removeTeamFromOrganizationById", f"{T}/{{teamId}}", teams.delete),
    patch("updateTeamInOrganizationById", f"{T}/{{teamId}}", teams.update, body=TeamUpdate, show=team),
    listing(
        "listTeamMembersInOrganizationById",
        f"{T}/{{teamId}}/members",
        team_members.list_members,
        show=team_member,
    ),
    put(
        "updateMembersInOrganizationTeam",
        f"{T}/{{teamId}}/members",
        team_members.update_members,
        body=TeamMembersUpdate,
        status=204,
    ),
    put(
        "addMemberToOrganizationTeamById",
        f"{T}/{{teamId}}/members/{{userId}}",
        team_members.put,
        body=TeamMembershipUpdate,
        status=204,
    ),
    remove("deleteMemberFromOrganizationTeamById", f"{T}/{{teamId}}/members/{{userId}}", team_members.remove),
)
