"""Functions of the host that scripts call: encodings, host names, randomness, hashes, keys, and fetches.

Input comes from untrusted scripts; its size is limited by the memory of the guest. Fetches are checked for
their form, limited, and sent through the guarded client.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import re
import time
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any
from urllib.parse import urlsplit

from app.kit import callers
from app.kit.http.outbound import Outbound, OutboundError, OutboundResponse
from app.kit.sandbox.guest import Answer
from app.kit.sandbox.shapes import Budget, Fetch, Headers, ScriptFetch

HASHES = {"SHA-1": "sha1", "SHA-256": "sha256", "SHA-384": "sha384", "SHA-512": "sha512"}
MOST_RANDOM = 65_536


class Message(StrEnum):
    """The kinds of messages by their first letter, as in `prelude/text.js`; the text of a message follows."""

    ENCODE = "e"
    DECODE = "d"
    LATIN1 = "l"
    IDNA = "i"
    RANDOM = "n"
    DIGEST = "h"
    SUBTLE = "s"
    FETCH = "f"
    LOG = "c"
    TIMER = "t"
    LOADED = "o"
    FAILED = "x"
    RESPONSE = "r"
    FINISHED = "z"


def _encode(text: str, _: bytes) -> bytes:
    return text.encode("utf-8", "replace")


def _decode(_: str, data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _latin1(_: str, data: bytes) -> str:
    return data.decode("latin-1")


def _idna(text: str, _: bytes) -> str:
    import idna

    try:
        return idna.encode(text[:1000], uts46=True, transitional=False).decode("ascii")
    except (idna.IDNAError, UnicodeError):
        return "%"  # which no host contains, so that the address is refused


def _random(text: str, _: bytes) -> bytes:
    return os.urandom(min(int(text), MOST_RANDOM))


def _digest(text: str, data: bytes) -> bytes:
    return hashlib.new(HASHES[text], data, usedforsecurity=False).digest()


def _subtle(text: str, data: bytes) -> Answer:
    from app.kit.sandbox import subtle  # few scripts encrypt

    return subtle.answer(text, data)


SERVICES: dict[str, Callable[[str, bytes], Answer]] = {
    Message.ENCODE: _encode,
    Message.DECODE: _decode,
    Message.LATIN1: _latin1,
    Message.IDNA: _idna,
    Message.RANDOM: _random,
    Message.DIGEST: _digest,
    Message.SUBTLE: _subtle,
}
UNREPEATABLE = frozenset((Message.RANDOM,))  # a script that asks for this while it loads is loaded each time


TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,100}")
VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]{0,8000}")
REDIRECTS = ("follow", "manual", "error")
NOT_FOR_SCRIPTS = frozenset({"content-encoding", "content-length", "transfer-encoding", "connection"})


@dataclasses.dataclass(slots=True)
class Allowance:
    """The rest of a budget for fetches."""

    budget: Budget
    calls: int = 0
    size: int = 0

    @property
    def left(self) -> int:
        return max(0, self.budget.fetch_bytes - self.size)

    def count(self) -> None:
        """Count a fetch. Raises OutboundError when there have been enough."""
        self.calls += 1
        if self.calls > self.budget.fetches:
            raise OutboundError("FETCH_ERROR", f"A call may fetch {self.budget.fetches} times.")

    def admit(self, asked: dict[str, Any], body: bytes) -> ScriptFetch:
        """Return a script's wish as a request. Raises OutboundError for a wrong one,
        or when no bytes are left.
        """
        self.spend(len(body))
        method, url, redirect = (asked.get(key) for key in ("method", "url", "redirect"))
        if not isinstance(method, str) or not TOKEN.fullmatch(method) or method in ("CONNECT", "TRACE"):
            raise OutboundError("FETCH_ERROR", "The method cannot be used.")
        if not isinstance(url, str) or len(url) > 8000:
            raise OutboundError("FETCH_ERROR", "The address is not a valid URL.")
        headers = well_formed(asked.get("headers"))
        if not all(value.isascii() for _, value in headers):
            raise OutboundError("FETCH_ERROR", "The values of headers are ASCII.")
        return ScriptFetch(
            method=method,
            url=url,
            headers=headers,
            body=body,
            redirect=redirect if redirect in REDIRECTS else "follow",
        )

    def spend(self, size: int) -> None:
        """Count bytes sent or received."""
        self.size += size
        if self.size > self.budget.fetch_bytes:
            raise OutboundError("FETCH_ERROR", f"A call may fetch {self.budget.fetch_bytes} bytes.")


def well_formed(headers: object) -> Headers:
    """Headers as a script gave them, if they can be headers. Raises OutboundError."""
    if not isinstance(headers, list) or len(headers) > 100:
        raise OutboundError("FETCH_ERROR", "There are too many headers.")
    for pair in headers:
        if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(text, str) for text in pair):
            raise OutboundError("FETCH_ERROR", "A header is a name and a value.")
        if not TOKEN.fullmatch(pair[0]) or not VALUE.fullmatch(pair[1]):
            raise OutboundError("FETCH_ERROR", "A header has characters that headers cannot have.")
    return [(name.lower(), value) for name, value in headers]


def shown(id: int, fetched: OutboundResponse, url: str) -> tuple[str, bytes]:
    """Return an answer as the prelude takes it."""
    headers = [[name, value] for name, value in fetched.headers.items() if name not in NOT_FOR_SCRIPTS]
    status = fetched.status if 200 <= fetched.status <= 599 else 502
    head = {
        "id": id,
        "url": fetched.url,
        "redirected": fetched.url != url,
        "status": status,
        "headers": headers,
    }
    return json.dumps(head), fetched.body


def fetching(outbound: Outbound, *, homes: Sequence[str] = ()) -> Fetch:
    """Return the network as scripts have it: `outbound`, which may also connect to `homes`, our own hosts.

    Each request says how many scripts stand behind it.
    """
    marks = {callers.SCRIPTS_HEADER: str(callers.waiting_scripts.get() + 1)}
    through = dataclasses.replace(_reaching(outbound, homes), marks=marks)

    async def fetch(asked: ScriptFetch) -> OutboundResponse:
        headers: dict[str, str] = {}
        for name, value in asked.headers:
            headers[name] = f"{headers[name]}, {value}" if name in headers else value
        return await through.fetch(
            asked.url,
            accept=headers.pop("accept", None),
            max_bytes=asked.max_bytes,
            headers=headers,
            deadline=time.monotonic() + asked.seconds,
            method=asked.method,
            content=asked.body if asked.body or asked.method in ("POST", "PUT", "PATCH") else None,
            max_redirects=5 if asked.redirect == "follow" else 0,
            any_status=True,
            any_redirect=asked.redirect == "manual",
        )

    return fetch


def _reaching(outbound: Outbound, homes: Sequence[str]) -> Outbound:
    places = [urlsplit(home) for home in homes]
    ports = {"http": 80, "https": 443}
    ours = {(at.hostname, at.port or ports.get(at.scheme, 443)) for at in places if at.hostname}
    return dataclasses.replace(outbound, allow=outbound.allow | ours)
