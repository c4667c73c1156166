"""Visiting the pages of one website, in order and within bounds.

Only pages under the given address are visited, as `robots.txt` allows, in the sitemap's order or else in
the order of the site's own links, navigation first. Pages, depth, bytes and time are bounded, so that
calendars and endless links end; what is left out is told with its reason.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from app.formats.html_import.html_page import MAX_BYTES as LARGEST_PAGE
from app.formats.html_import.html_page import Converted, to_markdown
from app.formats.html_import.imported_files import Fetch
from app.formats.html_import.url_scope import (
    MAX_ROBOTS,
    MAX_SITEMAP,
    Robots,
    UrlScope,
    clean,
    host_of,
    key,
    may_be_page,
    read_robots,
    read_sitemap,
    scope_of,
)
from app.kit import workers
from app.kit.errors import Invalid, OverBudget, TooLarge
from app.kit.http.outbound import OutboundError, OutboundResponse

AT_ONCE = 4
MOST_SITEMAPS = 10
PATIENCE = 10.0  # seconds for robots.txt and each sitemap, which the import can do without
MOST_FOUND = 20_000
MOST_SKIPPED = 1_000
PAGE_TYPES = frozenset({"text/html", "application/xhtml+xml"})


@dataclass(slots=True)
class CrawledPage:
    """A page that was read, at its last address and with its distance from the start."""

    address: str
    depth: int
    title: str
    description: str
    markdown: str


@dataclass(slots=True)
class Crawl:
    """Collects what is known of a site, and counts what may be spent yet; `ends` is in `time.monotonic()`.

    `told` is told how many pages were read, of how many that were found, after every few.
    """

    fetch: Fetch
    scope: UrlScope
    max_pages: int
    bytes_left: int
    ends: float
    max_depth: int
    told: Callable[[int, int], None] = lambda _read, _found: None
    robots: Robots = field(default_factory=Robots)
    pages: list[CrawledPage] = field(default_factory=list)
    found: int = 0
    skipped: list[tuple[str, str]] = field(default_factory=list)
    moved: dict[str, str] = field(default_factory=dict)
    """Page keys that turned out to be another page: by redirect."""
    _known: set[str] = field(default_factory=set)
    _taken: set[str] = field(default_factory=set)
    _waiting: deque[tuple[str, int]] = field(default_factory=deque)

    async def begin(self, start: str) -> None:
        """Read the start page, the robots.txt and the sitemap.

        Raises OutboundError when the start cannot be fetched, Invalid when it is no page we may import.
        """
        fetched = await self.fetch(start, accept="text/html", max_bytes=LARGEST_PAGE, deadline=self.ends)
        self._settle(start, fetched)
        self.robots = read_robots(await self._text(f"{self.scope.origin}/robots.txt", MAX_ROBOTS))
        if not self.robots.allows(fetched.url):
            raise Invalid("The site's robots.txt does not allow this address to be imported.", path="url")
        self._know(start)
        read = await self._read(start, 0, fetched)
        if read is None:
            raise Invalid("There is no HTML page at this address.", path="url")
        for address in await self._sitemap():
            self._note(address, 1)
        self._note_links(read, 1)
        self._tell()

    async def all(self) -> None:
        """Visit what is waiting, a few at a time, keeping the order in which pages were found."""
        while self._waiting:
            if reason := self._spent():
                for address, _depth in self._waiting:
                    self._skip(address, reason)
                return
            batch = self._next_batch()
            await asyncio.sleep(min(self.robots.delay, max(0.0, self.ends - time.monotonic())))
            share = min(LARGEST_PAGE, self.bytes_left // len(batch))
            answers = await asyncio.gather(*(self._fetch_page(address, share) for address, _ in batch))
            for (address, depth), fetched in zip(batch, answers, strict=True):
                read = await self._read(address, depth, fetched) if fetched else None
                if read:
                    self._note_links(read, depth + 1)
            self._tell()

    def _tell(self) -> None:
        self.told(len(self.pages), min(len(self.pages) + len(self._waiting), self.max_pages))

    def _settle(self, start: str, fetched: OutboundResponse) -> None:
        """Follow the start's redirect where it stays with the site: to `https`, or to a page beneath."""
        final = clean(fetched.url)
        if final is None or host_of(final) != host_of(start):
            raise Invalid("The address points to another site.", path="url")
        self.scope = UrlScope(scope_of(final).origin, self.scope.prefix)
        if not self.scope.holds(final):
            raise Invalid("The address points outside itself.", path="url")

    async def _sitemap(self) -> list[str]:
        """Return the pages of the site's sitemaps, in order."""
        origin, prefix = self.scope.origin, self.scope.prefix
        usual = [f"{origin}{prefix}sitemap.xml", f"{origin}/sitemap.xml"]
        waiting = deque(self.robots.sitemaps or usual)
        pages: list[str] = []
        seen: set[str] = set()
        while waiting and len(seen) < MOST_SITEMAPS:
            address = waiting.popleft()
            if address in seen or not address.startswith(f"{origin}/"):
                continue
            seen.add(address)
            text = await self._text(address, MAX_SITEMAP)
            listed = await workers.run(len(text), read_sitemap, text)
            pages += listed.pages
            waiting.extend(listed.sitemaps)
        return pages

    async def _text(self, address: str, most: int) -> bytes:
        ends = min(self.ends, time.monotonic() + PATIENCE)
        try:
            return (await self.fetch(address, max_bytes=most, deadline=ends)).body
        except OutboundError:
            return b""

    def _spent(self) -> str | None:
        if len(self.pages) >= self.max_pages:
            return f"only {self.max_pages} pages are imported"
        if self.bytes_left < AT_ONCE:
            return "the site is larger than an import may be"
        return "time was up" if time.monotonic() >= self.ends else None

    def _next_batch(self) -> list[tuple[str, int]]:
        at_once = 1 if self.robots.delay else AT_ONCE
        size = min(at_once, self.max_pages - len(self.pages), len(self._waiting))
        return [self._waiting.popleft() for _ in range(size)]

    async def _fetch_page(self, address: str, most: int) -> OutboundResponse | None:
        try:
            return await self.fetch(address, accept="text/html", max_bytes=most, deadline=self.ends)
        except OutboundError as error:
            self._skip(address, error.message)
            return None

    async def _read(self, address: str, depth: int, fetched: OutboundResponse) -> Converted | None:
        """Take a page in, unless it turns out to be none, or one that is here already."""
        self.bytes_left -= len(fetched.body)
        final = clean(fetched.url) or ""
        if reason := self._objection(final, fetched):
            self._skip(address, reason)
            return None
        if key(final) != key(address):
            self.moved[key(address)] = key(final)
        if key(final) in self._taken:
            return None
        try:
            convert = partial(to_markdown, fetched.body, base_url=fetched.url, charset=fetched.charset)
            content = await workers.run(len(fetched.body), convert)
        except (Invalid, TooLarge, OverBudget) as error:
            self._skip(address, error.message)
            return None
        self._taken.add(key(final))
        self.pages.append(CrawledPage(final, depth, content.title, content.description, content.markdown))
        return content

    def _objection(self, final: str, fetched: OutboundResponse) -> str | None:
        if not self.scope.holds(final):
            return "leads outside the given address"
        if not self.robots.allows(final):
            return "not allowed by robots.txt"
        return None if fetched.content_type in PAGE_TYPES else "not an HTML page"

    def _note_links(self, read: Converted, depth: int) -> None:
        for link in (*read.navigation, *read.links):
            self._note(link, depth)

    def _note(self, link: str, depth: int) -> None:
        """Remember an address to visit, once."""
        address = clean(link)
        if address is None or not self.scope.holds(address) or not may_be_page(address):
            return
        if key(address) in self._known or self.found >= MOST_FOUND:
            return
        self._know(address)
        if depth > self.max_depth:
            self._skip(address, f"more than {self.max_depth} links away from the start")
        elif not self.robots.allows(address):
            self._skip(address, "not allowed by robots.txt")
        else:
            self._waiting.append((address, depth))

    def _know(self, address: str) -> None:
        self.found += 1
        self._known.add(key(address))

    def _skip(self, address: str, reason: str) -> None:
        if len(self.skipped) < MOST_SKIPPED:
            self.skipped.append((address, reason))
