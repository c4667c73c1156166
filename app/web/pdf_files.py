"""Documents in print, from signed addresses that need no cookie and no token.

They are attachments with the headers of `downloads`: a browser saves them, and runs nothing of them.
"""

from __future__ import annotations

from hashlib import blake2b

from starlette.requests import Request
from starlette.responses import Response

from app.api.rest.errors import render
from app.domain.pdf import pdf_exports
from app.domain.pdf.pdf_exports import OpenedPdf, PdfSelection
from app.kit.errors import Problem
from app.kit.http.headers import FILE, matches
from app.runtime import Runtime
from app.web.files import disposition


async def document(runtime: Runtime, request: Request) -> Response:
    """Return a PDF; the address must carry a signature that has not run out."""
    cx = runtime.context_of_nobody()
    try:
        opened = await pdf_exports.opened(cx, request.path_params["signature"], _edition(request))
        headers = _headers(opened)
        if matches(request.headers.get("if-none-match"), headers["etag"]):
            return Response(status_code=304, headers=headers)
        if request.method == "HEAD":  # how long it is, is known when it is set
            return Response(headers=headers)

        from app.domain.pdf import typesetting

        key = opened.edition.text
        content = await runtime.pdf_queue().get(key, lambda stopped: typesetting.pdf(cx, opened, stopped))
        return Response(content, headers=headers)
    except Problem as problem:
        return render(problem)


def _edition(request: Request) -> PdfSelection:
    values, asked = request.path_params, request.query_params
    return PdfSelection(
        values["space"],
        values["revision"],
        asked.get("changeRequest"),
        asked.get("page"),
        asked.get("only") == "true",
    )


def _headers(opened: OpenedPdf) -> dict[str, str]:
    tag = blake2b(f"{opened.edition.text} {opened.name}".encode(), digest_size=10).hexdigest()
    return {
        **FILE,
        "accept-ranges": "none",
        "content-type": "application/pdf",
        "content-disposition": disposition("attachment", opened.name),
        "cache-control": "private, max-age=3600",
        "etag": f'"{tag}"',
    }
