"""Text keys in base 62 whose order is that of their bytes: identifiers and ranks.

An identifier has 20 characters: 48 bits of milliseconds, then 72 random bits, so that a primary key is also a
keyset. A rank is fractional: another one always fits between two, so that a move writes one row. It never
ends in the lowest digit, hence there is room before it.
"""

from __future__ import annotations

import os
import secrets
import threading
import time
from collections.abc import Iterator

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
LENGTH = 20
_PAIRS = [a + b for a in ALPHABET for b in ALPHABET]
_lock = threading.Lock()
_last = 0


def new_id() -> str:
    """Return a fresh identifier, greater than every one made before it in this process."""
    global _last
    value = (time.time_ns() // 1_000_000 << 72) | int.from_bytes(os.urandom(9), "big")
    with _lock:
        if value <= _last:
            value = _last + 1 + secrets.randbelow(1 << 40)
        _last = value
    return encode(value)


def encode(value: int) -> str:
    """Return the number as exactly 20 base-62 digits, so that text order is number order."""
    digits = []
    for _ in range(LENGTH // 2):
        value, pair = divmod(value, 3844)
        digits.append(_PAIRS[pair])
    return "".join(reversed(digits))


_BASE = len(ALPHABET)


def rank_between(low: str | None, high: str | None) -> str:
    """Return a rank after `low` and before `high`; None is the open end."""
    low, rank = low or "", ""
    position = 0
    bounded = high is not None
    while True:
        a = ALPHABET.index(low[position]) if position < len(low) else 0
        b = ALPHABET.index(high[position]) if bounded and high and position < len(high) else _BASE
        if b - a > 1:
            return rank + ALPHABET[(a + b) // 2]
        rank += ALPHABET[a]
        if a != b:
            bounded = False
        position += 1


def rank_after(low: str | None) -> str:
    """Return a short rank after `low`: appending a thousand times must not make a thousand digits."""
    if not low:
        return "V"
    for position, digit in enumerate(low):
        if digit != ALPHABET[-1]:
            return low[:position] + ALPHABET[ALPHABET.index(digit) + 1]
    return low + "V"


def spread_ranks(count: int) -> Iterator[str]:
    """Yield `count` ranks in order, evenly spread, all of the same length."""
    width = 1
    while _BASE**width < (count + 1) * 2:
        width += 1
    step = _BASE**width // (count + 1)
    for n in range(1, count + 1):
        value, digits = n * step, ""
        for _ in range(width):
            value, digit = divmod(value, _BASE)
            digits = ALPHABET[digit] + digits
        yield digits.rstrip("0")
