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
from app.rest.errors import render

_RANGE = re.compile(r"bytes=(\d*)-(\d*)$")


async def download(edge: Edge, request: Request) -> Response:
    """A file's bytes; the address must carry a signature that has not run out."""
    values = request.path_params
    cx = edge.context_of_nobody()
    try:
        file = await downloads.get(cx, values["signature"], values["space"], values["file"])
    except Problem as problem:
        return render(problem)
    headers = _headers(file)
    if request.headers.get("if-none-match") == headers["etag"]:
        return Response(status_code=304, headers=headers)
    asked = _RANGE.match(request.headers.get("range", ""))
    if asked is None or not any(asked.groups()):
        return Response(file.data, headers=headers)
    return _part(file.data, headers, asked[1], asked[2])


def _part(data: bytes, headers: dict[str, str], first: str, last: str) -> Response:
    size = len(data)
    start = int(first) if first else max(0, size - int(last))
    end = min(int(last), size - 1) if first and last else size - 1
    if start >= size or start > end:
        return Response(status_code=416, headers={**headers, "content-range": f"bytes */{size}"})
    part = {**headers, "content-range": f"bytes {start}-{end}/{size}"}
    return Response(data[start : end + 1], 206, part)


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
