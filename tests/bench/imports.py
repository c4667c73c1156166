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
from tests.bench.options import Options
from tests.bench.report import Goal, Row
from tests.bench.servers import ROOT
from tests.cli.command import environment

PAGES = 10_000
PER_SECOND = 1_000
MEMORY = 150.0  # MiB beyond the largest page


def run(options: Options) -> list[Row]:
    """Import, and import again."""
    repository = markdown.write(options.scratch, PAGES)
    bytes_ = sum(path.stat().st_size for path in repository.rglob("*.md"))
    rounds = [_once(repository, database(options)) for _ in range(options.rounds_or(3))]
    rate = median(found["pages"] / found["seconds"] for found in rounds)
    again = median(found["again_seconds"] / found["seconds"] for found in rounds)
    memory = {name: median(found[name] for found in rounds) for name in ("self_mib", "child_mib")}
    ours = {"pages/s": rate, "s": median(found["seconds"] for found in rounds)}
    cost = {"s of cpu": median(found["cpu_seconds"] for found in rounds), "MB of Markdown": bytes_ / 1e6}
    size = {"MB of database": rounds[-1]["database_bytes"] / 1e6}
    peak = {"MiB": memory["self_mib"]}, {"MiB": MEMORY}
    child = {"MiB": memory["child_mib"]}, {"MiB": MEMORY}
    second = {"s": median(found["again_seconds"] for found in rounds)}
    return [
        Row("10,000 pages", "1,000 pages/s", {"rate": rate / PER_SECOND}, Goal(least=1), ours | cost | size),
        Row("memory of the import", "the bound", {"memory": peak[0]["MiB"] / MEMORY}, Goal(most=1), *peak),
        Row("memory of one helper", "the bound", {"memory": child[0]["MiB"] / MEMORY}, Goal(most=1), *child),
        Row("again, unchanged", "the first time", {"time": again}, None, second),
    ]


def database(options: Options) -> Path:
    """Where the last round leaves its database, for the search bench."""
    return options.scratch / "imported.db"


def _once(repository: Path, into: Path) -> dict[str, float]:
    for suffix in ("", "-wal", "-shm"):
        Path(f"{into}{suffix}").unlink(missing_ok=True)
    command = [sys.executable, "-m", "tests.bench.import_once", str(repository), str(into)]
    ran = subprocess.run(command, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, check=True)
    found: dict[str, float] = orjson.loads(ran.stdout.splitlines()[-1])
    assert found["pages"] == PAGES, found
    assert not found["again_changed"], "the same import again found something to do"
    return found
