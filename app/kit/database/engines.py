"""The database engines, chosen by address."""

from __future__ import annotations

from app.kit.database.interface import Database
from app.kit.database_timeouts import Timeouts


def open_database(
    address: str,
    *,
    readers: int = 0,
    writers: int = 8,
    timeouts: Timeouts | None = None,
    journal: str = "WAL",
    synchronous: str = "FULL",
    busy_timeout: float = 30.0,
) -> Database:
    """Return the database behind a file name or a postgresql:// address; connects on first use.

    Without a number of `readers`, SQLite reads with 2 connections and PostgreSQL with 4; `writers` and
    `timeouts` are for PostgreSQL, the last three for SQLite.
    """
    if address.startswith(("postgres://", "postgresql://")):
        from app.kit.database.postgres import Postgres

        return Postgres(address, readers=readers or 4, writers=writers, timeouts=timeouts or Timeouts())
    from app.kit.database.sqlite import Sqlite

    return Sqlite(
        address, readers=readers or 2, journal=journal, synchronous=synchronous, busy_timeout=busy_timeout
    )
