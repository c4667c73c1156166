"""Finds who calls with a person's token or the session of a browser: the person in their organizations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, Protocol

from sqlalchemy import ColumnElement, Select, and_, false, select

from app.access import memberships
from app.access.context import Actor, Membership
from app.access.memberships import MemberRow
from app.kit.database.interface import Reader
from app.kit.database.sql import among
from app.kit.database.statements import given, rows, table
from app.models.access import Token
from app.models.organizations import Member, Organization

_t, _m, _o = table(Token), table(Member), table(Organization)


class TokenRow(MemberRow, Protocol):
    """A token, once for each organization that its user belongs to."""

    id: str
    user_id: str
    read_only: bool
    expires_at: datetime | None
    only: str | None
    signed_in: str | None


def _who(condition: ColumnElement[bool]) -> Select[Any]:
    columns = (_t.c.id, _t.c.user_id, _t.c.read_only, _t.c.expires_at)
    return (
        select(
            *columns, _t.c.organization_id.label("only"), _t.c.sso_organization_id.label("signed_in"),
            *memberships.COLUMNS,
        )
        .outerjoin(_m, and_(_m.c.user_id == _t.c.user_id, _m.c.disabled == false()))
        .outerjoin(_o, _o.c.id == _m.c.organization_id)
        .where(condition)
    )  # fmt: skip


_BY_HASH = rows(lambda: _who(_t.c.hash == given("hash")))
_BY_ID = rows(lambda: _who(among(_t.c.id, "tokens")))


async def find(db: Reader, hash: str, now: datetime) -> Sequence[TokenRow]:
    """Return the rows of a token; none where it is unknown, revoked or expired."""
    found: Sequence[TokenRow] = await db.get_by_key(_BY_HASH, hash=hash)
    return found if found and is_valid(found[0], now) else ()


def is_valid(row: TokenRow, now: datetime) -> bool:
    """Tell whether a token has not expired."""
    return row.expires_at is None or row.expires_at > now


async def actor_of(db: Reader, found: Sequence[TokenRow]) -> Actor:
    """Return the caller with the token of these rows, whose requests are counted."""
    held = _memberships(found)
    if any(row.granted for row in found):
        held = await memberships.with_grants(db, found[0].user_id, held)
    return _actor(found[0], held, counted=set())


async def actors(db: Reader, tokens: Collection[str], now: datetime) -> dict[str, Actor]:
    """Return who calls with these tokens, by the ids of the tokens; without those that are not valid now.

    Nothing that they do is counted as a request.
    """
    by_token: dict[str, list[TokenRow]] = defaultdict(list)
    for row in await db.all(_BY_ID, tokens=sorted(tokens)):
        if is_valid(row, now):
            by_token[row.id].append(row)
    users = {row.user_id for found in by_token.values() for row in found if row.granted}
    held = {token: _memberships(found) for token, found in by_token.items()}
    several = [m for each in held.values() for m in each if m.user_id in users]
    granted = iter(await memberships.with_grants_of_many(db, several))
    return {
        token: _actor(found[0], [next(granted) if m.user_id in users else m for m in held[token]])
        for token, found in by_token.items()
    }


def _memberships(found: Sequence[TokenRow]) -> list[Membership]:
    return [
        memberships.membership_of_row(row, row.user_id, only=row.only, signed_in=row.signed_in)
        for row in found
        if row.organization_id
    ]


def _actor(token: TokenRow, held: Sequence[Membership], counted: set[str] | None = None) -> Actor:
    return Actor(
        user_id=token.user_id,
        token_id=token.id,
        read_only=token.read_only,
        only_organization=token.only,
        memberships={membership.organization_id: membership for membership in held},
        counted=counted,
    )
