"""Processes that run a command without reading its code anew: they are forks of one that has read it.

Each has arguments, an environment, streams, signals and an exit code of its own, as if a shell started it.
Tests of what a start itself does start a real one.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from tests.timing import TIMEOUT

ROOT = Path(__file__).resolve().parents[2]
# What servers and most commands load when they begin, or when they open or migrate a database.
LOADED = (
    "app.cli.serve",
    "app.cli.users",
    "app.cli.organizations",
    "app.cli.organization_archives",
    "app.cli.installation",
    "app.cli.backups",
    "app.kit.database.sqlite",
    "app.kit.database.postgres",
    "alembic.command",
    "sqlalchemy.ext.asyncio",
)
_forks = multiprocessing.get_context("forkserver")
_forks.set_forkserver_preload([*LOADED, __name__])


class Forked:
    """A running process, used as `subprocess.Popen` is."""

    def __init__(
        self,
        program: str,
        arguments: Sequence[str],
        *,
        environment: dict[str, str],
        stdout: Path,
        stderr: Path,
        handles: int = 0,
    ) -> None:
        """Call `main` of this module, writing to these files, with at most so many handles unless 0."""
        given = (program, list(arguments), environment, (stdout, stderr), handles)
        self._process = _forks.Process(target=_run, args=given)
        self._process.start()
        self._asking = threading.Lock()  # the exit code is read from a pipe, which has it once
        self.pid: int = self._process.pid or 0

    def poll(self) -> int | None:
        """Return its exit code if it has ended."""
        with self._asking:
            return self._process.exitcode

    def wait(self, timeout: float = TIMEOUT) -> int:
        """Return its exit code once it has ended; raise `TimeoutExpired` after so many seconds."""
        ends = time.monotonic() + timeout
        while (code := self.poll()) is None:
            if time.monotonic() > ends:
                raise subprocess.TimeoutExpired(str(self.pid), timeout)
            time.sleep(0.01)
        return code

    def send_signal(self, number: signal.Signals) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once and wait for that."""
        self.send_signal(signal.SIGKILL)
        self.wait()


def _run(
    program: str, arguments: list[str], environment: dict[str, str], written: tuple[Path, Path], handles: int
) -> None:
    for name, path in zip(("stdout", "stderr"), written, strict=True):
        with path.open("wb") as file:
            os.dup2(file.fileno(), getattr(sys, f"__{name}__").fileno())
        setattr(sys, name, getattr(sys, f"__{name}__"))
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(ROOT)
    if handles:
        resource.setrlimit(resource.RLIMIT_NOFILE, (handles, handles))
    sys.argv = [program, *arguments]
    sys.exit(importlib.import_module(program).main(arguments))
