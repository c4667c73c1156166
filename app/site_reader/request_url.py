"""An address as a visitor's browser asks for it: its host, and the parts of its path, each read once.

What might be read in two ways is no address here: an encoded slash or backslash, a dot part, an empty part, a
control character, bytes that are no text, and what is longer than any page's address (threats, 36, 56).
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from functools import lru_cache
from ipaddress import ip_address
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from starlette.types import Receive, Scope, Send

from app.domain.site_addresses import own_origins
from app.domain.site_addresses.addresses import BESIDE, RESERVED
from app.kit.errors import NotFound
from app.kit.setting_groups import host_of, without_usual_port
from app.kit.settings import Settings

SendFile = Callable[[Any, Any, Scope, Receive, Send], Awaitable[None]]
"""Sends the bytes of a file (see `domain.content.downloads`), as an attachment that runs nothing."""
LONGEST_PATH = 2000  # bytes
LONGEST_QUERY = 8000
MOST_PARTS = 30
MOST_FIELDS = 100
KEPT_HOSTS = 1_000
FILES = "~files"
HEALTH = "/healthz"
_DOMAIN = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)+", re.ASCII)
_WEIGHT = re.compile(r"[01](?:\.[0-9]{0,3})?", re.ASCII)
_ODD = re.compile(r"[\x00-\x1f\x7f/\\\ud800-\udfff]")


def parts_of(scope: Mapping[str, Any]) -> tuple[list[str], bool] | None:
    """Return the parts of a path, and whether it ends with a slash; None for what is no address."""
    raw = raw_path(scope)
    if len(raw) > LONGEST_PATH or not raw.startswith(b"/"):
        return None
    names = raw.partition(b"?")[0].decode("latin-1").split("/")[1:]
    ends = names[-1] == ""
    if ends:
        names.pop()
    if len(names) > MOST_PARTS:
        return None
    found = []
    for name in names:
        try:
            part = unquote(name, errors="strict") if "%" in name else name
        except UnicodeDecodeError:
            return None
        if part in ("", ".", "..") or _ODD.search(part) or not (name.isascii()):
            return None
        found.append(part)
    return found, ends


def raw_path(scope: Mapping[str, Any]) -> bytes:
    """Return the path as it came, or as it must have come where the server does not say."""
    raw: bytes = scope.get("raw_path") or quote(scope["path"], errors="replace").encode()
    return raw


def query_of(scope: Mapping[str, Any]) -> dict[str, str]:
    """Return the fields of the query that are there once; what is there twice counts as absent."""
    raw: bytes = scope.get("query_string", b"")
    if not raw or len(raw) > LONGEST_QUERY:
        return {}
    pairs = pairs_of(raw.decode("latin-1"))
    names = [name for name, _ in pairs]
    return {name: value for name, value in pairs if names.count(name) == 1 and "\x00" not in value}


def pairs_of(text: str) -> list[tuple[str, str]]:
    """Parse names and values as forms write them; none where they are too many."""
    try:
        return parse_qsl(text, keep_blank_values=True, errors="replace", max_num_fields=MOST_FIELDS)
    except ValueError:
        return []


def header(scope: Mapping[str, Any], name: bytes) -> str:
    """Return the first header of this name, or ""."""
    for known, value in scope["headers"]:
        if known == name:
            return str(value, "latin-1")
    return ""


def prefers(scope: Mapping[str, Any], media: str) -> bool:
    """Return whether a caller would rather have this media type than a page; browsers would not."""
    given = header(scope, b"accept")
    if media not in given:
        return False
    weights: dict[str, float] = {}
    for part in given.split(",")[:MOST_FIELDS]:
        name, *parameters = (each.strip().lower() for each in part.split(";"))
        weight = next((each[2:] for each in parameters if each.startswith("q=")), "1")
        weights[name] = float(weight) if _WEIGHT.fullmatch(weight) else 0.0
    return weights.get(media, 0.0) > 0 and weights[media] >= weights.get("text/html", 0.0)


def refuse_other_pages(scope: Mapping[str, Any]) -> None:
    """Raise NotFound for a form that a page elsewhere sent, unless somebody clicked there."""
    clicked = header(scope, b"sec-fetch-user") == "?1"
    if header(scope, b"sec-fetch-site") in ("cross-site", "same-site") and not clicked:
        raise NotFound("There is nothing at this address.")


def asked_host(scope: Mapping[str, Any], proxies: int) -> str:
    """Return the host that was asked, with its port; behind proxies the outermost trusted one's."""
    if proxies:
        told = header(scope, b"x-forwarded-host")
        if told:
            entries = told.split(",")
            return without_usual_port(entries[-min(proxies, len(entries))].strip())
    return without_usual_port(header(scope, b"host"))


@lru_cache(KEPT_HOSTS)
def domain_of(host: str) -> str:
    """Return the name of a host that may be a site's own; "" for an IP address or a bare name."""
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
    if len(name) > 253 or _DOMAIN.fullmatch(name) is None:
        return ""
    try:
        ip_address(name)
    except ValueError:
        return name
    return ""


class SiteOrigins:
    """The base address of sites, by the settings: an origin apart from the API's, or a path below it."""

    def __init__(self, settings: Settings) -> None:
        self.own = host_of(settings.base_url)
        self.apart = settings.sites_apart
        self._sites = host_of(settings.sites_base) if self.apart else ""
        self._port = settings.sites_port
        self._own = own_origins.suffix(settings)
        self.has_own = bool(self._own)
        path = urlsplit(settings.sites_base).path
        below = path if self.apart else path.removeprefix(urlsplit(settings.base_url).path)
        self.prefix = below.rstrip("/")

    def may_be_a_site(self, host: str) -> bool:
        """Return whether a host is neither the API's nor that of all sites, where those are known."""
        return bool(self.own) and host not in (self.own, self._sites)

    def label_of(self, host: str) -> str:
        """Return the label of a host that an integration or a site has for itself; "" for any other."""
        return own_origins.label_of(host, self._own)

    def is_apart(self, scope: Mapping[str, Any], host: str) -> bool:
        """Return whether a request came to the origin that sites have for themselves."""
        if not self.apart:
            return False
        server = scope.get("server")
        return host == self._sites or bool(self._port and server and server[1] == self._port)

    def below(self, path: str) -> str | None:
        """Return the rest of a path that is below the prefix of sites, with its slash; None for any other."""
        if path != self.prefix and not path.startswith(f"{self.prefix}/"):
            return None
        return path[len(self.prefix) :]

    def is_of_sites(self, path: str) -> bool:
        """Return whether a path at the origin of sites is a site's or a file's."""
        rest = self.below(path)
        return rest is not None and path != HEALTH and rest[1:].partition("/")[0] not in BESIDE

    def names_sites(self, path: str) -> bool:
        """Return whether a path at the API's origin names a site, where both share one."""
        rest = None if self.apart else self.below(path)
        if rest is None or self.prefix:
            return rest is not None
        first, _, more = rest[1:].partition("/")
        return bool(more) and first not in RESERVED
