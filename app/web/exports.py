"""The content of spaces as zips, from signed addresses that need no cookie and no token."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from typing import IO

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from app.api.rest.errors import render
from app.domain.imports import exports
from app.kit.errors import Problem
from app.kit.http.headers import FILE
from app.runtime import Runtime
from app.web.files import disposition

CHUNK = 1 << 18  # bytes


async def archive(runtime: Runtime, request: Request) -> Response:
    """Return a zip of a space as it is now; the address must carry a signature that has not run out."""
    cx = runtime.context_of_nobody()
    values = request.path_params
    headers = {
        **FILE,
        "accept-ranges": "none",
        "content-type": "application/zip",
        "content-disposition": disposition("attachment", values["name"]),
        "cache-control": "private, no-store",
    }
    try:
        space = await exports.opened(cx, values["signature"], values["space"])
        if request.method == "HEAD":  # how long it is, is known when it is made
            return Response(headers=headers)
        archive = await exports.to_zip(cx, space)
        headers["content-length"] = str(archive.seek(0, os.SEEK_END))
        archive.seek(0)
        return StreamingResponse(_read(archive), headers=headers)
    except Problem as problem:
        return render(problem)


async def _read(archive: IO[bytes]) -> AsyncIterator[bytes]:
    with archive:
        while chunk := await asyncio.to_thread(archive.read, CHUNK):
            yield chunk
