"""Exceptions of asyncpg as those of `interface`: start again, a clash, or a database out of reach."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager

import asyncpg

from app.kit.database.interface import Clash, Retry
from app.kit.errors import Unavailable

log = logging.getLogger("docyard.database")
BROKEN = (
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.IdleSessionTimeoutError,
    asyncpg.IdleInTransactionSessionTimeoutError,
)
REFUSALS = (asyncpg.InterfaceError, asyncpg.InternalClientError)
# What the driver says, instead of sending anything, on a connection that is gone or going.
_GONE = re.compile(r"connection (is closed|has been (closed|released))|cannot switch to state")
_TOO_SLOW = (TimeoutError, asyncpg.QueryCanceledError, asyncpg.LockNotAvailableError)


class Lost(Retry):
    """The connection broke, and nothing that was to be stored has been."""


@contextmanager
def plain_errors(*, committing: bool = False) -> Iterator[None]:
    """Turn the driver's exceptions into `Retry`, `Lost`, `Clash` and Unavailable.

    With `committing`, a connection that breaks or does not answer leaves open whether the change was stored.
    """
    try:
        yield
    except (asyncpg.SerializationError, asyncpg.DeadlockDetectedError) as error:
        raise Retry(str(error)) from error
    except asyncpg.IntegrityConstraintViolationError as error:
        raise Clash(str(error)) from error
    except BROKEN as error:
        if committing:
            raise _unknown() from error
        raise Lost(str(error)) from error
    except REFUSALS as error:
        if _GONE.search(str(error)) is None:
            raise
        raise Lost(str(error)) from error
    except _TOO_SLOW as error:
        if committing:
            raise _unknown() from error
        raise Unavailable("The database takes too long to answer; try again shortly.") from error
    except asyncpg.DiskFullError as error:
        log.error("the disk of the database is full: %s", error)
        raise Unavailable("The disk of the database is full; nothing was stored.") from error
    except (asyncpg.CannotConnectNowError, asyncpg.TooManyConnectionsError, OSError) as error:
        raise Unavailable("The database cannot be reached.") from error


def _unknown() -> Unavailable:
    return Unavailable("The connection broke while storing; see whether the change is there.")
