"""Load by wrk: the same requests over and over on keep-alive connections, contestants in turn."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import httpx

from tests.bench.report import Goal, Row, ratio
from tests.bench.servers import Server, pin

CONNECTIONS = 16
_SCRIPT = """
local requests, turn = {}, 0
function init()
%s
end
function request() turn = turn %% #requests + 1 return requests[turn] end
function done(all, latency)
  local e = all.errors
  print(string.format("SHOT %%d %%d %%d %%d %%d", all.requests, all.duration, latency:percentile(50),
    latency:percentile(99), e.connect + e.read + e.write + e.status + e.timeout))
end
"""


@dataclass(slots=True, frozen=True)
class Request:
    """One request as it goes out."""

    path: str
    method: str = "GET"
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None


@dataclass(slots=True, frozen=True)
class Target:
    """What is shot at: a server and the requests it gets in turn."""

    server: Server
    requests: Sequence[Request]
    connections: int = CONNECTIONS

    def ask(self, index: int = 0) -> httpx.Response:
        """The answer to one of the requests; raises for a status that is no success."""
        r = self.requests[index]
        answer = httpx.request(
            r.method, self.server.base + r.path, headers=r.headers, content=r.body, timeout=60
        )
        return answer.raise_for_status()


@dataclass(slots=True, frozen=True)
class Shot:
    """One contestant in one round: requests per second, server microseconds per request, milliseconds."""

    rate: float
    cpu: float
    p50: float
    p99: float


@dataclass(slots=True, frozen=True)
class Series:
    """A contestant over all rounds."""

    shots: Sequence[Shot]

    def of(self, name: str) -> list[float]:
        """One measure, round by round."""
        return [getattr(shot, name) for shot in self.shots]

    def middle(self, name: str) -> float:
        """The median of one measure."""
        return median(self.of(name))


def race(targets: dict[str, Target], rounds: int, seconds: float) -> dict[str, Series]:
    """Shoot at all targets in turn, round by round, after a short run that warms each."""
    shots: dict[str, list[Shot]] = {name: [] for name in targets}
    with tempfile.TemporaryDirectory() as folder:
        scripts = {name: _script(Path(folder) / f"{n}.lua", t) for n, (name, t) in enumerate(targets.items())}
        for name, target in targets.items():
            _shoot(target, scripts[name], min(1.0, seconds))
        for _ in range(rounds):
            for name, target in targets.items():
                shots[name].append(_shoot(target, scripts[name], seconds))
    return {name: Series(found) for name, found in shots.items()}


def compared(what: str, ours: Series, against: str, theirs: Series, goal: Goal | None) -> Row:
    """Ours beside theirs: the share of their requests per second, and of their thrift with the processor."""
    ratios = {
        "requests": ratio(ours.of("rate"), theirs.of("rate")),
        "cpu": ratio(theirs.of("cpu"), ours.of("cpu")),
    }
    return Row(what, against, ratios, goal, figures(ours), figures(theirs))


def figures(series: Series) -> dict[str, float]:
    """The medians of a contestant, by their units."""
    units = {"req/s": "rate", "µs of server": "cpu", "ms p50": "p50", "ms p99": "p99"}
    return {unit: series.middle(name) for unit, name in units.items()}


def _script(path: Path, target: Target) -> str:
    lines = []
    for request in target.requests:
        headers = ", ".join(f"[{_lua(name)}] = {_lua(value)}" for name, value in request.headers.items())
        body = "nil" if request.body is None else _lua(request.body)
        made = f"wrk.format({_lua(request.method)}, {_lua(request.path)}, {{{headers}}}, {body})"
        lines.append(f"  requests[#requests + 1] = {made}")
    path.write_text(_SCRIPT % "\n".join(lines))
    return str(path)


def _lua(text: str | bytes) -> str:
    raw = text.encode() if isinstance(text, str) else text
    return '"' + "".join(f"\\{byte:03d}" for byte in raw) + '"'


def _shoot(target: Target, script: str, seconds: float) -> Shot:
    wrk = shutil.which("wrk")
    if wrk is None:
        raise RuntimeError("wrk is missing: install Debian's package `wrk`")
    before = target.server.cpu()
    command = [wrk, "-t1", f"-c{target.connections}", f"-d{max(1, round(seconds))}s", "--timeout", "30s"]
    process = subprocess.Popen(
        [*command, "-s", script, target.server.base], stdout=subprocess.PIPE, text=True
    )
    pin(process.pid, 1)
    printed = process.communicate()[0]
    cpu = target.server.cpu() - before
    line = next(line for line in printed.splitlines() if line.startswith("SHOT "))
    count, micros, p50, p99, bad = (int(part) for part in line.split()[1:])
    if bad or not count:
        raise RuntimeError(f"{bad} of {count} requests failed at {target.requests[0].path}")
    return Shot(count / micros * 1e6, cpu / count * 1e6, p50 / 1e3, p99 / 1e3)
