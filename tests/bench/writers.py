"""Writers on PostgreSQL: pages per second of one, of eight in eight organizations, of sixteen in one.

Server, database and load share the machine, so that a second writer is limited by the processors: what a
write costs the server and the database is told, too. The database waits for the disk at every commit.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from statistics import median, quantiles

import asyncpg
import orjson

from app import migrations
from tests import postgres
from tests.bench.data import Data, found, inside, settings_of
from tests.bench.options import Options
from tests.bench.report import Goal, Row
from tests.bench.servers import Server, ceiling, cpu_of, docyard

ORGANIZATIONS, CROWD = 8, 16
TEXT = "Somebody wrote this paragraph of ordinary length, in the way in which people do.\n\n" * 12
_numbers = count()
Case = Sequence["Writer"]


@dataclass(slots=True, frozen=True)
class Writer:
    """Somebody who sends one request after the other over a connection of their own."""

    server: Server
    path: str
    method: str
    token: str
    body: Callable[[], bytes]

    def request(self) -> bytes:
        """The next request as it goes out."""
        body = self.body()
        head = (
            f"{self.method} {self.path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {self.token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        return head.encode() + body


@dataclass(slots=True)
class Shot:
    """What the writers of a case did in one round."""

    seconds: float = 0.0
    times: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    server: float = 0.0
    database: float = 0.0

    @property
    def rate(self) -> float:
        """Writes that were stored in a second."""
        return self.statuses[200] / self.seconds

    @property
    def p50(self) -> float:
        """Milliseconds of the request in the middle."""
        return median(self.times) * 1e3

    @property
    def p99(self) -> float:
        """Milliseconds that one of a hundred requests took longer than."""
        return quantiles(self.times, n=100)[98] * 1e3

    @property
    def failed(self) -> int:
        """Answers that are the server's fault."""
        return sum(number for status, number in self.statuses.items() if status >= 500)

    def figures(self) -> dict[str, float]:
        """The figures by their units."""
        each = 1e3 / max(1, self.statuses[200])
        return {
            "writes/s": self.rate,
            "ms p50": self.p50,
            "ms p99": self.p99,
            "answers 5xx": float(self.failed),
            "ms of server each": self.server * each,
            "ms of database each": self.database * each,
        }


def run(options: Options) -> list[Row]:
    """Measure it all."""
    with postgres.server(durable=True) as address:
        asyncio.run(_create_database(address))
        database = f"{address}/bench"
        migrations.upgrade(database, settings_of(database))
        data = inside(database, lambda cx: found(cx, Path(), ORGANIZATIONS, None))
        spaces = asyncio.run(_spaces(database, data))
        with (
            docyard(database) as one,
            docyard(database) as other,
            ceiling("postgres_ceiling:app", database) as raw,
        ):
            for server in (one, other, raw):  # each takes the core that is free
                os.sched_setaffinity(server.pid, os.sched_getaffinity(0))
            cases = _cases(data, spaces, one, other, raw)
            shots = asyncio.run(_race(address, cases, options.rounds_or(5), options.seconds_or(3)))
    return _rows(shots)


def _cases(data: Data, spaces: Sequence[str], one: Server, other: Server, raw: Server) -> dict[str, Case]:
    def page() -> bytes:
        page = {"title": f"Page {next(_numbers)}", "document": {"markdown": f"{TEXT}{next(_numbers)}"}}
        return orjson.dumps({"changes": [{"operation": "insert_page", **page}]})

    def writes(server: Server, n: int) -> Writer:
        return Writer(server, f"/v1/spaces/{spaces[n]}/content?compat=false", "POST", data.tokens[n], page)

    def renames(n: int) -> Writer:
        title = lambda: orjson.dumps({"title": f"Renamed {next(_numbers)}"})  # noqa: E731
        return Writer(raw, f"/spaces/{spaces[n]}", "PATCH", "", title)

    all_of_them = range(ORGANIZATIONS)
    return {
        "one": [writes(one, 0)],
        "organizations": [writes(one, n) for n in all_of_them],
        "crowd": [writes(one, 1) for _ in range(CROWD)],
        "two servers": [writes((one, other)[n % 2], n) for n in all_of_them],
        "raw one": [renames(0)],
        "raw eight": [renames(n) for n in all_of_them],
    }


def _rows(shots: dict[str, list[Shot]]) -> list[Row]:
    def compared(what: str, ours: str, theirs: str, goal: Goal | None) -> Row:
        ratios = {"writes": _middle(shots[ours], shots[theirs], lambda shot: shot.rate)}
        for part in ("server", "database"):
            each: Callable[[Shot], float] = lambda shot, part=part: getattr(shot, part) / shot.statuses[200]  # type: ignore[misc]  # noqa: E731
            ratios[f"cpu of {part}"] = _middle(shots[theirs], shots[ours], each)
        return Row(what, theirs, ratios, goal, _whole(shots[ours]).figures(), _whole(shots[theirs]).figures())

    def tail(what: str, name: str) -> Row:
        whole = _whole(shots[name])
        return Row(what, "its p50", {"time": whole.p99 / whole.p50}, Goal(most=5))

    def faults(name: str) -> Row:
        return Row(f"{name}: answers 5xx", "none", {"number": _whole(shots[name]).failed}, Goal(most=0))

    return [
        compared("8 writers in 8 organizations", "organizations", "one", Goal(least=1.8)),
        compared("16 writers in one organization", "crowd", "one", Goal(least=1.3)),
        compared("the same 8 writers at two servers", "two servers", "organizations", Goal(least=1.2)),
        compared("a page, of a bare change of a row", "one", "raw one", None),
        compared("8 bare changes at once, of one", "raw eight", "raw one", None),
        tail("8 writers: p99", "organizations"),
        tail("16 writers: p99", "crowd"),
        *(faults(name) for name in ("organizations", "crowd", "two servers")),
    ]


def _middle(ours: Sequence[Shot], theirs: Sequence[Shot], measure: Callable[[Shot], float]) -> float:
    return median(measure(a) / measure(b) for a, b in zip(ours, theirs, strict=True))


def _whole(shots: Sequence[Shot]) -> Shot:
    """All rounds of a case as one."""
    return Shot(
        sum(shot.seconds for shot in shots),
        [each for shot in shots for each in shot.times],
        sum((shot.statuses for shot in shots), Counter()),
        sum(shot.server for shot in shots),
        sum(shot.database for shot in shots),
    )


async def _race(address: str, cases: dict[str, Case], rounds: int, seconds: float) -> dict[str, list[Shot]]:
    """Let all cases take turns, round by round, after a short run that warms each."""
    shots: dict[str, list[Shot]] = {name: [] for name in cases}
    async with _postmaster(address) as database:
        for case in cases.values():
            await _shoot(case, min(1.0, seconds), database)
        for _ in range(rounds):
            for name, case in cases.items():
                shots[name].append(await _shoot(case, seconds, database))
    return shots


async def _shoot(case: Case, seconds: float, database: int) -> Shot:
    shot, servers = Shot(), {writer.server.pid: writer.server for writer in case}.values()
    server, postmaster = sum(each.cpu() for each in servers), cpu_of(database, with_children=True)
    began = time.perf_counter()
    await asyncio.gather(*(_write(writer, began + seconds, shot) for writer in case))
    shot.seconds = time.perf_counter() - began
    shot.server = sum(each.cpu() for each in servers) - server
    shot.database = cpu_of(database, with_children=True) - postmaster
    return shot


async def _write(writer: Writer, until: float, shot: Shot) -> None:
    host, port = writer.server.base.removeprefix("http://").split(":")
    reader, out = await asyncio.open_connection(host, int(port))
    while (began := time.perf_counter()) < until:
        out.write(writer.request())
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        await reader.readexactly(int(head.partition(b"content-length:")[2].partition(b"\r\n")[0]))
        shot.times.append(time.perf_counter() - began)
        shot.statuses[int(head.split(None, 2)[1])] += 1
    out.close()


@asynccontextmanager
async def _postmaster(address: str) -> AsyncIterator[int]:
    """The process whose children are the connections of a server."""
    connection = await asyncpg.connect(f"{address}/bench")
    own = await connection.fetchval("SELECT pg_backend_pid()")
    yield int(Path(f"/proc/{own}/stat").read_text().rpartition(")")[2].split()[1])
    await connection.close()


async def _create_database(address: str) -> None:
    connection = await asyncpg.connect(f"{address}/postgres")
    await connection.execute("CREATE DATABASE bench")
    await connection.close()


async def _spaces(database: str, data: Data) -> list[str]:
    """The space of each organization."""
    connection = await asyncpg.connect(database)
    rows = await connection.fetch("SELECT organization_id, id FROM space")
    await connection.close()
    known = {row["organization_id"]: row["id"] for row in rows}
    return [known[organization] for organization in data.organizations]
