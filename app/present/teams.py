"""Teams as callers see them, and people's part in them (specification, Team)."""

from __future__ import annotations

from typing import Any

from app.access.context import Context
from app.domain.organizations import team_rows
from app.models.teams import TeamOut
from app.present import links
from app.present.shape import shows


@shows(TeamOut)
def team(cx: Context, row: Any) -> dict[str, Any]:
    """A team (the columns of `Team` with those of `team_rows.beside`)."""
    return {
        "object": "team",
        "id": row.id,
        "title": row.title,
        "organization": row.organization_id,
        "members": row.member_count,
        "spaces": row.spaces,
        "createdAt": row.created_at,
        "permissions": team_rows.permissions(cx, row),
        "urls": links.team(cx, row),
    }
