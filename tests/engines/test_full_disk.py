"""A disk that takes nothing more: writes are refused with a reason, reads go on, and nothing is lost."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import asyncpg
import httpx
import pytest

from app.kit.database.postgres_errors import plain_errors
from app.kit.errors import Unavailable
from tests.cli.command import Serving, docyard, serving
from tests.timing import TIMEOUT

LIMIT = 4096  # bytes: no page can be written at the end of any file


@contextmanager
def full(server: Serving) -> Iterator[None]:
    """Let no file of a server grow, as on a disk that is full, until the block ends."""
    soft, hard = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (LIMIT, hard))
    try:
        yield
    finally:
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (soft, hard))


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Serving, str]]:
    database = str(tmp_path / "docyard.db")
    with serving("--demo", database=database, log=tmp_path / "log") as server:
        yield server, database


def call(server: Serving, method: str, path: str, body: object = None) -> httpx.Response:
    headers = {"Authorization": f"Bearer {server.token('admin')}"}
    return httpx.request(method, path, json=body, headers=headers, timeout=TIMEOUT)


def test_writes_are_refused_and_reads_go_on(served: tuple[Serving, str]) -> None:
    server, database = served
    space = server.first_space
    before = call(server, "GET", space).json()
    with full(server):
        for number in range(3):
            answer = call(server, "PATCH", space, {"title": f"Title {number}"})
            assert answer.status_code == 503, answer.text
            assert "disk" in answer.json()["error"]["message"]
            assert int(answer.headers["retry-after"]) > 0
        mutation = (
            "mutation Rename($input: UpdateSpaceInput!) { updateSpace(input: $input) { space { id } } }"
        )
        asked = {"query": mutation, "variables": {"input": {"space": before["id"], "title": "Other"}}}
        assert call(server, "POST", f"{server.address}/graphql", asked).status_code < 500
        assert call(server, "GET", space).json()["title"] == before["title"]
        assert httpx.get(f"{server.address}/healthz", timeout=TIMEOUT).status_code == 200
    after = call(server, "PATCH", space, {"title": "There is room"})
    assert after.status_code == 200, after.text
    assert call(server, "GET", space).json()["title"] == "There is room"
    assert server.end() == 0
    assert docyard("audit", "verify", database=database).returncode == 0


def test_a_full_disk_of_postgres_is_told_apart() -> None:
    with pytest.raises(Unavailable, match="disk of the database is full"), plain_errors():
        raise asyncpg.DiskFullError("could not extend file")
