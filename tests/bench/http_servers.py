"""The product under several HTTP servers, event loops and versions of Python.

`DOCYARD_BENCH_PYTHONS` names virtual environments, separated as in PATH, that have Docyard's requirements;
without it there is nothing to measure. The first is the one that the others are compared with. It may have
`granian` and `hypercorn` too: what is not installed there is left out. Each server is one process that
answers, on one core, with its log on.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

from tests.bench.alike import must_agree
from tests.bench.compiled import ONE
from tests.bench.data import ICON, Data, space_ids, with_spaces
from tests.bench.graphql import asked
from tests.bench.load import Request, Target, compared, race
from tests.bench.options import Options
from tests.bench.report import Row
from tests.bench.servers import PORT, Server, docyard, other_server

ORGANIZATIONS, EACH, HUNDRED = 50, 2_000, 100
APP = "tests.bench.served:app"
UVICORN = ("uvicorn", APP, "--no-access-log", "--no-server-header", "--log-level", "warning", "--port", PORT)
GRANIAN = ("granian", "--interface", "asgi", "--no-ws", "--port", PORT, APP)
SERVERS: dict[str, Sequence[str]] = {
    "uvicorn, uvloop, httptools": (*UVICORN, "--loop", "uvloop", "--http", "httptools"),
    "uvicorn, asyncio, httptools": (*UVICORN, "--loop", "asyncio", "--http", "httptools"),
    "uvicorn, asyncio, h11": (*UVICORN, "--loop", "asyncio", "--http", "h11"),
    "granian, uvloop": ("granian", "--interface", "asgi", "--loop", "uvloop", "--no-ws", "--port", PORT, APP),
    "granian, asyncio": (
        "granian",
        "--interface",
        "asgi",
        "--loop",
        "asyncio",
        "--no-ws",
        "--port",
        PORT,
        APP,
    ),
    "hypercorn, uvloop": ("hypercorn", "--worker-class", "uvloop", "--bind", f"127.0.0.1:{PORT}", APP),
}
"""The modules that serve, with their arguments."""
_TELL = "import sys; print('Python %d.%d.%d' % sys.version_info[:3])"


def run(options: Options) -> list[Row]:
    """Measure all that are there; raises AssertionError where answers differ."""
    pythons = [
        Path(each) / "bin/python" for each in os.environ.get("DOCYARD_BENCH_PYTHONS", "").split(":") if each
    ]
    if not pythons:
        return []
    data = with_spaces(options.scratch, organizations_=ORGANIZATIONS, each=EACH, icon=ICON)
    usual = f"docyard serve, {_output(pythons[0], '-c', _TELL)}"
    with ExitStack() as stack:
        contestants = {name: stack.enter_context(each) for name, each in _contestants(data, pythons)}
        targets = {
            f"{case} {name}": Target(server, requests)
            for case, requests in _requests(data).items()
            for name, server in contestants.items()
        }
        for case in CASES:
            for name in contestants:
                must_agree(targets[f"{case} {usual}"], targets[f"{case} {name}"], besides=["extensions"])
        series = race(targets, options.rounds_or(5), options.seconds_or(2))
    return [
        compared(f"{case}: {name}", series[f"{case} {name}"], usual, series[f"{case} {usual}"], None)
        for case in CASES
        for name in contestants
        if name != usual
    ]


CASES = ("GET one space", "list 100 spaces", "GraphQL, one space")


def _requests(data: Data) -> dict[str, list[Request]]:
    ids = [space_ids(data, org, 10) for org in range(ORGANIZATIONS)]
    pairs = [(org, turn[org]) for turn in zip(*ids, strict=True) for org in range(ORGANIZATIONS)]
    lists = [f"/v1/orgs/{each}/spaces?limit={HUNDRED}" for each in data.organizations]
    one = [Request(f"/v1/spaces/{each}", headers=data.header(org)) for org, each in pairs]
    several = [Request(path, headers=data.header(org)) for org, path in enumerate(lists)]
    graphql = [asked(ONE, data.header(org), {"id": each}) for org, each in pairs]
    return dict(zip(CASES, (one, several, graphql), strict=True))


def _contestants(data: Data, pythons: Sequence[Path]) -> Iterator[tuple[str, AbstractContextManager[Server]]]:
    for python in pythons:
        yield f"docyard serve, {_output(python, '-c', _TELL)}", docyard(data.path, python=str(python))
    for name, (module, *arguments) in SERVERS.items():
        if _has(pythons[0], module):
            command = (str(pythons[0]), "-m", module, *arguments)
            yield name, other_server(command, data.path)


def _has(python: Path, module: str) -> bool:
    return (
        subprocess.run([python, "-c", f"import {module}"], capture_output=True, check=False).returncode == 0
    )


def _output(*command: str | Path) -> str:
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout.strip()
