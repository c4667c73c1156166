"""Files of OpenAPI specifications, from addresses that need no cookie and no token."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from app.api.rest.adapter import matches
from app.api.rest.errors import render
from app.domain.infrastructure import blobs
from app.domain.openapi import openapi_versions
from app.kit.errors import Problem
from app.kit.http.headers import FILE
from app.runtime import Runtime

TYPES = {"json": "application/json", "yaml": "application/yaml"}


async def send(runtime: Runtime, request: Request) -> Response:
    """A file of a version; it can never be another one, but who may read it may change."""
    values = request.path_params
    cx = runtime.context_of_nobody()
    try:
        file = await openapi_versions.get_file(cx, values["signature"], values["version"], values["name"])
    except Problem as problem:
        return render(problem)
    headers = {
        **FILE,
        "content-type": TYPES[file.format],
        "cache-control": "public, no-cache" if file.public else "private, no-cache",
        "etag": f'"{file.blob_id}"',
    }
    if file.public:
        headers["access-control-allow-origin"] = "*"
    if matches(request.headers.get("if-none-match"), headers["etag"]):
        return Response(status_code=304, headers=headers)
    headers["content-length"] = str(file.size)
    if request.method == "HEAD":
        return Response(headers=headers)
    return StreamingResponse(blobs.pieces(cx, file.blob_id, 0, file.size), headers=headers)
