"""Subscribers: how long after a write they are told of it, and what each takes of memory.

Each is somebody else, so that nobody's rights are looked up for another. Times count from when the request
that writes was sent to when the event arrived, and so include the write. Memory is that of the server's
process, with the connection.
"""

from __future__ import annotations

import asyncio
import resource
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median, quantiles
from urllib.parse import urlencode, urlsplit

import httpx

from app import migrations
from app.access.context import Actor, Context, Membership
from app.access.rights import Level
from app.domain.organizations import organizations, users
from app.domain.spaces import spaces
from app.models.organizations import OrganizationCreate
from app.models.spaces import SpaceCreate
from tests.bench.data import inside
from tests.bench.options import Options
from tests.bench.report import Goal, Row
from tests.bench.servers import Server, docyard
from tests.streamed import PATH

SUBSCRIBERS = 500
LONGEST_DELAY = 200.0  # ms
MOST_MEMORY = 15.0  # kB
PAUSE = 0.3  # seconds between two writes
SETTLING = 1.0  # seconds after which memory is read


def run(options: Options) -> list[Row]:
    """Measure both."""
    path = options.scratch / "changes.db"
    path.unlink(missing_ok=True)
    migrations.upgrade(str(path))
    space, writer, tokens = inside(path, _furnish)
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with docyard(path, program="tests.streamed") as server:
        return asyncio.run(_measured(server, space, writer, tokens, options.rounds_or(20)))


async def _furnish(cx: Context) -> tuple[str, str, list[str]]:
    """A space, the token of its administrator, and those of its readers."""
    owner = await users.create(cx, "owner@example.org", "Owner")
    cx.actor = Actor(owner.id)
    made = await organizations.create(cx, OrganizationCreate(title="Bench"))
    cx.actor = Actor(owner.id, memberships={made.id: Membership(made.id, Level.ADMIN, Level.ADMIN)})
    space = await spaces.create(cx, made.id, SpaceCreate(title="Space"))
    tokens = []
    for n in range(SUBSCRIBERS):
        reader = await users.create(cx, f"reader{n}@example.org", f"Reader {n}")
        await organizations.add_member(cx, made.id, reader.id, "read")
        tokens.append(await users.create_token(cx, reader))
    return space.id, await users.create_token(cx, owner), tokens


async def _measured(server: Server, space: str, writer: str, tokens: Sequence[str], rounds: int) -> list[Row]:
    stream = f"{PATH}?{urlencode({'scope': 'space_id', 'id': space})}"
    (await _Subscriber.connected(server, stream, tokens[0])).close()  # loads what all of them share
    subscribers, idle = await _opened(server, stream, tokens)
    delays: list[list[float]] = []
    async with httpx.AsyncClient(base_url=server.base, headers=_header(writer), timeout=60) as client:
        for n in range(rounds + 1):
            sent = time.perf_counter()
            told = [asyncio.ensure_future(subscriber.told()) for subscriber in subscribers]
            (await client.patch(f"/v1/spaces/{space}", json={"title": f"Title {n}"})).raise_for_status()
            delays.append([(at - sent) * 1000 for at in await asyncio.gather(*told)])
            await asyncio.sleep(PAUSE)
    for subscriber in subscribers:
        subscriber.close()
    return [_delay(delays[1:]), _per_subscriber(idle)]  # the first change compiles statements


def _delay(delays: Sequence[Sequence[float]]) -> Row:
    last = [max(each) for each in delays]
    every = [delay for each in delays for delay in each]
    figures = {"p50 ms": median(every), "p99 ms": quantiles(every, n=100)[98], "slowest ms": max(every)}
    return Row(
        f"a change told to {SUBSCRIBERS} subscribers: until the last of them has it",
        f"{LONGEST_DELAY:g} ms",
        {"time": median(last) / LONGEST_DELAY},
        Goal(most=1),
        ours={"last of each change, median ms": median(last), **figures},
    )


def _per_subscriber(idle: float) -> Row:
    return Row(
        "memory of a subscriber, with its connection",
        f"{MOST_MEMORY:g} kB",
        {"memory": idle / MOST_MEMORY},
        Goal(most=1),
        ours={"kB": idle},
    )


async def _opened(server: Server, path: str, tokens: Sequence[str]) -> tuple[list[_Subscriber], float]:
    """Connections to an address, one for each token, and the kB that each takes of the server's memory."""
    before = await _memory(server)
    opened = [await _Subscriber.connected(server, path, token) for token in tokens]
    return opened, (await _memory(server) - before) / len(tokens)


async def _memory(server: Server) -> float:
    """The resident memory of a server in kB (1,000 bytes), once it has come to rest."""
    await asyncio.sleep(SETTLING)
    status = Path(f"/proc/{server.pid}/status").read_text().splitlines()
    return int(next(line for line in status if line.startswith("VmRSS")).split()[1]) * 1.024


def _header(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


class _Subscriber:
    """A connection that is told of changes; without a client, whose work would count."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    @classmethod
    async def connected(cls, server: Server, path: str, token: str) -> _Subscriber:
        """Whoever is told from now on."""
        place = urlsplit(server.base)
        reader, writer = await asyncio.open_connection(place.hostname, place.port, limit=4096)
        lines = (f"GET {path} HTTP/1.1", f"Host: {place.netloc}", f"Authorization: Bearer {token}", "", "")
        writer.write("\r\n".join(lines).encode())
        assert b" 200 " in await reader.readline()
        while not (await reader.readline()).startswith(b"id:"):
            pass
        return cls(reader, writer)

    async def told(self) -> float:
        """When the next event came."""
        while not (line := await self._reader.readline()).startswith(b"data:"):
            assert line, "the stream ended"
        return time.perf_counter()

    def close(self) -> None:
        """Hang up."""
        self._writer.close()
