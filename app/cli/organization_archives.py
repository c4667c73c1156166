"""`docyard org export` and `docyard org import`: one organization, from one installation into another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from app.access.context import Context
from app.cli.command_settings import CommandRefused, DatabaseOption
from app.cli.file_places import SUFFIX, fetched, written
from app.cli.output import advice, give, say
from app.cli.session import OPERATOR, action, opened
from app.domain.organization_archives import archive_import, archive_preparation, archive_writing
from app.kit.clock import utc_now

PassphraseOption = Annotated[
    Path | None, Parameter(help="file with the passphrase that the archive's secrets are encrypted with")
]


async def export(
    org: Annotated[str, Parameter(help="the organization's id (docyard org list)")],
    target: Annotated[
        str,
        Parameter(
            help="file, folder, or s3://bucket/name.db; in a folder it is named after the organization"
        ),
    ],
    /,
    *,
    passphrase_file: PassphraseOption = None,
    altered_log: Annotated[
        bool, Parameter(negative="", help="export although the audit log was altered")
    ] = False,
    database: DatabaseOption = None,
) -> None:
    """Export an organization, while the server runs, and print where the archive is."""
    passphrase = _passphrase(passphrase_file)
    async with opened(database) as runtime:
        name = f"{org}-{utc_now():%Y-%m-%dT%H-%M-%SZ}{SUFFIX}"
        async with written(target, name) as (file, place):
            with advice("`docyard org list` shows the ids."):
                manifest = await archive_writing.write(
                    runtime.context(OPERATOR), org, file, passphrase=passphrase, altered_log=altered_log
                )
    give(place)
    counts = {kind: manifest.tables[name].rows for kind, name in COUNTED.items()}
    say(f"{manifest.title}: {', '.join(f'{number} {kind}' for kind, number in counts.items())}.")
    if passphrase is None:
        say("Secrets are left out: give --passphrase-file to take them along.")


async def import_(
    source: Annotated[str, Parameter(help="archive: file or s3://bucket/name.db")],
    /,
    *,
    passphrase_file: PassphraseOption = None,
    database: DatabaseOption = None,
) -> None:
    """Import an organization that another installation exported, and print its id."""
    passphrase = _passphrase(passphrase_file)
    async with opened(database) as runtime, fetched(source, "archive") as file:
        asking = runtime.context(OPERATOR)
        async with archive_preparation.prepared(asking, file, passphrase) as archive:

            async def add(cx: Context) -> None:
                await archive_import.add(cx, archive)

            await runtime.write(OPERATOR, add, action())
    give(archive.manifest.organization_id)
    people = archive.people
    say(f"{archive.manifest.title} is imported. {people.created} people are new, {people.matched} were here.")
    if people.created:
        say("New people sign in by e-mail, or with a link of `docyard sign-in-link`; all need new tokens.")
    if archive.manifest.salt is None:
        say("Secrets were left out: site keys and share links are new; set the others again.")
    if archive.uninstalled:
        say(f"Not published here, so not installed any more: {', '.join(archive.uninstalled)}.")


COUNTED = {"people": "user_account", "spaces": "space", "sites": "site", "page versions": "page_version"}


def _passphrase(file: Path | None) -> str | None:
    if file is None:
        return None
    try:
        return file.read_text().strip()
    except (OSError, ValueError) as error:
        raise CommandRefused(f"The passphrase cannot be read from {file}: {error}.") from None
