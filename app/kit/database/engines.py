"""The database engines, chosen by address."""

from __future__ import annotations

from app.kit.database.interface import Database


def open_database(
    address: str,
    *,
    readers: int = 2,
    journal: str = "WAL",
    synchronous: str = "FULL",
    busy_timeout: float = 30.0,
) -> Database:
    """Return the database behind a file name or a postgresql:// address; connects on first use."""
    if address.startswith(("postgres://", "postgresql://")):
        from app.kit.database.postgres import Postgres

        return Postgres(address, size=max(readers, 4))
    from app.kit.database.sqlite import Sqlite

    return Sqlite(
        address, readers=readers, journal=journal, synchronous=synchronous, busy_timeout=busy_timeout
    )
