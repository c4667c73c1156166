"""What the prelude cannot do itself: text encodings, names of hosts, randomness and hashes.

Each answers one letter; bytes come from strangers, so sizes are bounded by the memory they come from.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Callable

from app.kit.sandbox.guest import Answer

HASHES = {"SHA-1": "sha1", "SHA-256": "sha256", "SHA-384": "sha384", "SHA-512": "sha512"}
MOST_RANDOM = 65_536


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


def _hmac(text: str, data: bytes) -> bytes:
    start = 2 + int.from_bytes(data[:2], "big")
    return hmac.digest(data[2:start], data[start:], HASHES[text])


SERVICES: dict[str, Callable[[str, bytes], Answer]] = {
    "e": _encode,
    "d": _decode,
    "l": _latin1,
    "i": _idna,
    "n": _random,
    "h": _digest,
    "m": _hmac,
}
UNREPEATABLE = frozenset("n")  # a script that asks for these while it loads is loaded anew each time
