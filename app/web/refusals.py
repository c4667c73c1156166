"""Refusals where no face was reached: a page for people with a browser, JSON for programs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response

from app.api.rest.errors import refused
from app.kit.settings import Settings

_FOR_PROGRAMS = ("/v1/", "/graphql", "/mcp", "/.well-known/")
_CONTENT = """      <p>There is nothing at this address.</p>
      <p><a href="{start}">To the start</a></p>"""


def for_people(settings: Settings) -> Callable[[Request, Exception], Awaitable[Response]]:
    """Return what answers unknown addresses: with a page where somebody opened one in a browser."""

    async def answer(request: Request, error: Exception) -> Response:
        found = await refused(request, error)
        path: str = request.scope["path"]
        if (
            found.status_code != 404
            or request.method not in ("GET", "HEAD")
            or path.startswith(_FOR_PROGRAMS)
        ):
            return found
        from app.web.html import answer_page, depth_of, page, root, wants_page  # few need it

        if not wants_page(request):
            return found
        depth = max(depth_of(request), 0)
        text = page("Not found", _CONTENT.format(start=root(depth) or "./"), depth)
        made = answer_page(settings, text, 404)
        made.headers["vary"] = "Accept"
        return made

    return answer
