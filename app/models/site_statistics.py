"""Statistics of sites: what was read and searched for on each day, without anything about a visitor."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Literal

from pydantic import AfterValidator
from pydantic import Field as ShapeField
from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Bytes, Instant, Key
from app.models.base import Column, Enumeration, Names, Shape, Table
from app.models.queries import PageQuery, QueryBool
from app.models.texts import Form

Interval = Literal["day", "week", "month"]
Breakdown = Literal["space", "referrer", "language", "device"]


class SiteCount(Table, table=True):
    """The number of requests for something of a site on one day, by people, agents and bots.

    The id is a digest of what is counted. `name` says what it is among those of its kind; those beyond the
    number that is kept by name share the name "".
    """

    __tablename__ = "site_count"
    __table_args__ = (Index(None, "site_id", "kind", "day"), Index(None, "day"))

    id: str = Field(sa_type=Key, primary_key=True)
    site_id: str = Field(sa_type=Key, foreign_key="site.id")
    day: str = Field(sa_type=Key)
    kind: str = Field(sa_type=Key)
    name: str = Field(sa_type=Key)
    people: int
    agents: int
    bots: int
    last_at: datetime = Field(sa_type=Instant)
    referrer: str | None = Field(default=None, sa_type=Key)


class SiteVisitors(Table, table=True):
    """About how many visitors a site had on one day; the sketch they are counted by is kept for that day."""

    __tablename__ = "site_visitors"
    __table_args__ = (Index(None, "day"),)

    site_id: str = Field(sa_type=Key, foreign_key="site.id", primary_key=True)
    day: str = Field(sa_type=Key, primary_key=True)
    visitors: int
    sketch: bytes | None = Field(default=None, sa_type=Bytes)


def _day(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise ValueError("must be a date such as 2026-11-27") from None


Day = Annotated[
    str,
    Form(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$", "a date such as 2026-11-27"),
    AfterValidator(_day),
    ShapeField(json_schema_extra={"format": "date"}),
]


class Range(Shape):
    """Query parameters that select the days of statistics."""

    since: Day | None = Field(
        default=None, description="First day, in UTC. Without one, the last 30 days up to `until` count."
    )
    until: Day | None = Field(
        default=None, description="Last day, in UTC. Without one, today. A range has at most 366 days."
    )


class StatisticsQuery(Range):
    """Query parameters of statistics."""

    interval: Interval = Field(default="day", description="Length of the periods.")


class StatisticsListQuery(Range, PageQuery):
    """Query parameters of lists of statistics."""


class SearchedTermQuery(StatisticsListQuery):
    """Query parameters of the terms that were searched for."""

    without_results: QueryBool = Field(
        default=False, description="Whether to count only searches that found nothing."
    )


class BreakdownQuery(StatisticsListQuery):
    """Query parameters of the parts of all views."""

    by: Breakdown = Field(default="referrer", description="What to divide the views by.")


class SiteTotals(Shape):
    """The counts of a period."""

    views: int = Field(description="Pages that people opened in a browser.")
    visitors: int = Field(
        description="Visitors, estimated to within a few percent. Each day counts for itself: somebody who "
        "comes on two days is two visitors."
    )
    agent_reads: int = Field(
        description="Pages that were read as Markdown or over MCP, and the `llms.txt` files."
    )
    bot_reads: int = Field(description="Pages that crawlers and other programs opened as HTML.")
    searches: int = Field(description="Searches by people and agents.")
    searches_without_results: int = Field(description="Those of them that found nothing.")
    broken_urls: int = Field(description="Requests of people and agents for pages that do not exist.")


class StatisticsPeriodOut(SiteTotals):
    """A day, week or month of statistics."""

    since: str = Field(description="First day of the period that is in the range.")
    until: str = Field(description="Last day of the period that is in the range.")


class SiteStatisticsOut(Shape):
    """Statistics of a site, collected without cookies and without personal data."""

    object: Literal["site-statistics"]
    enabled: bool = Field(description="Whether the site collects statistics.")
    since: str = Field(description="First day of the range.")
    until: str = Field(description="Last day of the range.")
    interval: Interval = Field(description="Length of the periods.")
    totals: SiteTotals = Field(description="What was counted in the whole range.")
    previous: SiteTotals = Field(description="What was counted in as many days before the range.")
    periods: list[StatisticsPeriodOut] = Field(description="Periods of the range, oldest first.")


class PageViewsOut(Shape):
    """The number of views of a page."""

    object: Literal["page-views"]
    space: Annotated[str, Names("Space")] = Field(description="Space of the page.")
    page: Annotated[str, Names("Page")] = Field(description="Page.")
    views: Annotated[int, Column("people")] = Field(description="How often people opened it.")
    agent_reads: Annotated[int, Column("agents")] = Field(
        description="How often it was read as Markdown or over MCP."
    )
    bot_reads: Annotated[int, Column("bots")] = Field(description="How often programs opened it as HTML.")


class SearchedTermOut(Shape):
    """A term that was searched for on a site."""

    object: Literal["searched-term"]
    term: Annotated[str, Column("name")] = Field(description="Term, in lower case.")
    searches: int = Field(description="How often people and agents searched for it.")
    agent_searches: Annotated[int, Column("agents")] = Field(description="How often agents did.")


class BrokenUrlOut(Shape):
    """An address of a site at which there is no page."""

    object: Literal["broken-url"]
    path: Annotated[str, Column("name")] = Field(description="Path below the address of the site.")
    requests: int = Field(description="How often people and agents asked for it.")
    last_requested_at: Annotated[datetime, Column("last_at")] = Field(
        description="When it was asked for last."
    )
    referrer: str | None = Field(
        default=None, description="Host of a page that links to it. Absent if no request named one."
    )


class ViewShareOut(Shape):
    """A part of the views of a site."""

    object: Literal["view-share"]
    value: Annotated[str, Column("name")] = Field(
        description="Id of the space, host of the referring page, language such as `de`, or `desktop` or "
        "`mobile`."
    )
    views: Annotated[int, Column("people")] = Field(description="Pages that people opened.")


ENUMERATIONS = (
    Enumeration(
        "StatisticsInterval",
        Interval,
        {"day": "Days.", "week": "Weeks, from Monday on.", "month": "Months."},
    ),
    Enumeration(
        "ViewBreakdown",
        Breakdown,
        {
            "space": "Spaces that were read.",
            "referrer": "Hosts of the pages from which people came.",
            "language": "Languages that the browsers ask for first.",
            "device": "Devices: desktop or mobile.",
        },
    ),
)
