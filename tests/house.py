"""A running Docyard for the tests: the real application under a real server, on one of the two engines."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

import httpx
import uvicorn

from app.access.context import Actor, Context
from app.kit.clock import utc_now
from app.kit.db import open_database
from app.kit.settings import Settings
from app.kit.signing import Signer
from app.main import create_app

PATIENCE = 120.0  # seconds until an answer that does not come fails its test, on however slow a machine
T = TypeVar("T")


@dataclass
class House:
    """Where it answers, and a way in for what only the command line may do."""

    base: str
    settings: Settings
    http: httpx.Client

    @property
    def engine(self) -> str:
        """`sqlite` or `postgresql`."""
        return "postgresql" if self.settings.is_postgres else "sqlite"

    def inside(self, call: Callable[[Context], Awaitable[T]]) -> T:
        """Run a domain function in a transaction of its own, as the command line would."""
        return asyncio.run(self._inside(call))

    async def _inside(self, call: Callable[[Context], Awaitable[T]]) -> T:
        db = open_database(self.settings.database)
        try:
            return await db.write(
                lambda tx: call(Context(tx, Actor(""), utc_now(), Signer(b""), self.settings))
            )
        finally:
            await db.close()


def bound() -> socket.socket:
    """A socket at a port of the loopback interface that is nobody else's from here on."""
    made = socket.socket()
    made.bind(("127.0.0.1", 0))
    return made


def base_of(made: socket.socket) -> str:
    """The address of whoever listens there."""
    return f"http://127.0.0.1:{made.getsockname()[1]}"


@contextmanager
def running(database: str, on: socket.socket | None = None, /, **settings: object) -> Iterator[House]:
    """Serve the application until the block ends, on a socket that is bound already or a new one."""
    listening = on or bound()
    base = base_of(listening)
    chosen = Settings(database=database, **{"base_url": base, **settings})  # type: ignore[arg-type]
    app = create_app(chosen)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        timeout_keep_alive=3600,  # a server that hangs up first may do so just as its caller asks again
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    deadline = time.monotonic() + PATIENCE
    while not server.started:
        assert thread.is_alive(), "the server stopped while starting"
        assert time.monotonic() < deadline, "the server does not start"
        time.sleep(0.02)
    try:
        with httpx.Client(base_url=base, timeout=PATIENCE) as client:
            yield House(base, chosen, client)
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
