"""create_app(settings): the one file that knows everyone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from app import migrations
from app.api.naming import asked_for, named
from app.api.operations import FAMILIES
from app.api.rest.adapter import Rest
from app.api.rest.errors import failed, refused
from app.api.rest.routing import Families
from app.console.pages import routes as console
from app.domain.site_addresses.addresses import RESERVED
from app.kit import callers, workers
from app.kit.database.engines import open_database
from app.kit.errors import Problem
from app.kit.http.compression import CompressedJson
from app.kit.http.event_streams import StreamsAfterwards
from app.kit.logs import LoopMonitor, Requests
from app.kit.settings import Settings
from app.kit.signing import Signer
from app.runtime import Runtime
from app.site_reader.request_url import SiteOrigins
from app.site_reader.site_dispatch import SiteDispatch
from app.web import monitoring, origins, steps
from app.web.pages import asks_for_editor, graphiql_page, pages
from app.web.refusals import for_people

if TYPE_CHECKING:
    from app.access.context import Context
    from app.domain.content.downloads import Download
    from app.present.html_links import HtmlRenderer

DOCUMENT, GRAPHQL = "/v1/openapi.json", "/graphql"


def create_app(settings: Settings) -> Starlette:
    """Return the whole product as one ASGI application; it connects and migrates on first use."""
    origins.check(settings)
    families = Families(FAMILIES)
    services = Services(settings)

    def name_of(scope: Scope) -> str:
        return asked_for(scope, families, app.routes)

    monitor = LoopMonitor(settings.loop_warning, name_of)
    observers = monitoring.observers(settings, name_of)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        await services.ready()
        from app.domain.worker import Worker  # where no lifespan runs, nothing works in the background

        worker = Worker(services.runtime)
        worker.start()
        monitor.start()
        services.runtime.is_resident = True
        yield
        services.runtime.end_streams()
        monitor.stop()
        await worker.stop()
        await services.close()
        await observers.close()

    async def graphql(request: Request) -> ASGIApp:
        if request.scope["method"] != "POST" and asks_for_editor(request):
            return graphiql_page(settings)
        await workers.load("app.api.graphql.server")
        from app.api.graphql import server

        return await server.answer(services.runtime, request)

    async def mcp(request: Request) -> Response:
        await workers.load("app.api.mcp.server")
        from app.api.mcp import server

        return await server.answer(services.runtime, request)

    async def api_document(request: Request) -> Response:
        await workers.load("app.api.catalog", "app.api.rest.openapi")
        from app.api import catalog
        from app.api.rest import openapi

        return await openapi.answer(request, catalog.OPERATIONS, settings.base_url)

    async def ready(request: Request) -> Response:
        return await monitoring.ready(services.runtime, request)

    async def file(request: Request) -> Response:
        from app.web import files

        return await files.download(services.runtime, request)

    async def openapi_file(request: Request) -> Response:
        from app.web import files

        return await files.specification(services.runtime, request)

    async def send_file(cx: Context, file: Download, scope: Scope, receive: Receive, send: Send) -> None:
        from app.web import files

        answer = await files.answer(cx, Request(scope, receive), file)
        await answer(scope, receive, send)

    async def pdf(request: Request) -> Response:
        from app.web import pdf_files

        return await pdf_files.document(services.runtime, request)

    async def export(request: Request) -> Response:
        from app.web import exports

        return await exports.archive(services.runtime, request)

    async def upload(request: Request) -> Response:
        from app.web import uploads

        return await uploads.receive(services.runtime, request)

    def oauth(serve: str, *name: str) -> origins.Endpoint:
        async def step(request: Request) -> Response:
            await workers.load("app.web.oauth")
            from app.web import oauth

            answer: Response = await getattr(oauth, serve)(services.runtime, request, *name)
            return answer

        return step

    def integrations(name: str) -> origins.Endpoint:
        async def step(request: Request) -> Response:
            from app.web import integration_endpoints

            answer: Response = await getattr(integration_endpoints, name)(services.runtime, request)
            return answer

        return step

    addresses = SiteOrigins(settings)
    app = Starlette(
        routes=[
            Route(GRAPHQL, graphql, methods=["GET", "POST"]),
            Route(DOCUMENT, api_document),
            Route("/mcp", mcp, methods=["GET", "POST", "DELETE"]),
            Route("/files/{signature}/{space}/{file}/{name}", file),
            Route("/openapi/{signature}/{version}/{name:path}", openapi_file),
            Route("/pdf/{signature}/{space}/{revision}/{name}", pdf),
            Route("/exports/{signature}/{space}/{name}", export),
            Route("/uploads/{signature}/{upload}/{name}", upload, methods=["PUT"]),
            *(Route(f"/oauth/{name}", oauth("call", name), methods=["POST"]) for name in origins.PROGRAMS),
            *(
                Route(f"/.well-known/{name}{path}", oauth("describe", name))
                for name in ("oauth-authorization-server", "oauth-protected-resource")
                for path in ("", "/{path:path}")
            ),
            Route("/healthz", origins.health),
            Route("/readyz", ready),
            *observers.routes(services.runtime),
            *steps.routes(services.runtime),
            *console(services.runtime),
            *pages(settings),
            *origins.moved(settings),
        ],
        middleware=[
            Middleware(StreamsAfterwards),
            Middleware(
                Requests,
                lines=settings.access_log,
                observers=observers.calls,
            ),
            Middleware(WaitUntilReady, services=services, requests=monitor.requests),
            Middleware(
                SiteDispatch,
                runtime=services.runtime,
                addresses=addresses,
                send_file=send_file,
                beside=origins.beside(addresses.prefix, integrations),
            ),
            Middleware(origins.EveryOrigin),
            *_cors(settings),
            Middleware(CompressedJson, places=("/v1/", GRAPHQL, "/mcp")),
            Middleware(Rest, runtime=services.runtime, families=families, besides=frozenset({DOCUMENT})),
            Middleware(origins.Directly, path=GRAPHQL, methods=frozenset({"GET", "POST"}), answer=graphql),
        ],
        exception_handlers={HTTPException: for_people(settings), Problem: refused, Exception: failed},
        lifespan=lifespan,
    )
    _refuse_unreserved(app)
    app.router.redirect_slashes = False  # an address is right or unknown; no redirect is built from `Host`
    app.state.services = services
    app.state.families = families
    return app


class Services:
    """The database at the right version and the secret that signs, opened once."""

    def __init__(self, settings: Settings) -> None:
        self.db = open_database(
            settings.database,
            readers=settings.read_connections,
            writers=settings.write_connections,
            timeouts=settings.timeouts,
            journal=settings.journal,
            synchronous=settings.synchronous,
            busy_timeout=settings.busy_timeout,
        )
        self.settings = settings
        workers.limits.threads, workers.limits.seconds = settings.worker_threads, settings.worker_seconds
        signer = Signer(settings.secret.encode())
        self.runtime = Runtime(self.db, settings, signer, named=named, html=_html_renderer)
        self.is_ready = False
        self._opening = asyncio.Lock()

    async def ready(self) -> None:
        """Migrate and read the secret, once."""
        async with self._opening:
            if self.is_ready:
                return
            if not await migrations.is_current(self.db):
                await asyncio.to_thread(migrations.upgrade, self.settings.database, self.settings)
            await migrations.check_full_text(self.db, self.settings)
            from app.domain.infrastructure import service

            self.runtime.signer = await service.signer(self.db, self.settings)
            await service.check_audit_key(self.db, self.settings)
            self.is_ready = True

    async def close(self) -> None:
        """Give everything back."""
        await self.runtime.close()
        await self.db.close()


async def _html_renderer() -> HtmlRenderer:
    """Return what renders texts for the API: the site reader does."""
    await workers.load("app.site_reader.rendering.page")
    from app.site_reader.rendering import page

    return page.text_html


class WaitUntilReady:
    """Holds the first request until the services are ready; where no lifespan runs, that is the start.

    Each request's connection is known to what computes for it, which ends when the caller goes away, and
    `requests` has what is answered now, by its task.
    """

    def __init__(self, app: ASGIApp, services: Services, requests: dict[Any, Scope]) -> None:
        self._app, self._services, self._requests = app, services, requests

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if not self._services.is_ready:
            await self._services.ready()
        connection = callers.CallerConnection(receive)
        mark = callers.connection.set(connection)
        task = asyncio.current_task()
        self._requests[task] = scope
        try:
            await self._app(scope, connection.receive, send)
        finally:
            self._requests.pop(task, None)
            callers.connection.reset(mark)


def _refuse_unreserved(app: Starlette) -> None:
    """Raise where a route begins with a word that an organization may have as its name."""
    first = {route.path.split("/")[1] for route in app.routes if isinstance(route, Route)}
    assert first <= RESERVED, f"reserve {first - RESERVED} in domain.addresses"


def _cors(settings: Settings) -> list[Middleware]:
    origins = sorted(settings.allowed_origins)
    if not origins:
        return []
    return [
        Middleware(
            CORSMiddleware,
            allow_origins=origins,
            allow_methods=["*"],
            allow_credentials="*" not in origins,  # everybody's scripts have no use of a session
            allow_headers=_ALLOWED,
            expose_headers=_EXPOSED,
        )
    ]


_ALLOWED = [  # request headers that clients of the APIs send; never the one that stands for a session
    *("Authorization", "Content-Type", "If-Match", "If-None-Match", "Idempotency-Key", "Cache-Control"),
    *("Apollo-Require-Preflight", "X-Apollo-Operation-Name", "X-Apollo-Operation-Id"),
    "Last-Event-ID",
    *("Apollographql-Client-Name", "Apollographql-Client-Version", "X-Requested-With"),
    *("MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "Docyard-Run"),
]
_EXPOSED = [  # response headers that pages of other origins may read
    *("ETag", "Retry-After", "Deprecation", "Idempotency-Replayed", "X-Request-Id"),
    *("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"),
]
