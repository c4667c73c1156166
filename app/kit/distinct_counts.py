"""Estimates how many different things there were, of which nothing is kept (HyperLogLog).

Each thing is a hash, of which one register notes the longest run of zeros that it saw. Many hashes share a
register, so a sketch does not tell whether a certain thing was among them. Sketches of parts are merged into
that of the whole. 4,096 registers estimate to within 1.6 % (standard error); small numbers more closely.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import log

BITS = 12
REGISTERS = 1 << BITS
_REST = 64 - BITS
_ALPHA = 0.7213 / (1 + 1.079 / REGISTERS)
_POWERS = [2.0**-n for n in range(_REST + 2)]


def place_of(digest: int) -> tuple[int, int]:
    """Return the register of a hash of 64 bits, and what is noted there."""
    rest = digest & ((1 << _REST) - 1)
    return digest >> _REST, _REST - rest.bit_length() + 1


def merged(sketch: bytes | None, noted: Mapping[int, int]) -> bytes:
    """Return a sketch, or an empty one, with the largest of what is noted for each register."""
    registers = bytearray(sketch or bytes(REGISTERS))
    for register, run in noted.items():
        if run > registers[register]:
            registers[register] = run
    return bytes(registers)


def estimated(sketch: bytes) -> int:
    """Return about how many different things a sketch has seen."""
    empty = sketch.count(0)
    counted = REGISTERS * log(REGISTERS / empty) if empty else 0.0
    if empty and counted <= 2.5 * REGISTERS:
        return round(counted)
    return round(_ALPHA * REGISTERS**2 / sum(_POWERS[run] for run in sketch))
