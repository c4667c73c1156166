"""Which addresses belong to the site being imported, and when two addresses are one page.

A page belongs when it has the start's scheme, host and port and lies under its folder: `/docs/` and `/docs`
both mean everything under `/docs/`, `/docs/intro.html` means its neighbours too. Query and fragment name no
page of their own; `/guide`, `/guide/` and `/guide/index.html` are one page.

What a site says about itself to programs that visit counts as well. A missing or unreadable `robots.txt`
allows everything. A sitemap is XML from a stranger: no document type, no entities, a limited size; one that
breaks these rules is as good as none.
"""

from __future__ import annotations

import posixpath
import re
import zlib
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, unquote, urlsplit, urlunsplit

LONGEST = 1000
INDEX = re.compile(r"/(?:index|default)\.(?:html?|xhtml|php|aspx?)\Z", re.IGNORECASE)
_PORTS = {"http": 80, "https": 443}
_SAFE = "/-._~!$&'()*+,;=:@"
_NO_PAGE = re.compile(
    r"\.(?:png|jpe?g|gif|webp|svg|ico|css|m?js|json|xml|rss|atom|pdf|zip|gz|tgz|tar|bz2|xz|7z|rar|exe|msi|dmg|deb"
    r"|rpm|jar|mp[34]|webm|avi|mov|wav|ogg|woff2?|ttf|otf|eot|docx?|xlsx?|pptx?|csv|txt|ya?ml|whl)\Z",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class UrlScope:
    """One site: an `origin` like `https://docs.example.org`, a folder `prefix` with slashes at both ends."""

    origin: str
    prefix: str

    def holds(self, address: str) -> bool:
        """Return whether a clean address belongs to the site."""
        return address.startswith(self.origin + "/") and (
            f"{self.path(address)}/" == self.prefix or self.path(address).startswith(self.prefix)
        )

    def path(self, address: str) -> str:
        """Return the path of a clean address of this origin."""
        return address[len(self.origin) :]

    def inside(self, address: str) -> str:
        """Return the path below the folder, decoded,
        without `index.html` and without a slash at either end.
        """
        path = INDEX.sub("/", self.path(address))
        return unquote(path[len(self.prefix) :]).strip("/") if path.startswith(self.prefix) else ""


def scope_of(address: str) -> UrlScope:
    """Return the site that a clean start address stands for."""
    parts = urlsplit(address)
    folder, _, last = parts.path.rpartition("/")
    prefix = f"{folder}/{last}/" if last and "." not in last else f"{folder}/"
    return UrlScope(f"{parts.scheme}://{parts.netloc}", prefix)


def clean(address: str) -> str | None:
    """Return one spelling per page address: no query or fragment, lower-case host;
    None if it is no web address.
    """
    try:
        parts = urlsplit(address.strip())
        port = parts.port
        host = parts.hostname
    except ValueError:
        return None
    if parts.scheme not in _PORTS or not host or parts.username is not None or len(address) > LONGEST:
        return None
    netloc = f"[{host}]" if ":" in host else _ascii(host)
    if port is not None and port != _PORTS[parts.scheme]:
        netloc = f"{netloc}:{port}"
    return urlunsplit((parts.scheme, netloc, _clean_path(parts.path), "", ""))


def key(address: str) -> str:
    """Return what the addresses of one page have in common."""
    return INDEX.sub("/", address).rstrip("/")


def may_be_page(address: str) -> bool:
    """Return whether the path's ending leaves it open that this is a page."""
    return _NO_PAGE.search(address) is None


def host_of(address: str) -> str:
    """Return the host of an address, where `www.` makes no difference."""
    return (urlsplit(address).hostname or "").removeprefix("www.")


def _ascii(host: str) -> str:
    """Return an international name as it travels, which is how it comes back after fetching."""
    if host.isascii():
        return host
    import idna

    try:
        return idna.encode(host, uts46=True).decode("ascii")
    except idna.IDNAError:
        return host


def _clean_path(path: str) -> str:
    decoded = unquote(path, errors="replace").replace("\\", "/")
    normal = posixpath.normpath("/" + decoded.lstrip("/"))
    if decoded.endswith(("/", "/.", "/..")) and normal != "/":
        normal += "/"
    return quote(normal, safe=_SAFE)


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
        """Return whether we may visit this address."""
        return self.rules is None or bool(self.rules.can_fetch(address, ROBOT))


def read_robots(body: bytes) -> Robots:
    """Return the rules in a `robots.txt`."""
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
    """Return the addresses in a sitemap or an index of sitemaps, compressed or not;
    none if it cannot be read.
    """
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
