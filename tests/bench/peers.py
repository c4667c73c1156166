"""REST beside other programs on the same file: FastAPI with SQLModel as in their tutorial, and Datasette.

`DOCYARD_BENCH_PEERS` names a virtual environment with `fastapi sqlmodel uvicorn[standard] datasette`; without
it there is nothing to measure. The peers verify no token and no rights, and count nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.bench.data import ICON, Data, space_ids, with_spaces
from tests.bench.load import Request, Target, compared, race
from tests.bench.options import Options
from tests.bench.report import Goal, Row
from tests.bench.rest import EACH, HUNDRED, ORGANIZATIONS
from tests.bench.servers import ROOT, Server, docyard, peer

GOALS = {"one": Goal(least=11), "list": Goal(least=8)}
NAMES = {"one": "GET one space", "list": "list 100 spaces"}
UVICORN = ("--no-access-log", "--log-level", "warning", "--port")
LIMITS = {"sql_time_limit_ms": "10000", "suggest_facets": "off", "allow_facet": "off"}


def run(options: Options) -> list[Row]:
    """Measure both peers; raises AssertionError where one answers about another space."""
    place = os.environ.get("DOCYARD_BENCH_PEERS")
    if not place:
        return []
    data = with_spaces(options.scratch, organizations_=ORGANIZATIONS, each=EACH, icon=ICON)
    with ExitStack() as stack:
        ours = stack.enter_context(docyard(data.path))
        targets = {"ours": _ours(data, ours)}
        with _tutorial(Path(place), data) as tutorial, _datasette(Path(place), data) as datasette:
            targets["FastAPI + SQLModel tutorial"] = _of_tutorial(data, tutorial)
            targets["Datasette"] = _of_datasette(data, datasette)
            _must_agree(targets)
            flat = {f"{kind} {name}": each[kind] for name, each in targets.items() for kind in GOALS}
            series = race(flat, options.rounds_or(5), options.seconds_or(2))
    return [
        compared(NAMES[kind], series[f"{kind} ours"], name, series[f"{kind} {name}"], GOALS[kind])
        for name in targets
        if name != "ours"
        for kind in GOALS
    ]


@contextmanager
def _tutorial(place: Path, data: Data) -> Iterator[Server]:
    folder = ROOT / "tests/bench/peer_programs"
    command = [str(place / "bin/python"), "-m", "uvicorn", "--app-dir", str(folder), "fastapi_tutorial:app"]
    with peer([*command, *UVICORN], "/docs", data.path) as server:
        yield server


@contextmanager
def _datasette(place: Path, data: Data) -> Iterator[Server]:
    limits = [word for name, value in LIMITS.items() for word in ("--setting", name, value)]
    command = [str(place / "bin/datasette"), "serve", "-i", str(data.path), *limits, "-p"]
    with peer(command, "/-/versions.json", data.path) as server:
        yield server


def _pairs(data: Data) -> Sequence[tuple[int, str]]:
    ids = [space_ids(data, org, 10) for org in range(ORGANIZATIONS)]
    return [(org, turn[org]) for turn in zip(*ids, strict=True) for org in range(ORGANIZATIONS)]


def _ours(data: Data, server: Server) -> dict[str, Target]:
    one = [Request(f"/v1/spaces/{i}", headers=data.header(org)) for org, i in _pairs(data)]
    paths = [f"/v1/orgs/{organization}/spaces?limit={HUNDRED}" for organization in data.organizations]
    several = [Request(path, headers=data.header(org)) for org, path in enumerate(paths)]
    return {"one": Target(server, one), "list": Target(server, several)}


def _of_tutorial(data: Data, server: Server) -> dict[str, Target]:
    one = [Request(f"/spaces/{i}") for _, i in _pairs(data)]
    several = [Request(f"/orgs/{each}/spaces?limit={HUNDRED}") for each in data.organizations]
    return {"one": Target(server, one), "list": Target(server, several)}


def _of_datasette(data: Data, server: Server) -> dict[str, Target]:
    table = f"/{data.path.stem}/space"
    one = [Request(f"{table}/{i}.json?_shape=array") for _, i in _pairs(data)]
    size = f"_shape=array&_size={HUNDRED}&_nocount=1"
    several = [Request(f"{table}.json?organization_id={each}&{size}") for each in data.organizations]
    return {"one": Target(server, one), "list": Target(server, several)}


def _must_agree(targets: dict[str, dict[str, Target]]) -> None:
    """Each answers about the space that was asked for, and a list has a hundred."""
    wanted = targets["ours"]["one"].ask().json()["id"]
    for name, each in targets.items():
        found = each["one"].ask().json()
        assert (found[0] if isinstance(found, list) else found)["id"] == wanted, name
        listed = each["list"].ask().json()
        assert len(listed if isinstance(listed, list) else listed["items"]) == HUNDRED, name
