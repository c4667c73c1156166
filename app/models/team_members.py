"""Members of a team as callers see them."""

from __future__ import annotations

from app.models.base import Permissions, Shape
from app.models.members import MemberOut
from app.models.teams import TeamOut, TeamRole


class MemberInTeam(Shape):
    """What a member of the organization is in a team."""

    role: TeamRole


class TeamMemberPermissions(Permissions):
    """What the caller may do with a member of a team."""

    view: bool


class TeamMemberOut(Shape):
    """A member of the organization and what they are in a team."""

    organization: MemberOut
    team: MemberInTeam
    permissions: TeamMemberPermissions


class MemberTeamOut(Shape):
    """A team that a member of the organization is in, and what they are there."""

    team: TeamOut
    member: MemberInTeam
