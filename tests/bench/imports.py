"""Imports: ten thousand pages into an empty space, then the same again with nothing to do.

Each round is a process of its own (`tests.bench.import_once`), so that its memory is its own. Its helper
processes are watched from here: what the kernel tells of ended children counts the moment before they became
programs of their own, when they were as large as the process that started them.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from statistics import median

import orjson

from tests.bench import markdown
from tests.bench.data import create, tables
from tests.bench.import_once import peak
from tests.bench.options import Options
from tests.bench.report import Goal, Row
from tests.bench.servers import ROOT
from tests.cli.command import environment

PAGES = 10_000
PER_SECOND, CORES = 1_000, 2
MEMORY = 150.0  # MiB above what the process had before the import
ALTOGETHER = 200.0  # MiB of all processes, each at its peak
GLANCE = 0.02  # seconds between two looks at the processes
START = "from tests.bench.import_once import main; main()"


def run(options: Options) -> list[Row]:
    """Import, and import again."""
    repository = markdown.write(options.scratch, PAGES)
    bytes_ = sum(path.stat().st_size for path in repository.rglob("*.md"))
    rounds = [_once(repository, database(options)) for _ in range(options.rounds_or(3))]
    middle = {name: median(found[name] for found in rounds) for name in rounds[0]}
    rate, thrift = PAGES / middle["seconds"], PAGES / middle["cpu_seconds"] * CORES
    ratios = {"pages/s": rate / PER_SECOND, "cpu of two cores": thrift / PER_SECOND}
    ours = {"pages/s": rate, "s": middle["seconds"], "s of cpu": middle["cpu_seconds"]}
    size = {"MB of Markdown": bytes_ / 1e6, "MB of database": middle["database_bytes"] / 1e6}
    again = {"time": middle["again_seconds"] / middle["seconds"]}
    return [
        Row("10,000 pages", "the rate", ratios, Goal(least=1), ours | size, {"pages/s": PER_SECOND}),
        _memory("memory of the import, above its start", middle["self_mib"] - middle["start_mib"], MEMORY),
        _memory("memory of all processes", middle["self_mib"] + middle["helpers_mib"], ALTOGETHER),
        Row("again, unchanged", "the first time", again, None, {"s": middle["again_seconds"]}),
    ]


def _memory(what: str, peak: float, bound: float) -> Row:
    return Row(what, "the bound", {"memory": peak / bound}, Goal(most=1), {"MiB": peak}, {"MiB": bound})


def database(options: Options) -> Path:
    """Return where the last round leaves its database, for the search bench."""
    return options.scratch / f"imported-{tables()}.db"


def _once(repository: Path, into: Path) -> dict[str, float]:
    create(into)  # in this process: what makes tables is no part of an import
    command = [sys.executable, "-c", START, str(repository), str(into)]
    with subprocess.Popen(command, cwd=ROOT, env=environment(), stdout=subprocess.PIPE) as running:
        helpers = _peaks_of_helpers(running)
        assert running.stdout is not None
        printed = running.stdout.read()
    assert running.returncode == 0, printed
    found: dict[str, float] = orjson.loads(printed.splitlines()[-1])
    found["helpers_mib"] = sum(helpers.values())
    assert found["pages"] == PAGES, found
    assert not found["again_changed"], "the same import again found something to do"
    return found


def _peaks_of_helpers(running: subprocess.Popen[bytes]) -> dict[int, float]:
    """Wait for a program; the largest memory that each process below it had, in MiB."""
    peaks: dict[int, float] = {}
    while running.poll() is None:
        for helper in _below(running.pid):
            peaks[helper] = max(peaks.get(helper, 0.0), _peak(helper))
        time.sleep(GLANCE)
    return peaks


def _below(pid: int) -> Iterator[int]:
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found = children.read_text().split()
        except OSError:  # ended
            continue
        for child in map(int, found):
            yield child
            yield from _below(child)


def _peak(pid: int) -> float:
    with suppress(OSError, StopIteration):  # ended
        return peak(pid)
    return 0.0
