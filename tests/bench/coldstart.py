"""Cold starts: whole processes, from nothing to the first answer of the Lambda handler.

All end at once (`os._exit`), since a function's environment is frozen after its answer and not wound up.
Under the runtime client, a function of 512 MB has 0.29 of a processor from its first event on.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import httpx

from app.api.graphql.trusted import own
from tests.aws.lambda_events import event
from tests.aws.lambda_runtime import SNAP_START, function
from tests.bench.data import Data, space_ids, with_spaces
from tests.bench.options import Options
from tests.bench.report import Goal, Row, ratio
from tests.bench.servers import PUBLIC, ROOT
from tests.cli.command import environment

END = """
import os
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")), flush=True)
os._exit(0)
"""
IMPORTS = f"""
import starlette.applications, starlette.routing, starlette.responses, mangum, sqlmodel, aiosqlite
{END}
"""
ANSWER = f"""
import json, sys
from app.aws import handler
answer = handler(json.loads(sys.argv[1]), None)
assert answer["statusCode"] == 200 and '"errors"' not in answer["body"], answer
{END}
"""
SMALL = 512 / 1769  # of a processor: what a function with these of so many megabytes gets
EAGER = "import app.aws, app.api.graphql.server\n" + ANSWER


@dataclass(slots=True, frozen=True)
class Start:
    """One process: wall milliseconds, processor milliseconds, peak memory in MiB."""

    wall: float
    cpu: float
    memory: float


def run(options: Options) -> list[Row]:
    """Start them all in turn."""
    data = with_spaces(options.scratch, organizations_=1, each=100, icon=None)
    rest, graphql, trusted = _events(data)
    commands = {
        "nothing": ["-c", END],
        "imports": ["-c", IMPORTS],
        "rest": ["-c", ANSWER, rest],
        "graphql": ["-c", ANSWER, graphql],
        "trusted": ["-c", ANSWER, trusted],
        "eager": ["-c", EAGER, graphql],
    }
    env = environment(DOCYARD_DATABASE=str(data.path), DOCYARD_BASE_URL=PUBLIC, DOCYARD_SHARED_ORIGIN="true")
    env.pop("PYTHONDONTWRITEBYTECODE", None)  # functions are deployed with their bytecode
    env["PYTHONPYCACHEPREFIX"] = str(options.scratch / "bytecode")
    starts: dict[str, list[Start]] = {name: [] for name in commands}
    for turn in range(options.rounds_or(9) + 1):
        for name, command in commands.items():
            start = _start(command, env)
            if turn:  # the first only fills the caches of bytecode and disk
                starts[name].append(start)
    return [
        _row("first REST answer", starts["rest"], "its imports alone", starts["imports"], Goal(most=1.3)),
        _row(
            "first GraphQL answer", starts["graphql"], "GraphQL loaded first", starts["eager"], Goal(most=1.1)
        ),
        _row("first GraphQL answer", starts["graphql"], "first REST answer", starts["rest"], Goal(most=2)),
        _row("same, trusted, by hash", starts["trusted"], "first REST answer", starts["rest"], Goal(most=2)),
        _row("its imports alone", starts["imports"], "a bare interpreter", starts["nothing"], None),
        *_small(options, data, {"REST": rest, "GraphQL": graphql}),
    ]


def _small(options: Options, data: Data, events: dict[str, str]) -> list[Row]:
    """Measure a function of 512 MB: from nothing, and restored from a snapshot, to its first answer."""
    settings = {"DOCYARD_DATABASE": str(data.path), "DOCYARD_SHARED_ORIGIN": "true"}
    took: dict[tuple[str, bool], list[float]] = {}
    for _ in range(options.rounds_or(9)):
        for snapped in (False, True):
            for name, text in events.items():
                seconds = _first_answer(options.scratch / "function.log", text, snapped, settings)
                took.setdefault((name, snapped), []).append(seconds * 1e3)
    rows = []
    for snapped, how in ((False, "512 MB"), (True, "512 MB, from a snapshot")):
        ours, theirs = took["GraphQL", snapped], took["REST", snapped]
        ratios, goal = {"time": ratio(ours, theirs)}, Goal(most=2)
        figures = [{"ms": median(each)} for each in (ours, theirs)]
        rows.append(Row(f"first GraphQL answer, {how}", "first REST answer", ratios, goal, *figures))
    return rows


def _first_answer(log: Path, text: str, snapped: bool, settings: dict[str, str]) -> float:
    began = time.perf_counter()
    more = SNAP_START if snapped else {}
    with function(log, SMALL, **settings, **more) as api:
        if snapped:
            api.restore()
            began = time.perf_counter()
        answer = api.invoke(json.loads(text))
        assert answer["statusCode"] == 200, answer
        return time.perf_counter() - began


def _events(data: Data) -> tuple[str, str, str]:
    path = f"{PUBLIC}/v1/spaces/{space_ids(data, 0, 1)[0]}"
    body = {"query": "query($id: ID!) { space(id: $id) { id title } }", "variables": {"id": path[-20:]}}
    rest = httpx.Request("GET", path, headers=data.header(0))
    graphql = httpx.Request("POST", f"{PUBLIC}/graphql", headers=data.header(0), json=body)
    known = next(key for key, text in own().items() if text.startswith("query getSpaceById("))
    extensions = {"persistedQuery": {"version": 1, "sha256Hash": known}}
    hashed = {"extensions": extensions, "variables": {"spaceId": path[-20:]}}
    trusted = httpx.Request("POST", f"{PUBLIC}/graphql", headers=data.header(0), json=hashed)
    return json.dumps(event(rest)), json.dumps(event(graphql)), json.dumps(event(trusted))


def _start(command: list[str], env: dict[str, str]) -> Start:
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *command], cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert process.stdout is not None
    memory = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{command} ended with {process.returncode}")
    return Start(wall * 1e3, (used.ru_utime + used.ru_stime) * 1e3, int(memory) / 1024)


def _row(what: str, ours: list[Start], against: str, theirs: list[Start], goal: Goal | None) -> Row:
    ratios = {
        "time": ratio([s.wall for s in ours], [s.wall for s in theirs]),
        "cpu": ratio([s.cpu for s in ours], [s.cpu for s in theirs]),
    }
    return Row(what, against, ratios, goal, _figures(ours), _figures(theirs))


def _figures(starts: list[Start]) -> dict[str, float]:
    return {
        "ms": median(s.wall for s in starts),
        "ms of cpu": median(s.cpu for s in starts),
        "MiB at most": median(s.memory for s in starts),
    }
