"""A real PostgreSQL for the tests: Debian's server binaries, run as a non-root user in a scratch folder.

`DOCYARD_TEST_POSTGRES` names a server to use instead (a postgresql:// address that may create databases).
"""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.patience import PATIENCE

TRIES = 5  # ports: one that is free may be somebody else's a moment later


@contextmanager
def server() -> Iterator[str]:
    """The address of a running server, ending without a database name."""
    given = os.environ.get("DOCYARD_TEST_POSTGRES")
    if given:
        yield given.rstrip("/")
        return
    scratch = Path(tempfile.mkdtemp(prefix="docyard-postgres-"))
    try:
        port = _start(scratch)
        yield f"postgresql://docyard@127.0.0.1:{port}"
    finally:
        _run("pg_ctl", "-D", scratch / "data", "-m", "immediate", "stop", check=False)
        shutil.rmtree(scratch, ignore_errors=True)


def free_port() -> int:
    """A port of the loopback interface that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _start(scratch: Path) -> int:
    """Start a server; the port that it listens on."""
    if os.geteuid() == 0:
        shutil.chown(scratch, _user())
    data = scratch / "data"
    _run("initdb", "-D", data, "-U", "docyard", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N")
    settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off", "max_connections=200"]
    for _ in range(TRIES):
        port = free_port()
        options = f"-p {port} " + " ".join(f"-c {setting}" for setting in settings)
        command = ("-D", data, "-w", "-t", PATIENCE, "-l", scratch / "log", "-o", options, "start")
        if _run("pg_ctl", *command, check=False) == 0:
            return port
    raise RuntimeError(f"PostgreSQL does not start:\n{(scratch / 'log').read_text(errors='replace')}")


def _run(program: str, *arguments: object, check: bool = True) -> int:
    command = [str(_binary(program)), *map(str, arguments)]
    if os.geteuid() == 0:
        command = ["setpriv", f"--reuid={_user()}", f"--regid={_user()}", "--clear-groups", *command]
    return subprocess.run(command, check=check, stdout=subprocess.DEVNULL, cwd="/").returncode


def _user() -> str:
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def _binary(program: str) -> Path:
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{program}"))
    path = str(found[-1]) if found else shutil.which(program)
    if path is None:
        raise RuntimeError(
            f"{program} is missing: install Debian's `postgresql` or set DOCYARD_TEST_POSTGRES"
        )
    return Path(path)
