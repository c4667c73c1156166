"""Scripts of the tests, bundled as people bundle theirs: TypeScript in, one ES module out."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
ESBUILD = HERE / "node_modules" / ".bin" / "esbuild"


@cache
def bundled(name: str) -> str:
    """The module made of `scripts/NAME.ts`. Needs what `.ci/install` installs."""
    assert ESBUILD.exists(), "esbuild is missing: run .ci/install"
    source = HERE / "scripts" / f"{name}.ts"
    made = subprocess.run(
        [ESBUILD, source, "--bundle", "--format=esm", "--target=es2022", "--log-level=warning"],
        capture_output=True,
        check=True,
        text=True,
        timeout=300,
    )
    return made.stdout
