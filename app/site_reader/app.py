"""The reader: every answer that a published site gives, from the request to its last byte.

One statement finds the site with all it shows; a page that was written before is found with that, and where
the database tells at once whether anything changed, without any. What was not written yet needs the content
of its space, unless that was read before, its own text, and the texts that it includes: four statements.
"""

from __future__ import annotations

import asyncio
import logging
import weakref
from dataclasses import replace
from typing import Any

from starlette.types import Receive, Scope, Send

from app.access.context import Context
from app.domain.publishing import visitors, visits
from app.domain.publishing.visitors import SiteVisitor, VisitorRefused
from app.domain.publishing.visits import SiteRequest
from app.domain.site_addresses import own_origins
from app.domain.sites import page_visits, site_integrations
from app.domain.sites.page_visits import ViewedPage, VisitorRequest
from app.kit import callers
from app.kit.errors import NotFound, Problem, TooManyRequests
from app.runtime import Runtime
from app.site_reader import (
    counting,
    machine_files,
    offline,
    page_feedback,
    pages,
    request_url,
    responses,
    sign_in,
    site_endpoints,
    texts,
)
from app.site_reader.request_url import SendFile, SiteOrigins
from app.site_reader.responses import SHARED, SiteResponse
from app.site_reader.sign_in import Credentials
from app.site_reader.state import ReaderState, ResponseCache
from app.site_reader.visit import PreviewRequest, VisibleSpaces, Visit, preview_asked, preview_visit, quoted

log = logging.getLogger("docyard.reader")
MOST_TOLD = 50  # views that wait to be told of; more are not told of
REMEMBERED_PATH = 500  # bytes of an address whose answer may be found without a statement


class SiteReader:
    """Answers for all sites of this installation."""

    def __init__(self, runtime: Runtime, addresses: SiteOrigins, send_file: SendFile) -> None:
        self.state = ReaderState(
            runtime, addresses, ResponseCache(runtime.settings.page_cache), VisibleSpaces()
        )
        self._runtime = runtime
        texts.add(runtime.settings.site_texts)
        self._send_file = send_file
        self._telling: set[asyncio.Future[None]] = set()

    async def answer_at_all(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request below the address of all sites."""
        await self.answer(scope, receive, send, "")

    async def answer(self, scope: Scope, receive: Receive, send: Send, host: str) -> None:
        """Answer a request at a site's own `host`, or below the address of all sites."""
        try:
            found = await self._answered(scope, receive, send, host)
        except Problem as problem:
            found = responses.problem_page(self._runtime.settings, problem)
        except Exception:
            log.exception("%s %s failed", scope["method"], scope["path"])
            found = responses.problem_page(
                self._runtime.settings, Problem("Something went wrong on our side.")
            )
        if found is not None and found.counted is not None and scope["method"] == "GET":
            counting.count(self._runtime, scope, found.counted)
        if found is not None and found.status >= 400 and request_url.prefers(scope, "application/json"):
            found = found.as_json()
        if found is not None:
            await found.send(scope, send)

    async def _answered(self, scope: Scope, receive: Receive, send: Send, host: str) -> SiteResponse | None:
        memory: dict[str, Any] = {}
        by = host or own_origins.asked(scope) or ("?" if self._is_navigation(scope) else "")
        markdown = request_url.prefers(scope, "text/markdown")
        key = f"reader {by} {'markdown' * markdown} {request_url.raw_path(scope).decode('latin-1')}"
        if scope["method"] in ("GET", "HEAD") and not scope["query_string"]:
            memory = await self._runtime.db.memory()
            known = memory.get(key)
            found: SiteResponse | None = known() if known else None
            if found is not None:
                return found
        read = request_url.parts_of(scope)
        if read is None:
            raise NotFound("There is nothing at this address.")
        parts, slash = read
        if not host:
            parts = parts[self.state.addresses.prefix.count("/") :]
        if parts[:1] == [request_url.FILES] and not host:
            return await self._file(scope, receive, send, parts[1:])
        made = await self._visited(scope, receive, host, parts, slash)
        if (
            made.cache == SHARED
            and made.status == 200
            and made.viewed is None
            and len(key) <= REMEMBERED_PATH
        ):
            memory[key] = weakref.ref(made)  # it lives as long as there is room for it in the cache
        return made

    async def _visited(
        self, scope: Scope, receive: Receive, host: str, parts: list[str], slash: bool
    ) -> SiteResponse:
        static = site_endpoints.static(parts)
        if static is not None:
            site_endpoints.check_method(scope["method"], [])
            return static
        cx = self._runtime.context_of_nobody()
        if offline.is_worker(parts):
            site_endpoints.check_method(scope["method"], [])
            path = request_url.raw_path(scope).partition(b"?")[0].decode("latin-1")
            return await offline.worker(cx, self._named(parts, host), path)
        credentials = sign_in.credentials(scope)
        if not host and (previewed := preview_asked(parts, credentials.query)) is not None:
            return await self._previewed(cx, scope, receive, previewed, credentials)
        if not host and len(parts) == 1 and (start := await visits.default_address(cx, parts[0])):
            site_endpoints.check_method(scope["method"], [])
            return responses.redirect(start)
        if not host and not parts:
            return responses.start_page(self._runtime.settings)
        named = self._named(parts, host)
        found = await visits.find(cx, replace(named, key=credentials.key, links=credentials.links))
        if found is None:
            raise NotFound("Nothing is published at this address.")
        site, rest = found
        site_endpoints.check_method(scope["method"], rest)
        label = own_origins.asked(scope)
        if label and label != own_origins.label("s", site.id):
            raise NotFound("Nothing is published at this address.")
        query = "?" * bool(scope["query_string"]) + scope["query_string"].decode("latin-1")
        is_shared = not host and not label
        if is_shared and self._is_navigation(scope) and has_scripts(cx, site):
            at = request_url.raw_path(scope).partition(b"?")[0].decode("latin-1")
            return responses.redirect(own_origins.of_site(cx.settings, site.id) + at + query)
        visitor = self._admitted(cx, site, credentials)
        if isinstance(visitor, SiteResponse):
            return visitor
        if visitor is None:
            return await sign_in.sign_in_required(self.state, cx, site, rest, credentials)
        unsigned = visitors.said(site, credentials.said_of(site))
        claims = visitors.known_of(site, visitor, unsigned)
        markdown = request_url.prefers(scope, "text/markdown")
        visit = Visit(cx, site, rest, visitor, claims, own_host=not is_shared, markdown=markdown)
        if scope["method"] in ("GET", "HEAD") and (
            moved := self._elsewhere(visit, host, parts, slash, query)
        ):
            return moved
        return await self._read(visit, scope, receive, credentials, unsigned)

    def _named(self, parts: list[str], host: str) -> SiteRequest:
        """Return what a path names at a site's own host, or at the one that all sites share."""
        return SiteRequest(parts, host=host) if host else SiteRequest(parts[2:], *[*parts[:2], "", ""][:2])

    def _is_navigation(self, scope: Scope) -> bool:
        """Return whether a browser opens an address, where it can be sent to an origin of the site's own."""
        if not self.state.addresses.has_own or scope["method"] not in ("GET", "HEAD"):
            return False
        return request_url.header(scope, b"sec-fetch-mode") == "navigate"

    async def _previewed(
        self, cx: Any, scope: Scope, receive: Receive, asked: PreviewRequest, credentials: Credentials
    ) -> SiteResponse:
        site_endpoints.check_method(scope["method"], asked.parts)
        made = await preview_visit(cx, asked)
        if made is None:
            raise NotFound("There is no such preview, or it has expired.")
        if asked.begins:
            begun = responses.redirect(made.base + quoted(made.parts), status=303)
            return begun.header("x-robots-tag", "noindex")
        return await self._read(made, scope, receive, credentials, {})

    def _admitted(self, cx: Any, site: Any, credentials: Credentials) -> SiteVisitor | SiteResponse | None:
        given_pass = credentials.pass_for(site)
        try:
            return visitors.admitted(cx, site, credentials.key, given_pass, credentials.token)
        except VisitorRefused as refused:
            return responses.error_page(self._runtime.settings, 403, str(refused))

    def _elsewhere(
        self, visit: Visit, host: str, parts: list[str], slash: bool, query: str
    ) -> SiteResponse | None:
        """Redirect to the proper address: at the site's own host, by its name, with no slash at the end."""
        if visit.site.live_proxy:
            return None
        proper = visit.address + quoted(visit.parts)
        if not host and (visit.site.live_hostname or parts[:2] != self._names(visit)):
            return responses.redirect(proper + query)
        if slash and (visit.parts or not host):
            return responses.redirect((visit.base + quoted(visit.parts) or "/") + query, status=308)
        return None

    def _names(self, visit: Visit) -> list[str]:
        site = visit.site
        return [site.organization_hostname or site.organization_id, site.basename or site.id]

    async def _read(
        self, visit: Visit, scope: Scope, receive: Receive, credentials: Credentials, unsigned: dict[str, Any]
    ) -> SiteResponse:
        made = None
        if visit.parts[:1] == ["~"]:
            made = await site_endpoints.respond(
                self.state, visit, visit.parts[1:], scope, receive, credentials
            )
        elif visit.parts and len(visit.parts) <= 1:
            made = await machine_files.respond(self.state, visit, visit.parts[0])
        if made is None:
            shows = visit.preview is None and credentials.in_address(visit.site)
            if shows and not is_markdown(visit.parts):
                return sign_in.remember(self.state, visit, credentials, unsigned)
            made = await pages.respond(self.state, visit)
            if made.viewed is not None and made.status == 200 and _is_view(scope):
                self._tell(visit, made.viewed, page_feedback.reader_of(visit, scope))
        if not visit.is_indexed:
            made.header("x-robots-tag", "noindex")
        return made

    def _tell(self, visit: Visit, page: ViewedPage, reader: VisitorRequest) -> None:
        """Tell integrations of a view, while the answer is on its way."""
        if len(self._telling) >= MOST_TOLD:
            return
        telling = callers.apart(_told(visit, page, reader))
        self._telling.add(telling)
        telling.add_done_callback(self._telling.discard)

    async def _file(
        self, scope: Scope, receive: Receive, send: Send, parts: list[str]
    ) -> SiteResponse | None:
        from app.domain.publishing import site_files

        site_endpoints.check_method(scope["method"], [])
        if len(parts) != 5:
            raise NotFound("There is no such file.")
        cx = self._runtime.context_of_nobody()
        found = await site_files.get(cx, *parts[:4])
        await self._send_file(cx, found, scope, receive, send)
        return None


def has_scripts(cx: Context, site: Any) -> bool:
    """Return whether the pages of a site without a host have scripts of integrations."""
    is_hosted = site.live_hostname or site.live_proxy
    return not is_hosted and bool(site_integrations.shown(cx, site.id, site.scripts_))


def _is_view(scope: Scope) -> bool:
    """Return whether somebody opens a page, and no script or worker asks for it."""
    is_opened = request_url.header(scope, b"sec-fetch-dest") in ("", "document")
    return is_opened and bool(scope["method"] == "GET")


async def _told(visit: Visit, page: ViewedPage, reader: VisitorRequest) -> None:
    try:
        await page_visits.tell_of_view(visit.cx, visit.site, page, reader)
    except TooManyRequests as refused:
        log.warning("a view was not told of: %s", refused.message)
    except Exception:
        log.exception("a view was not told of")


def is_markdown(parts: list[str]) -> bool:
    """Return whether a program asks, which has no cookies, and not a browser."""
    return bool(parts) and parts[-1].endswith(".md")
