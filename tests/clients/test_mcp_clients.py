"""The official MCP client and the public inspector sign somebody in at `/mcp`, from Node.js."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from sqlalchemy import update

from app.access.context import Context
from app.kit.database.statements import command, table
from app.models.access import Token
from tests import make
from tests.cast import Cast
from tests.clients.node import HERE, node, ran
from tests.factories.agents import agent
from tests.oauth.client import sent_back
from tests.timing import TIMEOUT

BACK = "http://127.0.0.1:8123/back"


def expire(cast: Cast) -> None:
    """Let the access tokens of all applications end; they can be refreshed."""

    async def end(cx: Context) -> None:
        t = table(Token)
        await cx.tx.run(command(lambda: update(t).where(t.c.kind == "oauth").values(expires_at=cx.now)))

    cast.instance.inside(end)


@pytest.mark.parametrize(("mode", "version"), [("legacy", "2025-11-25"), ("auto", "2026-07-28")])
def test_the_official_client_registers_signs_in_and_refreshes(cast: Cast, mode: str, version: str) -> None:
    given = {
        "server": cast.instance.base,
        "back": BACK,
        "mode": mode,
        "space": make.space(cast.ada, cast.organization)["id"],
    }
    found = ran(
        "mcp.mjs",
        given,
        visit=lambda address: sent_back(cast.ed, address),
        expire=lambda _: expire(cast),
    )
    asked = parse_qs(urlsplit(found["asked"]).query)
    assert asked["code_challenge_method"] == ["S256"]
    assert asked["resource"] == [f"{cast.instance.base}/mcp"]
    assert asked["scope"] == ["read write"], "and none of the scopes that integrations need"
    assert {"search", "edit_pages"} <= set(found["tools"])
    assert (found["subject"], found["version"]) == (mode, version)
    assert (found["refreshed"], found["changed"]) == (1, True)


class Inspector:
    """The public inspector on a command line, with a home of its own."""

    def __init__(self, cast: Cast, home: Path) -> None:
        self.place = f"{cast.instance.base}/mcp"
        own = {"HOME": str(home), "MCP_INSPECTOR_SECRET_STORE": "file", "MCP_AUTO_OPEN_ENABLED": "false"}
        self.environment = {**os.environ, **own}

    @contextmanager
    def started(self, *arguments: str, stdin: int = subprocess.DEVNULL) -> Iterator[subprocess.Popen[str]]:
        """The inspector, until the block ends."""
        program = "node_modules/.bin/mcp-inspector"
        with subprocess.Popen(
            [node(), "--no-warnings", program, "--cli", self.place, "--format", "json", *arguments],
            cwd=HERE,
            env=self.environment,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            try:
                yield process
            finally:
                process.kill()

    def found(self, *arguments: str) -> Any:
        """Return what it prints that needs nobody at a browser."""
        with self.started(*arguments) as process:
            out, err = process.communicate(timeout=TIMEOUT)
            assert process.returncode == 0, err
            return json.loads(out)["result"]


@pytest.fixture
def inspector(cast: Cast, tmp_path: Path) -> Inspector:
    return Inspector(cast, tmp_path)


def tools(found: Any) -> set[str]:
    """The names of listed tools."""
    return {tool["name"] for tool in found["tools"]}


def test_the_inspector_takes_a_token(cast: Cast, inspector: Inspector) -> None:
    login = f"Authorization: Bearer {agent(cast.ed).token}"
    listed = inspector.found("--method", "tools/list", "--strict", "--header", login)
    assert {"search", "edit_pages"} <= tools(listed)
    call = ("--method", "tools/call", "--tool-name", "list_organizations", "--header", login)
    called = inspector.found("--protocol-era", "modern", *call)
    assert cast.organization in called["content"][0]["text"]


def test_the_inspector_registers_signs_in_and_refreshes(cast: Cast, inspector: Inspector) -> None:
    ours, theirs = pty.openpty()  # it asks nobody to sign in who has no terminal
    with (
        closing(os.fdopen(ours)),
        closing(os.fdopen(theirs)),
        inspector.started(
            "--method", "tools/list", "--callback-url", "http://127.0.0.1:0/back", stdin=theirs
        ) as process,
    ):
        assert process.stderr
        asked = next(line.split()[-1] for line in process.stderr if line.startswith("Please navigate to: "))
        answer = httpx.get(sent_back(cast.ed, asked), timeout=TIMEOUT)
        assert answer.status_code == 200
        out, err = process.communicate(timeout=TIMEOUT)
        assert process.returncode == 0, err
    assert "edit_pages" in tools(json.loads(out)["result"])
    assert parse_qs(urlsplit(asked).query)["scope"] == ["read write"]

    expire(cast)
    assert "edit_pages" in tools(inspector.found("--method", "tools/list", "--stored-auth-only"))
