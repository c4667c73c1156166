"""Subscribers: how long after a write they are told of it, and what each takes of memory.

Each is somebody else, so that nobody's rights are looked up for another. Times count from when the request
that writes was sent to when the event arrived, and so include the write. Memory is that of the server's
process, with the connection. Both are measured of the feed alone, and of GraphQL subscriptions, whose every
event is the document executed with the rights of its subscriber.
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
import orjson

from app.access.context import Actor, Context, Membership
from app.access.rights import Level
from app.domain.accounts import tokens as account_tokens
from app.domain.organizations import organizations, users
from app.domain.spaces import spaces
from app.models.organizations import OrganizationCreate
from app.models.spaces import SpaceCreate
from tests.bench.data import create, inside
from tests.bench.options import Options
from tests.bench.report import Goal, Row
from tests.bench.servers import Server, docyard
from tests.change_stream import PATH

SUBSCRIBERS = 500
LONGEST_DELAY = 200.0  # ms
MOST_MEMORY = 15.0  # kB
PAUSE = 0.3  # seconds between two writes
SUBSCRIPTION = """
subscription ($space: ID!) {
  spaceChanged(space: $space) { kind action changedAt position space { id restId title editMode updatedAt } }
}
"""
SETTLING = 1.0  # seconds after which memory is read


def run(options: Options) -> list[Row]:
    """Measure both."""
    path = options.scratch / "changes.db"
    create(path)
    space, writer, tokens = inside(path, _furnish)
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with docyard(path, program="tests.change_stream") as server:
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
        tokens.append(await account_tokens.create(cx, reader))
    return space.id, await account_tokens.create(cx, owner), tokens


async def _measured(server: Server, space: str, writer: str, tokens: Sequence[str], rounds: int) -> list[Row]:
    feed = f"{PATH}?{urlencode({'scope': 'space_id', 'id': space})}"
    asked = {"query": SUBSCRIPTION, "variables": orjson.dumps({"space": space}).decode()}
    graphql = f"/graphql?{urlencode(asked)}"
    found: list[Row] = []
    for name, stream in (("of the feed", feed), ("of a GraphQL subscription", graphql)):
        found += await _streamed(server, space, writer, tokens, rounds, name, stream)
    return found


async def _streamed(
    server: Server,
    space: str,
    writer: str,
    tokens: Sequence[str],
    rounds: int,
    name: str,
    stream: str,
) -> list[Row]:
    (await _Subscriber.connected(server, stream, tokens[0])).close()  # loads what all of them share
    subscribers, idle = await _opened(server, stream, tokens)
    delays: list[list[float]] = []
    used = server.cpu()
    async with httpx.AsyncClient(base_url=server.base, headers=_header(writer), timeout=60) as client:
        for n in range(rounds + 1):
            sent = time.perf_counter()
            told = [asyncio.ensure_future(subscriber.told()) for subscriber in subscribers]
            (await client.patch(f"/v1/spaces/{space}", json={"title": f"Title {n}"})).raise_for_status()
            delays.append([(at - sent) * 1000 for at in await asyncio.gather(*told)])
            await asyncio.sleep(PAUSE)
    each = (server.cpu() - used) / len(delays) * 1000
    for subscriber in subscribers:
        subscriber.close()
    return [
        _delay(name, delays[1:], each),
        _per_subscriber(name, idle),
    ]  # the first change compiles statements


def _delay(name: str, delays: Sequence[Sequence[float]], cpu: float) -> Row:
    last = [max(each) for each in delays]
    every = [delay for each in delays for delay in each]
    figures = {
        "p50 ms": median(every),
        "p99 ms": quantiles(every, n=100)[98],
        "slowest ms": max(every),
        "ms of server for each change": cpu,
    }
    return Row(
        f"a change told to {SUBSCRIBERS} subscribers {name}: until the last of them has it",
        f"{LONGEST_DELAY:g} ms",
        {"time": median(last) / LONGEST_DELAY},
        Goal(most=1),
        ours={"last of each change, median ms": median(last), **figures},
    )


def _per_subscriber(name: str, idle: float) -> Row:
    return Row(
        f"memory of a subscriber {name}, with its connection",
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
        lines = (
            f"GET {path} HTTP/1.1",
            f"Host: {place.netloc}",
            f"Authorization: Bearer {token}",
            "Accept: text/event-stream",
        )
        writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
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
