"""The ceiling on PostgreSQL: one asyncpg statement and orjson, without token, rights, validation or audit.

`uvicorn tests.bench.postgres_ceiling:app`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
import orjson
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from tests.bench.ceiling import DATABASE, space

CONNECTIONS = 16


def _time(name: str) -> str:
    return f"""to_char({name} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')"""


COLUMNS = (
    f"id, title, emoji, icon, {_time('created_at')}, {_time('updated_at')}, edit_mode, organization_id,"
    " revision_id, default_level, comments, change_requests, change_requests_open, change_requests_draft"
)
ONE = f"SELECT {COLUMNS} FROM space WHERE id = $1"
IN_ORGANIZATION = f"SELECT {COLUMNS} FROM space WHERE organization_id = $1 AND deleted_at IS NULL"
ORDER = "ORDER BY rank, id LIMIT $2"
LIST = f"{IN_ORGANIZATION} {ORDER}"
LATER = f"{IN_ORGANIZATION} AND (rank, id) > (SELECT rank, id FROM space WHERE id = $3) {ORDER}"
RENAME = f"UPDATE space SET title = $1, updated_at = now() WHERE id = $2 RETURNING {COLUMNS}"


async def get_space(request: Request) -> Response:
    """One space."""
    return _json(space(await request.app.state.pool.fetchrow(ONE, request.path_params["id"])))


async def list_spaces(request: Request) -> Response:
    """A page of an organization's spaces after an id."""
    query = request.query_params
    values = [request.path_params["id"], int(query["limit"])]
    text, values = (LATER, [*values, query["after"]]) if "after" in query else (LIST, values)
    return _json({"items": [space(row) for row in await request.app.state.pool.fetch(text, *values)]})


async def rename_space(request: Request) -> Response:
    """A new title, durably."""
    title, space_id = orjson.loads(await request.body())["title"], request.path_params["id"]
    return _json(space(await request.app.state.pool.fetchrow(RENAME, title, space_id)))


async def ready(_request: Request) -> Response:
    """The server is up."""
    return PlainTextResponse("ok\n")


def _json(value: object) -> Response:
    return Response(orjson.dumps(value), media_type="application/json")


@asynccontextmanager
async def lifespan(app: Starlette) -> AsyncIterator[None]:
    """Open the pool."""
    async with asyncpg.create_pool(DATABASE, min_size=CONNECTIONS, max_size=CONNECTIONS) as pool:
        app.state.pool = pool
        yield


app = Starlette(
    lifespan=lifespan,
    routes=[
        Route("/ready", ready),
        Route("/spaces/{id}", get_space),
        Route("/spaces/{id}", rename_space, methods=["PATCH"]),
        Route("/orgs/{id}/spaces", list_spaces),
    ],
)
