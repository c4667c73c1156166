"""The bytes of files, from signed addresses that need no cookie and no token (threats, 35).

What a browser may show inside a page is a closed list of picture types; everything else is an attachment.
Ranges as in RFC 9110, section 14: one range of bytes.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from app.content.images import SHOWN
from app.domain import downloads
from app.edge import Edge
from app.kit.errors import Problem
from app.rest.adapter import matches
from app.rest.errors import render

_RANGE = re.compile(r"bytes=(\d*)-(\d*)\Z")
_DIGITS = 18  # of a number: no file is larger, and no number too long to read


async def download(edge: Edge, request: Request) -> Response:
    """A file's bytes; the address must carry a signature that has not run out."""
    values = request.path_params
    cx = edge.context_of_nobody()
    try:
        file = await downloads.get(cx, values["signature"], values["space"], values["file"])
    except Problem as problem:
        return render(problem)
    headers = _headers(file)
    if matches(request.headers.get("if-none-match"), headers["etag"]):
        return Response(status_code=304, headers=headers)
    asked = _range(request, headers["etag"])
    if asked is None:
        return Response(file.data, headers=headers)
    return _part(file.data, headers, *asked)


def _range(request: Request, etag: str) -> tuple[int | None, int | None] | None:
    """The first and last byte asked for, as far as this very file and one valid range are meant."""
    asked = _RANGE.match(request.headers.get("range", ""))
    if asked is None or request.headers.get("if-range", etag) != etag:
        return None
    first, last = (int(digits[:_DIGITS]) if digits else None for digits in asked.groups())
    if first is None:
        return None if last is None else (first, last)
    return None if last is not None and last < first else (first, last)


def _part(data: bytes, headers: dict[str, str], first: int | None, last: int | None) -> Response:
    size = len(data)
    if first is None:  # so many bytes from the end
        first, last = max(0, size - (last or 0)), None
    if first >= size:
        return Response(status_code=416, headers={**headers, "content-range": f"bytes */{size}"})
    end = size if last is None else min(last + 1, size)
    part = {**headers, "content-range": f"bytes {first}-{end - 1}/{size}"}
    return Response(data[first:end], 206, part)


def _headers(file: Any) -> dict[str, str]:
    shown = file.content_type in SHOWN
    kind = "inline" if shown else "attachment"
    return {
        "content-type": file.content_type,
        "content-disposition": f"{kind}; filename*=UTF-8''{quote(file.name, safe='')}",
        "content-security-policy": "default-src 'none'; sandbox",
        "x-content-type-options": "nosniff",
        "cross-origin-resource-policy": "cross-origin",
        "referrer-policy": "no-referrer",
        "cache-control": "private, max-age=3600",
        "accept-ranges": "bytes",
        "etag": f'"{file.blob_id[:40]}"',
    }
