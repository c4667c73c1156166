"""Paging: does a page at the end of a million rows cost more than one at the beginning?

The first page also counts the list, which its token then carries; so the second page is measured as well.
"""

from __future__ import annotations

from typing import Any

import httpx

from tests.bench.data import Data, with_spaces
from tests.bench.load import Request, Series, Target, figures, race
from tests.bench.options import Options
from tests.bench.report import Goal, Row, ratio
from tests.bench.servers import Server, docyard

MILLION, LIMIT, LONGEST = 1_000_000, 50, 1_000
FLAT = Goal(most=1.2)


def run(options: Options) -> list[Row]:
    """Read a page at each depth, in turn."""
    data = with_spaces(options.scratch, organizations_=1, each=MILLION, icon=None)
    with docyard(data.path) as server:
        pages = _pages(server, data)
        targets = {name: Target(server, [page], connections=2) for name, page in pages.items()}
        series = race(targets, options.rounds_or(5), options.seconds_or(2))
    return [
        _row("a page at the end", series["end"], "the second page", series["second"], FLAT),
        _row("a page at the end", series["end"], "the first page, which counts", series["first"], None),
        _row("the first page, which counts", series["first"], "the second page", series["second"], FLAT),
    ]


def _pages(server: Server, data: Data) -> dict[str, Request]:
    """The first page, the second, and a full one at the end."""
    path = f"/v1/orgs/{data.organizations[0]}/spaces?limit={LIMIT}"
    first = Request(path, headers=data.header(0))
    token = Target(server, [first]).ask().json()["next"]["page"]
    return {
        "first": first,
        "second": Request(f"{path}&page={token}", headers=data.header(0)),
        "end": Request(f"{path}&page={_walked(server, data)}", headers=data.header(0)),
    }


def _walked(server: Server, data: Data) -> str:
    """The token of the last thousand rows, found by going through all that come before."""
    with httpx.Client(base_url=server.base, headers=data.header(0), timeout=60) as client:
        path = f"/v1/orgs/{data.organizations[0]}/spaces"
        page: dict[str, Any] = {"limit": LONGEST}
        seen = 0
        while seen < MILLION - LONGEST:
            found = client.get(path, params=page).raise_for_status().json()
            seen += len(found["items"])
            page["page"] = found["next"]["page"]
    assert found["count"] == MILLION
    return str(page["page"])


def _row(what: str, ours: Series, against: str, theirs: Series, goal: Goal | None) -> Row:
    ratios = {
        "time": ratio(ours.of("p50"), theirs.of("p50")),
        "cpu": ratio(ours.of("cpu"), theirs.of("cpu")),
    }
    return Row(what, against, ratios, goal, figures(ours), figures(theirs))
