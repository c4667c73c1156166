"""The `docyard` command as its users have it: a process of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests.patience import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
AUDIT_KEY = "the-key-of-the-tests-is-long-enough"
SECRET = "the-secret-of-the-tests-is-long-enough"


def environment(**settings: str) -> dict[str, str]:
    """This environment with only these of Docyard's settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DOCYARD_")}
    return {**kept, "COLUMNS": "80", "DOCYARD_AUDIT_KEY": AUDIT_KEY, "DOCYARD_SECRET": SECRET, **settings}


def docyard(*arguments: str, database: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run one command to its end."""
    return subprocess.run(
        [sys.executable, "-m", "app.cli", *arguments, "--database", database],
        cwd=ROOT, env=environment(**settings), capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip


@dataclass
class Serving:
    """A running `docyard serve`: what it printed so far, and where it answers."""

    process: subprocess.Popen[str]
    printed: str
    log: Path

    @property
    def address(self) -> str:
        """Scheme, host and port."""
        return self._printed(r"Health +(\S+)/healthz")

    @property
    def sites(self) -> str:
        """Where published sites are."""
        return self._printed(r"Sites +(\S+)")

    @property
    def first_space(self) -> str:
        """Where the API shows the demo's first space."""
        return self._printed(r"First space +(\S+)")

    def token(self, role: str) -> str:
        """The demo's token of this role."""
        return self._printed(rf"(?m)^ +{role} +(\S+)  \S+ \S+ <\S+@example\.com>$")

    def get(self, path: str, token: str) -> httpx.Response:
        """A call with this token."""
        return httpx.get(self.address + path, headers={"Authorization": f"Bearer {token}"}, timeout=PATIENCE)

    def _printed(self, pattern: str) -> str:
        found = re.search(pattern, self.printed)
        assert found, self.printed
        return found[1]

    def end(self) -> int:
        """Ask it to end and return its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)


@contextmanager
def serving(
    *arguments: str, database: str, log: Path, handles: str = "", program: str = "app.cli", **settings: str
) -> Iterator[Serving]:
    """`docyard serve` on a free port until the block ends, with at most so many handles open; or a program
    that is called like it."""
    command = [sys.executable, "-m", program, "serve", "--port", "0", "--database", database, *arguments]
    if handles:
        command = ["prlimit", f"--nofile={handles}", *command]
    with (
        log.open("w") as stderr,
        subprocess.Popen(
            command, cwd=ROOT, env=environment(**settings), stdout=subprocess.PIPE, stderr=stderr, text=True
        ) as process,
    ):
        try:
            yield Serving(process, _banner(process, log), log)
        finally:
            process.kill()


def _banner(process: subprocess.Popen[str], log: Path) -> str:
    assert process.stdout is not None
    printed = ""
    while "Ctrl-C ends it." not in printed:
        line = process.stdout.readline()
        assert line, f"the server ended: {log.read_text()}"
        printed += line
    return printed
