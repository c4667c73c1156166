"""Verifies backups: the file, the bytes of every stored file, and the audit log."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from sqlalchemy import func, select
from sqlmodel import SQLModel

from app import migrations
from app.domain.audit import audit_verification
from app.domain.backups.backup_files import context, opened_file
from app.domain.backups.backup_publishing import BackupRefused
from app.domain.infrastructure import blobs
from app.kit.database.interface import Database
from app.kit.database.statements import Statement, rows, table
from app.kit.errors import Problem
from app.kit.keyring import KeyMissing
from app.kit.settings import Settings
from app.models.organizations import Organization
from app.models.pages import PageVersion
from app.models.spaces import Space
from app.models.users import User

MOST_PROBLEMS = 20  # that are told


def _count(model: type[SQLModel]) -> Statement[Any]:
    return rows(lambda: select(func.count().label("rows")).select_from(table(model)))


COUNTED = {
    "organizations": _count(Organization),
    "people": _count(User),
    "spaces": _count(Space),
    "page versions": _count(PageVersion),
}


@dataclass(slots=True)
class BackupCheck:
    """The numbers and the faults that were found in a backup."""

    version: str
    numbers: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    unverified: str = ""
    """Why the audit log was not verified, if it was not."""


async def verify(path: Path, settings: Settings) -> BackupCheck:
    """Verify a backup; the settings say where the keys of the audit log are. Raises BackupRefused."""
    version, problems = await asyncio.to_thread(_examine, path)
    check = BackupCheck(version, problems=problems)
    if version != migrations.HEAD:
        check.unverified = (
            f"it has version {version} and this Docyard {migrations.HEAD}: restore it to verify the rest"
        )
        return check
    async with opened_file(path) as db:
        for name, counted in COUNTED.items():
            check.numbers[name] = (await db.all(counted))[0].rows
        await _verify_files(db, settings, check)
        await _verify_audit(db, settings, check)
    return check


def _examine(path: Path) -> tuple[str, list[str]]:
    """Return the version of a file, and what SQLite finds wrong with it."""
    if not path.is_file():
        raise BackupRefused(f"There is no file {path}.")
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as file:
            found = file.execute("SELECT version_num FROM alembic_version").fetchone()
            problems = [row[0] for row in file.execute(f"PRAGMA integrity_check({MOST_PROBLEMS})")]
            broken = file.execute("PRAGMA foreign_key_check").fetchmany(MOST_PROBLEMS)
    except sqlite3.Error as error:
        raise BackupRefused(f"{path} is no backup: {error}.") from None
    if found is None:
        raise BackupRefused(f"{path} is no backup: it has no version.")
    problems = [] if problems == ["ok"] else problems
    dangling = [f"a row of {row[0]} names a row of {row[2]} that is missing" for row in broken]
    return found[0], problems + dangling


async def _verify_files(db: Database, settings: Settings, check: BackupCheck) -> None:
    """Verify that the bytes of each file are those that it is named after."""
    cx = context(db, settings)
    held = await blobs.held_ids(cx)
    for blob_id in held:
        row = await blobs.row_of(cx, blob_id)
        if row is None or row.place is not None:
            check.problems.append(f"the bytes of the file {blob_id} are missing")
            continue
        data = await blobs.whole(cx, blob_id, row.data, None)
        check.numbers["bytes"] = check.numbers.get("bytes", 0) + len(data)
        if (await asyncio.to_thread(sha256, data)).hexdigest() != blob_id:
            check.problems.append(f"the bytes of the file {blob_id} were altered")
    check.numbers["files"] = len(held)


async def _verify_audit(db: Database, settings: Settings, check: BackupCheck) -> None:
    """Verify the audit logs, where their keys are here."""
    cx = context(db, settings)
    try:
        for log in await audit_verification.logs(cx):
            found = await audit_verification.verify(cx, log.id)
            check.numbers["audit events"] = check.numbers.get("audit events", 0) + found.events
            if found.first_broken is not None:
                event = f"event {found.first_broken} of the audit log of {log.title}"
                check.problems.append(f"{event} {found.reason}")
    except KeyMissing as missing:
        check.unverified = missing.message


async def check_keys(path: Path, settings: Settings) -> None:
    """Raise Problem unless the secret and the key of the audit log that a backup needs are here."""
    from app.domain.infrastructure import service

    async with opened_file(path) as db:
        await service.signer(db, settings)
        try:
            keys = service.audit_keys(settings)
        except Problem:
            keys = None
        needed = await service.audit_key_of(db)
        if needed is not None and (keys is None or needed not in keys):
            raise KeyMissing(
                f"The audit log is signed with the key {needed}, which is neither in DOCYARD_AUDIT_KEY nor in"
                f" {settings.audit_key_file}."
            )
