"""Runs `app.formats.openapi.child`: a process of its own, with little of this one's surroundings.

It is given no environment but where modules and libraries are, so that nothing of it can come out again; its
time and memory end it and nothing else.
"""

from __future__ import annotations

import base64
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson

ROOT = str(Path(__file__).parents[2])
MEMORY = 2 << 30  # bytes of address space
MOST_ANSWER = 400_000_000  # bytes
LIBRARIES = "LD_LIBRARY_PATH"  # runtimes such as that of AWS Lambda say so where libraries of Python are
TOO_LONG = "Reading the specification takes too long."
TOO_MUCH = "The specification needs too much memory, or cannot be read."


def run(files: dict[str, bytes], entry: str, names: dict[str, str], *, seconds: float) -> dict[str, Any]:
    """The answer of the child; blocking. What ends it is one of the answer's `errors`."""
    request = {
        "files": {url: base64.b64encode(data).decode() for url, data in files.items()},
        "entry": entry,
        "names": names,
    }
    command = [sys.executable, "-m", "app.formats.openapi.child", str(int(seconds) + 1), str(MEMORY)]
    places = [ROOT, *filter(None, sys.path)]
    surroundings = {"PYTHONPATH": os.pathsep.join(places), "PATH": os.defpath}
    if LIBRARIES in os.environ:
        surroundings[LIBRARIES] = os.environ[LIBRARIES]
    try:
        done = subprocess.run(
            command,
            input=orjson.dumps(request),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=surroundings,
            cwd=os.path.sep,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {"errors": [TOO_LONG]}
    if done.returncode != 0 or len(done.stdout) > MOST_ANSWER:
        was_stopped = done.returncode in (-24, -9)  # its time, or more memory than there is
        return {"errors": [TOO_LONG if was_stopped else TOO_MUCH]}
    answer: dict[str, Any] = orjson.loads(done.stdout)
    return answer
