"""Members of a team as callers see them."""

from __future__ import annotations

from typing import Any

from app.access.context import Context
from app.models.team_members import MemberTeamOut, TeamMemberOut
from app.present.members import member
from app.present.shape import shows
from app.present.teams import team


@shows(TeamMemberOut)
def team_member(cx: Context, row: Any) -> dict[str, Any]:
    """A member of the organization, and what they are in the team (the column `team_role`)."""
    return {
        "organization": member(cx, row),
        "team": {"role": row.team_role},
        "permissions": {"view": True},  # whoever lists them sees each of them
    }


@shows(MemberTeamOut)
def member_team(cx: Context, row: Any) -> dict[str, Any]:
    """A team, and what the member is there (the column `team_role`)."""
    return {"team": team(cx, row), "member": {"role": row.team_role}}
