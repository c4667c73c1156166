"""What a site says about itself to programs that visit: `robots.txt` and `sitemap.xml`.

A missing or unreadable `robots.txt` allows everything. A sitemap is XML from a stranger: no document type, no
entities, a limited size; one that breaks these rules is as good as none.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from typing import Any

ROBOT = "Docyard"
MAX_ROBOTS = 500_000
MAX_SITEMAP = 5_000_000
MAX_LOCATIONS = 50_000
LONGEST_DELAY = 10.0


@dataclass(frozen=True, slots=True)
class Robots:
    """The rules of one `robots.txt`; without rules everything is allowed."""

    rules: Any = None
    sitemaps: list[str] = field(default_factory=list)
    delay: float = 0.0

    def allows(self, address: str) -> bool:
        """Whether we may visit this address."""
        return self.rules is None or bool(self.rules.can_fetch(address, ROBOT))


def read_robots(body: bytes) -> Robots:
    """The rules in a `robots.txt`."""
    from protego import Protego

    if not body:
        return Robots()
    text = body[:MAX_ROBOTS].decode("utf-8", "replace")
    try:
        rules = Protego.parse(text)
        delay = rules.crawl_delay(ROBOT) or 0.0
        return Robots(rules, list(rules.sitemaps)[:10], min(max(float(delay), 0.0), LONGEST_DELAY))
    except (ValueError, OverflowError):
        return Robots()


@dataclass(frozen=True, slots=True)
class Sitemap:
    """The pages a sitemap lists, or the further sitemaps, each in order."""

    pages: list[str] = field(default_factory=list)
    sitemaps: list[str] = field(default_factory=list)


def read_sitemap(body: bytes) -> Sitemap:
    """The addresses in a sitemap or an index of sitemaps, compressed or not; none if it cannot be read."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(_expanded(body), parser)
    except (etree.XMLSyntaxError, ValueError, zlib.error):
        return Sitemap()
    # Asked of the parsed document: a search in the bytes would miss other encodings.
    if root.getroottree().docinfo.doctype:
        return Sitemap()
    found = Sitemap()
    for entry in root:
        if isinstance(entry.tag, str) and (location := _location(entry)):
            (found.sitemaps if entry.tag.endswith("}sitemap") else found.pages).append(location)
        if len(found.pages) + len(found.sitemaps) >= MAX_LOCATIONS:
            break
    return found


def _location(entry: Any) -> str:
    for child in entry:
        if isinstance(child.tag, str) and child.tag.rpartition("}")[2] == "loc":
            return str(child.text or "").strip()
    return ""


def _expanded(body: bytes) -> bytes:
    if not body.startswith(b"\x1f\x8b"):
        return body[:MAX_SITEMAP]
    return zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(body, MAX_SITEMAP)
