"""`docyard migrate`: the tables of this version, without starting a server."""

from __future__ import annotations

from app import migrations
from app.cli.session import DatabaseOption, opened, without_password
from app.cli.words import say


async def migrate(*, database: DatabaseOption = None) -> None:
    """Bring the database to this version's tables; every other command does so too."""
    async with opened(database) as runtime:
        say(f"{without_password(runtime.settings.database)} is at version {migrations.HEAD}.")
