"""The pages for people with a browser: the way in, the API reference at `/docs`, GraphiQL at `/graphql`.

Rules that live here: every byte that they need comes from this package, so they work without the internet,
and a strict content policy forbids everything else; addresses in the pages are relative, so they also work
below a path prefix; of the bundled files only those named in `ASSETS` can be asked for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from app.kit import workers
from app.kit.http.headers import FOR_EVER, page_policy
from app.kit.settings import Settings

_ASKS = re.compile(rb"(?:^|&)(?:query|extensions)=")
STATIC = Path(__file__).parents[1] / "static"

SCRIPT = "text/javascript; charset=utf-8"
STYLE = "text/css; charset=utf-8"
ICON = "image/svg+xml"
TEXT = "text/plain; charset=utf-8"

ASSETS = {
    "icon.svg": ICON,
    "sign-in.css": STYLE,
    "passkeys.js": SCRIPT,
    "graphiql.js": SCRIPT,
    "graphiql.css": STYLE,
    "graphiql/react.production.min.js": SCRIPT,
    "graphiql/react-dom.production.min.js": SCRIPT,
    "graphiql/graphiql.min.js": SCRIPT,
    "graphiql/graphiql.min.css": STYLE,
    "graphiql/LICENSES.txt": TEXT,
}

REFERENCE = ("", "/{page}", "/{group}/{page}", "/{mark}/{kind}/{key}/{name}")
"""Addresses of pages of the reference and of what they load, below its own."""

# The editor inserts <style> elements of its own, hence 'unsafe-inline' there; scripts need no exception.
_POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data:",
    "font-src": "'self' data:",
    "connect-src": "'self'",
    "worker-src": "'self' blob:",
    "frame-ancestors": "'none'",
    "base-uri": "'none'",
    "form-action": "'none'",
}


def pages(settings: Settings) -> list[BaseRoute]:
    """Return the routes of the pages of the reference, and of the files that the editor loads.

    The editor shares its address with the GraphQL endpoint, so the application mounts `graphiql_page` there.
    """

    async def reference_page(request: Request) -> ASGIApp:
        """Return a page that shows a part of `v1/openapi.json` to people."""
        await workers.load("app.api.catalog", "app.api.rest.openapi", "app.web.reference")
        from app.web import reference

        return await reference.answer(settings, request)

    def without_slash(request: Request) -> Response:
        """Send a caller on to the page whose address has no slash at its end."""
        below = request.path_params.get("path", "").rstrip("/")
        query = request.url.query
        path = f"{urlsplit(settings.base_url).path.rstrip('/')}/docs{'/' if below else ''}{below}"
        return RedirectResponse(f"{path}{'?' if query else ''}{query}", 308)

    return [
        *(Route(f"/docs{path}", reference_page) for path in REFERENCE),
        *(Route(f"/docs{path}/", without_slash) for path in ("", "/{path:path}")),
        Route("/static/{version}/{name:path}", asset),
    ]


def asks_for_editor(request: Request) -> bool:
    """Return whether a GET of the GraphQL endpoint sends no document, and takes a page."""
    accept = request.headers.get("accept", "*/*")
    if ("text/html" not in accept and "json" in accept) or _ASKS.search(request.scope["query_string"]):
        return False
    return not request.query_params.keys() & {"query", "extensions"}


def graphiql_page(settings: Settings) -> Response:
    """Return the page in which GraphQL queries are written and run against the page's own address."""
    return _page(settings, "graphiql.html", {"Vary": "Accept"})


def _page(settings: Settings, name: str, more: Mapping[str, str] | None = None) -> Response:
    policy = page_policy(_POLICY, [static_folder(settings)])
    headers = {"Content-Security-Policy": policy, "Cache-Control": "no-cache", **(more or {})}
    return HTMLResponse(page(name), headers=headers)


def static_folder(settings: Settings) -> str:
    """Return the path that the bundled files are below, as browsers ask for them."""
    return f"{urlsplit(settings.base_url).path}/static/"


def asset(request: Request) -> Response:
    """Return one bundled file, gzipped when the browser takes it.

    A file asked for under the current version never changes, so it may be kept for good; under any other
    version (a page opened before an upgrade) it is served, but not kept. Raises HTTPException 404 for a name
    that is not in `ASSETS`.
    """
    name = request.path_params["name"]
    if name not in ASSETS:
        raise HTTPException(404)
    current = request.path_params["version"] == version()
    headers = {
        "Content-Type": ASSETS[name],
        "Cache-Control": FOR_EVER if current else "no-cache",
        "Vary": "Accept-Encoding",
    }
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(plain(name), headers=headers)
    return Response(zipped(name), headers={**headers, "Content-Encoding": "gzip"})


@cache
def page(name: str) -> str:
    """Return a page's HTML with the current version in the addresses of its files."""
    return plain(name).decode().replace("{version}", version())


@cache
def version() -> str:
    """Return a short hash of all bundled files; it changes whenever one of them does."""
    digest = sha256()
    for name in sorted(ASSETS):
        digest.update(sha256(plain(name)).digest())
    return digest.hexdigest()[:12]


@cache
def zipped(name: str) -> bytes:
    """Return a bundled file gzipped; done once, since the largest takes a while."""
    import gzip

    return gzip.compress(plain(name), compresslevel=6, mtime=0)


def plain(name: str) -> bytes:
    """Return a bundled file as it is."""
    return (STATIC / name).read_bytes()
