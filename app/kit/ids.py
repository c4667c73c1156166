"""Identifiers: 20 base-62 characters whose order is the order of creation (decisions, Protocol).

48 bits of milliseconds, then 72 random bits: a primary key is also a keyset.
"""

from __future__ import annotations

import os
import secrets
import threading
import time

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
LENGTH = 20
_PAIRS = [a + b for a in ALPHABET for b in ALPHABET]
_lock = threading.Lock()
_last = 0


def new_id() -> str:
    """A fresh identifier, greater than every one made before it in this process."""
    global _last
    value = (time.time_ns() // 1_000_000 << 72) | int.from_bytes(os.urandom(9), "big")
    with _lock:
        if value <= _last:
            value = _last + 1 + secrets.randbelow(1 << 40)
        _last = value
    return encode(value)


def encode(value: int) -> str:
    """The number as exactly 20 base-62 digits, so that text order is number order."""
    digits = []
    for _ in range(LENGTH // 2):
        value, pair = divmod(value, 3844)
        digits.append(_PAIRS[pair])
    return "".join(reversed(digits))
