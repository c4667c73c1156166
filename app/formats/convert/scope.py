"""Which addresses belong to the site being imported, and when two addresses are one page.

A page belongs when it has the start's scheme, host and port and lies under its folder: `/docs/` and `/docs`
both mean everything under `/docs/`, `/docs/intro.html` means its neighbours too. Query and fragment name no
page of their own; `/guide`, `/guide/` and `/guide/index.html` are one page.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
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
class Scope:
    """One site: an `origin` like `https://docs.example.org`, a folder `prefix` with slashes at both ends."""

    origin: str
    prefix: str

    def holds(self, address: str) -> bool:
        """Whether a clean address belongs to the site."""
        return address.startswith(self.origin + "/") and (
            f"{self.path(address)}/" == self.prefix or self.path(address).startswith(self.prefix)
        )

    def path(self, address: str) -> str:
        """The path of a clean address of this origin."""
        return address[len(self.origin) :]

    def inside(self, address: str) -> str:
        """The path below the folder, decoded, without `index.html` and without a slash at either end."""
        path = INDEX.sub("/", self.path(address))
        return unquote(path[len(self.prefix) :]).strip("/") if path.startswith(self.prefix) else ""


def scope_of(address: str) -> Scope:
    """The site that a clean start address stands for."""
    parts = urlsplit(address)
    folder, _, last = parts.path.rpartition("/")
    prefix = f"{folder}/{last}/" if last and "." not in last else f"{folder}/"
    return Scope(f"{parts.scheme}://{parts.netloc}", prefix)


def clean(address: str) -> str | None:
    """One spelling per page address: no query or fragment, lower-case host; None if it is no web address."""
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
    """What the addresses of one page have in common."""
    return INDEX.sub("/", address).rstrip("/")


def may_be_page(address: str) -> bool:
    """Whether the path's ending leaves it open that this is a page."""
    return _NO_PAGE.search(address) is None


def host_of(address: str) -> str:
    """The host of an address, where `www.` makes no difference."""
    return (urlsplit(address).hostname or "").removeprefix("www.")


def _ascii(host: str) -> str:
    """An international name as it travels, which is how it comes back after fetching."""
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
