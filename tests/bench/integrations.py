"""Integrations: a rendered block, stopped scripts, and a thousand events beside people's requests."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import httpx
import orjson

from app.access.context import Actor, Context, Membership
from app.access.rights import Level
from app.domain.accounts import tokens
from app.domain.organizations import organizations, users
from app.domain.spaces import spaces
from app.kit.sandbox.running import run as run_script
from app.kit.sandbox.shapes import Budget, ScriptEvent, request_of
from app.models.organizations import OrganizationCreate
from app.models.spaces import SpaceCreate
from tests.bench.data import create, inside
from tests.bench.load import Request, Target, figures, race
from tests.bench.options import Options
from tests.bench.report import Goal, Row
from tests.bench.servers import Server, docyard
from tests.integrations.bundling import bundled

RENDERING = 5_000  # µs of server time that a rendered block may cost
FIRST_RENDERING = 0.3  # seconds of server time that the first block of a large script may cost
LARGE_SCRIPTS = 5
EVENTS = 1_000
DELAY = 8  # seconds in which they are all queued before the first is due
PATIENCE = 120.0
STOPPED = {
    "an endless loop": "for (;;);",
    "a native sort": "const a = Array.from({ length: 3e5 }, (_, i) => -i % 977); for (;;) a.slice().sort();",
    "a regular expression": "/^(a+)+$/.test('a'.repeat(60) + 'b');",
}


PART = """
function count@(most, by, other) {
  const found = [];
  for (let at = 0; at < most; at++) {
    if (at % 2 === 0) found.push({ key: `k${at}`, value: by[at] ?? other });
    else found.push([at, by, other].map((each) => (typeof each === "number" ? each + 1 : each)));
  }
  return found.filter((each) => each !== null).reduce((all, each) => ({ ...all, [String(each)]: each }), {});
}
class Lamp@ {
  constructor(name, options = {}) {
    this.name = name;
    this.options = { lit: true, ...options };
  }
  get title() {
    return `${this.name}, ${this.options.lit ? "lit" : "dark"}`;
  }
  async load(url) {
    const answer = await fetch(url, { headers: { accept: "application/json" } });
    if (!answer.ok) throw new Error(`There is nothing at ${url}`);
    return answer.json();
  }
}
const table@ = { alpha: 1, beta: [1, 2, 3, "four"], gamma: { count: count@, lamp: Lamp@, text: "Words." } };
"""


@dataclass(slots=True, frozen=True)
class Place:
    """A server, its administrator, and a space that the hello-world is installed on."""

    server: Server
    database: Path
    client: httpx.Client
    space: str

    def send(self, method: str, path: str, body: Any = None) -> Any:
        """The answer to a call; raises for a status that is no success."""
        answer = self.client.request(method, f"/v1{path}", json=body).raise_for_status()
        return answer.json() if answer.content else None


def run(options: Options) -> list[Row]:
    """Measure it all."""
    path = options.scratch / "integrations.db"
    create(path)
    token, organization, space = inside(path, _furnish)
    with docyard(path) as server:
        header = {"Authorization": f"Bearer {token}"}
        with httpx.Client(base_url=server.base, headers=header, timeout=60) as client:
            place = Place(server, path, client, space)
            _publish(place, organization)
            rows = [_rendered(place, options), *_beside(place)]
            for number in range(LARGE_SCRIPTS):
                _publish(place, organization, f"large{number}", large(number))
    with (
        docyard(path) as server,  # another process, which has loaded none of them
        httpx.Client(base_url=server.base, headers=header, timeout=60) as client,
    ):
        rows.append(_first_rendered(Place(server, path, client, space)))
    return [*rows, *_stopped(options.rounds_or(3))]


async def _furnish(cx: Context) -> tuple[str, str, str]:
    owner = await users.create(cx, "owner@example.org", "Owner")
    cx.actor = Actor(owner.id)
    made = await organizations.create(cx, OrganizationCreate(title="Bench"))
    cx.actor = Actor(owner.id, memberships={made.id: Membership(made.id, Level.ADMIN, Level.ADMIN)})
    space = await spaces.create(cx, made.id, SpaceCreate(title="Space"))
    return await tokens.create(cx, owner), made.id, space.id


def large(number: int) -> str:
    """A script of about a megabyte: the bundled hello-world behind functions, classes and tables."""
    parts, size, at = [], 0, 0
    while size < 1_000_000:
        parts.append(PART.replace("@", f"{number}_{at}"))
        size, at = size + len(parts[-1]), at + 1
    return "".join([*parts, bundled("hello")])


def _first_rendered(place: Place) -> Row:
    """What the first block of a large script costs a process whose engine is ready, and what the next."""
    context = {"type": "document", "theme": "light", "spaceId": place.space, "editable": True}
    wish = {"componentId": "hello", "props": {"name": "Ada"}, "context": context}

    def cost(name: str) -> float:
        before = place.server.cpu()
        place.send("POST", f"/integrations/{name}/render", wish)
        return place.server.cpu() - before

    cost("hello")
    first, next_ = zip(*((cost(f"large{n}"), cost(f"large{n}")) for n in range(LARGE_SCRIPTS)), strict=True)
    times = {"ms first": median(first) * 1e3, "ms then": median(next_) * 1e3}
    share = {"cpu": median(first) / FIRST_RENDERING}
    return Row("a script of 1 MB, rendered first", "300 ms of server time", share, Goal(most=1.0), times)


def _publish(place: Place, organization: str, name: str = "hello", script: str = "") -> None:
    manifest = {
        "title": "Hello world",
        "description": "Greets",
        "scopes": [],
        "script": script or bundled("hello"),
        "organization": organization,
        "blocks": [{"id": "hello", "title": "Hello"}],
    }
    place.send("POST", f"/integrations/{name}", manifest)
    made = place.send("POST", f"/integrations/{name}/installations", {"organization": organization})
    place.send("POST", f"/integrations/{name}/installations/{made['id']}/spaces", {"space": place.space})


def _rendered(place: Place, options: Options) -> Row:
    context = {"type": "document", "theme": "light", "spaceId": place.space, "editable": True}
    body = orjson.dumps({"componentId": "hello", "props": {"name": "Ada"}, "context": context})
    header = {"authorization": place.client.headers["authorization"], "content-type": "application/json"}
    request = Request("/v1/integrations/hello/render", "POST", header, body)
    targets = {"one by one": Target(place.server, [request], connections=1)}
    targets["one by one"].ask()  # the first one compiles the engine
    series = race(targets, options.rounds_or(3), options.seconds_or(3))["one by one"]
    cost = {"cpu": series.middle("cpu") / RENDERING}
    return Row("the hello-world block", "5 ms of server time", cost, Goal(most=1.0), figures(series))


def _beside(place: Place) -> list[Row]:
    """People's requests while a thousand events wait and are delivered, beside the same requests before."""
    alone = _reads(place, lambda taken: len(taken) < 300)
    for number in range(EVENTS):
        place.send("POST", "/integrations/hello/tasks", {"task": {"number": number}, "schedule": DELAY})
    began, left = time.monotonic(), EVENTS - _delivered(place.database)

    def waiting(taken: list[float]) -> bool:
        nonlocal left
        if len(taken) % 20 == 0:
            left = EVENTS - _delivered(place.database)
        return left > 0 and time.monotonic() - began < PATIENCE

    beside = _reads(place, waiting)
    took = time.monotonic() - began
    pace = {"events per second": (EVENTS - left) / took, "left": float(left)}
    slower = {"p50": median(beside) / median(alone)}
    times = {"ms p50": median(beside) * 1e3, "ms p99": _late(beside) * 1e3}
    before = {"ms p50": median(alone) * 1e3, "ms p99": _late(alone) * 1e3}
    return [
        Row("a space read while events are delivered", "alone", slower, Goal(most=10), times, before),
        Row(f"{EVENTS:,} events", "all delivered", {"share": 1 - left / EVENTS}, Goal(least=1.0), pace),
    ]


def _reads(place: Place, go_on: Callable[[list[float]], bool]) -> list[float]:
    taken: list[float] = []
    while go_on(taken):
        began = time.perf_counter()
        place.send("GET", f"/spaces/{place.space}")
        taken.append(time.perf_counter() - began)
        time.sleep(0.01)
    return taken


def _late(taken: list[float]) -> float:
    return sorted(taken)[int(len(taken) * 0.99)]


def _delivered(database: Path) -> int:
    with closing(sqlite3.connect(database)) as db:
        (count,) = db.execute(
            "SELECT count(*) FROM integration_event WHERE type = 'task' AND status = 'success'"
        ).fetchone()
    return int(count)


def _stopped(rounds: int) -> list[Row]:
    """Return how long a script that never ends is given, of the time its budget allows it to compute."""
    budget = Budget(busy_seconds=0.5)
    request = request_of(ScriptEvent({"type": "task"}, {}), "https://docyard.example/")
    asyncio.run(run_script("export default { fetch() { return new Response(); } };", request))
    rows = []
    for what, body in STOPPED.items():
        script = f"export default {{ async fetch() {{ {body} }} }};"
        taken = []
        for _ in range(rounds):
            result = asyncio.run(run_script(script, request, budget=budget))
            assert result.error == "SCRIPT_TIMEOUT"
            taken.append(result.duration / 1000)
        cost = {"time": median(taken) / budget.busy_seconds}
        rows.append(Row(what, "its budget", cost, Goal(most=1.3), {"s": median(taken)}, {"s": 0.5}))
    return rows
