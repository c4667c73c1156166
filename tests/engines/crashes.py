"""`kill -9` while content is written: `python -m tests.engines.crashes --rounds 300`.

A server is killed under batches and merges, and `docyard import` while it imports. Each time the database
must be sound, and every operation wholly there or wholly absent; there, if it was acknowledged. In the end
the audit log must have no gap. With PostgreSQL the server's process is killed, the database goes on.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import sqlite3
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import asyncpg
import httpx

from app.domain.content.views import Where
from app.kit.database.engines import open_database
from tests.cli.command import Serving, docyard, environment, serving
from tests.cli.fork_server import Forked
from tests.engines.content_state import State, check, seen
from tests.timing import TIMEOUT, until

PAGES = 3  # of one operation
IMPORTED = 60  # files of an import
MOST = 8  # operations that a server acknowledges before it is killed
LONGEST = 0.05  # seconds more until it is
PIXEL = "iVBORw0KGgo="
_OTHERS = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    " AND backend_type = 'client backend'"
)


@dataclass
class Ground:
    """A database with spaces to write in and to import into, and what was tried and acknowledged there."""

    folder: Path
    database: str
    token: str = ""
    space: str = ""
    imports: str = ""
    tried: set[str] = field(default_factory=set)
    acknowledged: set[str] = field(default_factory=set)
    imported: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    import_seconds: float = 1.0

    def state(self, space: str) -> State:
        """Return the content of a space, read from the database."""

        async def read() -> State:
            db = open_database(self.database)
            try:
                return await seen(db, Where(space))
            finally:
                await db.close()

        return asyncio.run(read())

    @property
    def is_file(self) -> bool:
        """Tell whether the database is a file of SQLite."""
        return not self.database.startswith("postgresql")

    def rows(self, statement: str, *values: str) -> list[Any]:
        """Return rows of the database; `:id` in the statement is the one value."""
        if self.is_file:
            with closing(sqlite3.connect(self.database)) as connection:
                return connection.execute(statement, dict(zip(["id"], values, strict=False))).fetchall()
        return asyncio.run(self._rows_of_postgres(statement.replace(":id", "$1"), values))

    async def _rows_of_postgres(self, statement: str, values: tuple[str, ...]) -> list[Any]:
        connection = await asyncpg.connect(self.database)
        try:
            return [tuple(row) for row in await connection.fetch(statement, *values)]
        finally:
            await connection.close()


def lay(folder: Path, database: str) -> Ground:
    """Return an empty database with somebody who writes in it."""
    ground = Ground(folder, database)
    docyard("user", "create", "ann@example.org", "--name", "Ann", database=ground.database)
    made = docyard("org", "create", "Example", "--owner", "ann@example.org", database=ground.database)
    organization = made.stdout.strip()
    token = docyard("token", "create", "--user", "ann@example.org", database=ground.database)
    ground.token = token.stdout.strip()
    with serving(database=ground.database, log=folder / "log") as server, _client(ground, server) as client:
        for name in ("space", "imports"):
            answer = client.post(f"/v1/orgs/{organization}/spaces", json={"title": name})
            assert answer.status_code == 201, answer.text
            setattr(ground, name, answer.json()["id"])
    _write_tree(folder / "tree", 0)
    started = time.monotonic()
    assert _import(ground).wait() == 0
    ground.import_seconds = time.monotonic() - started
    return ground


def _client(ground: Ground, server: Serving) -> httpx.Client:
    headers = {"Authorization": f"Bearer {ground.token}"}
    return httpx.Client(base_url=server.address, headers=headers, timeout=TIMEOUT)


def kill_server(ground: Ground, number: int, moment: random.Random) -> None:
    """Kill a server while two write batches and one merges, and look at what is left."""
    with serving(database=ground.database, log=ground.folder / "log") as server:
        with _client(ground, server) as client:
            requests = [_prepare(ground, client, f"merge{number}x{n}x") for n in range(3)]
            enough = len(ground.acknowledged) + moment.randint(0, MOST)
            with ThreadPoolExecutor(3) as pool:
                batches = (_batches(ground, client, f"batch{number}x{n}") for n in range(2))
                running = [pool.submit(_until_killed, ground, each) for each in batches]
                merges = _merges(ground, client, requests)
                running.append(pool.submit(_until_killed, ground, merges))
                while len(ground.acknowledged) < enough and not all(each.done() for each in running):
                    time.sleep(0.001)
                time.sleep(moment.uniform(0, LONGEST))
                server.process.kill()
                for each in running:
                    each.result()
        server.process.wait()
    look(ground)


Call = tuple[str, Callable[[], httpx.Response]]


def _until_killed(ground: Ground, calls: Iterator[Call]) -> None:
    for tag, call in calls:
        ground.tried.add(tag)
        try:
            answer = call()
        except httpx.TransportError:
            return
        assert answer.status_code == 200, answer.text
        assert answer.json().get("result") != "conflicts", answer.text
        ground.acknowledged.add(tag)


def _changes(tag: str) -> dict[str, Any]:
    pages: list[dict[str, Any]] = [
        {
            "operation": "insert_page",
            "title": f"{tag}-{n}",
            "ref": f"p{n}",
            "document": {"markdown": f"{tag} leads to [it](/pages/p{n - 1 if n else 0}).\n"},
        }
        for n in range(PAGES)
    ]
    file = {"name": f"{tag}.png", "contentType": "image/png", "base64": PIXEL}
    return {"changes": [*pages, {"operation": "insert_files", "files": [file]}]}


def _batches(ground: Ground, client: httpx.Client, name: str) -> Iterator[Call]:
    for n in range(1000):
        tag = f"{name}x{n}x"
        yield tag, lambda t=tag: client.post(f"/v1/spaces/{ground.space}/content", json=_changes(t))  # type: ignore[misc]


def _prepare(ground: Ground, client: httpx.Client, tag: str) -> tuple[str, int]:
    opened = client.post(f"/v1/spaces/{ground.space}/change-requests", json={"subject": tag})
    number = int(opened.json()["number"])
    path = f"/v1/spaces/{ground.space}/change-requests/{number}/content"
    answer = client.post(path, json=_changes(tag))
    assert answer.status_code == 200, answer.text
    return tag, number


def _merges(ground: Ground, client: httpx.Client, requests: list[tuple[str, int]]) -> Iterator[Call]:
    for tag, number in requests:
        path = f"/v1/spaces/{ground.space}/change-requests/{number}/merge"
        yield tag, lambda p=path: client.post(p, json={})  # type: ignore[misc]


def kill_import(ground: Ground, number: int, moment: random.Random) -> None:
    """Kill an import, and look at what is left."""
    _write_tree(ground.folder / "tree", number)
    started, process = time.monotonic(), _import(ground)
    try:
        process.wait(moment.uniform(0.5, 1.05) * ground.import_seconds)
        ground.import_seconds = time.monotonic() - started  # the machine is quicker than it was
    except subprocess.TimeoutExpired:
        ground.import_seconds *= 1.02  # or slower: most kills shall meet an import at work
        process.kill()
    ended = process.wait()
    (text,) = {page.body for page in ground.state(ground.imports).pages.values()}
    there = text == f"Round {number}.\n"
    assert there or text == f"Round {ground.imported}.\n", "an import is half there"
    assert there or ended != 0, "an import that ended well is not there"
    ground.outcomes["imports there" if there else "imports absent"] += 1
    ground.imported = number if there else ground.imported
    look(ground)


def _import(ground: Ground) -> Forked:
    return Forked(
        "app.cli",
        ["import", str(ground.folder / "tree"), "--space", ground.imports, "--database", ground.database],
        environment=environment(),
        stdout=Path(os.devnull),
        stderr=Path(os.devnull),
    )


def _write_tree(folder: Path, number: int) -> None:
    folder.mkdir(exist_ok=True)
    for n in range(IMPORTED):
        (folder / f"p{n}.md").write_text(f"---\ntitle: P{n}\n---\nRound {number}.\n")


def look(ground: Ground) -> None:
    """Refuse a database that is not sound, or operations that are half there or lost."""
    if ground.is_file:
        assert ground.rows("PRAGMA integrity_check") == [("ok",)]
        assert ground.rows("PRAGMA foreign_key_check") == []
    else:
        until(lambda: ground.rows(_OTHERS) == [(0,)], "the killed process is still connected")
    for space in (ground.space, ground.imports):
        state = ground.state(space)
        check(state)
        _check_line(ground, space, state)
    state = ground.state(ground.space)
    found = Counter(page.title.partition("-")[0] for page in state.pages.values())
    found.update(file[0].partition(".")[0] for file in state.files.values())
    assert set(found.values()) <= {PAGES + 1}, "an operation is half there"
    assert ground.acknowledged <= found.keys() <= ground.tried, "an acknowledged operation is lost"
    merged = ground.rows("SELECT subject FROM change_request WHERE status = 'merged'")
    assert {tag for (tag,) in merged} == {tag for tag in found if tag.startswith("merge")}
    ground.outcomes["unacknowledged there"] += len(found.keys() - ground.acknowledged)
    ground.outcomes["absent"] += len(ground.tried - found.keys())
    ground.outcomes["acknowledged"] += len(ground.acknowledged)
    ground.tried = set(found)
    ground.acknowledged = set(found)  # what is there stays there
    ground.outcomes["kills"] += 1


def _check_line(ground: Ground, space: str, state: State) -> None:
    numbers = [n for (n,) in ground.rows("SELECT number FROM revision WHERE line_id = :id ORDER BY 1", space)]
    assert numbers == list(range(1, len(numbers) + 1))
    ((number, last, count, drafts),) = ground.rows(
        "SELECT revision_number, revision_id, change_requests, change_requests_draft"
        " FROM space WHERE id = :id",
        space,
    )
    assert (number, last) == (len(numbers), state.revision)
    requests = ground.rows("SELECT status FROM change_request WHERE space_id = :id", space)
    assert (count, drafts) == (len(requests), requests.count(("draft",)))
    sections = ground.rows("SELECT DISTINCT page_id FROM search_section WHERE space_id = :id", space)
    assert {page for (page,) in sections} == state.pages.keys()


def run(folder: Path, database: str, rounds: int, seed: int) -> Counter[str]:
    """Kill so many times, once in three an import; return what became of the operations."""
    ground, moment = lay(folder, database), random.Random(seed)
    for number in range(1, rounds + 1):
        kill = kill_import if number % 3 == 0 else kill_server
        kill(ground, number, moment)
    with serving(database=ground.database, log=folder / "log") as server, _client(ground, server) as client:
        assert client.get(f"/v1/spaces/{ground.space}/content").status_code == 200
    verified = docyard("audit", "verify", database=ground.database)
    assert verified.returncode == 0, verified.stdout + verified.stderr
    return ground.outcomes


def main() -> None:
    """The long version."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--database", help="an empty one on PostgreSQL; a new file by default")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        database = chosen.database or str(Path(folder, "docyard.db"))
        print(dict(run(Path(folder), database, chosen.rounds, chosen.seed)))


if __name__ == "__main__":
    main()
