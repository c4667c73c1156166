"""Counts what visitors of sites do, in memory; `kept_counts` writes it down every few seconds.

Nothing of a visitor is counted by: neither an address nor a cookie, and of the hash that tells visitors of a
day apart only what a sketch needs (see kit/distinct_counts). What may be personal has no name here: a term or
a path with an `@` or many digits, or a long one, is counted with all others of its kind.

Memory is bounded whatever is asked for: names beyond a number are counted as "" too.
"""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

from app.kit import distinct_counts

Caller = Literal["people", "agents", "bots"]
Kind = Literal["total", "page", "space", "referrer", "language", "device", "search", "no-result", "broken"]
MOST_NAMES: dict[Kind, int] = {
    "total": 10,
    "page": 2_000,
    "space": 500,
    "referrer": 300,
    "language": 100,
    "device": 2,
    "search": 500,
    "no-result": 500,
    "broken": 500,
}
"""Names of a kind that are kept of one site and day."""
OTHERS = ""
MOST_HELD = 20_000  # counts that wait to be written
MOST_ALIKE = 2_000  # kinds of views that are told apart before they are counted by what they have in common
MOST_SEEN = 20_000  # visitors who are known to have been counted
MOST_TYPING = 5_000  # searches that wait for what is typed next
TYPED = timedelta(seconds=5)  # without another key, after which a search is what was meant
LONGEST = {"search": 100, "no-result": 100, "broken": 300}  # characters of a name
_PERSONAL = re.compile(r"@|[0-9]{7}|[0-9][0-9 ()/-]{9,}[0-9]", re.ASCII)


class Counted(NamedTuple):
    """The subject of a count: something of a site on one day."""

    site_id: str
    day: str
    kind: Kind
    name: str


@dataclass(slots=True)
class Count:
    """The number of requests by caller, and the time of the last."""

    last_at: datetime
    people: int = 0
    agents: int = 0
    bots: int = 0
    referrer: str | None = None


class BrowserVisit(NamedTuple):
    """A visit with a browser, as it is counted."""

    referrer: str
    language: str
    device: str


class CountedView(NamedTuple):
    """All that is counted of a view; those that are alike are counted as one until somebody asks."""

    site_id: str
    day: str
    space_id: str
    page_id: str
    caller: Caller
    visit: BrowserVisit | None


@dataclass(slots=True)
class AlikeViews:
    """The number of views that are alike, and the time of the last."""

    last_at: datetime
    times: int = 0


class Typed(NamedTuple):
    """A search that may go on being typed."""

    site_id: str
    term: str
    is_found: bool
    at: datetime


@dataclass(slots=True)
class Noted:
    """The counts since the last time that they were written down."""

    counts: dict[Counted, Count] = field(default_factory=dict)
    visitors: dict[tuple[str, str], dict[int, int]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.counts)


class VisitCounts:
    """The counts of this process that are not written down yet."""

    def __init__(self) -> None:
        self.keeping = asyncio.Lock()  # held while somebody writes down what was counted
        self._noted = Noted()
        self._views: dict[CountedView, AlikeViews] = {}
        self._seen: set[int] = set()
        self._names: dict[tuple[str, str, Kind], int] = {}
        self._typed: OrderedDict[int, Typed] = OrderedDict()

    def read(
        self,
        site_id: str,
        space_id: str,
        page_id: str,
        caller: Caller,
        now: datetime,
        visit: BrowserVisit | None = None,
    ) -> None:
        """Count that a page was read; with `visit`, in a browser."""
        view = CountedView(site_id, now.date().isoformat(), space_id, page_id, caller, visit)
        alike = self._views.get(view)
        if alike is None:
            if len(self._views) >= MOST_ALIKE:
                self._count_views()
            alike = self._views[view] = AlikeViews(now)
        alike.times += 1
        alike.last_at = now

    def is_first(self, visitor: int) -> bool:
        """Return whether a visitor has to be counted: not again before the counts are written down.

        `visitor` is a hash of this process, of the site and the day too, of which nothing else is made.
        """
        if visitor in self._seen:
            return False
        if len(self._seen) >= MOST_SEEN:
            self._seen.clear()
        self._seen.add(visitor)
        return True

    def visited(self, site_id: str, now: datetime, visitor: int) -> None:
        """Count a visitor by the hash that all processes have of them on this day."""
        register, run = distinct_counts.place_of(visitor)
        registers = self._noted.visitors.setdefault((site_id, now.date().isoformat()), {})
        if run > registers.get(register, 0):
            registers[register] = run

    def missed(self, site_id: str, path: str, caller: Caller, now: datetime, referrer: str) -> None:
        """Count that there was no page at a path."""
        day = now.date().isoformat()
        self._add(Counted(site_id, day, "total", "broken"), caller, now)
        if caller != "bots":
            self._add(Counted(site_id, day, "broken", path), caller, now, referrer or None)

    def typed(self, site_id: str, term: str, *, is_found: bool, visitor: int, now: datetime) -> None:
        """Note what somebody searches for; it is counted when they do not go on typing."""
        previous = self._typed.pop(visitor, None)
        if previous is not None and not _goes_on(previous, Typed(site_id, term, is_found, now)):
            self._searched_by_typing(previous)
        self._typed[visitor] = Typed(site_id, term, is_found, now)
        if len(self._typed) > MOST_TYPING:
            self._searched_by_typing(self._typed.popitem(last=False)[1])

    def searched(self, site_id: str, term: str, *, is_found: bool, caller: Caller, now: datetime) -> None:
        """Count a search."""
        day = now.date().isoformat()
        kinds: list[Kind] = ["search"] if is_found else ["search", "no-result"]
        for kind in kinds:
            self._add(Counted(site_id, day, "total", kind), caller, now)
            self._add(Counted(site_id, day, kind, term), caller, now)

    def take(self, now: datetime, *, all_typed: bool = False) -> Noted:
        """Return what was counted and begin anew; with `all_typed`, nobody is waited for who types."""
        over = [v for v, each in self._typed.items() if all_typed or now - each.at >= TYPED]
        for visitor in over:
            self._searched_by_typing(self._typed.pop(visitor))
        self._count_views()
        self._seen.clear()
        noted, self._noted, self._names = self._noted, Noted(), {}
        return noted

    def put_back(self, noted: Noted) -> None:
        """Count again what could not be written down, as far as there is room."""
        for counted, count in noted.counts.items():
            held = self._held(counted, count.last_at)
            held.people += count.people
            held.agents += count.agents
            held.bots += count.bots
            held.last_at = max(held.last_at, count.last_at)
            held.referrer = held.referrer or count.referrer
        for place, registers in noted.visitors.items():
            known = self._noted.visitors.setdefault(place, {})
            for register, run in registers.items():
                known[register] = max(run, known.get(register, 0))

    @property
    def is_empty(self) -> bool:
        """Tell whether there is nothing to write down, now or later."""
        return not self._noted and not self._views and not self._typed

    def _searched_by_typing(self, typed: Typed) -> None:
        self.searched(typed.site_id, typed.term, is_found=typed.is_found, caller="people", now=typed.at)

    def _count_views(self) -> None:
        """Count the views under all that they have in common with others."""
        views, self._views = self._views, {}
        for (site_id, day, space_id, page_id, caller, visit), alike in views.items():
            named: list[tuple[Kind, str]] = [("total", "view")]
            if page_id:
                named.append(("page", f"{space_id}/{page_id}"))
            if visit is not None:
                named += [("space", space_id), ("device", visit.device)]
                named += [("language", visit.language)] if visit.language else []
                named += [("referrer", visit.referrer)] if visit.referrer else []
            for kind, name in named:
                self._add(Counted(site_id, day, kind, name), caller, alike.last_at, times=alike.times)

    def _add(
        self, counted: Counted, caller: Caller, at: datetime, referrer: str | None = None, *, times: int = 1
    ) -> None:
        held = self._noted.counts.get(counted) or self._held(counted, at)
        if caller == "people":
            held.people += times
        elif caller == "agents":
            held.agents += times
        else:
            held.bots += times
        held.last_at = max(held.last_at, at)
        held.referrer = referrer or held.referrer

    def _held(self, counted: Counted, now: datetime) -> Count:
        """Return the count of a name, or that of all others where there are too many names."""
        counts = self._noted.counts
        counted = counted._replace(name=named(counted.kind, counted.name))
        if counted not in counts:
            place = counted.site_id, counted.day, counted.kind
            names = self._names.get(place, 0)
            if names >= MOST_NAMES[counted.kind] or len(counts) >= MOST_HELD:
                counted = counted._replace(name=OTHERS)
            self._names[place] = names + 1
        return counts.setdefault(counted, Count(now))


def _goes_on(previous: Typed, now: Typed) -> bool:
    if previous.site_id != now.site_id or now.at - previous.at >= TYPED:
        return False
    return now.term.startswith(previous.term) or previous.term.startswith(now.term)


def named(kind: Kind, name: str) -> str:
    """Return the name that something is counted by: none where it is long or may be personal."""
    if kind not in LONGEST:
        return name
    return OTHERS if len(name) > LONGEST[kind] or _PERSONAL.search(name) else name


def normalized(words: Iterable[str]) -> str:
    """Return a search in lower case, with single spaces."""
    return " ".join(words).casefold()
