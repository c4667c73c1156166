"""Members of an organization as callers see them (specification, Member)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.access.context import Context
from app.models.members import MemberOut, MemberSpaceOut, PingOut, SigningKeyOut
from app.present.shape import shows
from app.present.spaces import space
from app.present.users import user

if TYPE_CHECKING:  # who shows members among other things needs none of it
    from app.domain.organizations.member_spaces import Seen
    from app.domain.organizations.visitor_claims import Claims, NewKey


@shows(MemberOut)
def member(cx: Context, row: Any) -> dict[str, Any]:
    """A member (the columns of `Member` with `user`, `spaces`, `teams`); who was never seen has no time."""
    out: dict[str, Any] = {
        "object": "member",
        "id": row.user_id,
        "role": row.role,
        "user": user(cx, row.user[0]),
        "disabled": row.disabled,
        "joinedAt": row.joined_at,
        "sso": row.sso,
        "spaces": row.spaces,
        "teams": row.teams,
    }
    return {**out, "lastSeenAt": row.last_seen_at} if row.last_seen_at else out


@shows(MemberSpaceOut)
def member_space(cx: Context, seen: Seen) -> dict[str, Any]:
    """A space as the caller sees it, beside what the member may do there."""
    return {"permission": seen.level.name.lower(), "space": space(cx, seen.space)}


@shows(PingOut)
def ping(cx: Context, claims: Claims) -> dict[str, Any]:
    """Nothing at all where the organization has no key."""
    return {"serviceVisitorClaims": claims.token} if claims.token else {}


@shows(SigningKeyOut)
def signing_key(cx: Context, new: NewKey) -> dict[str, Any]:
    """A key that the caller sent is not sent back."""
    out = {"object": "signing-key"}
    return {**out, "key": new.made} if new.made else out
