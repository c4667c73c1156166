"""`docyard settings`, `docyard migrate`, `docyard secret`: the installation's settings, tables and secret.

`docyard audit`: verify the audit log, export its heads, and give it a new key.
"""

from __future__ import annotations

import os
import secrets
import sys
from collections import defaultdict
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import orjson
from cyclopts import App, Parameter

from app import migrations
from app.access.context import Context
from app.cli.command_settings import CommandRefused, DatabaseOption, settings_for, without_password
from app.cli.output import bar, give, say, table
from app.cli.session import OPERATOR, opened
from app.domain.audit import audit_chain, audit_verification
from app.domain.audit.audit_verification import Anchor, Check
from app.domain.infrastructure import service, stored_secrets
from app.kit import installation_secret, keyring
from app.kit.clock import utc_now, wire_time
from app.kit.database.interface import Transaction
from app.kit.environment import variable
from app.kit.errors import NotFound
from app.kit.settings import Settings
from app.kit.signing import Signer
from app.migrations import schema_check
from app.runtime import Runtime

SECRET = ("secret", "token", "password", "key", "credentials")


def settings(*, database: DatabaseOption = None) -> None:
    """Show every setting: its environment variable, its value now and its meaning."""
    values = settings_for(database)
    table(
        ("variable", "value", "meaning"),
        (
            (variable(name), _shown(name, getattr(values, name)), field.description or "")
            for name, field in Settings.model_fields.items()
        ),
    )


def _shown(name: str, value: Any) -> str:
    if value and any(word in name for word in SECRET):
        return "***"
    if isinstance(value, bool):
        return str(value).lower()
    return without_password(str(value)) or "-"


async def migrate(*, database: DatabaseOption = None) -> None:
    """Migrate the database to this version; every other command does so too."""
    async with opened(database) as runtime:
        await schema_check.check(runtime.db)
        say(f"{without_password(runtime.settings.database)} is at version {migrations.HEAD}.")


secret_app = App(name="secret")
NEW = "DOCYARD_NEW_SECRET"


@secret_app.command
async def rotate(
    *,
    lost: Annotated[
        bool,
        Parameter(negative="", help="continue without the old secret, with new keys"),
    ] = False,
    database: DatabaseOption = None,
) -> None:
    """Re-encrypt stored secrets with a new secret. Stop all servers first.

    The new secret is written to the file where the old one is; one that is set is replaced by that of
    DOCYARD_NEW_SECRET.
    """
    settings = settings_for(database)
    new = _chosen(settings, lost)
    signer = Signer(new.encode())

    async def change(cx: Context) -> None:
        await (stored_secrets.replace_lost if lost else stored_secrets.renew)(cx, signer)
        await service.note_secret(cx, installation_secret.mark(new))

    if not settings.secret:  # until the change is committed both are needed
        installation_secret.write(settings, [new, *installation_secret.known(settings)], replace=True)
    async with opened(database, checked=not lost) as runtime:
        await runtime.db.write(lambda tx: change(runtime.context(OPERATOR, tx)))
    if settings.secret:
        say("Set DOCYARD_SECRET to the new secret before you start a server.")
    else:
        installation_secret.write(settings, [new], replace=True)
        say(f"The secret in {settings.secret_file} has been replaced.")


def _chosen(settings: Settings, lost: bool) -> str:
    """Return the secret from now on; raises CommandRefused where it has to be given and is not."""
    given = os.environ.get(NEW, "")
    if not settings.secret:
        return given or secrets.token_urlsafe(32)
    if not given and not lost:
        raise CommandRefused(f"The secret is set in DOCYARD_SECRET: give the new one in {NEW}.")
    return given or settings.secret


audit_app = App(name="audit")
Organization = Annotated[str | None, Parameter(help="id of an organization (default: all)")]


@audit_app.command
async def verify(
    *,
    org: Organization = None,
    anchors: Annotated[
        Path | None,
        Parameter(help="file with earlier output of `docyard audit anchor`; - for stdin"),
    ] = None,
    database: DatabaseOption = None,
) -> None:
    """Verify all events of the audit log, and anchors if given; exit with 1 if one is wrong."""
    kept = _read_anchors(anchors)
    async with opened(database) as runtime:
        logs = await _logs(runtime, org)
        with bar("Verifying", sum(log.number for log in logs)) as progress:
            cx = runtime.context(OPERATOR)
            found = [
                (log, await audit_verification.verify(cx, log.id, progress, kept[log.id])) for log in logs
            ]
    table(
        ("organization", "events", "state"),
        ((log.id, str(check.events), _state(check)) for log, check in found),
    )
    wrong = [log.title for log, check in found if check.first_broken is not None]
    lost = sorted(kept.keys() - {log.id for log in logs}) if org is None else []
    if wrong or lost:
        raise CommandRefused(f"The audit log of {', '.join([*wrong, *lost])} has been altered.")
    say(f"{sum(check.events for _, check in found)} events verified.")


def _state(check: Check) -> str:
    if check.first_broken is None:
        return "valid"
    return f"broken from event {check.first_broken} on, which {check.reason}"


def _read_anchors(file: Path | None) -> dict[str, list[Anchor]]:
    kept: dict[str, list[Anchor]] = defaultdict(list)
    if file is None:
        return kept
    try:
        lines = sys.stdin.read() if str(file) == "-" else file.read_text()
        for line in lines.splitlines():
            entry = orjson.loads(line)
            kept[entry["organization"]].append(Anchor(entry["number"], entry["hash"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CommandRefused(f"{file} cannot be read as anchors: {error}.") from None
    return kept


@audit_app.command
async def anchor(*, org: Organization = None, database: DatabaseOption = None) -> None:
    """Print the number and hash of each log's newest event, one JSON object per line, to store elsewhere."""
    at = wire_time(utc_now())
    async with opened(database) as runtime:
        for log in await _logs(runtime, org):
            entry = {"organization": log.id, "number": log.number, "hash": log.hash, "at": at}
            if log.number:
                give(orjson.dumps(entry).decode())


@audit_app.command
async def rekey(
    *,
    lost: Annotated[
        bool, Parameter(negative="", help="continue without the old key, accepting the log as it is now")
    ] = False,
    database: DatabaseOption = None,
) -> None:
    """Create a new key for the audit log; earlier events keep the signatures of their keys."""
    settings = settings_for(database)
    if not lost:
        async with opened(database) as runtime:
            for log in await _logs(runtime, None):
                check = await audit_verification.verify(runtime.context(OPERATOR), log.id)
                if check.first_broken is not None:
                    raise CommandRefused(
                        f"The audit log of {log.title} is {_state(check)}; see `docyard audit verify`."
                    )
    made = keyring.add(settings.audit_key, settings.audit_key_file)
    async with opened(database, checked=False) as runtime:
        for log in await _logs(runtime, None):
            await runtime.db.write(partial(_accept, runtime, log.id))
        await service.note_audit_key(runtime.db, made.current)
    say(f"New events are now signed with key {made.current}.")


async def _accept(runtime: Runtime, log: str, tx: Transaction) -> None:
    await audit_chain.accept(runtime.context(OPERATOR, tx), log)


async def _logs(runtime: Runtime, organization_id: str | None) -> list[Any]:
    logs = await audit_verification.logs(runtime.context(OPERATOR))
    found = [log for log in logs if organization_id in (None, log.id)]
    if organization_id is not None and not found:
        raise NotFound(f"There is no organization {organization_id}. `docyard org list` shows the ids.")
    return found
