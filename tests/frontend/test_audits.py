"""The audits of the GraphQL over HTTP specification, as the package `graphql-http` publishes them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from tests.cast import Cast

HERE = Path(__file__).parent


def test_all_audits_pass_without_warnings(cast: Cast) -> None:
    command = ["node", "audits.mjs", f"{cast.instance.base}/graphql", cast.ada.token]
    ran = subprocess.run(command, cwd=HERE, capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stderr
    audits = [json.loads(line) for line in ran.stdout.splitlines()]
    assert len(audits) == 61
    assert not [audit for audit in audits if audit["status"] != "ok"]
