"""`kill -9` at random moments of batches, merges and imports: nothing half done, nothing acknowledged lost.

`python -m tests.engines.crashes --rounds 300` is the long version.
"""

from __future__ import annotations

from pathlib import Path

from tests.databases import create_database
from tests.engines import crashes
from tests.scale import scaled

ROUNDS = scaled(4, full=60)


def test_operations_are_wholly_there_or_wholly_absent(tmp_path: Path) -> None:
    _kill(tmp_path, str(tmp_path / "docyard.db"))


def test_operations_on_postgresql_are_wholly_there_or_wholly_absent(
    tmp_path: Path, postgres_server: str
) -> None:
    _kill(tmp_path, create_database(postgres_server))


def _kill(folder: Path, database: str) -> None:
    outcomes = crashes.run(folder, database, ROUNDS, seed=7)
    assert outcomes["kills"] == ROUNDS
    assert outcomes["acknowledged"] > 0
