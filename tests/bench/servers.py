"""Servers under measurement: processes of their own on one core, whose processor time can be read."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests.cli.command import environment
from tests.postgres import free_port

ROOT = Path(__file__).resolve().parents[2]
PUBLIC = "https://docs.example.org"  # the same in every server, so that answers can be compared
PATIENCE = 60.0
PORT = "{port}"
"""Stands for the port in the command of a server."""
SETTINGS = {"DOCYARD_SHARED_ORIGIN": "true", "DOCYARD_REQUESTS_QUOTA": "1000000000"}
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(slots=True, frozen=True)
class Server:
    """Where a server answers, and its process."""

    base: str
    pid: int
    has_workers: bool = False

    def cpu(self) -> float:
        """Seconds of processor time it has used, with the processes that answer for it."""
        return cpu_of(self.pid, with_children=self.has_workers)


def cpu_of(pid: int, *, with_children: bool = False) -> float:
    """Seconds of processor time that a process has used, and those that it has started."""
    used = _ticks(pid, 4 if with_children else 2)
    if with_children:
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            with suppress(FileNotFoundError, ProcessLookupError):
                used += _ticks(int(child), 2)
    return used / _TICKS


def _ticks(pid: int, fields: int) -> int:
    """The first fields of user and system time, the process's own before those of its ended children."""
    found = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, found[11 : 11 + fields]))


@contextmanager
def docyard(
    database: Path | str, *, program: str = "app.cli", python: str = sys.executable
) -> Iterator[Server]:
    """The product as `docyard serve` runs it, or a program called like it, with everything on that is on by
    default.

    Requests are counted as always, but the one organization that makes all of them may make more.
    """
    command = [python, "-m", program, "serve", "--database", str(database), "--port", PORT]
    with _running(command, "/healthz", DOCYARD_BASE_URL=PUBLIC, **SETTINGS) as server:
        yield server


@contextmanager
def other_server(command: Sequence[str], database: Path) -> Iterator[Server]:
    """The product under another HTTP server, by the command that starts it, in which `PORT` stands."""
    settings = {**SETTINGS, "DOCYARD_DATABASE": str(database), "DOCYARD_BASE_URL": PUBLIC}
    with _running(command, "/healthz", True, **settings) as server:
        yield server


@contextmanager
def ceiling(application: str, database: Path | str) -> Iterator[Server]:
    """One of this folder's ceiling programs (`module:application`) under the same server."""
    command = [sys.executable, "-m", "uvicorn", f"tests.bench.{application}"]
    command += ["--no-access-log", "--log-level", "warning"]
    settings = {"DOCYARD_DATABASE": str(database), "DOCYARD_BASE_URL": PUBLIC}
    with _running([*command, "--no-server-header", "--port", PORT], "/ready", **settings) as server:
        yield server


@contextmanager
def peer(command: Sequence[str], ready: str, database: Path) -> Iterator[Server]:
    """Another program on the same file, by the command that starts it at the port that follows."""
    with _running([*command, PORT], ready, DOCYARD_DATABASE=str(database)) as server:
        yield server


@contextmanager
def _running(
    command: Sequence[str], ready: str, has_workers: bool = False, /, **settings: str
) -> Iterator[Server]:
    port = free_port()
    process = subprocess.Popen(
        [word.replace(PORT, str(port)) for word in command],
        cwd=ROOT,
        env=environment(**settings),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    pin(process.pid, 0)
    try:
        server = Server(f"http://127.0.0.1:{port}", process.pid, has_workers)
        _wait(server, process, ready)
        yield server
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def pin(pid: int, core: int) -> None:
    """Keep a process on one core, so that server and load do not take each other's."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) > 1:
        os.sched_setaffinity(pid, {cores[core % len(cores)]})


def _wait(server: Server, process: subprocess.Popen[bytes], path: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"{process.args!r} ended with {process.returncode} before it answered")
        try:
            if httpx.get(server.base + path).is_success:
                return
        except httpx.TransportError:
            time.sleep(0.05)
    raise RuntimeError(f"{process.args!r} does not answer")
