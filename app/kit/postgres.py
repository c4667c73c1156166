"""PostgreSQL's protocol through asyncpg: a pool, serializable transactions, retries left to the caller."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any, TypeVar

import asyncpg
import orjson

from app.kit.db import Clash, Database, Retry, Transaction
from app.kit.errors import Unavailable
from app.kit.statements import Statement

T = TypeVar("T")


class Postgres(Database):
    """One server; the pool opens on first use in the running loop."""

    dialect = "postgresql"

    def __init__(self, address: str, *, size: int) -> None:
        self._address = address
        self._size = size
        self._pool: Any = None
        self._opening = asyncio.Lock()

    async def all(self, statement: Statement[T], **values: Any) -> list[T]:
        compiled = statement.compiled("postgresql")
        pool = self._pool or await self._open()
        with _plain_errors():
            return compiled.rows(await pool.fetch(compiled.text, *compiled.arguments(values)))

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Transaction]:
        pool = self._pool or await self._open()
        with _plain_errors():
            async with pool.acquire() as connection, connection.transaction(isolation="serializable"):
                yield _Writing(connection)

    async def close(self) -> None:
        if self._pool is not None:
            await self._pool.close()
            self._pool = None

    async def _open(self) -> Any:
        async with self._opening:
            if self._pool is None:
                with _plain_errors():
                    self._pool = await asyncpg.create_pool(
                        self._address, min_size=0, max_size=self._size, init=_prepare_connection
                    )
            return self._pool


class _Writing(Transaction):
    dialect = "postgresql"

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    async def all(self, statement: Statement[T], **values: Any) -> list[T]:
        compiled = statement.compiled("postgresql")
        with _plain_errors():
            return compiled.rows(await self._connection.fetch(compiled.text, *compiled.arguments(values)))

    async def run(self, statement: Statement[Any], **values: Any) -> None:
        compiled = statement.compiled("postgresql")
        with _plain_errors():
            await self._connection.execute(compiled.text, *compiled.arguments(values))

    async def run_many(self, statement: Statement[Any], rows: Sequence[dict[str, Any]]) -> None:
        compiled = statement.compiled("postgresql")
        with _plain_errors():
            await self._connection.executemany(compiled.text, [compiled.arguments(row) for row in rows])


async def _prepare_connection(connection: Any) -> None:
    for name in ("json", "jsonb"):
        await connection.set_type_codec(
            name, encoder=lambda v: orjson.dumps(v).decode(), decoder=orjson.loads, schema="pg_catalog"
        )


@contextmanager
def _plain_errors() -> Iterator[None]:
    try:
        yield
    except (asyncpg.SerializationError, asyncpg.DeadlockDetectedError) as error:
        raise Retry(str(error)) from error
    except asyncpg.IntegrityConstraintViolationError as error:
        raise Clash(str(error)) from error
    except (asyncpg.CannotConnectNowError, asyncpg.TooManyConnectionsError, OSError) as error:
        raise Unavailable("The database cannot be reached.") from error
