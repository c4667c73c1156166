"""The bytes of files and of OpenAPI specifications, from signed addresses that need no token (threats, 35).

What a browser may show by itself is a closed list of types; everything else is an attachment.
Ranges as in RFC 9110, section 14: one range of bytes; several are answered with the whole file.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from app.access.context import Context
from app.api.rest.errors import render
from app.domain.content import downloads
from app.domain.content.downloads import Download
from app.domain.infrastructure import blobs
from app.domain.openapi import openapi_versions
from app.formats.images import SHOWN, sent_as
from app.kit.errors import Problem
from app.kit.http.headers import FILE, matches
from app.runtime import Runtime

_RANGE = re.compile(r"bytes=([0-9]*)-([0-9]*)", re.IGNORECASE)
_SPECIFICATIONS = {"json": "application/json", "yaml": "application/yaml"}
_DIGITS = 18  # of a number: no file is larger, and no number too long to read
# Separators of folders, and characters that make a name look like another one.
_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f/\\\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


async def download(runtime: Runtime, request: Request) -> Response:
    """Answer with the bytes of a file; the address must carry a signature that has not run out."""
    values = request.path_params
    cx = runtime.context_of_nobody()
    try:
        file = await downloads.get(cx, values["signature"], values["space"], values["file"])
        return await answer(cx, request, file)
    except Problem as problem:
        return render(problem)


async def answer(cx: Context, request: Request, file: Download) -> Response:
    """Return the bytes of a file that the caller may read, or the part of them that was asked for."""
    headers = _headers(file)
    if matches(request.headers.get("if-none-match"), headers["etag"]):
        return Response(status_code=304, headers=headers)
    if request.method == "HEAD":
        return Response(headers={**headers, "content-length": str(file.size)})
    part = _part(request, headers["etag"], file.size)
    most = cx.settings.download_limit or file.size
    if most < (file.size if part is None else len(part)):
        told = {name: headers[name] for name in ("content-type", "content-disposition", "cache-control")}
        if elsewhere := await blobs.signed_address(cx, file.blob_id, told):
            return Response(
                status_code=307, headers={"location": elsewhere, "cache-control": "private, no-store"}
            )
        part = part and part[:most]  # less than was asked for, which the answer says (RFC 9110, 15.3.7)
    if part is None:
        return await _bytes(cx, file, range(file.size), 200, headers)
    if not part:
        return Response(status_code=416, headers={**headers, "content-range": f"bytes */{file.size}"})
    said = f"bytes {part.start}-{part.stop - 1}/{file.size}"
    return await _bytes(cx, file, part, 206, {**headers, "content-range": said})


async def specification(runtime: Runtime, request: Request) -> Response:
    """Answer with a file of an OpenAPI specification's version: it never changes, but who may read it may."""
    values = request.path_params
    cx = runtime.context_of_nobody()
    try:
        file = await openapi_versions.get_file(cx, values["signature"], values["version"], values["name"])
    except Problem as problem:
        return render(problem)
    headers = {
        **FILE,
        "content-type": _SPECIFICATIONS[file.format],
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


def _part(request: Request, etag: str, size: int) -> range | None:
    """Return the part asked for, cut at the file's end;
    None where not one range of this very file is meant.
    """
    asked = _RANGE.fullmatch(request.headers.get("range", ""))
    if asked is None or request.headers.get("if-range", etag) != etag:
        return None
    first, last = (int(digits[:_DIGITS]) if digits else None for digits in asked.groups())
    if first is not None:
        end = size if last is None else min(last + 1, size)
        return None if last is not None and last < first else range(first, end)
    if last is None or (last and not size):  # the last bytes of an empty file are the whole of it
        return None
    return range(max(0, size - last), size)


async def _bytes(cx: Context, file: Download, part: range, status: int, headers: dict[str, str]) -> Response:
    headers = {**headers, "content-length": str(len(part))}
    pieces = blobs.pieces(cx, file.blob_id, part.start, part.stop)
    first = await anext(pieces, b"")  # what cannot be read is refused before anything is sent
    if len(first) == len(part):
        return Response(first, status, headers)
    return StreamingResponse(_chained(first, pieces), status, headers)


async def _chained(first: bytes, others: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for piece in others:
        yield piece


def _headers(file: Download) -> dict[str, str]:
    kind = "inline" if file.content_type in SHOWN else "attachment"
    keeping = "public, no-cache" if file.public else "private, no-cache"
    return {
        **FILE,
        **({"access-control-allow-origin": "*"} if file.public else {}),
        "accept-ranges": "bytes",
        "content-type": sent_as(file.content_type),
        "content-disposition": disposition(kind, file.name),
        "cache-control": "private, max-age=86400, immutable" if file.fixed else keeping,
        "etag": f'"{file.blob_id}"',
    }


def disposition(kind: str, name: str) -> str:
    """Return the value of `content-disposition`: whether to show or to save, and under which name."""
    return f"{kind}; filename*=UTF-8''{quote(_UNSAFE.sub('_', name), safe='', errors='replace')}"
