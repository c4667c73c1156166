"""Which requests are for published sites: those at the origin of all sites, those at a site's own host, and,
where the settings say so, those below an address of the API's origin.

Everything else goes on to the API, which is answered at no origin of sites; at a site's own host there is
nothing but the site. Sessions of the API are for nobody here: where hosts differ by their port alone,
browsers send those cookies along, and they are taken out. The reader itself is loaded when the first visitor
comes, apart from the event loop.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from starlette.types import ASGIApp, Receive, Scope, Send

from app.cookies import without_sessions
from app.domain.site_addresses import addresses, own_origins
from app.kit import workers
from app.kit.logs import ASKED
from app.runtime import Runtime
from app.site_reader.request_url import SendFile, SiteOrigins, asked_host, domain_of

if TYPE_CHECKING:
    from app.site_reader.app import SiteReader

UNKNOWN_FOR = 2.0  # seconds; a look-up for every call at a host that is no site would be felt
MOST_UNKNOWN = 1000


class SiteDispatch:
    """Hands visitors of sites to the reader, what integrations publish to `beside`, and everybody else on."""

    def __init__(
        self, app: ASGIApp, *, runtime: Runtime, addresses: SiteOrigins, send_file: SendFile, beside: ASGIApp
    ) -> None:
        self._app = app
        self._beside = beside
        self._runtime = runtime
        self._send_file = send_file
        self._addresses = addresses
        self._reader: SiteReader | None = None
        self._unknown: dict[str, float] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        host, path = asked_host(scope, self._runtime.settings.proxies), scope["path"]
        if label := self._addresses.label_of(host):
            scope[ASKED] = addresses.template(scope["method"], path)
            await self._apart({**without_sessions(scope), own_origins.LABEL: label}, receive, send)
        elif self._addresses.may_be_a_site(host) and await self._is_a_site(host):
            scope[ASKED] = addresses.template(scope["method"], path)
            reader = await self._opened()
            await reader.answer(without_sessions(scope), receive, send, domain_of(host))
        elif self._addresses.is_apart(scope, host) or self._addresses.names_sites(path):
            is_a_site = self._addresses.is_of_sites(path)
            scope[ASKED] = addresses.template(scope["method"], path)
            answer = (await self._opened()).answer_at_all if is_a_site else self._beside
            await answer(without_sessions(scope), receive, send)
        else:
            await self._app(scope, receive, send)

    async def _apart(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer at a host that an integration or a site has for itself, as below the address of all."""
        is_a_site = own_origins.is_of_site(own_origins.asked(scope))
        if is_a_site and self._addresses.is_of_sites(scope["path"]):
            await (await self._opened()).answer_at_all(scope, receive, send)
        else:
            await self._beside(scope, receive, send)

    async def _opened(self) -> SiteReader:
        """Get the reader, made for the first visitor."""
        if self._reader is None:
            await workers.load("app.site_reader.app", "app.site_reader.rendering.page")
        if self._reader is None:
            from app.site_reader.app import SiteReader

            self._reader = SiteReader(self._runtime, self._addresses, self._send_file)
        return self._reader

    async def _is_a_site(self, host: str) -> bool:
        name = domain_of(host)
        if not name or self._unknown.get(name, 0.0) > time.monotonic():
            return False
        from app.domain.site_addresses import site_hosts

        if await site_hosts.is_a_host(self._runtime.context_of_nobody(), name):
            return True
        if self._runtime.db.dialect != "sqlite":  # which remembers it itself, until something changes
            if len(self._unknown) >= MOST_UNKNOWN:
                self._unknown.clear()
            self._unknown[name] = time.monotonic() + UNKNOWN_FOR
        return False
