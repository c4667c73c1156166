"""Fractional ranks: text keys between which another always fits, so that a move writes one row.

Digits are base 62 in ASCII order; a rank never ends in the lowest digit, hence there is room before it.
"""

from __future__ import annotations

from collections.abc import Iterator

from app.kit.ids import ALPHABET

_BASE = len(ALPHABET)


def between(low: str | None, high: str | None) -> str:
    """A rank after `low` and before `high`; None is the open end."""
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


def after(low: str | None) -> str:
    """A short rank after `low`: appending a thousand times must not make a thousand digits."""
    if not low:
        return "V"
    for position, digit in enumerate(low):
        if digit != ALPHABET[-1]:
            return low[:position] + ALPHABET[ALPHABET.index(digit) + 1]
    return low + "V"


def spread(count: int) -> Iterator[str]:
    """`count` ranks in order, evenly spread, all of the same length."""
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
