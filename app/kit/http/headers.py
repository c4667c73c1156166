"""Response headers by the kind of answer, and entity tags of answers that are known to be unchanged.

Every answer gets those of `DATA` that it does not bring itself (`kit.logs.Requests`): no face can forget one.

Tags of answers that are known to be unchanged without being made again.

What an answer was read from is all in the database, so it stays as it is until something is committed there.
A mark of what is committed (`Reader.version`) is cheap to read. Where it is the same before and after an
answer was made, and still when the answer is asked for again, the answer would be the same.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Generic, TypeVar

from cachetools import TTLCache

Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Any, Send], Awaitable[None]]

NO_STORE = "no-store"
PUBLIC = "public, max-age=60, stale-while-revalidate=600"  # of what anybody may read
FOR_EVER = "public, max-age=31536000, immutable"  # for what has a hash of its content in its address
DATA = {
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": NO_STORE,
}
"""Of JSON, and of whatever names no other kind."""
FILE = {
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
    "cross-origin-resource-policy": "cross-origin",
}
"""Of bytes that people uploaded: nothing runs; pages of other hosts may show pictures."""
ENDPOINT = {"content-security-policy": "sandbox allow-scripts allow-forms allow-popups allow-downloads"}
"""Of what scripts of integrations answer: kept in a sandbox without an origin; applications may frame it."""
OWN_ENDPOINT = {"content-security-policy": "object-src 'none'"}
"""Of the same at an origin that is the integration's alone: a page like any other, with its storage."""
_FOLDERS_ONLY = ("script-src", "style-src", "worker-src")


def page_policy(directives: Mapping[str, str], folders: Sequence[str] = ()) -> str:
    """Return the content security policy of a page.

    With `folders` (paths that end with a slash), `'self'` in the sources of scripts, styles and workers means
    these folders of the page's origin only. A source with a path must name a host, and people reach a page by
    hosts that are not known here. So there are two policies, and browsers load what both allow: one names the
    origin, the other the folders at any host.
    """
    made = _joined(directives)
    if not folders:
        return made
    places = " ".join(f"*:*{folder}" for folder in folders)
    narrowed = {
        name: " ".join(places if source == "'self'" else source for source in directives[name].split())
        for name in _FOLDERS_ONLY
        if name in directives
    }
    return f"{made}, {_joined(narrowed)}"


def _joined(directives: Mapping[str, str]) -> str:
    return "; ".join(f"{name} {sources}".rstrip() for name, sources in directives.items())


def etag(content: bytes) -> str:
    """Return a strong tag: equal bytes have equal tags."""
    return f'"{blake2b(content, digest_size=10).hexdigest()}"'


def matches(header: str | None, tag: str) -> bool:
    """Return whether a conditional header names this tag, or any."""
    if header is None:
        return False
    tags = [part.strip().removeprefix("W/") for part in header.split(",")]
    return tag in tags or "*" in tags


def complete(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Return the headers, and those of `DATA` that are not among them."""
    made = list(headers)
    given = {name for name, _ in made}
    for each in _DATA:
        if each[0] not in given:
            made.append(each)
    return made


_DATA = [(name.encode(), value.encode()) for name, value in DATA.items()]


MOST = 2_000
SECONDS = 10.0
"""For which a tag is kept: what depends on the time of day, such as a signed address, lags by no more."""

C = TypeVar("C")


@dataclass(slots=True, frozen=True)
class KeptTag(Generic[C]):
    """The tag of an answer to a caller, at a version of the database.

    `counted` are the organizations in which the request was counted.
    """

    tag: str
    version: Hashable
    caller: C
    counted: tuple[str, ...]


@dataclass(slots=True)
class KeptTags(Generic[C]):
    """The tags of the answers that were made last, by what was asked."""

    _kept: TTLCache[Hashable, KeptTag[C]] = field(default_factory=lambda: TTLCache(MOST, SECONDS))

    def get(self, asked: Hashable) -> KeptTag[C] | None:
        """Return what is kept of an answer."""
        return self._kept.get(asked)

    def put(self, asked: Hashable, kept: KeptTag[C]) -> None:
        """Keep this of an answer."""
        self._kept[asked] = kept
