"""Finds who calls with a person's token or the session of a browser, and records when tokens were last used.

The time of use is noted in memory by every request and written once a minute, so that no read writes. A
server that keeps running writes by itself; on Lambda the next write does, and what a process only read with
in its last minute is lost with the process.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Protocol

from sqlalchemy import ColumnElement, Select, and_, false, or_, select, update

from app.access import memberships
from app.access.context import Actor, Grants, HasLevels, Membership
from app.access.memberships import MemberRow
from app.access.rights import Level
from app.kit.database.columns import Instant
from app.kit.database.interface import Database, Reader
from app.kit.database.sql import among
from app.kit.database.statements import command, given, rows, table
from app.models.access import Token
from app.models.organizations import Member, Organization
from app.models.spaces import Space

TOKENS, MEMBERS, ORGANIZATIONS, SPACES = table(Token), table(Member), table(Organization), table(Space)


class TokenRow(MemberRow, Protocol):
    """A token, once for each organization that its user belongs to."""

    id: str
    user_id: str
    kind: str
    read_only: bool
    spaces: list[str] | None
    scopes: list[str] | None
    is_agent: bool
    idle_seconds: int | None
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    audience: str | None
    authorization_id: str | None
    only: str | None
    signed_in: str | None


def _who(condition: ColumnElement[bool]) -> Select[Any]:
    columns = (
        *(
            TOKENS.c.id,
            TOKENS.c.user_id,
            TOKENS.c.kind,
            TOKENS.c.read_only,
            TOKENS.c.spaces,
            TOKENS.c.scopes,
            TOKENS.c.is_agent,
        ),
        *(
            TOKENS.c.idle_seconds,
            TOKENS.c.created_at,
            TOKENS.c.expires_at,
            TOKENS.c.last_used_at,
            TOKENS.c.audience,
        ),
        TOKENS.c.authorization_id,
    )
    return (
        select(
            *columns, TOKENS.c.organization_id.label("only"), TOKENS.c.sso_organization_id.label("signed_in"),
            *memberships.COLUMNS,
        )
        .outerjoin(MEMBERS, and_(MEMBERS.c.user_id == TOKENS.c.user_id, MEMBERS.c.disabled == false()))
        .outerjoin(ORGANIZATIONS, ORGANIZATIONS.c.id == MEMBERS.c.organization_id)
        .where(condition)
    )  # fmt: skip


REMEMBERED = 1_000
"""Tokens whose rows are remembered."""
_READ = frozenset(
    each.name for each in (TOKENS, MEMBERS, ORGANIZATIONS, memberships.GRANTS, memberships.TEAM_MEMBERS)
)
BY_HASH = rows(lambda: _who(TOKENS.c.hash == given("hash")))
_BY_ID = rows(lambda: _who(among(TOKENS.c.id, "tokens")))
_SPACES = rows(
    lambda: select(SPACES.c.id, SPACES.c.organization_id, SPACES.c.base_level, SPACES.c.lineage).where(
        among(SPACES.c.id, "spaces")
    )
)


class SpaceRow(HasLevels, Protocol):
    """A space that a token is limited to."""

    organization_id: str


@dataclass(slots=True)
class KnownToken:
    """The rows of a token, and what its memberships add up to once `actor_of` has read that."""

    rows: Sequence[TokenRow]
    held: Mapping[str, Membership] | None = None


async def find(db: Reader, hash: str, now: datetime) -> KnownToken | None:
    """Return a token; None where it is unknown, revoked or expired.

    It is remembered until a commit that may change it, so whatever does counts from the next call on.
    """
    remembered: dict[str, KnownToken] = await db.memory_of(_READ)
    known = remembered.get(hash)
    if known is None:
        found = await db.get_by_key(BY_HASH, hash=hash)
        if not found:
            return None
        if len(remembered) >= REMEMBERED:
            remembered.clear()
        known = remembered[hash] = KnownToken(found)
    return known if is_valid(known.rows[0], now) else None


def is_valid(row: TokenRow, now: datetime) -> bool:
    """Tell whether a token has not expired, and was used lately where it has to be."""
    return is_unexpired(row.expires_at, row.idle_seconds, row.last_used_at or row.created_at, now)


def is_unexpired(
    expires_at: datetime | None, idle_seconds: int | None, used_at: datetime, now: datetime
) -> bool:
    """Tell whether a token with this end is valid that was used last then, or made."""
    if expires_at is not None and expires_at <= now:
        return False
    return idle_seconds is None or used_at + timedelta(seconds=idle_seconds) > now


async def actor_of(db: Reader, known: KnownToken) -> Actor:
    """Return the caller with this token, whose requests are counted."""
    held = known.held
    if held is None:
        held = _by_organization(await _held(db, known.rows))
        if known.rows[0].spaces is None:  # these are moved, and their levels change
            known.held = held
    return _actor(known.rows[0], held, counted=set())


async def _held(db: Reader, found: Sequence[TokenRow]) -> Sequence[Membership]:
    """Return the memberships of a token, with everything that was granted."""
    held = _memberships(found)
    if any(row.granted for row in found):
        held = await memberships.with_grants(db, found[0].user_id, held)
    if found[0].spaces is not None:
        held = limited(held, await db.all(_SPACES, spaces=found[0].spaces))
    return held


def limited(held: Iterable[Membership], spaces: Sequence[SpaceRow]) -> list[Membership]:
    """Return memberships as a token has them that is limited to these spaces.

    It is a guest's, who was granted on each of the spaces the level that the person has there, and nothing
    on anything else.
    """
    found = []
    for membership in held:
        own = (space for space in spaces if space.organization_id == membership.organization_id)
        levels = {space.id: level for space in own if (level := membership.on(space))}
        found.append(replace(membership, level=Level.NONE, inherited=Level.NONE, grants=Grants(levels)))
    return found


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
    whole = {token: [next(granted) if m.user_id in users else m for m in held[token]] for token in by_token}
    wanted = sorted({space for found in by_token.values() for space in found[0].spaces or ()})
    spaces = {row.id: row for row in await db.all(_SPACES, spaces=wanted)} if wanted else {}
    for token, found in by_token.items():
        if found[0].spaces is not None:
            own = [spaces[each] for each in found[0].spaces if each in spaces]
            whole[token] = limited(whole[token], own)
    return {token: _actor(found[0], _by_organization(whole[token])) for token, found in by_token.items()}


def _by_organization(held: Iterable[Membership]) -> dict[str, Membership]:
    return {membership.organization_id: membership for membership in held}


def _memberships(found: Sequence[TokenRow]) -> list[Membership]:
    return [
        memberships.membership_of_row(row, row.user_id, only=row.only, signed_in=row.signed_in)
        for row in found
        if row.organization_id
    ]


def _actor(token: TokenRow, held: Mapping[str, Membership], counted: set[str] | None = None) -> Actor:
    return Actor(
        user_id=token.user_id,
        token_id=token.id,
        read_only=token.read_only,
        only_organization=token.only,
        spaces=None if token.spaces is None else frozenset(token.spaces),
        is_session=token.kind == "session",
        memberships=held,
        scopes=None if token.scopes is None else frozenset(token.scopes),
        is_agent=token.is_agent,
        authorization_id=token.authorization_id,
        counted=counted,
    )


PAUSE = timedelta(minutes=1)
_KEEP = command(
    lambda: (
        update(TOKENS)
        .values(last_used_at=given("at", Instant()))
        .where(
            TOKENS.c.id == given("id"),
            or_(TOKENS.c.last_used_at.is_(None), TOKENS.c.last_used_at < given("at", Instant())),
        )
    )
)


class TokenUses:
    """The first use of each token since the notes were kept last."""

    def __init__(self) -> None:
        self.noted: dict[str, datetime] = {}

    def note(self, token_id: str, now: datetime) -> None:
        """Remember that a token was used, unless that is known."""
        self.noted[token_id] = now

    def are_due(self, now: datetime) -> bool:
        """Return whether something was noted that is older than a minute."""
        return bool(self.noted) and now - next(iter(self.noted.values())) >= PAUSE

    async def keep(self, db: Database) -> None:
        """Write down what was noted, in a transaction of its own."""
        noted, self.noted = self.noted, {}
        values = [{"id": id_, "at": at} for id_, at in sorted(noted.items())]
        await db.write(lambda tx: tx.run_many(_KEEP, values))
