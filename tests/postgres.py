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
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.timing import TIMEOUT

TRIES = 5
POOLER = """
[databases]
* = host={host} port={port} user=docyard
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {own}
unix_socket_dir =
auth_type = trust
auth_file = {scratch}/users
pool_mode = transaction
default_pool_size = {connections}
max_client_conn = 500
"""


@contextmanager
def server(*, durable: bool = False) -> Iterator[str]:
    """The address of a running server, ending without a database name; its commits survive if `durable`."""
    given = os.environ.get("DOCYARD_TEST_POSTGRES")
    if given:
        yield given.rstrip("/")
        return
    scratch = Path(tempfile.mkdtemp(prefix="docyard-postgres-"))
    try:
        _prepare(scratch)
        yield f"postgresql://docyard@127.0.0.1:{_started(scratch, durable)}"
    finally:
        _run("pg_ctl", "-D", scratch / "data", "-m", "immediate", "stop", check=False)
        shutil.rmtree(scratch, ignore_errors=True)


@contextmanager
def pooler(server: str, connections: int) -> Iterator[str]:
    """The address of a pooler in transaction mode, with so many connections to each database of a server."""
    scratch = Path(tempfile.mkdtemp(prefix="docyard-pooler-"))
    host, port = server.rpartition("@")[2].split(":")
    if os.geteuid() == 0:
        shutil.chown(scratch, _user())
    (scratch / "users").write_text('"docyard" ""\n')
    for _ in range(TRIES):
        own = free_port()
        (scratch / "pgbouncer.ini").write_text(
            POOLER.format(host=host, port=port, own=own, scratch=scratch, connections=connections)
        )
        command = [shutil.which("pgbouncer") or "/usr/sbin/pgbouncer", str(scratch / "pgbouncer.ini")]
        process = subprocess.Popen(_as_user(command), stderr=subprocess.DEVNULL, cwd="/")
        if _listens(own, process):
            break
    else:
        raise RuntimeError("PgBouncer does not start: install Debian's `pgbouncer`")
    try:
        yield f"postgresql://docyard@127.0.0.1:{own}"
    finally:
        process.terminate()
        process.wait()
        shutil.rmtree(scratch, ignore_errors=True)


def _listens(port: int, process: subprocess.Popen[bytes]) -> bool:
    """Tell whether the process that was started listens, once it does or has ended."""
    while process.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return True
        time.sleep(0.02)
    return False


def free_port() -> int:
    """A port of the loopback interface that nobody listens on, though somebody may come first."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _prepare(scratch: Path) -> None:
    if os.geteuid() == 0:
        shutil.chown(scratch, _user())
    data = scratch / "data"
    _run("initdb", "-D", data, "-U", "docyard", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N")


def _started(scratch: Path, durable: bool) -> int:
    """Start the server; its port. One that was found free may be somebody else's by then: try another."""
    settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=200"]
    if not durable:  # no test cuts the power
        settings += ["fsync=off", "full_page_writes=off", "synchronous_commit=off"]
    chosen = " ".join(f"-c {setting}" for setting in settings)
    start = ["-D", scratch / "data", "-w", "-t", TIMEOUT, "-l", scratch / "log"]
    for _ in range(TRIES):
        port = free_port()
        with suppress(subprocess.CalledProcessError):
            _run("pg_ctl", *start, "-o", f"-p {port} {chosen}", "start")
            return port
    raise RuntimeError(f"PostgreSQL does not start: {(scratch / 'log').read_text()}")


def _run(program: str, *arguments: object, check: bool = True) -> None:
    command = _as_user([str(_binary(program)), *map(str, arguments)])
    subprocess.run(command, check=check, stdout=subprocess.DEVNULL, cwd="/")


def _as_user(command: list[str]) -> list[str]:
    """The command as one that does not run as root."""
    if os.geteuid() != 0:
        return command
    return ["setpriv", f"--reuid={_user()}", f"--regid={_user()}", "--clear-groups", *command]


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
