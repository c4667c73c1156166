"""`docyard settings`, `docyard migrate`, `docyard secret`: the installation's settings, tables and secret."""

from __future__ import annotations

import os
import secrets
from typing import Annotated, Any

from cyclopts import App, Parameter

from app import migrations
from app.access.context import Context
from app.cli.output import say, table
from app.cli.session import OPERATOR, CommandRefused, DatabaseOption, opened, settings_for, without_password
from app.domain.infrastructure import secret_rotation, service
from app.kit import installation_secret
from app.kit.settings import Settings, variable
from app.kit.signing import Signer

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
    """Bring the database to this version's tables; every other command does so too."""
    async with opened(database) as runtime:
        say(f"{without_password(runtime.settings.database)} is at version {migrations.HEAD}.")


secret_app = App(name="secret")
NEW = "DOCYARD_NEW_SECRET"


@secret_app.command
async def rotate(
    *,
    lost: Annotated[
        bool,
        Parameter(negative="", help="go on although the old one is gone, with new keys"),
    ] = False,
    database: DatabaseOption = None,
) -> None:
    """Encrypt what is stored with a new secret. Servers must not run meanwhile.

    The new secret is written to the file where the old one is; one that is set is replaced by that of
    DOCYARD_NEW_SECRET.
    """
    settings = settings_for(database)
    new = _chosen(settings, lost)
    signer = Signer(new.encode())

    async def change(cx: Context) -> None:
        await (secret_rotation.replace_lost if lost else secret_rotation.renew)(cx, signer)
        await service.note_secret(cx, installation_secret.mark(new))

    if not settings.secret:  # until the change is committed both are needed
        installation_secret.write(settings, [new, *installation_secret.known(settings)], replace=True)
    async with opened(database, checked=not lost) as runtime:
        await runtime.db.write(lambda tx: change(runtime.context(OPERATOR, tx)))
    if settings.secret:
        say("Set DOCYARD_SECRET to the new secret before anything is started.")
    else:
        installation_secret.write(settings, [new], replace=True)
        say(f"The secret in {settings.secret_file} is a new one.")


def _chosen(settings: Settings, lost: bool) -> str:
    """Return the secret from now on; raises CommandRefused where it has to be given and is not."""
    given = os.environ.get(NEW, "")
    if not settings.secret:
        return given or secrets.token_urlsafe(32)
    if not given and not lost:
        raise CommandRefused(f"The secret is in DOCYARD_SECRET: give the new one in {NEW}.")
    return given or settings.secret
