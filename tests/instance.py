"""A running instance of Docyard for tests: the real application and server, on one of the two engines."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import httpx
import pytest
import uvicorn
from starlette.types import ASGIApp

from app.access.context import Actor, Context
from app.domain import worker
from app.kit.clock import utc_now
from app.kit.database.interface import Database
from app.kit.settings import Settings
from app.kit.signing import Signer
from app.main import create_app
from tests.databases import Connected, anew
from tests.dns_server import zone
from tests.in_process import InProcessClient
from tests.timing import TIMEOUT

T = TypeVar("T")


@dataclass
class Instance:
    """A running instance: its URL and settings, an HTTP client, and access to its database."""

    base: str
    settings: Settings
    http: httpx.Client
    connected: Connected | None = None  # if None, each call opens and closes the database
    called: InProcessClient | None = None  # the application, if it runs in this process
    job_due: Callable[[], None] | None = None  # wakes the worker
    keep_counts: Callable[[], None] | None = None  # writes down what was counted of visits

    @property
    def engine(self) -> str:
        """`sqlite` or `postgresql`."""
        return "postgresql" if self.settings.is_postgres else "sqlite"

    def opened(self, call: Callable[[Database], Awaitable[T]]) -> T:
        """Call a function with the database, over a connection of the test's own."""
        if self.connected is not None:
            return self.connected.run(call)
        return anew(self.settings.database, call)

    def look_for_jobs(self) -> None:
        """Make the worker look for jobs now, since it does not notice those that another process queued."""
        if self.job_due is not None:
            self.job_due()

    def keep_visit_counts(self) -> None:
        """Write down now what was counted of visits to sites, which a server in a process of its own does by
        itself every few seconds.
        """
        if self.keep_counts is not None:
            self.keep_counts()

    @property
    def signer(self) -> Signer:
        """Return the signer for the secret of the instance."""
        return Signer(self.settings.secret.encode())

    def inside(self, call: Callable[[Context], Awaitable[T]]) -> T:
        """Run a domain function in a transaction of its own, as a command would."""
        return self.opened(
            lambda db: db.write(
                lambda tx: call(Context(tx, Actor(""), utc_now(), self.signer, self.settings))
            )
        )


# Time limits that no test reaches on a slow machine; those that are about a limit set it themselves.
PATIENT: dict[str, object] = {
    "graphql_timeout": float(TIMEOUT),
    "outbound_timeout": float(TIMEOUT),
    "import_timeout": float(TIMEOUT),
    "statement_timeout": float(TIMEOUT),
    "connection_timeout": float(TIMEOUT),
    "lock_timeout": float(TIMEOUT),
}


@contextmanager
def running(database: str, **settings: object) -> Iterator[Instance]:
    """Serve the application on one free port and published sites on another, until the block ends.

    `{port}` in a setting is replaced by the port of the application. The server receives open sockets,
    because another process could take a port that was found free and closed again. The time limits are
    those of `PATIENT` unless given.
    """
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.create_server(("127.0.0.1", 0)) as second:
        port, sites_port = listener.getsockname()[1], second.getsockname()[1]
        base = f"http://127.0.0.1:{port}"
        given: dict[str, object] = {"base_url": base, "sites_url": f"http://127.0.0.1:{sites_port}"}
        given["dns_servers"] = zone().address
        given["synchronous"] = "NORMAL"  # no test cuts the power
        chosen = _settings(database, {**PATIENT, **given, "sites_port": sites_port, **settings}, port)
        app = create_app(chosen)
        called = InProcessClient(app, base)
        with (
            _served(called, [listener, second]),
            httpx.Client(base_url=base, timeout=TIMEOUT) as client,
            closing(Connected(database)) as connected,
        ):
            runtime = app.state.services.runtime
            due = partial(called.soon, runtime.job_due.set)
            keep = partial(called.run, partial(runtime.keep_visit_counts, all_typed=True))
            yield Instance(base, chosen, client, connected, called, due, keep)


def _settings(database: str, settings: dict[str, object], port: int) -> Settings:
    placed = {
        name: value.replace("{port}", str(port)) if isinstance(value, str) else value
        for name, value in settings.items()
    }
    return Settings(database=database, **placed)  # type: ignore[arg-type]


@contextmanager
def _served(app: ASGIApp, listeners: list[socket.socket]) -> Iterator[None]:
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        ws="none",
        proxy_headers=False,
        # A connection that is idle for long would be closed just when the client uses it again.
        timeout_keep_alive=3600,
        timeout_graceful_shutdown=5,  # browsers keep streams open to the end
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=(listeners,), daemon=True)
    thread.start()
    deadline = time.monotonic() + TIMEOUT
    while not server.started:
        assert thread.is_alive(), "the server stopped while starting"
        assert time.monotonic() < deadline, "the server does not start"
        time.sleep(0.02)
    try:
        yield
    finally:
        server.should_exit = True
        thread.join(TIMEOUT)


@contextmanager
def idle() -> Iterator[None]:
    """Start no workers in the servers that start within the block, so that the test decides when jobs run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worker.Worker, "start", lambda _worker: None)
        yield
