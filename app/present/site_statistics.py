"""Statistics of sites as callers see them."""

from __future__ import annotations

from typing import Any

from app.access.context import Context
from app.domain.sites.site_statistics import Statistics
from app.models.base import wire_name
from app.models.site_statistics import (
    BrokenUrlOut,
    PageViewsOut,
    SearchedTermOut,
    SiteStatisticsOut,
    ViewShareOut,
)
from app.present.shape import Presenter, presenter, shows


@shows(SiteStatisticsOut)
def statistics(_cx: Context, found: Statistics) -> dict[str, Any]:
    """Return what was counted in a range, in the one before it, and in each of its periods."""
    return {
        "object": "site-statistics",
        "enabled": found.enabled,
        "since": found.days.since.isoformat(),
        "until": found.days.until.isoformat(),
        "interval": found.interval,
        "totals": _totals(found.totals),
        "previous": _totals(found.previous),
        "periods": [
            {"since": each.since, "until": each.until, **_totals(each.totals)} for each in found.periods
        ],
    }


def _totals(totals: dict[str, int]) -> dict[str, int]:
    return {wire_name(name): number for name, number in totals.items()}


page_views: Presenter[Context, Any] = presenter(
    PageViewsOut,
    space=lambda _cx, row: row.name.partition("/")[0],
    page=lambda _cx, row: row.name.partition("/")[2],
)
searched_term: Presenter[Context, Any] = presenter(SearchedTermOut, searches=lambda _cx, row: row.number)
broken_url: Presenter[Context, Any] = presenter(BrokenUrlOut, requests=lambda _cx, row: row.number)
view_share: Presenter[Context, Any] = presenter(ViewShareOut)
