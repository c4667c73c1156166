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
from itertools import cycle, islice
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import httpx
import pytest

from app.api.catalog import OPERATIONS
from app.api.operation import Operation
from app.kit.settings import Settings
from tests import anonymous, make
from tests.cast import Cast
from tests.cli.command import Serving, serving
from tests.contract import hostile_input
from tests.contract.faces import Call, address, in_query
from tests.contract.import_sources import routes
from tests.contract.matrix_calls import request
from tests.contract.recipes import RECIPES
from tests.contract.recipes_content import pages as pages_of
from tests.contract.recipes_content import space
from tests.dns_server import zone
from tests.factories.site_blocks import Lamps, placed
from tests.hostile_texts import PATTERNS
from tests.instance import Instance
from tests.local_server import port_of, serve
from tests.scale import scaled
from tests.stalls import Watch, watching
from tests.timing import TIMEOUT, until
from tests.visitors import PublishedSite

LONGEST_STALL = 0.5  # seconds
SHARE = scaled(
    7, full=1
)  # one in so many of the inputs, by turns; odd, as long and short texts take turns too
AT_ONCE = 2
MANY_PAGES = 4_000
HTML = "query ($space: ID!, $path: String!) { space(id: $space) { page(path: $path) { html } } }"
TREE = "query ($space: ID!) { space(id: $space) { pages { id title pages { id title path } } } }"
LONG_IN_PRINT = scaled(("words", "tables"), full=("words", "lists", "tables", "links"))  # patterns
LIMITS = {
    "DOCYARD_WORKER_SECONDS": "0.2",
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


@dataclass(slots=True)
class Watched:
    """A serving process: its database, what it logs, and where it answers."""

    database: str
    log: Path
    served: Serving
    allowed: str

    @contextmanager
    def cast(self) -> Iterator[Cast]:
        """An organization of its own."""
        base = self.served.address
        chosen = Settings(database=self.database, base_url=base, outbound_allow=self.allowed)
        with httpx.Client(base_url=base, timeout=TIMEOUT) as client:
            yield make.cast(Instance(base, chosen, client))


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    """A server for all of these tests: what is measured is its loop, which has no engine."""
    folder = tmp_path_factory.mktemp("watched")
    database, log = str(folder / "docyard.db"), folder / "log"
    with serve(routes()) as neighbour:
        allowed = f"127.0.0.1:{port_of(neighbour)}"
        names = {"DOCYARD_OUTBOUND_ALLOW": allowed, "DOCYARD_DNS_SERVERS": zone().address}
        with serving(database=database, log=log, **names, **LIMITS) as served:
            yield Watched(database, log, served, allowed)


@contextmanager
def free(watched: Watched, asked: Asked) -> Iterator[None]:
    """Watch the server while it is asked; fail where its loop stalled, naming what was asked then."""
    logged = len(watched.log.read_text())
    with watching(watched.served.address, watched.served.process.pid) as watch:
        yield
    is_free(watch, asked, watched.log.read_text()[logged:])


def is_free(watch: Watch, asked: Asked, log: str) -> None:
    """Fail where the loop stalled, naming what was asked then."""
    probes = watch.end()
    assert len(probes) > 3
    stalled = [each for each in probes if each.stall > LONGEST_STALL]
    told = [
        (round(each.stall, 2), name)
        for each in stalled
        for began, ended, name in asked.times
        if began <= each.asked + each.took and ended >= each.asked
    ]
    lines = [line[:1000] for line in log.splitlines() if "loop was blocked" in line]
    assert not stalled, f"{told}\n" + "\n".join(lines[-20:])


def test_no_operation_holds_others_up(watched: Watched) -> None:
    with watched.cast() as cast:
        calls = {row: RECIPES[row.id](cast) for row in OPERATIONS}
        assert hostile_input.store(watched.database) > 50
        asked = Asked(cast.instance.http)
        head = {"headers": {"Authorization": f"Bearer {cast.ada.token}"}}

        def by_graphql(row: Operation, call: Call) -> None:
            asked.send(f"{row.id} in GraphQL", "POST", "/graphql", json=request(row, call), **head)

        def by_rest(row: Operation, call: Call) -> None:
            options = {"params": in_query(call), "json": call.body, **head}
            asked.send(row.id, row.method, address(row, call), **options)

        def ask(row: Operation, call: Call, number: int) -> None:
            """Send inputs, by turns over the faces, which call one function; the last read over both."""
            *others, last = hostile_input.calls(row, call)
            some = others[number % SHARE :: SHARE]
            for each, face in zip(some, cycle((by_graphql, by_rest)), strict=False):
                face(row, each)
            if not row.writes:
                by_graphql(row, last)
            by_rest(row, last)

        with free(watched, asked):
            asked.all(partial(ask, row, call, number) for number, (row, call) in enumerate(calls.items()))


def test_no_address_of_a_site_holds_others_up(watched: Watched) -> None:
    with watched.cast() as cast:
        names = [f"p{number}" for number in range(2 * len(PATTERNS))]
        files = {f"{name}.md": f"# {name}\n\ninstall {name}\n" for name in names}
        site = PublishedSite(cast, files=files)
        hostile_input.store(watched.database)
        preview = site.get("/publishing/preview")["url"]
        base, asked, names = site.url, Asked(cast.instance.http), names[::SHARE]
        message: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}

        def page(place: str) -> Callable[[], None]:
            return partial(asked.send, place, "GET", f"{base}/{place}")

        def tool(name: str, **arguments: Any) -> Callable[[], None]:
            body = {**message, "params": {"name": name, "arguments": arguments}}
            return partial(asked.send, f"MCP {name}", "POST", f"{base}/~/mcp", json=body)

        def html(path: str) -> Callable[[], None]:
            body = {"query": HTML, "variables": {"space": site.spaces[0], "path": path}}
            return partial(asked.send, "HTML in GraphQL", "POST", "/graphql", json=body, **head)

        head = {"headers": {"Authorization": f"Bearer {cast.ada.token}"}}
        plain = ["llms.txt", "llms-full.txt", "sitemap.xml", "robots.txt", "~/tree", "~/search?q=install"]
        with free(watched, asked):
            asked.all(
                [
                    *map(page, names),
                    *(page(f"{name}.md") for name in names[::2]),  # programs read both from one function
                    *(tool("read_page", path=f"/{name}") for name in names[1::2]),
                    *map(html, names[::3]),
                    *map(page, plain),
                    page(f"~/search?q={'(' * 500}"),
                    tool("search", query="install " * 50),
                    tool("list_pages"),
                    partial(asked.send, "preview", "GET", preview, follow_redirects=True),
                ]
            )
        assert "HTML in GraphQL: 200" in {name for *_, name in asked.times}


def test_no_space_of_many_pages_holds_others_up(watched: Watched) -> None:
    with watched.cast() as cast:
        asked = Asked(cast.instance.http)
        head = {"headers": {"Authorization": f"Bearer {cast.ada.token}"}}
        files = {f"part-{n % 3}/page-{n}.md": f"# Page {n}\n" for n in range(MANY_PAGES)}
        site = PublishedSite(cast, files=files)
        place = f"/v1/spaces/{site.spaces[0]}"
        *_, first = cast.ada.get(f"{place}/revisions").json()["items"]
        latest = cast.ada.get(f"{place}").json()["revision"]
        tree = {"query": TREE, "variables": {"space": site.spaces[0]}}
        with free(watched, asked):
            asked.send("content", "GET", f"{place}/content", **head)
            asked.send("tree in GraphQL", "POST", "/graphql", json=tree, **head)
            for name in ("sitemap.xml", "llms.txt", "page-1"):
                asked.send(name, "GET", f"{site.url}/{name}")
            for revision in (first["id"], latest):
                asked.send("restore", "POST", f"{place}/revisions/{revision}/restore", **head)
        assert [name for *_, name in asked.times[-2:]] == ["restore: 200"] * 2


def test_no_file_holds_others_up(watched: Watched) -> None:
    with watched.cast() as cast:
        asked, written = Asked(cast.instance.http), space(cast)
        head = {"headers": {"Authorization": f"Bearer {cast.ada.token}"}}
        place = f"/v1/spaces/{written}/content"

        def upload(*batches: list[dict[str, Any]]) -> None:
            batch = [{"operation": "insert_files", "files": files} for files in batches]
            asked.send("upload", "POST", place, json={"changes": batch}, **head)

        large = [
            make.upload(name, data, kind)
            for kind, (name, data) in zip(
                cycle(hostile_input.CONTENT_TYPES), hostile_input.FILES.items(), strict=False
            )
        ]
        alike = [[make.upload("map.png", b"%d %d" % (n, m)) for m in range(20)] for n in range(50)]
        with free(watched, asked):
            asked.all([*(partial(upload, [file]) for file in large), partial(upload, large)])
            upload(*alike)
            found = cast.ada.get(f"{place}/files", params={"limit": 1000}).json()["items"]
            assert len(found) == 1000
            kept = [each["downloadURL"] for each in found[: 2 * len(large)]]
            asked.all(
                [
                    partial(
                        asked.send, "download", "GET", url, headers={"Range": part, "If-None-Match": part}
                    )
                    for url in kept
                    for part in hostile_input.RANGES
                ]
            )


def test_no_print_holds_others_up(watched: Watched) -> None:
    with watched.cast() as cast:
        asked, printed = Asked(cast.instance.http), space(cast)
        some = islice(PATTERNS.items(), 0, None, SHARE)
        texts = {name: text(hostile_input.SHORT) for name, text in some}
        texts |= {f"long {name}": PATTERNS[name](hostile_input.STORED) for name in LONG_IN_PRINT}
        pages = {f"p{n}.md": f"# {name}\n\n{text}\n" for n, (name, text) in enumerate(texts.items())}
        make.imported(cast, printed, pages)
        whole = cast.ada.get(f"/v1/spaces/{printed}/pdf").json()["url"]
        long = [each for each in pages_of(cast, printed) if each["title"].startswith("long ")]
        alone = [
            cast.ada.get(f"/v1/spaces/{printed}/pdf", params={"page": each["id"], "only": True}).json()["url"]
            for each in long
        ]
        assert len(alone) == len(LONG_IN_PRINT)
        with free(watched, asked):
            asked.all(partial(asked.send, "PDF", "GET", url) for url in [whole, *alone])


# Shows a text again and again, many elements, or elements in each other, as its properties say.
SHOWING = """
export default { async fetch(request) {
  const { props } = JSON.parse((await request.formData()).get("event"));
  const { text, times, many, deep } = props;
  let children = text ? [{ type: "markdown", content: text.repeat(times) }] : [];
  for (let n = 0; n < (many ?? 0); n++) children.push({ type: "text", children: ["a"] });
  for (let n = 0; n < (deep ?? 0); n++) children = [{ type: "vstack", children }];
  return Response.json({ type: "element", state: {}, props, element: { type: "block", children } });
} };"""
SHOWN = [{"many": 1_200}, {"many": 100, "deep": 30}] + [
    {"text": text(100), "times": 1_000} for text in islice(PATTERNS.values(), 0, None, 7)
]


def test_no_block_of_an_integration_holds_others_up(watched: Watched) -> None:
    with watched.cast() as cast:
        asked, lamps = Asked(cast.instance.http), Lamps(cast, "Nothing.", script=SHOWING)
        for number, props in enumerate(SHOWN):
            lamps.written(f"p{number}", **props)
        url = lamps.site.url
        shown = [
            urljoin(url, placed(anonymous.get(f"{url}/p{number}").text)[0]) for number in range(len(SHOWN))
        ]

        def visit(block: str) -> None:
            asked.send("block", "GET", block)
            for fields in ({"~do": "a" * 200_000}, {f"a{n}": "[" for n in range(5_000)}):
                asked.send("block pressed", "POST", block, data=fields)

        with free(watched, asked):
            asked.all(partial(visit, block) for block in shown)
        seen = {name for _, _, name in asked.times}
        assert "block: 200" in seen


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
            httpx.get(f"{base}/block", timeout=TIMEOUT)
        process.kill()
    assert watch.longest(since=began) > LONGEST_STALL
    assert watch.longest(until=began - 0.1) < LONGEST_STALL


def _answers(base: str) -> bool:
    try:
        return httpx.get(f"{base}/healthz").status_code == 200
    except httpx.ConnectError:
        return False
