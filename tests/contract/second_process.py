"""A second process of the product on the same database, called without a network: what many calls need.

Answers look like httpx's, as far as the contract tests read them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlencode

import orjson

from app.access.context import Actor, Context
from app.main import Services as Product
from app.main import create_app
from tests.in_process import exchange, scope
from tests.instance import Instance

T = TypeVar("T")


@dataclass(slots=True)
class Answer:
    """What came back."""

    status_code: int
    content: bytes

    @property
    def text(self) -> str:
        """The body, to be shown where a test fails."""
        return self.content.decode()

    def json(self) -> Any:
        """The body as data."""
        return orjson.loads(self.content)


class Stage:
    """The application, its loop, and the way in for what no operation does."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.loop = asyncio.new_event_loop()
        self._app = create_app(instance.settings)
        self.product: Product = self._app.state.services
        self.loop.run_until_complete(self.product.ready())

    def close(self) -> None:
        """Give the connections back."""
        self.loop.run_until_complete(self.product.close())
        self.loop.close()

    def inside(self, call: Callable[[Context], Awaitable[T]]) -> T:
        """Run this in a transaction, as somebody at the database would."""

        runtime = self.product.runtime
        return self.loop.run_until_complete(
            self.product.db.write(lambda tx: call(runtime.context(Actor(""), tx)))
        )

    def send(
        self,
        token: str | None,
        method: str,
        path: str,
        *,
        params: dict[str, Any] | None = None,
        json: Any = None,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        """One request."""
        return self.loop.run_until_complete(
            self._send(token, method, path, params or {}, json, headers or {})
        )

    async def _send(
        self,
        token: str | None,
        method: str,
        path: str,
        params: dict[str, Any],
        json: Any,
        headers: dict[str, str],
    ) -> Answer:
        given = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        if token is not None:
            given.append((b"authorization", f"Bearer {token}".encode()))
        body = b""
        if json is not None:
            body = orjson.dumps(json)
            given.append((b"content-type", b"application/json"))
        asked = scope(method, path, urlencode(params, doseq=True).encode(), given)
        status, _headers, content = await exchange(self._app, asked, body)
        return Answer(status, content)


@contextmanager
def staged(instance: Instance) -> Iterator[Stage]:
    """A stage until the block ends."""
    stage = Stage(instance)
    try:
        yield stage
    finally:
        stage.close()
