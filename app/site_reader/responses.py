"""Responses of the reader, with the headers that every answer of a site has.

Nothing in a site's pages runs but the reader's own script: the policy allows no other, inline or elsewhere.
An answer to one visitor (`PRIVATE`) is kept by nobody; one to all is asked for again with its ETag.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any
from urllib.parse import quote, urlsplit

import orjson

from app.domain.site_addresses import own_origins
from app.domain.sites.page_visits import ViewedPage
from app.kit.errors import NotFound, Problem
from app.kit.http import headers
from app.kit.settings import Settings
from app.site_reader import texts
from app.site_reader.counting import Countable
from app.site_reader.rendering.render_context import ErrorView, SiteView

HTML = "text/html; charset=utf-8"
TEXT = "text/plain; charset=utf-8"
MARKDOWN = "text/markdown; charset=utf-8"
XML = "application/xml; charset=utf-8"
ATOM = "application/atom+xml; charset=utf-8"
JSON = "application/json"
PRIVATE = "private, no-store"
SHARED = "public, max-age=0, must-revalidate"
FOR_EVER = "public, max-age=31536000, immutable"
INERT = "default-src 'none'; frame-ancestors 'none'; sandbox"
Header = tuple[bytes, bytes]
_KEPT = "%:/?#[]@!$&'()*+,;=~"  # what an address is made of; all else is written in hexadecimal
OVERHEAD = 500  # bytes that an entry costs besides its text
WORTH_ZIPPING = 500  # bytes
LONG = 50_000  # bytes that take longer to gzip than somebody should wait who asks for something else


def page_policy(
    settings: Settings,
    base: str | None,
    more: Mapping[str, Sequence[str]] | None = None,
    sandbox: str = "",
    *,
    is_framed: bool = False,
) -> str:
    """Return the policy of a page of the site below `base`; without one, of a page that no script is on.

    `more` are sources that are added, and `sandbox` what the page may do in a sandbox, if it is in one. A
    page that `is_framed` may be shown in a frame of the console, as previews are.
    """
    files = f" {_origin(settings.sites_base)}" if urlsplit(settings.sites_base).netloc else ""
    allowed = {
        "default-src": "'none'",
        "script-src": "'none'" if base is None else "'self'",
        "style-src": "'self'",
        "img-src": f"'self' data: https:{files}",
        "media-src": f"'self' https:{files}",
        "font-src": "'self'",
        "connect-src": "'self'",
        "manifest-src": "'self'",
        "form-action": "'self'",
        "base-uri": "'none'",
        "frame-ancestors": _origin(settings.base_url) if is_framed else "'none'",
    }
    for name, sources in (more or {}).items():
        allowed[name] = " ".join([*filter(None, [allowed.get(name)]), *sources])
    if sandbox:
        allowed["sandbox"] = sandbox
    folders = [] if base is None else [f"{base}/~/{name}/" for name in ("static", "looks")]
    return headers.page_policy(allowed, folders)


def framed(settings: Settings) -> list[str]:
    """Return the sources of web frames: origins of integrations, and over TLS what they show of others."""
    return [own_origins.pattern(settings) or _origin(settings.sites_base), "https:"]


def _origin(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"


class EncodedBody:
    """A text as it is sent, the hash it is known by, and the same gzipped for the first who can read that."""

    __slots__ = ("_is_worth_it", "_zipped", "etag", "plain")

    def __init__(self, plain: bytes, *, zipped: bool) -> None:
        self.plain = plain
        self.etag = f'"{blake2b(plain, digest_size=12).hexdigest()}"'
        self._is_worth_it = zipped and len(plain) >= WORTH_ZIPPING
        self._zipped: bytes | None = None

    @classmethod
    def of(cls, text: str | bytes, *, zipped: bool = True) -> EncodedBody:
        """Encode a text."""
        plain = text if isinstance(text, bytes) else text.encode("utf-8", "replace")
        return cls(plain, zipped=zipped)

    def zipped_if_long(self) -> EncodedBody:
        """Compress a long body now, in the worker pool where it is made, and return it."""
        if len(self.plain) > LONG:
            _ = self.zipped
        return self

    @property
    def varies(self) -> bool:
        """Return whether some callers are sent it gzipped."""
        return self._is_worth_it

    @property
    def zipped(self) -> bytes | None:
        """Return the text gzipped; None where that is not worth it."""
        if self._zipped is None and self._is_worth_it:
            self._zipped = gzip.compress(self.plain, 6, mtime=0)
        return self._zipped

    def __len__(self) -> int:
        """Return how many bytes it takes, gzipped or not yet: text shrinks to a third."""
        return len(self.plain) * 4 // 3 + OVERHEAD


@dataclass(slots=True, weakref_slot=True)
class SiteResponse:
    """An answer, sent as it is: a status, headers, and a body that may be there gzipped too."""

    written: EncodedBody
    status: int = 200
    media: str = HTML
    policy: str = INERT
    cache: str = PRIVATE
    more: list[Header] = field(default_factory=list)
    message: str = ""  # of a refusal
    viewed: ViewedPage | None = None  # the page, where integrations are told of each view
    counted: Countable | None = None  # what statistics count when this is sent
    heads: dict[bool, list[Header]] = field(default_factory=dict, repr=False)

    def as_json(self) -> SiteResponse:
        """Return the same refusal for a program, in the form of errors that the API has.

        What is JSON already has the form of its protocol, and stays.
        """
        if self.media == JSON:
            return self
        error = {"error": {"code": self.status, "message": self.message or f"Status {self.status}."}}
        more = [head for head in self.more if head[0] != b"vary"]
        written = EncodedBody.of(orjson.dumps(error), zipped=False)
        return SiteResponse(written, self.status, JSON, cache=self.cache, more=more).header("vary", "Accept")

    def header(self, name: str, value: str) -> SiteResponse:
        """Add a header, unless it is there, and return the response."""
        made = (name.encode(), value.encode("latin-1", "replace"))
        if made not in self.more:
            self.more.append(made)
        return self

    async def send(self, scope: Any, send: Any) -> None:
        """Answer a request: with 304 where the caller has it, without a body where only headers are asked."""
        method, known, zips = _asked(scope)
        body = self.written.zipped if zips else None
        heads = self._heads(body is not None)
        status = self.status
        if known and status == 200 and self.cache != PRIVATE and _matches(known, self.written.etag):
            status = 304
            heads = [head for head in heads if head[0] not in (b"content-length", b"content-encoding")]
        await send({"type": "http.response.start", "status": status, "headers": heads})
        sent = b"" if method == "HEAD" or status == 304 else body or self.written.plain
        await send({"type": "http.response.body", "body": sent})

    def _heads(self, zipped: bool) -> list[Header]:
        made = self.heads.get(zipped)
        if made is None:
            body = self.written.zipped if zipped else self.written.plain
            made = self.heads[zipped] = [
                (b"content-type", self.media.encode()),
                (b"content-length", str(len(body or b"")).encode()),
                (b"content-security-policy", self.policy.encode("latin-1", "replace")),
                (b"x-content-type-options", b"nosniff"),
                (b"referrer-policy", b"no-referrer"),
                (b"cache-control", self.cache.encode()),
                *self._opener(),
                *self._vary(zipped),
                *self.more,
            ]
        return made

    def _opener(self) -> Iterable[Header]:
        """Keep who opened the page from it; a sandbox does so too, and browsers refuse to do both."""
        if "sandbox" not in self.policy:
            yield b"cross-origin-opener-policy", b"same-origin"

    def _vary(self, zipped: bool) -> Iterable[Header]:
        if self.cache != PRIVATE and self.status == 200:
            yield b"etag", self.written.etag.encode()
        if self.written.varies:
            yield b"vary", b"Accept-Encoding"
        if zipped:
            yield b"content-encoding", b"gzip"


def redirect(address: str, *, status: int = 307, cache: str = PRIVATE) -> SiteResponse:
    """Send the caller on to an address that is ours or was checked when it was written."""
    return SiteResponse(EncodedBody.of(b""), status, TEXT, cache=cache).header(
        "location", quote(address, safe=_KEPT)
    )


def plain(text: str, status: int = 200, **fields: Any) -> SiteResponse:
    """Answer with a line of text."""
    return SiteResponse(EncodedBody.of(text), status, TEXT, **fields)


def _asked(scope: Any) -> tuple[str, bytes, bool]:
    known, zips = b"", False
    for name, value in scope["headers"]:
        if name == b"if-none-match":
            known = value
        elif name == b"accept-encoding":
            zips = b"gzip" in value and b"gzip;q=0" not in value.replace(b" ", b"")
    return scope["method"], known, zips


def _matches(known: bytes, etag: str) -> bool:
    tags = [tag.strip().removeprefix("W/") for tag in known.decode("latin-1").split(",")]
    return etag in tags or "*" in tags


TITLED = (400, 401, 403, 404, 405, 413, 429, 503)
"""Statuses whose pages have a title of their own."""


def error_page(
    settings: Settings,
    status: int,
    message: str,
    site: SiteView | None = None,
    *,
    language: str = "",
    is_framed: bool = False,
    **more: Any,
) -> SiteResponse:
    """Answer with a page that says why there is none, in the language of its site where it has one.

    `message` is the name of a text, or what is said in English; `more` is the rest of an `ErrorView`.
    """
    from app.site_reader.rendering.page import error_html

    with texts.spoken(site.language if site else language or texts.ENGLISH) as spoken:
        title = spoken.say(f"error.{status}" if status in TITLED else "error")
        said = spoken.texts.get(message, message)
        text = error_html(ErrorView(status, title, said, site, **more))
    policy = page_policy(settings, site.base if site else None, is_framed=is_framed)
    made = SiteResponse(EncodedBody.of(text, zipped=False), status, HTML, policy=policy, message=said)
    return made.header("x-robots-tag", "noindex").header("vary", "Accept")


def start_page(settings: Settings) -> SiteResponse:
    """Answer at the address that all sites are below, where people come who have lost their way."""
    action = (texts.of_language(texts.ENGLISH).say("to-console"), f"{settings.base_url}/")
    return error_page(settings, 404, "start", action=action)


def problem_page(settings: Settings, found: Problem) -> SiteResponse:
    """Answer a request that was refused, or that failed."""
    made = error_page(settings, found.status, found.message)
    for name, value in found.headers.items():
        made.header(name.lower(), value)
    return made


def nothing_here(message: str = "There is no page at this address.") -> NotFound:
    """Return the error for a page that is not there, or not for this visitor: both are the same."""
    return NotFound(message)
