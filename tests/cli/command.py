"""The `docyard` command as its users have it: a process of its own, which is forked (see `forked`)."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests.cli.fork_server import ROOT as ROOT
from tests.cli.fork_server import Forked
from tests.timing import TIMEOUT, until

AUDIT_KEY = "the-key-of-the-tests-is-long-enough"
SECRET = "the-secret-of-the-tests-is-long-enough"
Run = Callable[..., tuple[int, str, str]]  # a command in this process: its exit code, stdout and stderr


def environment(**settings: str) -> dict[str, str]:
    """This environment with only these of Docyard's settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DOCYARD_")}
    return {**kept, "COLUMNS": "80", "DOCYARD_AUDIT_KEY": AUDIT_KEY, "DOCYARD_SECRET": SECRET, **settings}


def docyard(*arguments: str, database: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run one command to its end."""
    with tempfile.TemporaryDirectory() as folder:
        stdout, stderr = Path(folder, "stdout"), Path(folder, "stderr")
        given = [*arguments, "--database", database]
        ran = Forked("app.cli", given, environment=environment(**settings), stdout=stdout, stderr=stderr)
        try:
            code = ran.wait(TIMEOUT)
        finally:
            ran.kill()
        return subprocess.CompletedProcess(given, code, stdout.read_text(), stderr.read_text())


@dataclass
class Serving:
    """A running `docyard serve`: what it printed so far, and where it answers."""

    process: Forked
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
        return httpx.get(self.address + path, headers={"Authorization": f"Bearer {token}"}, timeout=TIMEOUT)

    def _printed(self, pattern: str) -> str:
        found = re.search(pattern, self.printed)
        assert found, self.printed
        return found[1]

    def end(self) -> int:
        """Ask it to end and return its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(TIMEOUT)


@contextmanager
def serving(
    *arguments: str,
    database: str,
    log: Path,
    port: str = "0",
    handles: str = "",
    program: str = "app.cli",
    **settings: str,
) -> Iterator[Serving]:
    """`docyard serve` until the block ends, on a free port if none is given, with at most so many handles
    open; or a program that is called like it."""
    shown = log.with_name(f"{log.name}.stdout")
    shown.unlink(missing_ok=True)
    process = Forked(
        program,
        ["serve", "--port", port, "--database", database, *arguments],
        environment=environment(**settings),
        stdout=shown,
        stderr=log,
        handles=int(handles or 0),
    )
    try:
        yield Serving(process, _banner(process, shown, log), log)
    finally:
        process.kill()


def _banner(process: Forked, shown: Path, log: Path) -> str:
    def printed() -> str:
        assert process.poll() is None, f"the server ended: {log.read_text()}"
        text = shown.read_text() if shown.exists() else ""
        return text if "Press Ctrl-C to stop." in text else ""

    return until(printed, "the server does not begin")
