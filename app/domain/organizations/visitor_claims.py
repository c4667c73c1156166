"""When members were last seen, and the organization's key for signing claims about them.

The key can be set but not read again; it is encrypted with the installation's secret. After that secret is
lost, claims are omitted until the key is set again.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import select

from app.access.context import Context
from app.access.fetch import fetch, permit_in
from app.domain.infrastructure.stored_secrets import SIGNING_KEY
from app.kit.database.statements import given, rows, table
from app.kit.errors import NotFound
from app.models.members import SigningKeyUpdate
from app.models.organizations import Member, Organization
from app.models.users import User

HOUR = 3600  # seconds
MEMBERS, ORGANIZATIONS, USERS = table(Member), table(Organization), table(User)
_CALLER = rows(
    lambda: (
        select(MEMBERS.c.role, ORGANIZATIONS.c.signing_key, USERS.c.email, USERS.c.display_name)
        .join_from(MEMBERS, ORGANIZATIONS, ORGANIZATIONS.c.id == MEMBERS.c.organization_id)
        .join(USERS, USERS.c.id == MEMBERS.c.user_id)
        .where(MEMBERS.c.organization_id == given("organization"), MEMBERS.c.user_id == given("user"))
    )
)


@dataclass(slots=True, frozen=True)
class MemberClaims:
    """The answer to a member who is there."""

    token: str | None


@dataclass(slots=True, frozen=True)
class NewKey:
    """A key that was set; one that was made here is told."""

    made: str | None


async def ping(cx: Context, organization_id: str) -> MemberClaims:
    """Record that the caller is active, and return the caller.

    With a signing key the answer holds a JWT (HS256, valid for an hour) with the caller's id, address, name
    and role.
    """
    permit_in(replace(cx, notes=None), organization_id)  # who is there is no matter of the audit log
    caller = await cx.tx.first(_CALLER, organization=organization_id, user=cx.actor.user_id)
    if caller is None:
        raise NotFound("There is no such organization.")
    seen = {"last_seen_at": cx.now}
    await cx.tx.put(Member, seen, organization_id=organization_id, user_id=cx.actor.user_id)
    key = caller.signing_key and cx.signer.unseal(SIGNING_KEY, caller.signing_key)
    return MemberClaims(_signed(cx, organization_id, caller, key) if key else None)


async def set_key(cx: Context, organization_id: str, change: SigningKeyUpdate) -> NewKey:
    """Set the key that visitor claims are signed with.

    Without one in the body a key is made, and shown this once.
    """
    await fetch(cx, Organization, organization_id, can="admin")
    made = None if change.key else secrets.token_urlsafe(48)
    await _put(cx, organization_id, cx.signer.seal(SIGNING_KEY, change.key or made or ""))
    return NewKey(made)


async def remove_key(cx: Context, organization_id: str) -> None:
    """Remove the key that visitor claims are signed with; pings answer without claims from then on."""
    await fetch(cx, Organization, organization_id, can="admin")
    await _put(cx, organization_id, None)


async def _put(cx: Context, organization_id: str, key: str | None) -> None:
    await cx.tx.put(Organization, {"signing_key": key, "updated_at": cx.now}, id=organization_id)


def _signed(cx: Context, organization_id: str, caller: Any, key: str) -> str:
    from joserfc import jwt
    from joserfc.jwk import OctKey

    now = int(cx.now.timestamp())
    claims = {
        "sub": cx.actor.user_id,
        "email": caller.email,
        "name": caller.display_name,
        "organization": organization_id,
        "iat": now,
        "exp": now + HOUR,
    }
    role = {"role": caller.role} if caller.role else {}
    return jwt.encode({"alg": "HS256"}, {**claims, **role}, OctKey.import_key(key))
