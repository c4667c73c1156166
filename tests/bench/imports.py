"""Imports: ten thousand pages into an empty space, then the same again with nothing to do.

Each round is a process of its own (`tests.bench.import_once`), so that its memory is its own.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from statistics import median

import orjson

from tests.bench import markdown
from tests.bench.data import tables
from tests.bench.options import Options
from tests.bench.report import Goal, Row
from tests.bench.servers import ROOT
from tests.cli.command import environment

PAGES = 10_000
PER_SECOND, CORES = 1_000, 2
MEMORY = 150.0  # MiB beyond the largest page
# As light a main module as the `docyard` script is: helper processes import it again.
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
        _memory("memory of the import", middle["self_mib"]),
        _memory("memory of one helper", middle["child_mib"]),
        Row("again, unchanged", "the first time", again, None, {"s": middle["again_seconds"]}),
    ]


def _memory(what: str, peak: float) -> Row:
    return Row(what, "the bound", {"memory": peak / MEMORY}, Goal(most=1), {"MiB": peak}, {"MiB": MEMORY})


def database(options: Options) -> Path:
    """Where the last round leaves its database, for the search bench."""
    return options.scratch / f"imported-{tables()}.db"


def _once(repository: Path, into: Path) -> dict[str, float]:
    for suffix in ("", "-wal", "-shm"):
        Path(f"{into}{suffix}").unlink(missing_ok=True)
    command = [sys.executable, "-c", START, str(repository), str(into)]
    ran = subprocess.run(command, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, check=True)
    found: dict[str, float] = orjson.loads(ran.stdout.splitlines()[-1])
    assert found["pages"] == PAGES, found
    assert not found["again_changed"], "the same import again found something to do"
    return found
