"""The ceiling: the same answers by the barest means, in plain Starlette routes on the product's own file.

Reading is one aiosqlite statement and orjson, without token, rights or validation. Writing is one thread that
commits everything that waits together, durably. `uvicorn tests.bench.ceiling:app`.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import aiosqlite
import orjson
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from app.access.rights import ONLY_WHILE_DELETED, READ_PUBLISHED, SPACE
from tests.bench.compiled import PLANS

DATABASE, BASE = os.environ["DOCYARD_DATABASE"], os.environ["DOCYARD_BASE_URL"]
PRAGMAS = (
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA busy_timeout=30000;"
    " PRAGMA mmap_size=268435456; PRAGMA cache_size=-32768;"
)
COLUMNS = (
    "id, title, emoji, icon, created_at, updated_at, edit_mode, organization_id, revision_id, default_level,"
    " comments, change_requests, change_requests_open, change_requests_draft"
)
ONE = f"SELECT {COLUMNS} FROM space WHERE id = ?"
LIST = (
    f"SELECT {COLUMNS} FROM space WHERE organization_id = ? AND deleted_at IS NULL ORDER BY rank, id LIMIT ?"
)
LATER = (
    f"SELECT {COLUMNS} FROM space WHERE organization_id = ? AND deleted_at IS NULL"
    " AND (rank, id) > (SELECT rank, id FROM space WHERE id = ?) ORDER BY rank, id LIMIT ?"
)
RENAME = f"UPDATE space SET title = ?, updated_at = ? WHERE id = ? RETURNING {COLUMNS}"
FIND = (
    "SELECT rowid, bm25(search_index, 0.0, 10.0, 5.0, 1.0) AS score FROM search_index"
    " WHERE search_index MATCH ? ORDER BY score LIMIT 50"
)
# Of an administrator, on a space that is not deleted; that everybody reads what is published is not told.
PERMISSIONS = {right: right not in ONLY_WHILE_DELETED for right in SPACE if right != READ_PUBLISHED}


def space(row: Sequence[Any]) -> dict[str, Any]:
    """A space as the product answers it."""
    i, title, emoji, icon, created, updated, mode, org, revision, level, comments, every, open_, draft = row
    urls = {"location": f"{BASE}/v1/spaces/{i}", "app": f"{BASE}/o/{org}/s/{i}"}
    out = {
        "object": "space", "id": i, "title": title, "visibility": "private", "createdAt": created,
        "updatedAt": updated, "editMode": mode, "urls": {**urls, "icon": icon} if icon else urls,
        "organization": org, "revision": revision, "defaultLevel": level, "comments": comments,
        "changeRequests": every, "changeRequestsOpen": open_, "changeRequestsDraft": draft,
        "permissions": PERMISSIONS,
    }  # fmt: skip
    return {**out, "emoji": emoji} if emoji else out


class Writer:
    """One thread that writes all that waits in one transaction; everybody is answered after its commit."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1)
        self._connection = sqlite3.connect(DATABASE, isolation_level=None, check_same_thread=False)
        self._connection.executescript(PRAGMAS)
        self._waiting: list[tuple[tuple[str, str, str], asyncio.Future[Any]]] = []
        self._running: asyncio.Task[None] | None = None

    def rename(self, title: str, space_id: str) -> asyncio.Future[Any]:
        """The row as it is once it is stored."""
        done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        self._waiting.append(((title, now, space_id), done))
        if self._running is None or self._running.done():
            self._running = asyncio.create_task(self._write_all())
        return done

    async def _write_all(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting, []
            changes = [change for change, _ in batch]
            rows = await asyncio.get_running_loop().run_in_executor(self._thread, self._commit, changes)
            for row, (_, done) in zip(rows, batch, strict=True):
                done.set_result(row)

    def _commit(self, changes: list[tuple[str, str, str]]) -> list[Any]:
        self._connection.execute("BEGIN IMMEDIATE")
        rows = [self._connection.execute(RENAME, change).fetchall()[0] for change in changes]
        self._connection.execute("COMMIT")
        return rows


async def get_space(request: Request) -> Response:
    """One space."""
    rows = list(await request.app.state.db.execute_fetchall(ONE, (request.path_params["id"],)))
    return _json(space(rows[0]))


async def list_spaces(request: Request) -> Response:
    """A page of an organization's spaces after an id."""
    query = request.query_params
    organization_id, limit = request.path_params["id"], int(query["limit"])
    if "after" in query:
        rows = await request.app.state.db.execute_fetchall(LATER, (organization_id, query["after"], limit))
    else:
        rows = await request.app.state.db.execute_fetchall(LIST, (organization_id, limit))
    return _json({"items": [space(row) for row in rows]})


async def rename_space(request: Request) -> Response:
    """A new title, durably."""
    change = orjson.loads(await request.body())
    return _json(space(await request.app.state.writer.rename(change["title"], request.path_params["id"])))


async def search(request: Request) -> Response:
    """The bare full-text query."""
    rows = await request.app.state.db.execute_fetchall(FIND, (request.query_params["match"],))
    return _json({"items": [{"id": row[0], "score": row[1]} for row in rows]})


async def graphql(request: Request) -> Response:
    """A document that was compiled by hand, found by its text."""
    asked = orjson.loads(await request.body())
    data = await PLANS[asked["query"]](request.app.state.db, asked["variables"])
    return _json({"data": data})


async def ready(_request: Request) -> Response:
    """The server is up."""
    return PlainTextResponse("ok\n")


def _json(value: Any) -> Response:
    return Response(orjson.dumps(value), media_type="application/json")


@asynccontextmanager
async def lifespan(app: Starlette) -> AsyncIterator[None]:
    """Open one connection that reads and the writer."""
    app.state.db = await aiosqlite.connect(DATABASE, isolation_level=None)
    await app.state.db.executescript(PRAGMAS)
    app.state.writer = Writer()
    yield
    await app.state.db.close()


app = Starlette(
    lifespan=lifespan,
    routes=[
        Route("/ready", ready),
        Route("/spaces/{id}", get_space),
        Route("/spaces/{id}", rename_space, methods=["PATCH"]),
        Route("/orgs/{id}/spaces", list_spaces),
        Route("/search", search),
        Route("/graphql", graphql, methods=["POST"]),
    ],
)
