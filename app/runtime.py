"""Services that requests share, and one request: caller, transaction, Context. Only this commits."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from cachetools import LRUCache

from app.access import audiences, token_actors
from app.access.audiences import Audience
from app.access.audit_actions import AuditAction, CallNotes, ChangeNote
from app.access.context import Actor, Context
from app.access.homes import Homes, space_of
from app.access.rate_limits import Rate, RateLimits
from app.access.token_actors import TokenUses
from app.kit.clock import Clock, utc_now
from app.kit.database.interface import Clash, Database, NotAlone, Reader, Transaction
from app.kit.errors import (
    SEND_A_TOKEN,
    Conflict,
    Forbidden,
    Invalid,
    PreconditionFailed,
    Problem,
    Unauthenticated,
)
from app.kit.http.event_streams import StreamLimits
from app.kit.http.headers import KeptTags
from app.kit.http.throttle import Throttle
from app.kit.settings import Settings
from app.kit.signing import AGENT, SESSION, Signer, token_hash

if TYPE_CHECKING:  # few ask for documents in print or as HTML, or subscribe to changes
    from app.domain.audit.audit_appending import KnownHeads
    from app.domain.change_feed.change_feed import ChangeFeed, Topic
    from app.domain.change_feed.permitted_changes import PermittedChanges, RightsNow
    from app.domain.pdf.pdf_queue import PdfQueue
    from app.domain.sites.visit_counts import VisitCounts
    from app.present.html_links import HtmlRenderer


T = TypeVar("T")
Naming = Callable[[Callable[..., Any], Sequence[Any]], tuple[str, tuple[tuple[str, str], ...]]]
"""Tells the operationId and the parts of the path of a domain function called with these arguments."""
RUN = b"docyard-run"
"""The header in which an agent names the run that a request belongs to."""

_RUN_NAME = re.compile(r"[A-Za-z0-9._:-]{1,100}")
KNOWN_HEADS = 1000  # audit logs whose newest event is remembered
LAST_WRITES = 3.0  # seconds for what is written down when a process ends
ASKED = frozenset({"rest", "graphql", "mcp"})  # faces of calls that somebody waits for


async def _no_renderer() -> HtmlRenderer:
    raise NotImplementedError("This process was started without what renders HTML.")


@dataclass(slots=True)
class Runtime:
    """The state that all requests share: the database, the settings, the clock, the signer.

    `named` tells names; `html` loads what renders texts as HTML.
    """

    db: Database
    settings: Settings
    signer: Signer
    clock: Clock = field(default=utc_now)
    named: Naming = field(default=lambda call, _arguments: (call.__name__, ()))
    html: Callable[[], Awaitable[HtmlRenderer]] = field(default=_no_renderer)
    token_uses: TokenUses = field(default_factory=TokenUses, init=False)
    job_due: asyncio.Event = field(default_factory=asyncio.Event, init=False)
    throttle: Throttle = field(init=False)
    limits: RateLimits = field(default_factory=RateLimits, init=False)
    _token_rate: Rate = field(init=False)
    streams: StreamLimits = field(init=False)
    kept_tags: KeptTags[Actor] = field(default_factory=KeptTags, init=False)
    _heads: KnownHeads = field(default_factory=lambda: LRUCache(KNOWN_HEADS), init=False)
    _homes: Homes = field(default_factory=Homes, init=False)
    is_resident: bool = field(default=False, init=False)
    """True if the process stays between requests, so that streams may outlast their beginning."""
    _visit_counts: VisitCounts | None = field(default=None, init=False)
    _pdf_queue: PdfQueue | None = field(default=None, init=False)
    _changes: tuple[ChangeFeed, RightsNow] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.throttle = Throttle(self.settings)
        self.streams = StreamLimits(self.settings.streams, self.settings.streams_of_caller)
        most = self.settings.rate_limit
        self._token_rate = Rate(most, f"This token may make {most} calls a minute.")

    async def caller(
        self,
        scope: Mapping[str, Any],
        authorization: str | None,
        session: str | None = None,
        *,
        audience: Audience = "api",
    ) -> Actor:
        """Return the caller of a request, like `actor`;
        raises TooManyRequests where too many were refused there.

        Unauthenticated says where a client learns how to get a token for this audience.
        """
        try:
            actor = await self.actor(authorization, session, audience=audience)
            return replace(actor, run=run_of(scope)) if actor.is_agent else actor
        except Unauthenticated as refused:
            self.throttle.take("anonymous", scope)
            raise audiences.challenge(self.settings, refused, audience) from None

    async def actor(
        self, authorization: str | None, session: str | None = None, *, audience: Audience = "api"
    ) -> Actor:
        """Return the caller behind an `Authorization: Bearer` header; raises Unauthenticated.

        Without such a header the session of a browser will do, where it counts (see `cookies`). The token of
        an application counts for its own audience only.
        """
        if authorization is None and session is not None:
            secret = session
        else:
            scheme, _, token = (authorization or "").partition(" ")
            secret = token.strip()
            if scheme.lower() != "bearer" or not secret or secret.startswith(SESSION):
                raise Unauthenticated(SEND_A_TOKEN)
        if secret.startswith(AGENT):
            from app.access import installation_tokens  # few calls are a script's

            actor = await installation_tokens.actor(self.db, secret, self.clock())
            if self.settings.rate_limit and actor.installation:
                await self._count(_bucket(actor), self.clock())
            return actor
        now = self.clock()
        known = await token_actors.find(self.db, token_hash(secret), now)
        if known is None:
            raise Unauthenticated("The token is unknown, revoked or expired.")
        row = known.rows[0]
        if row.audience not in (None, audience):
            raise Unauthenticated("This token is for another part of this server.")
        token = row.id
        if token not in self.token_uses.noted:
            self.token_uses.note(token, now)
        if self.settings.rate_limit:
            await self._count(f"token {row.authorization_id or token}", now)
        return await token_actors.actor_of(self.db, known)

    def calls_left(self, actor: Actor) -> tuple[Rate, float] | None:
        """Return the rate limit of a caller and the calls that are left of it; None without a limit."""
        if not self.settings.rate_limit or not (actor.token_id or actor.installation):
            return None
        return self._token_rate, self.limits.left(_bucket(actor), self._token_rate, self.clock())

    async def _count(self, caller: str, now: datetime) -> None:
        """Count a call of a token; raises TooManyRequests where it has made too many."""
        if not self.limits.runs_alone and self.limits.are_due(now):
            await self.limits.synchronise(self.db, now)
        self.limits.take(caller, self._token_rate, now)

    def context(self, actor: Actor, db: Reader | None = None) -> Context:
        """Return a Context that reads (or, given a transaction, writes)."""
        return Context(
            db or self.db, actor, self.clock(), self.signer, self.settings, home=self.db, limits=self.limits
        )

    def visit_counts(self) -> VisitCounts:
        """Return where visits of sites are counted; the first to count begins it."""
        if self._visit_counts is None:
            from app.domain.sites.visit_counts import VisitCounts

            self._visit_counts = VisitCounts()
        return self._visit_counts

    async def keep_visit_counts(self, *, all_typed: bool = False) -> None:
        """Write down what was counted of visits; `all_typed` as in `VisitCounts.take`."""
        if self._visit_counts is not None:
            from app.domain.sites import kept_counts

            await kept_counts.keep(self.db, self._visit_counts, self.clock(), all_typed=all_typed)

    def pdf_queue(self) -> PdfQueue:
        """Return where documents are set; the first to ask opens it."""
        from app.domain.pdf.pdf_queue import PdfQueue

        self._pdf_queue = self._pdf_queue or PdfQueue(self.settings.pdf_runs)
        return self._pdf_queue

    async def watch(self, actor: Actor, topic: Topic, *, after: str | None = None) -> PermittedChanges:
        """Subscribe somebody to the changes of a topic, from now on or `after` a position of the feed.

        Close it in the end. The caller has checked that they may see what they subscribe to; every change is
        checked again. Raises PreconditionFailed where no process stays, TooManyRequests or Unavailable where
        there are too many streams, otherwise as `ChangeFeed.subscribe`.
        """
        if not self.is_resident:
            raise PreconditionFailed(
                "This server ends with each request and has no subscriptions: poll instead, by asking a query"
                " now and then."
            )
        from app.domain.change_feed.change_feed import ChangeFeed
        from app.domain.change_feed.permitted_changes import PermittedChanges, RightsNow

        self._changes = self._changes or (ChangeFeed(self.db), RightsNow(self.db, self.clock))
        feed, rights = self._changes
        place = self.streams.take(actor.installation.name if actor.installation else actor.user_id)
        try:
            return PermittedChanges(await feed.subscribe(topic, after=after), rights, actor, place)
        except BaseException:
            place.release()
            raise

    def end_streams(self) -> None:
        """Interrupt all streams, and begin none any more: a server waits for its answers before it stops."""
        self.is_resident = False
        if self._changes is not None:
            self._changes[0].stop()

    async def close(self) -> None:
        """End what was begun here and nobody waits for any more."""
        self.end_streams()
        if self._changes is not None:
            await self._changes[0].close()
        await self.keep_visit_counts(all_typed=True)
        with suppress(Problem, TimeoutError):  # a database that is gone keeps nobody from ending
            async with asyncio.timeout(LAST_WRITES):
                if self.token_uses.noted:
                    await self.token_uses.keep(self.db)
                if self.limits.is_unsynchronised:
                    await self.limits.synchronise(self.db, self.clock())
        if self._pdf_queue is not None:
            await self._pdf_queue.close()

    def context_of_nobody(self) -> Context:
        """Return a Context for what needs no token."""
        return self.context(Actor(""))

    async def write(self, actor: Actor, call: Callable[[Context], Awaitable[T]], action: AuditAction) -> T:
        """Run `call` in one transaction and commit it; started again where two transactions met.

        What changes something in an organization is told to its audit log in the same transaction.
        """
        may_write(actor)
        from app.domain.audit import audit_appending, audit_chain
        from app.domain.change_feed import recorded_changes
        from app.domain.organizations import quotas  # reading should not load them

        notes = CallNotes()

        async def act(tx: Transaction) -> T:
            nonlocal notes
            cx = self.context(actor, tx)
            cx.notes = notes = CallNotes()
            result = await call(cx)
            unrecorded: Sequence[ChangeNote] = tuple(notes.changes)
            if tx.changed:
                if tx.alone and notes.subjects.keys() != homes:
                    raise NotAlone("This concerns more than the organization of the space.")
                unrecorded = await audit_appending.append(cx, actor, action, unrecorded, self._heads)
            if unrecorded:
                await recorded_changes.append(cx, unrecorded)
            if cx.notes.agent:
                from app.domain.agents import agent_changes

                await agent_changes.append(cx, cx.notes.agent)
            if cx.notes.emitted:
                from app.domain.integrations import outbox

                await outbox.append(cx, cx.notes.emitted)
            await quotas.charge(cx, asked=action.face in ASKED)
            return result

        if self.token_uses.are_due(self.clock()):
            await self.token_uses.keep(self.db)
        homes = self._homes.expected(actor, action)
        # Who writes in a space is alone in its organization with the lane of the audit log, which all others
        # who change something there take too.
        alone = bool(homes) and space_of(action) is not None
        try:
            lanes = frozenset(map(audit_chain.lane, homes))
            done = await self.db.write(act, likely_keys=lanes, alone=alone)
        except Clash as clash:
            raise Conflict("This conflicts with something that already exists.") from clash
        self._homes.learn(action, notes.subjects)
        if notes.events:
            quotas.spend(self.context(actor), notes.events)
        if notes.job_due:
            self.job_due.set()
        if notes.changes:
            self.db.announce(recorded_changes.CHANNEL)
        return done


def run_of(scope: Mapping[str, Any]) -> str | None:
    """Return the run of an agent that a request names; raises Invalid for what is no name."""
    for name, value in scope["headers"]:
        if name == RUN:
            return checked_run(value.decode("latin-1"), "Docyard-Run")
    return None


def checked_run(name: object, path: str) -> str:
    """Return the name of a run; raises Invalid at `path` for what is none."""
    if isinstance(name, str) and _RUN_NAME.fullmatch(name):
        return name
    raise Invalid(
        "The name of a run is 1 to 100 letters, digits, dots, colons, hyphens and underscores.", path=path
    )


def _bucket(actor: Actor) -> str:
    """Return the key of the bucket that a caller's calls are taken out of."""
    if actor.installation is not None:
        return actor.installation.name
    return f"token {actor.holder}"


def may_write(actor: Actor) -> None:
    """Refuse a token that only reads; also asked before anything is fetched for a write."""
    if actor.read_only:
        raise Forbidden("This token is read-only.")
