"""Counting of requests at a site, apart for people with a browser, agents, and bots.

Whoever asks not to be tracked (`DNT`, `Sec-GPC`) is not counted at all, and neither are browsers that fetch a
page before anybody wants it. Previews are no visits, so nothing of them says that it is to be counted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from urllib.parse import urlsplit

from starlette.types import Scope

from app.domain.sites import customizations, page_visits, site_statistics
from app.domain.sites.page_visits import LONGEST
from app.domain.sites.visit_counts import BrowserVisit, Caller, VisitCounts, normalized
from app.kit.callers import address_of
from app.runtime import Runtime
from app.site_reader import request_url
from app.site_reader.visit import Visit

_DESCRIBING = frozenset(
    (
        *(b"user-agent", b"accept-language", b"dnt", b"sec-gpc", b"sec-fetch-dest"),
        *(b"sec-purpose", b"purpose", b"x-moz", b"sec-ch-ua-mobile"),
    )
)
_PROGRAM = re.compile(r"bot\b|crawl|spider|scan|fetch|preview|monitor|headless|://|\+http", re.ASCII | re.I)
_HOST = re.compile(r"(?=.{4,253}\Z)[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z][a-z0-9-]+", re.ASCII)
_LANGUAGE = re.compile(r"([a-z]{2,3})(?:[-_;,]|\Z)", re.ASCII | re.I)
KNOWN = 2_000  # callers and referrers that are read once


@dataclass(slots=True, frozen=True)
class PageOpened:
    """A page of a site, or a file of it for agents, which has no id."""

    site_id: str
    space_id: str = ""
    page_id: str = ""
    is_for_agents: bool = False


@dataclass(slots=True, frozen=True)
class SearchMade:
    """A search on a site, and whether anything was found."""

    site_id: str
    term: str
    is_found: bool


@dataclass(slots=True, frozen=True)
class PageMissed:
    """A path of a site at which there is no page."""

    site_id: str
    path: str


Countable = PageOpened | SearchMade | PageMissed


def is_counted(visit: Visit, item: str | None = None) -> bool:
    """Return whether a site, or one of its spaces, counts this visit."""
    site = visit.site
    looks = customizations.of_site(site) if item is None else customizations.of_space(site, item)
    return visit.preview is None and site_statistics.is_collected(visit.cx, looks)


def count(runtime: Runtime, scope: Scope, found: Countable) -> None:
    """Count what a request was answered with."""
    describing, referrer = [], b""
    for name, value in scope["headers"]:
        if name in _DESCRIBING:
            describing.append((name, value))
        elif name == b"referer":
            referrer = value
    visitor = _described(tuple(describing))
    if visitor is None:
        return
    request = CountedRequest(runtime, scope, visitor, referrer, runtime.clock())
    counts = runtime.visit_counts()
    if isinstance(found, PageOpened):
        request.read(counts, found)
    elif isinstance(found, PageMissed):
        if visitor.is_for_a_page:
            host = request.referring_host()
            counts.missed(found.site_id, found.path, visitor.caller, request.now, host)
    elif visitor.caller == "people":
        words, who = normalized(found.term.split()), request.visitor(found.site_id)
        counts.typed(found.site_id, words, is_found=found.is_found, visitor=who, now=request.now)


def searched_by_agent(runtime: Runtime, visit: Visit, term: str, *, is_found: bool) -> None:
    """Count a search over MCP."""
    if is_counted(visit):
        words, now = normalized(term.split()), runtime.clock()
        runtime.visit_counts().searched(visit.site.id, words, is_found=is_found, caller="agents", now=now)


def read_by_agent(runtime: Runtime, visit: Visit, item: str, space_id: str, page_id: str) -> None:
    """Count a page that was read over MCP."""
    if is_counted(visit, item):
        runtime.visit_counts().read(visit.site.id, space_id, page_id, "agents", runtime.clock())


@dataclass(slots=True, frozen=True)
class VisitorDescription:
    """The caller of a request as its headers describe them: alike for all pages that they open.

    `is_for_a_page` tells whether a page was asked for as one, neither as an image nor by a script.
    """

    agent: str
    caller: Caller
    is_for_a_page: bool
    language: str
    device: str


@lru_cache(KNOWN)
def _described(headers: tuple[tuple[bytes, bytes], ...]) -> VisitorDescription | None:
    """Return what these headers say of the caller; None for one who is not counted."""
    said = dict(headers)
    if _refuses(said):
        return None
    agent = said.get(b"user-agent", b"")[:LONGEST].decode("latin-1")
    is_mobile = said.get(b"sec-ch-ua-mobile") == b"?1" or "Mobi" in agent
    return VisitorDescription(
        agent,
        _caller_of(agent),
        said.get(b"sec-fetch-dest", b"document") == b"document",
        _language_of(said.get(b"accept-language", b"")[:10]),
        "mobile" if is_mobile else "desktop",
    )


def _caller_of(agent: str) -> Caller:
    """Return who calls with this `User-Agent`: all browsers begin alike, and no browser names an address."""
    return "people" if agent.startswith("Mozilla/") and not _PROGRAM.search(agent) else "bots"


def _refuses(said: Mapping[bytes, bytes]) -> bool:
    if said.get(b"dnt") == b"1" or said.get(b"sec-gpc") == b"1":
        return True
    early = said.get(b"sec-purpose") or said.get(b"purpose") or said.get(b"x-moz")
    return early is not None and (b"prefetch" in early or b"preview" in early)


@dataclass(slots=True)
class CountedRequest:
    """A request that is counted: what it says of its caller, and when it came."""

    runtime: Runtime
    scope: Scope
    by: VisitorDescription
    referrer: bytes
    now: datetime

    def read(self, counts: VisitCounts, page: PageOpened) -> None:
        """Count that a page was opened, in a browser with all that is counted of it."""
        site, space, read = page.site_id, page.space_id, page.page_id
        if page.is_for_agents:
            counts.read(site, space, read, "agents", self.now)
        elif not self.by.is_for_a_page:
            return
        elif self.by.caller == "people":
            visit = BrowserVisit(self.referring_host(), self.by.language, self.by.device)
            counts.read(site, space, read, "people", self.now, visit)
            if counts.is_first(hash((site, self.now.date(), self.address, self.by.agent))):
                counts.visited(site, self.now, self.visitor(site))
        else:
            counts.read(site, space, read, "bots", self.now)

    @property
    def address(self) -> str:
        """Return the address of the caller; "" where it is unknown."""
        return address_of(self.scope, self.runtime.settings.proxies) or ""

    def visitor(self, site_id: str) -> int:
        """Return the hash of the visitor on this day, as a number of 64 bits."""
        key = page_visits.visitor_key(self.runtime.signer, self.now, site_id, self.address, self.by.agent)
        return int(key[:16], 16)

    def referring_host(self) -> str:
        """Return the host of the page that leads here; "" for the site's own and for what is no name."""
        host = _host_of(self.referrer[:LONGEST]) if self.referrer else ""
        if not host:
            return ""
        own = request_url.asked_host(self.scope, self.runtime.settings.proxies)
        return host if host != own.partition(":")[0].lower() else ""


@lru_cache(KNOWN)
def _host_of(referrer: bytes) -> str:
    try:
        host = (urlsplit(referrer.decode("latin-1")).hostname or "").lower()
    except ValueError:
        return ""
    return host if _HOST.fullmatch(host) else ""


def _language_of(accepted: bytes) -> str:
    found = _LANGUAGE.match(accepted.decode("latin-1"))
    return found[1].lower() if found else ""
