"""Changes as a subscriber may see them: the right to the changed object is looked up again for every change.

Nothing is cached, so that a right that was withdrawn counts from the next change on. But whatever is asked
for at the same moment is looked up together: a change that concerns five hundred subscribers costs as many
statements as one that concerns a single one.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlalchemy import select

from app.access import installation_tokens, token_actors
from app.access.context import Actor
from app.access.fetch import refusal
from app.access.rights import Level, least
from app.domain.change_feed.change_feed import Subscription
from app.domain.change_feed.recorded_changes import RecordedChange
from app.kit.callers import apart
from app.kit.clock import Clock
from app.kit.database.batching import SharedReader
from app.kit.database.interface import Reader
from app.kit.database.sql import among
from app.kit.database.statements import query, rows, table
from app.kit.errors import Forbidden, NotFound, Problem, Unauthenticated
from app.kit.http.event_streams import StreamPlace
from app.models.imports import ImportRun
from app.models.spaces import Space

SPACES, IMPORT_RUNS = table(Space), table(ImportRun)
_SPACES = query(
    Space,
    lambda: select(
        SPACES.c.id, SPACES.c.organization_id, SPACES.c.base_level, SPACES.c.lineage, SPACES.c.created_by,
        SPACES.c.deleted_at, SPACES.c.edit_mode,
    ).where(among(SPACES.c.id, "ids")),
)  # fmt: skip
_RUNS = rows(lambda: select(IMPORT_RUNS.c.id, IMPORT_RUNS.c.created_by).where(among(IMPORT_RUNS.c.id, "ids")))


class PermittedChange(NamedTuple):
    """A change, and its subscriber with the rights of this moment, for reading what was changed.

    All subscribers of the moment share the `reader`, so that what they read alike is read once.
    """

    change: RecordedChange
    actor: Actor
    reader: Reader


class PermittedChanges(AsyncIterator[PermittedChange]):
    """The changes of a subscription that its subscriber may see, each with their rights then.

    It ends with what refuses them: a token that is revoked or expired, an organization that they left, an
    object subscribed to that they may not see any more. Changes of other objects that they may not see are
    left out, where the subscription is to an organization or a space.
    """

    __slots__ = ("_before", "_is_installation", "_place", "_rights", "_subscription", "_token")

    def __init__(
        self, subscription: Subscription, rights: RightsNow, actor: Actor, place: StreamPlace
    ) -> None:
        self._subscription, self._rights, self._place = subscription, rights, place
        self._token, self._is_installation = actor.token_id, actor.installation is not None
        self._before: int | None = None  # the position before the change that is being told

    def position(self) -> str:
        """Return the position to go on after: before a change until the next one is asked for."""
        return str(self._subscription.reached if self._before is None else self._before)

    def close(self) -> None:
        """End the subscription and give its place to others."""
        self._subscription.close()
        self._place.release()

    async def __anext__(self) -> PermittedChange:
        while True:
            self._before, before = None, self._subscription.reached
            change = await anext(self._subscription)
            self._before = before
            scope = self._subscription.topic.scope
            permitted = await self._rights.to_see(change, self._token, scope, installed=self._is_installation)
            if permitted is not None:
                return permitted


@dataclass(slots=True)
class _Lookup:
    """The ids that are looked up together: tokens of people, tokens of installations, spaces, import runs."""

    tokens: set[str] = field(default_factory=set)
    installations: set[str] = field(default_factory=set)
    spaces: set[str] = field(default_factory=set)
    runs: set[str] = field(default_factory=set)


@dataclass(slots=True, frozen=True)
class _Lookups:
    actors: Mapping[str, Actor]
    spaces: Mapping[str, Space]
    run_creators: Mapping[str, str]
    reader: Reader


class RightsNow:
    """Looks up what subscribers may see, for all who ask at the same moment in the same statements."""

    def __init__(self, db: Reader, clock: Clock) -> None:
        self._db, self._clock = db, clock
        self._next: tuple[_Lookup, asyncio.Task[_Lookups]] | None = None

    async def to_see(
        self, change: RecordedChange, token: str, scope: str, *, installed: bool = False
    ) -> PermittedChange | None:
        """Return the change with the subscriber with this token (by its id) and the rights it has now.

        None where they may not see it.

        Raises the refusal where they may see nothing more of what they subscribed to by the field `scope`.
        `installed` tells that it is the token of an installation.
        """
        if self._next is None:
            lookup = _Lookup()
            self._next = (lookup, apart(self._look_up(lookup)))
        lookup, finding = self._next
        (lookup.installations if installed else lookup.tokens).add(token)
        if change.space_id is not None:
            lookup.spaces.add(change.space_id)
        if change.kind == "import-run" and change.job_id is not None:
            lookup.runs.add(change.job_id)
        found = await asyncio.shield(finding)  # others wait for it too
        actor = found.actors.get(token)
        if actor is None:
            raise Unauthenticated("The token was revoked or has expired.")
        permitted = _permitted(found, change, actor, scope)
        return None if permitted is None else PermittedChange(change, permitted, found.reader)

    async def _look_up(self, lookup: _Lookup) -> _Lookups:
        await asyncio.sleep(0)  # whoever was told of the same change asks now
        self._next = None
        db, now = self._db, self._clock()
        actors = await token_actors.actors(db, lookup.tokens, now) if lookup.tokens else {}
        if lookup.installations:
            actors |= await installation_tokens.actors(db, lookup.installations, now)
        spaces = await db.all(_SPACES, ids=sorted(lookup.spaces)) if lookup.spaces else ()
        runs: Any = await db.all(_RUNS, ids=sorted(lookup.runs)) if lookup.runs else ()
        creators = {run.id: run.created_by for run in runs}
        return _Lookups(actors, {space.id: space for space in spaces}, creators, SharedReader(db))


def _permitted(found: _Lookups, change: RecordedChange, actor: Actor, scope: str) -> Actor | None:
    """Return the subscriber if they may see the change; raises what ends their subscription."""
    refused = _refusal_of_scope(found, change, actor, scope)
    if refused is not None:
        raise refused
    refused = _refusal(found, change, actor)
    if refused is None:
        return actor
    if scope == "job_id":
        raise refused
    return None


def _refusal_of_scope(found: _Lookups, change: RecordedChange, actor: Actor, scope: str) -> Problem | None:
    """Return why somebody may not see what they subscribed to; None where they may, or for single jobs."""
    if scope == "organization_id":
        membership = actor.memberships.get(change.organization_id)
        if membership is None:
            return NotFound("There is no such organization.")
        return Forbidden(membership.closed) if membership.closed else None
    return None if scope == "job_id" else _refusal_of_space(found, change, actor)


def _refusal(found: _Lookups, change: RecordedChange, actor: Actor) -> Problem | None:
    """Return why somebody may not see the object that was changed; None where they may."""
    if change.kind not in ("import-run", "openapi-spec"):
        return _refusal_of_space(found, change, actor)
    membership = actor.memberships.get(change.organization_id)
    if membership is None or membership.closed:
        return NotFound("There is no such organization.")
    if change.kind == "openapi-spec":
        is_seen = membership.level >= least("organization", "listTeams")
        return None if is_seen else Forbidden("This needs a member of the organization.")
    is_theirs = found.run_creators.get(change.job_id or "") == actor.user_id
    return None if is_theirs or membership.level == Level.ADMIN else NotFound("There is no such import run.")


def _refusal_of_space(found: _Lookups, change: RecordedChange, actor: Actor) -> Problem | None:
    space = found.spaces.get(change.space_id or "")
    if space is None:
        return NotFound("There is no such space.")
    return refusal(actor.memberships.get(space.organization_id), Space, space, can="view")
