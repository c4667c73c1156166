"""Backups of a large SQLite file: the time of one beside that of a bare copy, and what requests feel of it.

A copy ends when its bytes are on the disk, as a backup does. `docyard backup` is a process of its own, with
its start. Requests are measured in turn without a backup and while backups are taken one after another.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import median

from tests.bench.data import Data, space_ids, with_spaces
from tests.bench.load import Request, Series, Shot, Target, figures, race
from tests.bench.options import Options
from tests.bench.report import Goal, Row, ratio
from tests.bench.servers import ROOT, docyard
from tests.cli.command import environment

PIECES, PIECE = 1_000, 1 << 20  # of files, which are most of the database
READERS, WRITERS = 4, 2  # connections


def run(options: Options) -> list[Row]:
    """Measure it all."""
    data = with_spaces(options.scratch, organizations_=1, each=100, icon=None)
    _fill(data.path)
    return [_beside_a_copy(data, options), *_meanwhile(data, options)]


def _fill(path: Path) -> None:
    """Add files until they are a thousand pieces."""
    with closing(sqlite3.connect(path)) as file:
        (held,) = file.execute("SELECT count(*) FROM blob").fetchone()
        pieces = ((f"{number:064x}", os.urandom(PIECE)) for number in range(held, PIECES))
        with file:
            file.executemany("INSERT INTO blob (id, data) VALUES (?, ?)", pieces)
        file.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _beside_a_copy(data: Data, options: Options) -> Row:
    backups, copies = [], []
    for _ in range(options.rounds_or(3)):
        os.sync()
        copies.append(_timed(["cp", "--reflink=never", str(data.path), "TARGET"], options.scratch))
        os.sync()
        backups.append(_timed(_backup(data), options.scratch))
    size = data.path.stat().st_size
    shown = [{"s": median(times), "MB/s": size / median(times) / 1e6} for times in (backups, copies)]
    return Row(
        "a backup", "a copy of the file", {"time": ratio(backups, copies)}, Goal(most=1.5), shown[0], shown[1]
    )


def _backup(data: Data) -> list[str]:
    return [sys.executable, "-m", "app.cli", "backup", "TARGET", "--database", str(data.path)]


def _timed(command: list[str], folder: Path) -> float:
    """Return the seconds that a command takes to write its target, until that is on the disk."""
    target = folder / "copy.db"
    target.unlink(missing_ok=True)
    began = time.perf_counter()
    _start([str(target) if each == "TARGET" else each for each in command])
    with target.open("rb") as file:
        os.fsync(file.fileno())
    took = time.perf_counter() - began
    target.unlink()
    return took


def _start(command: list[str]) -> None:
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{command} ended with {done.returncode}: {done.stderr}")


def _meanwhile(data: Data, options: Options) -> Iterator[Row]:
    """Measure reads and durable changes without a backup and during backups, in turn."""
    path = f"/v1/spaces/{space_ids(data, 0, 1)[0]}"
    change = {**data.header(0), "Content-Type": "application/json"}
    with docyard(data.path) as server:
        targets = {
            "reads": Target(server, [Request(path, headers=data.header(0))], READERS),
            "durable changes": Target(
                server,
                [Request(path, "PATCH", change, f'{{"title": "Space {n}"}}'.encode()) for n in range(10)],
                WRITERS,
            ),
        }
        for name, target in targets.items():
            quiet, busy = [], []
            for _ in range(options.rounds_or(3)):
                quiet += _shots(target, options)
                with _backups(data, options.scratch):
                    busy += _shots(target, options)
            during, without = Series(busy), Series(quiet)
            ratios = {
                "p99": ratio(during.of("p99"), without.of("p99")),
                "p50": ratio(during.of("p50"), without.of("p50")),
            }
            ours, theirs = figures(during), figures(without)
            yield Row(f"{name} during backups", "without", ratios, Goal(most=2), ours, theirs)


def _shots(target: Target, options: Options) -> list[Shot]:
    return list(race({"": target}, 1, options.seconds_or(5))[""].shots)


@contextmanager
def _backups(data: Data, folder: Path) -> Iterator[None]:
    """Take one backup after another until the block ends."""
    ended = threading.Event()

    def repeat() -> None:
        while not ended.is_set():
            _timed(_backup(data), folder)

    thread = threading.Thread(target=repeat)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
