"""What people and teams were granted, what everybody may do, and why, as callers see it."""

from __future__ import annotations

from typing import Any

from app.access.context import Context
from app.access.rights import role
from app.domain.organizations.access_explanations import Explanation
from app.models.access import ExplanationOut, TeamPermissionOut, UserPermissionOut
from app.present.shape import shows
from app.present.teams import team
from app.present.users import user


@shows(UserPermissionOut)
def user_permission(cx: Context, row: Any) -> dict[str, Any]:
    """A person (`grantee`) and a level."""
    return {"permission": role(row.level), "user": user(cx, row.grantee[0])}


@shows(TeamPermissionOut)
def team_permission(cx: Context, row: Any) -> dict[str, Any]:
    """A team (`grantee`) and a level."""
    return {"permission": role(row.level), "team": team(cx, row.grantee[0])}


@shows(ExplanationOut)
def explanation(cx: Context, found: Explanation) -> dict[str, Any]:
    """`permission` is null for who has no access."""
    kind, id_ = found.source
    source = {"object": kind, "id": id_}
    return {
        "object": "explanation",
        "user": found.user_id,
        "action": found.action,
        "allowed": found.allowed,
        "level": role(found.needed),
        "permission": role(found.held),
        "rule": found.rule,
        "source": {**source, "team": found.team_id} if found.team_id else source,
        "message": found.message,
    }
