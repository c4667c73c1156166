"""Scripts of integrations on the pages of a site, and what they may load besides.

A script has an address with its hash, at our own host; nothing stands in a page. What its integration
declared is added to our policy as far as it names hosts, over TLS, for what scripts load: nothing inline, no
`eval`, no schemes, no wildcard alone; and what ours says of forms, the base or frames around us stays.

The host that all sites share may be the API's too, where members have sessions, and other sites' visitors
their passes. Browsers that open a page with such scripts there are sent to an origin of the site's own; for
others the page is in a sandbox, without an origin that could ask for any of it.

What answers of all sites are made with, made once for a process, and which of them are the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from cachetools import LRUCache

from app.domain.sites import site_integrations
from app.kit import counts
from app.kit.callers import SharedWork
from app.kit.settings import Settings
from app.runtime import Runtime
from app.site_reader import block_sizes, responses
from app.site_reader.request_url import SiteOrigins
from app.site_reader.responses import PRIVATE, SHARED, SiteResponse
from app.site_reader.visit import VisibleSpaces, Visit

WIDENED = ("script-src", "connect-src", "img-src", "media-src", "style-src", "font-src", "frame-src")
MOST_SOURCES = 50  # of one directive
APART = "allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox allow-downloads"
_HOST = re.compile(
    r"(?:https://)?(?:\*\.)?(?:[a-z0-9-]+\.)+[a-z]{2,}(?::[0-9]{1,5})?(?:/[\w./~-]*)?", re.A | re.I
)


@dataclass(slots=True, frozen=True)
class PageScripts:
    """The scripts of a page by their addresses, and the policy that it is sent with."""

    addresses: Sequence[str]
    policy: str


def scripts_of_visit(visit: Visit) -> list[dict[str, Any]]:
    """Return the scripts of a site as its pages have them; none in a preview, whose address is a secret."""
    if visit.preview is not None:
        return []
    return site_integrations.shown(visit.cx, visit.site.id, visit.site.scripts_)


def page_scripts(
    settings: Settings,
    base: str,
    given: Sequence[Mapping[str, Any]],
    *,
    own_host: bool,
    is_framed: bool = False,
    has_blocks: bool = False,
    servers: Sequence[str] = (),
) -> PageScripts:
    """Return what a page with these scripts is sent with, at its site's own host or at one of many sites.

    `servers` are sources that the page may send requests to.
    """
    found = [str(each["script"]) for each in given]
    more: dict[str, dict[str, None]] = {"script-src": dict.fromkeys(found)}
    if servers:
        more["connect-src"] = dict.fromkeys(servers)
    if has_blocks:
        more["frame-src"] = dict.fromkeys(responses.framed(settings))
    for each in given:
        for name, sources in _declared(each.get("contentSecurityPolicy")).items():
            if name in WIDENED:
                kept = (
                    f"https://{s.removeprefix('https://')}" for s in sources.split() if _HOST.fullmatch(s)
                )
                more.setdefault(name, {}).update(dict.fromkeys(kept))
    widened = {name: list(sources)[:MOST_SOURCES] for name, sources in more.items() if sources}
    sandbox = APART if found and not own_host else ""
    policy = responses.page_policy(settings, base, widened, sandbox, is_framed=is_framed)
    return PageScripts(found, policy)


def _declared(policy: str | Mapping[str, str] | None) -> Mapping[str, str]:
    """Parse the directives of a policy; of one that is there twice the first counts, as in browsers."""
    if not isinstance(policy, str):
        return policy or {}
    found: dict[str, str] = {}
    for part in policy.split(";"):
        name, _, sources = part.strip().partition(" ")
        found.setdefault(name.lower(), sources)
    return found


class ResponseCache:
    """Answers by what they were made of, at most so many bytes together."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: LRUCache[Hashable, SiteResponse] = LRUCache(
            most, getsizeof=lambda answer: len(answer.written)
        )
        self._making: dict[Hashable, SharedWork[SiteResponse | None]] = {}

    @property
    def held(self) -> int:
        """Return how many bytes are kept."""
        return int(self._kept.currsize)

    def get(self, key: Hashable) -> SiteResponse | None:
        """Return what was kept under a key, if it still is."""
        return self._kept.get(key)

    async def once(
        self, key: Hashable, make: Callable[[], Coroutine[Any, Any, SiteResponse | None]]
    ) -> SiteResponse | None:
        """Return what was kept under a key, or else what `make` makes, once for all who ask meanwhile.

        It goes on while one of them waits. Raises Disconnected where the caller of this request goes away.
        """
        found = self.get(key)
        counts.cache_reads["site_pages", found is not None] += 1
        if found is not None:
            return found
        making = self._making.get(key)
        if making is None or making.is_over:
            making = self._making[key] = SharedWork(make())
        try:
            made = await making.result()
        finally:
            if making.is_over and self._making.get(key) is making:
                del self._making[key]
        if made is not None:
            self.put(key, made)
        return made

    def put(self, key: Hashable, answer: SiteResponse) -> None:
        """Keep an answer; what was not asked for longest goes. One larger than a quarter of all is not."""
        if len(answer.written) * 4 <= self._most:
            self._kept[key] = answer


@dataclass(frozen=True, slots=True)
class ReaderState:
    """The way to the database and the settings, the addresses of sites, and what is kept between requests."""

    runtime: Runtime
    addresses: SiteOrigins
    cache: ResponseCache
    spaces: VisibleSpaces


def cache_control(visit: Visit) -> str:
    """Return who may keep an answer."""
    return PRIVATE if visit.is_private else SHARED


def cache_key(visit: Visit) -> Hashable:
    """Return all that an answer is made from besides what was asked for.

    These are the content by its revisions, what the site shows and how it looks, and for whom: the rows that
    the statement of the visit has read, as they are.
    """
    site = visit.site
    about = (visit.address, site.title, site.visibility, site.agents_context, visit.own_host)
    who = (visit.known, visit.visitor.kind, visit.signing.key)
    rows = (*site.holders, *site.spaces, *sorted(site.specs, key=lambda row: row.id))
    blocks = site_integrations.state_of(site), block_sizes.of_site(site)
    settings = orjson.dumps([site.icon, [tuple(row) for row in site.looks], scripts_of_visit(visit)])
    return about, who, rows, settings, site_integrations.is_watched(site), blocks
