"""Writes archives, while others read and write in the database."""

from __future__ import annotations

import asyncio
import secrets
import sqlite3
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

from sqlalchemy import select

from app import migrations
from app.access.context import Context
from app.domain.audit import audit_verification
from app.domain.audit.audit_chain import HEAD
from app.domain.backups import backup_files
from app.domain.backups.backup_publishing import publish
from app.domain.infrastructure import stored_secrets
from app.domain.organization_archives import archive_manifests, ownership
from app.domain.organization_archives.archive_manifests import (
    FORMAT,
    LEAST_PASSPHRASE,
    ArchiveRefused,
    AuditEnd,
    Manifest,
)
from app.kit.clock import wire_time
from app.kit.database import table_copies
from app.kit.database.columns import Key
from app.kit.database.statements import given, query, rows, table
from app.kit.errors import NotFound
from app.kit.settings import Settings
from app.kit.signing import Signer
from app.models.installations import Installation
from app.models.integrations import Integration
from app.models.organizations import Organization

ORGANIZATIONS, INSTALLATIONS, INTEGRATIONS = table(Organization), table(Installation), table(Integration)
_ORGANIZATION = query(
    Organization, lambda: select(*ORGANIZATIONS.c).where(ORGANIZATIONS.c.id == given("id", Key))
)
_BORROWED = rows(
    lambda: (
        select(INSTALLATIONS.c.id, INTEGRATIONS.c.name)
        .join(INTEGRATIONS, INTEGRATIONS.c.id == INSTALLATIONS.c.integration_id)
        .where(
            INSTALLATIONS.c.organization_id == given("id", Key),
            INTEGRATIONS.c.organization_id != INSTALLATIONS.c.organization_id,
        )
    )
)


async def write(
    cx: Context, organization_id: str, target: Path, *, passphrase: str | None, altered_log: bool = False
) -> Manifest:
    """Write the archive of an organization to a new file; asks nobody for a right.

    Without a passphrase it holds no secrets. Nothing is left behind where it fails. Raises NotFound, and
    ArchiveRefused where the file cannot be written, or the audit log was altered and that is not accepted.
    """
    if target.exists():
        raise ArchiveRefused(f"{target} exists already. Name a file that does not.")
    if passphrase is not None and len(passphrase) < LEAST_PASSPHRASE:
        raise ArchiveRefused(f"A passphrase has at least {LEAST_PASSPHRASE} characters.")
    manifest = await _begin(cx, organization_id, altered_log, passphrase is not None)
    part = target.with_name(f"{target.name}.part")
    part.unlink(missing_ok=True)
    try:
        part.touch()  # raises where it cannot be written
        await asyncio.to_thread(migrations.upgrade, str(part), cx.settings)
        await _copy(cx.settings, organization_id, part)
        missing = await backup_files.take_in_files(cx.settings, part)
        if missing:
            raise ArchiveRefused("Files were removed while the archive was written. Write it again.")
        signer = None if passphrase is None else await asyncio.to_thread(manifest.signer, passphrase)
        await _keep_secrets(cx, part, signer)
        manifest = await asyncio.to_thread(_complete, part, manifest, signer)
        await asyncio.to_thread(publish, part, target)
    except (OSError, sqlite3.Error) as error:
        raise ArchiveRefused(f"{target} cannot be written: {error}.") from error
    finally:
        part.unlink(missing_ok=True)
    return manifest


async def _begin(cx: Context, organization_id: str, altered_log: bool, has_secrets: bool) -> Manifest:
    """Return the manifest of an archive whose tables are still empty."""
    organization = await cx.db.first(_ORGANIZATION, id=organization_id)
    if organization is None:
        raise NotFound(f"There is no organization {organization_id}.")
    if organization.deleted_at is not None:
        raise ArchiveRefused(
            f"{organization.title} was deleted. Restore it first, with `docyard org restore`."
        )
    check = await audit_verification.verify(cx, organization_id)
    if check.first_broken is not None and not altered_log:
        raise ArchiveRefused(
            f"The audit log is broken from event {check.first_broken} on, which {check.reason}. Importing it"
            " would sign it anew. Find out what happened, or accept it as it is with --altered-log."
        )
    head = await cx.db.first(HEAD, organization=organization_id)
    return Manifest(
        format=FORMAT,
        organization_id=organization_id,
        title=organization.title,
        created_at=wire_time(cx.now),
        audit=AuditEnd(head.number, head.hash) if head else AuditEnd(0, ""),
        borrowed={row.id: row.name for row in await cx.db.all(_BORROWED, id=organization_id)},
        salt=secrets.token_hex(16) if has_secrets else None,
    )


async def _copy(settings: Settings, organization_id: str, part: Path) -> None:
    """Copy the rows of an organization into a file that has the tables, and nothing else."""
    address = settings.database.removeprefix("sqlite:///")
    await table_copies.selected_to_file(address, ownership.selections(), organization_id, part)

    def forget() -> None:
        with closing(sqlite3.connect(part)) as file, file:
            for name in ownership.LEFT_BEHIND:  # the migration has written there
                file.execute(f'DELETE FROM "{name}"')

    await asyncio.to_thread(forget)


async def _keep_secrets(cx: Context, part: Path, signer: Signer | None) -> None:
    """Encrypt the secrets of an archive with its passphrase, or remove them."""
    async with backup_files.opened_file(part) as db:
        kept = partial(stored_secrets.renew, new=signer) if signer else stored_secrets.remove
        await db.write(lambda tx: kept(replace(cx, db=tx)))


def _complete(part: Path, manifest: Manifest, signer: Signer | None) -> Manifest:
    """Write the manifest, with the checksums of all tables, into the archive."""
    names = [str(selection.table.name) for selection in ownership.selections()]
    with closing(sqlite3.connect(part, isolation_level=None)) as file:
        file.execute("VACUUM")  # no page may still hold what was removed
        complete = replace(manifest, tables=archive_manifests.contents_of(file, names))
        complete = complete.signed(signer) if signer else complete
        archive_manifests.write(file, complete)
    return complete
