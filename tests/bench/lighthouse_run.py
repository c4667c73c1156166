"""Runs Lighthouse, with its own slow phone, on a page."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "lighthouse"
FLAGS = "--headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-proxy-server"


def report(url: str, parts: Sequence[str], headers: Mapping[str, str] | None = None) -> Any:
    """Return what Lighthouse says of a page, which is asked for with these headers."""
    if not (FOLDER / "node_modules").exists():
        subprocess.run(["npm", "ci", "--ignore-scripts", "--silent"], cwd=FOLDER, check=True)
    command = ["node", "node_modules/lighthouse/cli/index.js", url, "--output=json", "--quiet"]
    command += [f"--only-categories={','.join(parts)}", f"--chrome-flags={FLAGS}"]
    command += [f"--extra-headers={json.dumps(dict(headers))}"] if headers else []
    ran = subprocess.run(
        command,
        cwd=FOLDER,
        env={**os.environ, "CHROME_PATH": shutil.which("chromium") or ""},
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    return json.loads(ran.stdout)


def scores(found: Any, parts: Sequence[str]) -> dict[str, float]:
    """Return the scores of a report, of 100."""
    return {part: found["categories"][part]["score"] * 100 for part in parts}
