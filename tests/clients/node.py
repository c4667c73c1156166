"""Programs in JavaScript that sign people in with published clients, and what a test does meanwhile."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
Does = Callable[[Any], Any]


def node() -> str:
    """Node.js."""
    found = shutil.which("node")
    assert found, "Node.js is not installed"
    return found


def ran(program: str, given: Mapping[str, Any], **does: Does) -> Any:
    """Run a program to its end and return its result; `does` is what it may ask for."""
    with subprocess.Popen(
        [node(), "--no-warnings", program, json.dumps(given)],
        cwd=HERE,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        try:
            for line in process.stdout:
                said = json.loads(line)
                if "result" in said:
                    return said["result"]
                answer = does[said["ask"]](said["value"])
                process.stdin.write(f"{json.dumps(answer)}\n")
                process.stdin.flush()
            raise AssertionError(process.stderr.read())
        finally:
            process.kill()
