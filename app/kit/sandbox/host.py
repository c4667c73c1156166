"""The messages of the prelude, and the host's services: text encodings, host names, randomness and hashes.

The bytes come from strangers, so sizes are bounded by the memory they come from.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Callable
from enum import StrEnum

from app.kit.sandbox.guest import Answer

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
    HMAC = "m"
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


def _hmac(text: str, data: bytes) -> bytes:
    start = 2 + int.from_bytes(data[:2], "big")
    return hmac.digest(data[2:start], data[start:], HASHES[text])


SERVICES: dict[str, Callable[[str, bytes], Answer]] = {
    Message.ENCODE: _encode,
    Message.DECODE: _decode,
    Message.LATIN1: _latin1,
    Message.IDNA: _idna,
    Message.RANDOM: _random,
    Message.DIGEST: _digest,
    Message.HMAC: _hmac,
}
UNREPEATABLE = frozenset((Message.RANDOM,))  # a script that asks for this while it loads is loaded each time
