"""The bytes of uploads, sent to signed addresses that need no token."""

from __future__ import annotations

from collections.abc import AsyncIterator

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from app.api.rest.errors import render
from app.bodies import BROKEN_OFF
from app.domain.uploads import receiving
from app.kit.errors import Invalid, Problem, TooLarge
from app.runtime import Runtime


async def receive(runtime: Runtime, request: Request) -> Response:
    """Receive the bytes of an upload; the answer tags them like the file that they will be."""
    values = request.path_params
    try:
        upload = await receiving.find(runtime.context_of_nobody(), values["signature"], values["upload"])
        announced = request.headers.get("content-length", "")
        if announced.isdigit() and int(announced) > upload.size:
            raise TooLarge(f"The upload was announced with {upload.size:,} bytes; these are more.")
        blob_id = await receiving.receive(runtime, upload, _parts(request))
    except Problem as problem:
        return render(problem)
    return Response(headers={"etag": f'"{blob_id}"'})


async def _parts(request: Request) -> AsyncIterator[bytes]:
    try:
        async for part in request.stream():
            yield part
    except ClientDisconnect:
        raise Invalid(BROKEN_OFF, path="body") from None
