"""No request holds up the others: `/healthz` is asked for every 50 ms while each operation, over both faces,
and each address of a site meets its worst input (threat 63). An operation is included by its recipe.

Computing has short limits here, so that most of it is cut off; `tests/content` has what takes long.
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.kit.settings import Settings
from app.rest.every import OPERATIONS
from tests import make
from tests.cast import Cast
from tests.cli.command import Serving, serving
from tests.contract import worst
from tests.contract.faces import address, in_query
from tests.contract.handbook import routes
from tests.contract.matrix_calls import request
from tests.contract.recipes import RECIPES
from tests.dns_server import zone
from tests.hostile import PATTERNS
from tests.house import House
from tests.local_server import port_of, serve
from tests.patience import PATIENCE, until
from tests.stalls import Watch, watching
from tests.visited import Published

LONGEST_STALL = 0.5  # seconds
AT_ONCE = 2
on_sqlite = pytest.mark.parametrize("database", ["sqlite"], indirect=True)  # a server's loop has no engine
LIMITS = {
    "DOCYARD_WORKER_SECONDS": "0.3",
    "DOCYARD_GRAPHQL_TIMEOUT": "5",
    "DOCYARD_ACCESS_LOG": "false",
    "DOCYARD_LOOP_WARNING": "0.2",
}


@dataclass(slots=True)
class Asked:
    """Requests to a server: when each was on its way, and what it was."""

    client: httpx.Client
    times: list[tuple[float, float, str]] = field(default_factory=list)

    def send(self, name: str, method: str, url: str, **options: Any) -> None:
        """One request, whatever comes of it."""
        began = time.monotonic()
        answer = self.client.request(method, url, **options)
        self.times.append((began, time.monotonic(), f"{name}: {answer.status_code}"))
        assert answer.status_code < 500 or answer.status_code == 503, (name, answer.text[:500])

    def all(self, calls: Iterable[Callable[[], None]]) -> None:
        """These, a few at once."""
        with ThreadPoolExecutor(AT_ONCE) as threads:
            for done in [threads.submit(call) for call in calls]:
                done.result()


@contextmanager
def server(database: str, log: Path) -> Iterator[tuple[Serving, Cast]]:
    """A serving process with an organization in it."""
    with serve(routes()) as neighbour:
        allowed = f"127.0.0.1:{port_of(neighbour)}"
        names = {"DOCYARD_OUTBOUND_ALLOW": allowed, "DOCYARD_DNS_SERVERS": zone().address}
        settings = {**names, **LIMITS}
        with serving(database=database, log=log, **settings) as served:
            chosen = Settings(database=database, base_url=served.address, outbound_allow=allowed)
            with httpx.Client(base_url=served.address, timeout=PATIENCE) as client:
                yield served, make.cast(House(served.address, chosen, client))


def is_free(watch: Watch, asked: Asked, log: Path) -> None:
    """Fail where the loop stalled, naming what was asked then."""
    probes = watch.end()
    assert len(probes) > 10
    stalled = [each for each in probes if each.stall > LONGEST_STALL]
    told = [
        (round(each.stall, 2), name)
        for each in stalled
        for began, ended, name in asked.times
        if began <= each.asked + each.took and ended >= each.asked
    ]
    lines = [line[:1000] for line in log.read_text().splitlines() if "loop was blocked" in line]
    assert not stalled, f"{told}\n" + "\n".join(lines[-20:])


@on_sqlite
def test_no_operation_holds_others_up(empty_database: str, tmp_path: Path) -> None:
    with server(empty_database, tmp_path / "log") as (served, cast):
        calls = {row: RECIPES[row.id](cast) for row in OPERATIONS}
        assert worst.store(empty_database) > 50
        asked = Asked(cast.house.http)
        head = {"headers": {"Authorization": f"Bearer {cast.ada.token}"}}

        def ask(row: Any, call: Any) -> None:
            *others, last = worst.calls(row, call)
            for each in [*others, last]:
                if not row.writes or each is not last:
                    asked.send(f"{row.id} in GraphQL", "POST", "/graphql", json=request(row, each), **head)
                options = {"params": in_query(each), "json": each.body, **head}
                asked.send(row.id, row.method, address(row, each), **options)

        with watching(served.address, served.process.pid) as watch:
            asked.all(partial(ask, row, call) for row, call in calls.items())
        is_free(watch, asked, tmp_path / "log")


@on_sqlite
def test_no_address_of_a_site_holds_others_up(empty_database: str, tmp_path: Path) -> None:
    with server(empty_database, tmp_path / "log") as (served, cast):
        names = [f"p{number}" for number in range(2 * len(PATTERNS))]
        files = {f"{name}.md": f"# {name}\n\ninstall {name}\n" for name in names}
        site = Published(cast, files=files)
        worst.store(empty_database)
        preview = site.get("/publishing/preview")["url"]
        base, asked = site.url, Asked(cast.house.http)
        message: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}

        def tool(name: str, **arguments: Any) -> Callable[[], None]:
            body = {**message, "params": {"name": name, "arguments": arguments}}
            return partial(asked.send, f"MCP {name}", "POST", f"{base}/~/mcp", json=body)

        plain = ["llms.txt", "llms-full.txt", "sitemap.xml", "robots.txt", "~/tree", "~/search?q=install"]
        places = [*names, *(f"{name}.md" for name in names), *plain, f"~/search?q={'(' * 500}"]
        with watching(served.address, served.process.pid) as watch:
            asked.all(
                [
                    *(partial(asked.send, place, "GET", f"{base}/{place}") for place in places),
                    *(tool("read_page", path=f"/{name}") for name in names),
                    tool("search", query="install " * 50),
                    tool("list_pages"),
                    partial(asked.send, "preview", "GET", preview, follow_redirects=True),
                ]
            )
        is_free(watch, asked, tmp_path / "log")


BLOCKING = """
import time
async def app(scope, receive, send):
    if scope["type"] == "http":
        ends = time.thread_time() + (0.8 if scope["path"] == "/block" else 0)
        while time.thread_time() < ends:
            pass
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body", "body": b""})
"""


def test_a_stall_is_seen(tmp_path: Path) -> None:
    (tmp_path / "blocking.py").write_text(BLOCKING)
    with serve({}) as free:
        port = str(port_of(free))
    command = [sys.executable, "-m", "uvicorn", "blocking:app", "--port", port, "--lifespan", "off"]
    with subprocess.Popen([*command, "--app-dir", str(tmp_path), "--log-level", "error"]) as process:
        base = f"http://127.0.0.1:{port}"
        until(lambda: _answers(base), "the server does not start")
        with watching(base, process.pid) as watch:
            threading.Event().wait(0.5)
            began = time.monotonic()
            httpx.get(f"{base}/block", timeout=PATIENCE)
        process.kill()
    assert watch.longest(since=began) > LONGEST_STALL
    assert watch.longest(until=began - 0.1) < LONGEST_STALL


def _answers(base: str) -> bool:
    try:
        return httpx.get(f"{base}/healthz").status_code == 200
    except httpx.ConnectError:
        return False
