"""Routing: does an operation at the end of the table cost more than one at its beginning?

Every operation is looked up with its row first and with its row last in the table, so that only the position
differs; then the first and the last row as they stand, through the whole application, refused for want of a
token, which is the least that a request can cost.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from statistics import median
from time import perf_counter

import httpx

from app.api.catalog import OPERATIONS
from app.api.operation import Operation
from app.api.rest.routing import Routes
from app.kit.settings import Settings
from app.main import Services, create_app
from tests.bench.options import Options
from tests.bench.report import Goal, Row, ratio

LOOKUPS, CALLS = 2_000, 200
FLAT = Goal(most=1.15)


def run(options: Options) -> list[Row]:
    """Time both."""
    rounds = options.rounds_or(9)
    return [_position(rounds), asyncio.run(_whole(options, rounds))]


def _position(rounds: int) -> Row:
    first, last = [], []
    for _ in range(rounds):
        times = [_both(row) for row in OPERATIONS[:: max(1, len(OPERATIONS) // 10)]]
        first.append(sum(time for time, _ in times) / len(times))
        last.append(sum(time for _, time in times) / len(times))
    what = f"an operation as number {len(OPERATIONS)} of {len(OPERATIONS)}"
    figures = {"µs": median(last)}, {"µs": median(first)}
    return Row(what, "the same as number 1", {"time": ratio(last, first)}, FLAT, *figures)


def _both(row: Operation) -> tuple[float, float]:
    others = [other for other in OPERATIONS if other is not row]
    ahead, behind, path = Routes([row, *others]), Routes([*others, row]), _address(row)
    return _time(lambda: ahead.find(path)), _time(lambda: behind.find(path))


def _time(call: Callable[[], object]) -> float:
    """Microseconds of one call."""
    began = perf_counter()
    for _ in range(LOOKUPS):
        call()
    return (perf_counter() - began) / LOOKUPS * 1e6


async def _whole(options: Options, rounds: int) -> Row:
    settings = Settings(database=str(options.scratch / "routing.db"), access_log=False, shared_origin=True)
    app = create_app(settings)
    instance: Services = app.state.services
    await instance.ready()
    asked = [row for row in OPERATIONS if not row.public]
    times: list[list[float]] = [[], []]
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://bench") as client:
        for _ in range(rounds + 1):
            for found, row in zip(times, (asked[0], asked[-1]), strict=True):
                found.append(await _refused(client, row))
    await instance.close()
    first, last = times[0][1:], times[1][1:]
    what = f"{asked[-1].id}, refused"
    figures = {"µs": median(last)}, {"µs": median(first)}
    return Row(what, f"{asked[0].id}, refused", {"time": ratio(last, first)}, FLAT, *figures)


async def _refused(client: httpx.AsyncClient, row: Operation) -> float:
    """Microseconds of one request without a token."""
    path = f"/v1{_address(row)}"
    began = perf_counter()
    for _ in range(CALLS):
        answer = await client.request(row.method, path)
    assert answer.status_code == 401, answer.text
    return (perf_counter() - began) / CALLS * 1e6


def _address(row: Operation) -> str:
    return re.sub(r"\{[^}]+\}", "0Abcdefghijklmnopqrs", row.path)
