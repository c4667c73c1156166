"""Integrations of the tests, published as people publish theirs: with the public command line."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from app.kit.ids import new_id
from tests.cast import Cast
from tests.clients.node import node
from tests.factories.integrations import PublishedIntegration

HERE = Path(__file__).parent
PROGRAM = HERE / "node_modules" / "@gitbook" / "cli" / "cli.js"


def published(cast: Cast, folder: Path, example: str, **manifest: Any) -> PublishedIntegration:
    """`examples/EXAMPLE` as the administrator of the cast has published it; `folder` is for its manifest."""
    name = manifest.get("name") or f"lamp-{new_id().lower()}"
    said = {
        "name": name,
        "title": "Lamp counter",
        "script": str(HERE / "examples" / example),
        "scopes": [],
        "organization": cast.organization,
        **manifest,
    }
    path = folder / "gitbook-manifest.yaml"
    path.write_text(json.dumps(said))  # which is YAML too
    environment = {**os.environ, "HOME": str(folder), "TMPDIR": str(folder)}
    environment |= {"GITBOOK_TOKEN": cast.ada.token, "GITBOOK_ENDPOINT": cast.instance.base}
    done = subprocess.run(
        [node(), "--no-warnings", PROGRAM, "publish", path],
        cwd=HERE,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return PublishedIntegration.of(cast, name)
