"""The database's own history. Run on start: an older database is brought up, a newer one refused."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import String, column, select, table, text

from app.kit.database.interface import Reader
from app.kit.database.statements import rows
from app.kit.errors import Problem

if TYPE_CHECKING:
    from app.kit.settings import Settings

HEAD = "0058"
_VERSION = rows(lambda: select(column("version_num")).select_from(table("alembic_version")))
COLUMN_OF_WORDS = text(
    "SELECT data_type FROM information_schema.columns WHERE table_name = 'search_section'"
    " AND column_name = 'terms' AND table_schema = current_schema()"
)
_KIND = rows(lambda: COLUMN_OF_WORDS.columns(column("data_type", String)))


class NewerDatabase(Problem):
    """The database was written by a later Docyard."""


class UnsupportedDatabase(Problem):
    """The database is of an engine that lacks what is needed."""


async def is_current(db: Reader) -> bool:
    """Return whether the database has this version's tables; raises NewerDatabase where it has later ones."""
    version = await _version(db)
    if version is not None and version > HEAD:
        raise NewerDatabase(
            f"This database has version {version}, but this Docyard knows versions up to {HEAD}."
            " Start a newer Docyard, or restore a backup made before the upgrade."
        )
    return version == HEAD


async def _version(db: Reader) -> str | None:
    try:
        found = await db.get_by_key(_VERSION)
    except Exception as error:
        if not _misses_table(error):
            raise
        return None
    return found[0].version_num if found else None


async def check_full_text(db: Reader, settings: Settings) -> None:
    """Check that the database was made with the setting `full_text` as it is now.

    Raises UnsupportedDatabase otherwise: words are stored in another form.
    """
    if db.dialect == "postgresql":
        found = await db.first(_KIND)
        compare_full_text(found.data_type if found else None, settings.full_text)


def compare_full_text(stored: str | None, full_text: str) -> None:
    """Compare the type of the column of words, which None says is not there yet, with the setting."""
    if stored is not None and (stored == "text") != (full_text == "plain"):
        made, now = ("plain", "engine") if stored == "text" else ("engine", "plain")
        raise UnsupportedDatabase(
            f"This database was made with DOCYARD_FULL_TEXT={made}, which cannot become {now}."
            " Change the setting, or restore a backup into a new database."
        )


def _misses_table(error: Exception) -> bool:
    """Told without naming the drivers' classes: start-up loads one driver only."""
    return getattr(error, "sqlstate", None) == "42P01" or str(error).startswith("no such table")


def upgrade(address: str, settings: Settings | None = None) -> None:
    """Bring the database at this address to HEAD; blocking, so call it from a thread.

    Of several processes one upgrades; the others wait and find nothing left to do. The settings say where
    keys are. Raises UnsupportedDatabase, and KeyMissing or SecretMissing where one can be neither read nor
    made.
    """
    from alembic import command
    from alembic.config import Config

    command.upgrade(configuration(Config(), address, settings), "head")


def configuration(config: Any, address: str, settings: Settings | None = None) -> Any:
    """Alembic's configuration for a database address."""
    from app.kit import installation_secret, keyring
    from app.kit.settings import Settings

    settings = settings or Settings(database=address)
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.attributes["address"] = _async_address(address)
    config.attributes["keyring"] = partial(keyring.create, settings.audit_key, settings.audit_key_file)
    config.attributes["full_text"] = settings.full_text
    config.attributes["secret"] = partial(installation_secret.create, settings)
    return config


def _async_address(address: str) -> str:
    if address.startswith(("postgres://", "postgresql://")):
        return "postgresql+asyncpg://" + address.split("://", 1)[1]
    return "sqlite+aiosqlite:///" + address.removeprefix("sqlite:///")
