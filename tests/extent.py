"""How much of what could run without end is run: a share that every change can wait for.

With `DOCYARD_TESTS=full`, which `.ci/full` sets, all tests run on both engines and proofs in their length.
"""

from __future__ import annotations

import os
from typing import TypeVar

T = TypeVar("T")
FULL = os.environ.get("DOCYARD_TESTS") == "full"


def extent(usual: T, *, full: T) -> T:
    """Return the size of a proof, such as its rounds, in this run."""
    return full if FULL else usual
