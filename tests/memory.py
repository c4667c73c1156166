"""Peak memory of functions, measured in a process of its own, as threads of this one allocate memory too.

peak_memory(bombs)  # `bombs` is a function of a module, which gives functions without arguments by name
"""

from __future__ import annotations

import json
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
Works = Callable[[], Mapping[str, Callable[[], object]]]


def peak_memory(works: Works) -> dict[str, int]:
    """The bytes that each of these pieces of work takes at its most."""
    ran = subprocess.run(
        [sys.executable, "-m", "tests.memory", works.__module__, works.__name__],
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    found: dict[str, int] = json.loads(ran.stdout)
    return found


def _weigh(work: Callable[[], object]) -> int:
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    work()
    return tracemalloc.get_traced_memory()[1] - before


def _main(module: str, name: str) -> None:
    works = getattr(import_module(module), name)()
    tracemalloc.start()
    json.dump({each: _weigh(work) for each, work in works.items()}, sys.stdout)


if __name__ == "__main__":
    _main(*sys.argv[1:])
