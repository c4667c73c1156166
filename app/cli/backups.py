"""`docyard backup` and `docyard restore`: everything in one file, on a disk or in a bucket.

A backup of a file does not wait until all else is loaded.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from app.cli.command_settings import CommandRefused, DatabaseOption, opening, settings_for, without_password
from app.cli.file_places import SUFFIX, fetched, written
from app.cli.output import give, say, table
from app.domain.backups import backup_writing
from app.kit.clock import utc_now

app = App(name="backup")
BEHIND_OTHERS = 19  # added to the niceness of the process: requests go first
Target = Annotated[
    str,
    Parameter(help="file, folder, or s3://bucket/name.db; in a folder the backup is named after the time"),
]
Source = Annotated[str, Parameter(help="backup: file or s3://bucket/name.db")]


@app.default
async def backup(target: Target, /, *, database: DatabaseOption = None) -> None:
    """Back up the database and all files, while the server runs, and print where the backup is."""
    os.nice(BEHIND_OTHERS)
    settings = settings_for(database)
    if not settings.is_postgres and not Path(settings.database.removeprefix("sqlite:///")).is_file():
        raise CommandRefused(f"There is no database {settings.database}.")
    with opening(settings):
        pass
    name = f"docyard-{utc_now():%Y-%m-%dT%H-%M-%SZ}{SUFFIX}"
    async with written(target, name) as (file, place):
        missing = await backup_writing.write(settings, file)
    give(place)
    if missing:
        say(f"{len(missing)} files were removed while the backup was taken, and are not in it.")


@app.command
async def verify(source: Source, /, *, database: DatabaseOption = None) -> None:
    """Verify a backup: the file, the bytes of all files, the audit log; exit with 1 if one is wrong."""
    from app.domain.backups import backup_verification

    settings = settings_for(database)
    async with fetched(source, "backup") as file:
        check = await backup_verification.verify(file, settings)
    table(("what", "number"), ((name, str(number)) for name, number in check.numbers.items()))
    if check.unverified:
        say(f"Not verified: {check.unverified}")
    if check.problems:
        found = "; ".join(check.problems[: backup_verification.MOST_PROBLEMS])
        raise CommandRefused(f"The backup is damaged: {found}.")
    say("The backup is complete.")


async def restore(
    source: Source,
    /,
    *,
    lost_keys: Annotated[
        bool, Parameter(negative="", help="restore although the secret or the key of the audit log is lost")
    ] = False,
    database: DatabaseOption = None,
) -> None:
    """Restore a backup into a new SQLite file, or into a PostgreSQL database that is empty."""
    from app.cli.session import opened
    from app.domain.backups import backup_verification, restoring

    settings = settings_for(database)
    async with fetched(source, "backup") as file:
        if not lost_keys:
            await backup_verification.check_keys(file, settings)
        await restoring.restore(file, settings)
    async with opened(database, checked=not lost_keys):
        say(f"The backup is restored into {without_password(settings.database)}.")
