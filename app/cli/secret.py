"""`docyard secret`: give the installation another secret."""

from __future__ import annotations

import os
import secrets
from typing import Annotated

from cyclopts import App, Parameter

from app.access.context import Context
from app.cli.session import OPERATOR, CommandRefused, DatabaseOption, opened, settings_for
from app.cli.words import say
from app.domain.infrastructure import secret_rotation, service
from app.kit import installation_secret
from app.kit.settings import Settings
from app.kit.signing import Signer

app = App(name="secret")
NEW = "DOCYARD_NEW_SECRET"


@app.command
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
    """The secret from now on; raises Refused where it has to be given and is not."""
    given = os.environ.get(NEW, "")
    if not settings.secret:
        return given or secrets.token_urlsafe(32)
    if not given and not lost:
        raise CommandRefused(f"The secret is in DOCYARD_SECRET: give the new one in {NEW}.")
    return given or settings.secret
