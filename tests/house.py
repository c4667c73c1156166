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
from urllib.parse import urlsplit

import httpx
import uvicorn

from app.access.context import Actor, Context
from app.kit.clock import utc_now
from app.kit.db import open_database
from app.kit.settings import Settings
from app.kit.signing import Signer
from app.main import create_app
from tests.patience import PATIENCE

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


@contextmanager
def running(database: str, **settings: object) -> Iterator[House]:
    """Serve the application until the block ends, on the port of its `base_url` or a free one."""
    door = _door(str(settings.get("base_url", "")))
    base = str(settings.setdefault("base_url", f"http://127.0.0.1:{door.getsockname()[1]}"))
    settings.setdefault("outbound_timeout", PATIENCE / 2)  # what it fetches takes longer here, too
    settings.setdefault("import_timeout", PATIENCE * 0.75)
    chosen = Settings(database=database, **settings)  # type: ignore[arg-type]
    app = create_app(chosen)
    # Callers give up a connection that rests before the server does: else it may end while they send.
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, proxy_headers=False, timeout_keep_alive=PATIENCE
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([door],), daemon=True)
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
        thread.join(20)


def _door(base: str) -> socket.socket:
    """A socket at the port of an address, or at a free one, which is nobody else's from now on."""
    port = urlsplit(base).port if base else 0
    assert port is not None
    door = socket.socket()
    door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    door.bind(("127.0.0.1", port))
    return door
