"""Addresses beside sites at their origin, and where addresses lead that were at the API's before.

Sites, and what integrations answer, show and put into pages, are published at an origin where no session is.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.api.rest.errors import failed, refused
from app.domain.site_addresses.addresses import ENDPOINTS, PICTURES, SCRIPTS
from app.kit.errors import Problem
from app.kit.settings import Settings

PROGRAMS = ("token", "revoke", "register", "device_authorization")
"""The addresses below `/oauth` that programs call."""
_OPEN = [(b"access-control-allow-origin", b"*"), (b"access-control-expose-headers", b"WWW-Authenticate")]
_PREFLIGHT = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "GET, POST",
    "Access-Control-Allow-Headers": "Authorization, Content-Type, MCP-Protocol-Version",
    "Access-Control-Max-Age": "600",
}
Endpoint = Callable[[Request], Awaitable[Response]]
ApplicationOf = Callable[[Request], Awaitable[ASGIApp]]
"""Returns what answers a request."""
ANY = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
_OBJECTS = ("", "/installations/{installation}", "/installations/{installation}/{kind}/{object}")
# Where sites and integrations were before they had an origin of their own, and where that is now.
_MOVED = {
    "sites": "",
    "integrations": f"/{ENDPOINTS}",
    "integration-assets": f"/{PICTURES}",
    "integration-scripts": f"/{SCRIPTS}",
}


class SharedOrigin(Problem):
    """Sites would be at the origin of the API although nobody has asked for that."""


def check(settings: Settings) -> None:
    """Raise SharedOrigin where sites would share the API's origin without `shared_origin`."""
    if not settings.sites_apart and not settings.shared_origin:
        raise SharedOrigin(
            "Set DOCYARD_SITES_URL: published sites need a host or port of their own, apart from that of"
            " DOCYARD_BASE_URL. To have them share it, set DOCYARD_SHARED_ORIGIN=true; the guide tells under"
            " “Threat model” what that gives up."
        )


def beside(prefix: str, integrations: Callable[[str], Endpoint]) -> Starlette:
    """Return the application for what is beside sites; their addresses begin with `prefix`.

    `integrations` returns what answers for an integration, by its name in `integration_doors`.
    """
    app = Starlette(
        routes=[
            *(
                Route(
                    f"{prefix}/{ENDPOINTS}/{{name}}{of}/endpoint{path}", integrations("endpoint"), methods=ANY
                )
                for of in _OBJECTS
                for path in ("", "/{path:path}")
            ),
            Route(f"{prefix}/{ENDPOINTS}/{{name}}/continue", integrations("carry_on")),
            Route(f"{prefix}/{PICTURES}/{{integration}}/{{name}}", integrations("picture")),
            Route(f"{prefix}/{SCRIPTS}/{{installation}}/{{site}}/{{name}}", integrations("site_script")),
            Route("/healthz", health),
        ],
        exception_handlers={HTTPException: refused, Problem: refused, Exception: failed},
    )
    app.router.redirect_slashes = False
    return app


class EveryOrigin:
    """ASGI middleware that lets pages of every origin call what OAuth has for programs.

    No cookie counts there, and a page gets no more than any other program that sends the same.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _is_for_programs(scope["path"]):
            await self._app(scope, receive, send)
        elif scope["method"] == "OPTIONS":
            await Response(status_code=204, headers=_PREFLIGHT)(scope, receive, send)
        else:
            headers = [each for each in scope["headers"] if each[0] != b"origin"]

            async def opened(message: Message) -> None:
                if message["type"] == "http.response.start":
                    message = {**message, "headers": [*message.get("headers", ()), *_OPEN]}
                await send(message)

            await self._app({**scope, "headers": headers}, receive, opened)


class Directly:
    """ASGI middleware that answers one address before the application's router.

    The router's regular expressions and wrappers would cost as much as the read. Its route for the address
    answers what has another method.
    """

    def __init__(self, app: ASGIApp, *, path: str, methods: frozenset[str], answer: ApplicationOf) -> None:
        self._app, self._path, self._methods, self._answer = app, path, methods, answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope.get("path") != self._path or scope.get("method") not in self._methods:
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        try:
            answer = await self._answer(request)
        except Problem as problem:
            answer = await refused(request, problem)
        await answer(scope, receive, send)


def _is_for_programs(path: str) -> bool:
    return path.startswith("/.well-known/") or path.removeprefix("/oauth/") in PROGRAMS


async def health(_request: Request) -> Response:
    """Answer that the server runs."""
    return PlainTextResponse("ok\n")


def moved(settings: Settings) -> list[BaseRoute]:
    """Return the routes that lead from old addresses to the origin of sites."""

    def leading(place: str, now: str) -> Route:
        async def lead(request: Request) -> Response:
            rest = asked_for(request)[1:].partition("/")[2]
            return RedirectResponse(f"{settings.sites_base}{now}/{rest}", 308)

        return Route(f"/{place}/{{rest:path}}", lead, methods=ANY)

    return [leading(place, now) for place, now in _MOVED.items()]


def asked_for(request: Request) -> str:
    """Return the path of a request as it was sent, with its query."""
    scope = request.scope
    path = scope.get("raw_path", scope["path"].encode()).decode("latin-1").partition("?")[0]
    query = scope["query_string"].decode("latin-1")
    return f"{path}{'?' if query else ''}{query}"
