"""The ceiling of the reader's bench: a bare Starlette route that answers one page, the bytes of a file."""

from __future__ import annotations

import os
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

PAGE = Path(os.environ["DOCYARD_DATABASE"]).read_bytes()


async def page(_request: Request) -> Response:
    """The page."""
    return Response(PAGE, media_type="text/html; charset=utf-8")


async def ready(_request: Request) -> Response:
    """Tell whether it answers."""
    return PlainTextResponse("ok\n")


app = Starlette(routes=[Route("/page", page), Route("/ready", ready)])
