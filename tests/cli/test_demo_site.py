"""`docyard serve --demo` publishes the guide as a site, which opens in any browser."""

from __future__ import annotations

import re
from pathlib import Path

import httpx

from tests.cli.command import Serving, serving
from tests.timing import TIMEOUT


def site_of(server: Serving) -> str:
    """The address of the site as the server prints it."""
    match = re.search(r"Site +(http\S+)", server.printed)
    assert match is not None, server.printed
    return match[1]


def test_the_demo_has_a_site_that_opens(empty_database: str, tmp_path: Path) -> None:
    with serving("--demo", database=empty_database, log=tmp_path / "log") as server:
        answer = httpx.get(site_of(server), follow_redirects=True, trust_env=False, timeout=TIMEOUT)
        assert answer.status_code == 200
        assert "<h1>" in answer.text
        assert str(answer.url).endswith("/docyard")
        assert (
            httpx.get(f"{answer.url}/concepts/reading", trust_env=False, timeout=TIMEOUT).status_code == 200
        )
        assert server.end() == 0
    with serving("--demo", database=empty_database, log=tmp_path / "log") as server:
        assert (
            httpx.get(site_of(server), follow_redirects=True, trust_env=False, timeout=TIMEOUT).status_code
            == 200
        )
        assert server.end() == 0
