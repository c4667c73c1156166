"""Copies of a SQLite file are as it was at one moment, while another process writes and empties its log."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from app.kit.database.file_copies import copy_file
from tests.timing import TIMEOUT

ROWS, COPIES = 400, 12
# Each transaction adds one to ten parts, and ten to the sum; after each seventh the log is emptied.
WRITER = """
import random, sqlite3, sys
file = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=60)
file.execute("PRAGMA synchronous=OFF")
number = 0
while number < int(sys.argv[2]):
    number += 1
    file.execute("BEGIN IMMEDIATE")
    for row in random.sample(range(400), 10):
        text = random.randbytes(random.randint(1, 9000))
        file.execute("UPDATE part SET n = n + 1, text = ? WHERE id = ?", (text, row))
    file.execute("UPDATE total SET n = n + 10")
    file.execute("COMMIT")
    if number == 1:
        print("begun", flush=True)
    if number % 7 == 0:
        file.execute(f"PRAGMA wal_checkpoint({random.choice(['PASSIVE', 'FULL', 'RESTART', 'TRUNCATE'])})")
"""


@pytest.fixture(params=["WAL", "DELETE"])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A file with parts and their sum, in either mode."""
    path = tmp_path / "source.db"
    with closing(sqlite3.connect(path)) as file, file:
        file.execute(f"PRAGMA journal_mode={request.param}")
        file.execute("CREATE TABLE part (id INTEGER PRIMARY KEY, n INTEGER, text BLOB)")
        file.execute("CREATE TABLE total (n INTEGER)")
        file.execute("INSERT INTO total VALUES (0)")
        file.executemany("INSERT INTO part VALUES (?, 0, randomblob(5000))", [(n,) for n in range(ROWS)])
    return path


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Have another process write until the block ends."""
    writer = subprocess.Popen([sys.executable, "-c", WRITER, path, "1000000"], stdout=subprocess.PIPE)
    try:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"begun\n"
        yield
        assert writer.poll() is None
    finally:
        writer.kill()
        writer.communicate(timeout=TIMEOUT)


def whole_sum(path: Path) -> int:
    """The sum in a copy, of which nothing is broken or missing."""
    with closing(sqlite3.connect(path)) as file:
        assert file.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert file.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        parts, total = file.execute("SELECT sum(n), (SELECT n FROM total) FROM part").fetchone()
    assert parts == total
    return int(total)


def test_each_copy_is_of_one_moment_after_the_one_before(source: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copies"
    folder.mkdir()
    sums = []
    with writing(source):
        for number in range(COPIES):
            copy_file(source, folder / f"{number}.db")
            sums.append(whole_sum(folder / f"{number}.db"))
    assert sums == sorted(sums)
    assert sums[-1] > sums[0] > 0
    assert len(list(folder.iterdir())) == COPIES  # and nothing beside them


def test_what_is_in_the_log_alone_is_in_the_copy(source: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(source)) as file, file:
        file.execute("PRAGMA wal_autocheckpoint=0")
        file.execute("UPDATE total SET n = 1")
        file.execute("UPDATE part SET n = 1 WHERE id = 1")
        file.commit()
        command = f"from pathlib import Path; from {copy_file.__module__} import copy_file;"
        command += f"copy_file(Path({str(source)!r}), Path({str(tmp_path / 'copy.db')!r}))"
        subprocess.run([sys.executable, "-c", command], check=True, timeout=TIMEOUT)
    assert whole_sum(tmp_path / "copy.db") == 1


def test_a_copy_may_be_on_another_file_system(source: Path) -> None:
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        copy_file(source, Path(folder, "copy.db"))
        assert whole_sum(Path(folder, "copy.db")) == 0
