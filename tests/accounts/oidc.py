"""A real OpenID Connect provider over HTTP, and how a person signs in on its pages."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import httpx

from tests.accounts.web_client import forms

FRONTEND = Path(__file__).parents[1] / "frontend"
CLIENT, SECRET = "docyard", "not-a-secret"


@contextmanager
def provider() -> Iterator[str]:
    """Run the provider until the block ends; its issuer."""
    node = shutil.which("node")
    assert node, "Node.js is not installed"
    # Modules are found beside the program, so it runs from the folder that has them.
    program = Path(__file__).with_name("provider.mjs").read_text()
    with subprocess.Popen(
        [node, "--no-warnings", "--input-type=module", "-"],
        cwd=FRONTEND,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(program)
        process.stdin.close()
        issuer = ""
        for line in process.stdout:
            if line.startswith("http://"):
                issuer = line.strip()
                break
        assert issuer, "the provider did not start"
        try:
            yield issuer
        finally:
            process.kill()


def sign_in_there(browser: httpx.Client, address: str, login: str) -> str:
    """Sign in on the provider's pages; the address at which it sends the browser back."""
    answer = browser.get(address)
    for _ in range(10):
        if answer.is_redirect:
            there = urljoin(str(answer.url), answer.headers["location"])
            if re.search(r"/oidc/[^/]+/callback\?", there):
                return there
            answer = browser.get(there)
            continue
        form = next(each for each in forms(answer) if "prompt" in each.fields)
        sent: dict[str, Any] = {**form.fields}
        if sent["prompt"] == "login":
            sent |= {"login": login, "password": "any"}
        answer = browser.post(urljoin(str(answer.url), form.action), data=sent)
    raise AssertionError(f"the provider did not send the browser back: {answer.text}")
