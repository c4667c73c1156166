"""Statistics of a site: what was read and searched for in a range of days, for those who edit the site."""

from __future__ import annotations

from calendar import monthrange
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Integer, Select, func, select

from app.access.context import Context
from app.domain.site_addresses.site_rows import SITES, find, listing, page_of, reading
from app.domain.sites import customizations
from app.kit.database.columns import Instant, Key
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import nested
from app.kit.database.statements import Statement, given, query, table
from app.kit.errors import Invalid
from app.models.site_statistics import (
    BreakdownQuery,
    Interval,
    Range,
    SearchedTermQuery,
    SiteCount,
    SiteVisitors,
    StatisticsListQuery,
    StatisticsQuery,
)
from app.models.sites import Site

COUNTS, VISITORS = table(SiteCount), table(SiteVisitors)
LONGEST_RANGE, USUAL_RANGE = 366, 30  # days
NOTHING = dict.fromkeys(
    (
        "views",
        "visitors",
        "agent_reads",
        "bot_reads",
        "searches",
        "searches_without_results",
        "broken_urls",
    ),
    0,
)


@dataclass(slots=True, frozen=True)
class Days:
    """A range of days, both ends included."""

    since: date
    until: date

    @property
    def number(self) -> int:
        """Return how many days there are."""
        return (self.until - self.since).days + 1

    @property
    def before(self) -> Days:
        """Return as many days before these."""
        return Days(self.since - timedelta(days=self.number), self.since - timedelta(days=1))

    def holds(self, day: str) -> bool:
        """Return whether a day is one of these."""
        return self.since.isoformat() <= day <= self.until.isoformat()


@dataclass(slots=True, frozen=True)
class Period:
    """A part of a range and what was counted in it."""

    since: str
    until: str
    totals: dict[str, int]


@dataclass(slots=True, frozen=True)
class Statistics:
    """The counts of a range, of the range before it, and of each period."""

    enabled: bool
    days: Days
    interval: Interval
    totals: dict[str, int]
    previous: dict[str, int]
    periods: Sequence[Period]


def _within(day: ColumnElement[str]) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return day >= given("since", Key), day <= given("until", Key)


def _totals() -> Select[Any]:
    columns = (COUNTS.c.day, COUNTS.c.name, COUNTS.c.people, COUNTS.c.agents, COUNTS.c.bots)
    return select(*columns).where(
        COUNTS.c.site_id == SITES.c.id,
        COUNTS.c.kind == "total",
        *_within(COUNTS.c.day),
    )


def _visitors() -> Select[Any]:
    return select(VISITORS.c.day, VISITORS.c.visitors).where(
        VISITORS.c.site_id == SITES.c.id,
        *_within(VISITORS.c.day),
    )


_WITH_TOTALS: Statement[Any] = query(
    Site,
    lambda: reading(
        customizations.looks_column(),
        nested(_totals().correlate(SITES), "totals_"),
        nested(_visitors().correlate(SITES), "visitors_"),
    ),
)


def _top(name: str, *callers: str) -> Listing[Any]:
    """Return the list of the names of a kind, by how often these callers asked for them."""

    def found() -> Any:
        everybody = ("people", "agents", "bots")
        sums = [func.sum(COUNTS.c[each], type_=Integer()).label(each) for each in everybody]
        number = func.sum(sum(COUNTS.c[each] for each in callers), type_=Integer())
        last = func.max(COUNTS.c.last_at, type_=Instant()).label("last_at")
        referrer = func.max(COUNTS.c.referrer, type_=Key).label("referrer")
        return (
            select(COUNTS.c.name, *sums, number.label("number"), last, referrer)
            .where(
                COUNTS.c.site_id == given("inside", Key),
                COUNTS.c.kind == given("kind", Key),
                *_within(COUNTS.c.day),
                COUNTS.c.name != "",
            )
            .group_by(COUNTS.c.name)
            .having(number > 0)
            .subquery("found")
        )

    made = cache(found)
    return listing(
        name,
        lambda: select(*made().c).select_from(made()),
        lambda: [made().c.number, made().c.name],
        descending=True,
    )


_PAGES = _top("viewed pages", "people", "agents", "bots")
_BY_READERS = _top("statistics", "people", "agents")
_BY_PEOPLE = _top("views", "people")


async def get(cx: Context, organization_id: str, site_id: str, query: StatisticsQuery) -> Statistics:
    """Get how often a site was read and searched, in a range of days and in the range before it.

    Raises Invalid for a range that ends before it begins or has more than 366 days.
    """
    days = _days(cx, query)
    asked = {"since": days.before.since.isoformat(), "until": days.until.isoformat()}
    site = await find(cx, organization_id, site_id, can="edit", using=_WITH_TOTALS, **asked)
    counted = [(row.day, _of_total(row)) for row in site.totals_]
    counted += [(row.day, {"visitors": row.visitors}) for row in site.visitors_]
    by_period: dict[date, list[dict[str, int]]] = defaultdict(list)
    for day, numbers in counted:
        if days.holds(day):
            by_period[_start(date.fromisoformat(day), query.interval)].append(numbers)
    return Statistics(
        is_collected(cx, customizations.of_site(site)),
        days,
        query.interval,
        _sum(numbers for day, numbers in counted if days.holds(day)),
        _sum(numbers for day, numbers in counted if days.before.holds(day)),
        [
            Period(
                max(start, days.since).isoformat(),
                min(end, days.until).isoformat(),
                _sum(by_period[start]),
            )
            for start, end in _periods(days, query.interval)
        ],
    )


async def list_pages(
    cx: Context, organization_id: str, site_id: str, query: StatisticsListQuery
) -> Page[Any]:
    """List the pages of a site that were read, the most read first."""
    return await _listed(cx, organization_id, site_id, _PAGES, query, "page")


async def list_searches(
    cx: Context, organization_id: str, site_id: str, query: SearchedTermQuery
) -> Page[Any]:
    """List the terms that were searched for on a site, the most frequent first.

    Terms that may be personal are counted and not kept: with an `@`, with a long number, or longer than 100
    characters.
    """
    kind = "no-result" if query.without_results else "search"
    return await _listed(cx, organization_id, site_id, _BY_READERS, query, kind)


async def list_broken_urls(
    cx: Context, organization_id: str, site_id: str, query: StatisticsListQuery
) -> Page[Any]:
    """List the addresses of a site that were asked for and lead nowhere, the most frequent first."""
    return await _listed(cx, organization_id, site_id, _BY_READERS, query, "broken")


async def list_breakdown(cx: Context, organization_id: str, site_id: str, query: BreakdownQuery) -> Page[Any]:
    """List the parts of all views of a site: by space, referring host, language or device."""
    return await _listed(cx, organization_id, site_id, _BY_PEOPLE, query, query.by)


async def _listed(
    cx: Context, organization_id: str, site_id: str, top: Listing[Any], query: StatisticsListQuery, kind: str
) -> Page[Any]:
    days = _days(cx, query)
    asked: dict[str, Any] = {"kind": kind, "since": days.since.isoformat(), "until": days.until.isoformat()}
    return (await page_of(cx, organization_id, site_id, top, query.paging, can="edit", **asked))[1]


def is_collected(cx: Context, looks: Mapping[str, Any]) -> bool:
    """Return whether statistics are collected where these settings hold."""
    switch = looks.get("statistics")
    is_off = isinstance(switch, dict) and switch.get("enabled") is False
    return cx.settings.statistics_days > 0 and not is_off


def _days(cx: Context, query: Range) -> Days:
    until = date.fromisoformat(query.until) if query.until else cx.now.date()
    try:
        since = date.fromisoformat(query.since) if query.since else until - timedelta(days=USUAL_RANGE - 1)
        days = Days(since, until)
        _ = days.before
    except OverflowError:
        raise Invalid("The range begins too early.", path="since") from None
    if since > until:
        raise Invalid("The first day must not be after the last one.", path="since")
    if days.number > LONGEST_RANGE:
        raise Invalid(f"A range has at most {LONGEST_RANGE} days.", path="since")
    return days


def _of_total(row: Any) -> dict[str, int]:
    """Return the numbers that a row of totals stands for."""
    readers = row.people + row.agents
    match row.name:
        case "view":
            return {"views": row.people, "agent_reads": row.agents, "bot_reads": row.bots}
        case "search":
            return {"searches": readers}
        case "no-result":
            return {"searches_without_results": readers}
        case _:
            return {"broken_urls": readers}


def _sum(several: Iterable[Mapping[str, int]]) -> dict[str, int]:
    totals = dict(NOTHING)
    for numbers in several:
        for name, number in numbers.items():
            totals[name] += number
    return totals


def _start(day: date, interval: Interval) -> date:
    """Return the first day of the period that a day is in."""
    if interval == "week":
        return day - timedelta(days=day.weekday())
    return day.replace(day=1) if interval == "month" else day


def _periods(days: Days, interval: Interval) -> Iterable[tuple[date, date]]:
    """Return the first and the last day of each period that has days of the range."""
    start = _start(days.since, interval)
    while start <= days.until:
        length = {"day": 1, "week": 7, "month": monthrange(start.year, start.month)[1]}[interval]
        yield start, start + timedelta(days=length - 1)
        start += timedelta(days=length)
