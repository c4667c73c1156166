"""The subscribers of one process, and the task that reads the feed for all of them while there are any.

A change costs one look-up for each of its ids, however many subscribers there are that it does not concern.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from app.domain.change_feed import recorded_changes
from app.domain.change_feed.recorded_changes import CHANNEL, SCOPES, RecordedChange
from app.kit.callers import apart
from app.kit.database.interface import Database
from app.kit.errors import Invalid, PreconditionFailed, Problem, Unavailable
from app.kit.http.event_streams import Interrupted

log = logging.getLogger("docyard.changes")
MOST_WAITING = 1000  # changes that wait for one subscriber
PAUSE = 1.0  # seconds until the database is asked again that could not be read
PATIENCE = 10.0  # seconds that a subscriber waits for the feed to be read
LONGEST_POSITION = 18  # digits
TOO_SLOW = "Changes came faster than they were read. Subscribe again after the last one that you have."
TOO_OLD = "This position is older than the changes that are kept. Read anew what you show, and subscribe"
STOPPING = "The server is stopping. Subscribe again after the last change that you have."


@dataclass(slots=True, frozen=True)
class Topic:
    """The subject of a subscription: changes of these kinds whose field `scope` is this id."""

    kinds: frozenset[str]
    scope: str
    id: str

    def __post_init__(self) -> None:
        assert self.scope in SCOPES


class ChangeFeed:
    """The feed as one process reads it."""

    def __init__(self, db: Database, *, most_waiting: int = MOST_WAITING) -> None:
        self.db = db
        self.position = 0
        """The last change that all subscribers were told of."""
        self._most_waiting = most_waiting
        self._subscriptions: dict[tuple[str, str], set[Subscription]] = {}
        self._joining = 0  # callers that are about to subscribe
        self._reading: asyncio.Task[None] | None = None
        self._is_ready = asyncio.Event()
        self._is_stopping = False

    @property
    def is_reading(self) -> bool:
        """Tell whether the feed is being read, which it is while somebody subscribes."""
        return self._reading is not None

    async def subscribe(self, topic: Topic, *, after: str | None = None) -> Subscription:
        """Subscribe to the changes of a topic from now on, or to those `after` a position.

        Close the subscription in the end. Raises Invalid for what is no position, PreconditionFailed for one
        that is older than what is kept, Unavailable where the server is stopping.
        """
        last = None if after is None else await self._checked(after)
        self._joining += 1
        try:
            await self._ready()
            if self._is_stopping:
                raise Unavailable(STOPPING)
            # No change is told between these two: whatever is behind the position will be.
            subscription = Subscription(self, topic, self._most_waiting, after=last)
            self._subscriptions.setdefault((topic.scope, topic.id), set()).add(subscription)
            return subscription
        finally:
            self._joining -= 1
            self._rest()

    def remove(self, subscription: Subscription) -> None:
        """Forget a subscription; with the last one reading ends."""
        key = (subscription.topic.scope, subscription.topic.id)
        others = self._subscriptions.get(key, set())
        others.discard(subscription)
        if not others:
            self._subscriptions.pop(key, None)
        self._rest()

    def stop(self) -> None:
        """End all subscriptions and take no new ones, since the process ends."""
        self._is_stopping = True
        self._is_ready.set()  # whoever waits to subscribe is refused
        for group in list(self._subscriptions.values()):
            for subscription in list(group):
                subscription.end(Interrupted(STOPPING))

    async def close(self) -> None:
        """Stop, and wait until nothing is read any more."""
        self.stop()
        reading, self._reading = self._reading, None
        if reading is not None:
            reading.cancel()
            await asyncio.wait([reading])

    def _rest(self) -> None:
        """Stop reading where nobody subscribes."""
        if self._reading is not None and not self._subscriptions and not self._joining:
            self._reading.cancel()
            self._reading, self._is_ready = None, asyncio.Event()

    async def _checked(self, after: str) -> int:
        if not (after.isascii() and after.isdecimal() and len(after) <= LONGEST_POSITION):
            raise Invalid(
                "This is not a position of the feed; send one that came with a change.", path="after"
            )
        last, kept = int(after), await recorded_changes.bounds(self.db)
        if last > kept.newest:
            raise Invalid("The feed has not reached this position yet.", path="after")
        if last < kept.oldest - 1:
            raise PreconditionFailed(f"{TOO_OLD} without `after`.", path="after")
        return last

    async def _ready(self) -> None:
        """Wait until the feed is being read; raises Unavailable where the database does not let it."""
        if self._is_stopping:
            return
        if self._reading is None:
            self._reading = apart(self._read())
        try:
            async with asyncio.timeout(PATIENCE):
                await self._is_ready.wait()
        except TimeoutError:
            raise Unavailable("The feed of changes cannot be read now; try again shortly.") from None

    async def _read(self) -> None:
        """Read the feed until cancelled, whatever happens to the database meanwhile."""
        while True:
            try:
                async with self.db.listen(CHANNEL) as changed:
                    if not self._is_ready.is_set():
                        self.position = (await recorded_changes.bounds(self.db)).newest
                        self._is_ready.set()
                    while True:
                        await self._read_new()
                        await changed()
            except Problem as problem:
                log.warning("the feed of changes cannot be read: %s", problem.message)
            except Exception:
                log.exception("the feed of changes cannot be read")
            await asyncio.sleep(PAUSE)

    async def _read_new(self) -> None:
        while found := await recorded_changes.read_new(self.db, self.position):
            for change in found:
                self._tell(change)
            self.position = found[-1].position

    def _tell(self, change: RecordedChange) -> None:
        for scope in SCOPES:
            key = (scope, getattr(change, scope))
            for subscription in tuple(self._subscriptions.get(key, ())):
                if change.kind in subscription.topic.kinds:
                    subscription.put(change)


class Subscription(AsyncIterator[RecordedChange]):
    """The changes of a topic, each once, in their order; what ended it is raised.

    At first it reads what was missed `after` a position. `position` is that of the last change given, or
    where the subscription began.
    """

    __slots__ = ("_ended", "_feed", "_missed", "_most", "_until", "_waiter", "_waiting", "position", "topic")

    def __init__(self, feed: ChangeFeed, topic: Topic, most_waiting: int, *, after: int | None) -> None:
        self.topic = topic
        self.position = feed.position if after is None else after
        self._feed = feed
        self._most = most_waiting
        self._until = feed.position  # up to there changes are read as missed, behind it they are told
        self._missed: deque[RecordedChange] | None = None
        self._waiting: deque[RecordedChange] | None = None  # made when something waits
        self._waiter: asyncio.Future[None] | None = None
        self._ended: Problem | None = None

    @property
    def reached(self) -> int:
        """Return the position to go on after: further than the last change
        where others concerned nobody here.
        """
        if self._waiting or self.position < self._until:  # something waits, or was missed and is not told yet
            return self.position
        return max(self.position, self._feed.position)

    def put(self, change: RecordedChange) -> None:
        """Give this change after those that wait; too many of them end the subscription."""
        if self._ended is not None:
            return
        if self._waiting is None:
            self._waiting = deque()
        if len(self._waiting) >= self._most:
            self._waiting.clear()
            self.end(Unavailable(TOO_SLOW))
            return
        self._waiting.append(change)
        self._wake()

    def end(self, reason: Problem) -> None:
        """End the subscription: its reader is told why."""
        self._ended = self._ended or reason
        self._wake()

    def close(self) -> None:
        """End the subscription, for nobody reads it any more."""
        self._feed.remove(self)
        self.end(Interrupted("The subscription is closed."))

    async def __anext__(self) -> RecordedChange:
        while True:
            if self._ended is not None:
                raise self._ended
            change = await self._next_missed() if self.position < self._until else self._next_waiting()
            if change is not None:
                if change.position > self.position:
                    self.position = change.position
                    return change
            elif self._ended is None and not self._waiting:
                self._waiter = asyncio.get_running_loop().create_future()
                await self._waiter

    async def _next_missed(self) -> RecordedChange | None:
        """Return the next change that was missed, else the next that waits."""
        if not self._missed:
            self._missed = deque(await self._read_missed())
        if self._missed:
            return self._missed.popleft()
        self._missed, self.position = None, self._until
        return self._next_waiting()

    async def _read_missed(self) -> Sequence[RecordedChange]:
        topic, between = self.topic, {"after": self.position, "until": self._until}
        db, kinds = self._feed.db, sorted(topic.kinds)
        return await recorded_changes.read_missed(db, topic.scope, topic.id, kinds, **between)

    def _next_waiting(self) -> RecordedChange | None:
        return self._waiting.popleft() if self._waiting else None

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
