"""The product's GraphQL schema on the product's data, executed by Strawberry as it comes.

The token is read as in the product; parsing, validating and executing are Strawberry's own, at every request.
`uvicorn tests.bench.plain_graphql:app`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import orjson
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from app.api.graphql.schema import schema
from app.api.graphql.state import RequestState
from app.kit.settings import Settings
from app.main import Services

_instance = Services(Settings())


async def graphql(request: Request) -> Response:
    """Run the document."""
    asked = orjson.loads(await request.body())
    runtime, header = _instance.runtime, request.headers.get("authorization")
    actor = await runtime.actor(header)
    state = RequestState(runtime, actor, runtime.context(actor), renew=lambda: runtime.actor(header))
    result = await schema.execute(asked["query"], variable_values=asked["variables"], context_value=state)
    if result.errors:
        raise RuntimeError(str(result.errors))
    return Response(
        orjson.dumps({"data": result.data}, option=orjson.OPT_UTC_Z), media_type="application/json"
    )


async def ready(_request: Request) -> Response:
    """The server is up."""
    return PlainTextResponse("ok\n")


@asynccontextmanager
async def lifespan(_app: Starlette) -> AsyncIterator[None]:
    """Open the database as the product does."""
    await _instance.ready()
    yield
    await _instance.close()


app = Starlette(
    lifespan=lifespan, routes=[Route("/ready", ready), Route("/graphql", graphql, methods=["POST"])]
)
