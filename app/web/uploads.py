"""The bytes of uploads, sent to signed addresses that need no token."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from app.api.rest.errors import render
from app.bodies import body_parts, declared_length
from app.domain.uploads import receiving
from app.kit.errors import Problem
from app.runtime import Runtime


async def receive(runtime: Runtime, request: Request) -> Response:
    """Receive the bytes of an upload; the answer has the tag of the file that they become."""
    values = request.path_params
    try:
        upload = await receiving.find(runtime.context_of_nobody(), values["signature"], values["upload"])
        receiving.check_length(upload, declared_length(request))
        blob_id = await receiving.receive(runtime, upload, body_parts(request))
    except Problem as problem:
        return render(problem)
    return Response(headers={"etag": f'"{blob_id}"'})
