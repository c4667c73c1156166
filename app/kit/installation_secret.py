"""The installation's secret: keys derived from it sign and encrypt (see `signing`).

It is in the setting `secret`, or in a file that is made once. The database holds its mark alone, so that no
process works with another secret, and whoever has the database reads nothing that is encrypted.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from hashlib import blake2b

from app.kit.errors import Problem
from app.kit.keyring import write_file
from app.kit.settings import Settings


class SecretMissing(Problem):
    """The secret that this database was used with is not here."""


def mark(secret: str) -> str:
    """Return what tells a secret from others and nothing else of it."""
    return blake2b(secret.encode(), digest_size=8, person=b"secret mark").hexdigest()


def known(settings: Settings) -> list[str]:
    """Return the secrets that are here: the setting's, or those of the file, which has one in each line.

    There is more than one only while a new one takes the place of another.
    """
    if settings.secret:
        return [settings.secret]
    try:
        return [line for line in settings.secret_file.read_text().splitlines() if line]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise SecretMissing(f"{settings.secret_file} cannot be read: {error.strerror}.") from None


def find(settings: Settings, wanted: str) -> str:
    """Return the secret with this mark; raises SecretMissing."""
    for secret in known(settings):
        if mark(secret) == wanted:
            return secret
    raise SecretMissing(
        "Secrets in this database are encrypted with another secret than that of DOCYARD_SECRET, or of"
        f" {settings.secret_file} without it. Restore it, or run `docyard secret rotate --lost`, which makes"
        " the keys of sites and share links anew."
    )


def create(settings: Settings, stored: str | None = None) -> str:
    """Return the secret, after making its file where there is none; raises SecretMissing where that fails.

    `stored` is one that was in the database, which is kept. Of several processes one makes the file.
    """
    if not known(settings):
        write(settings, [stored or secrets.token_urlsafe(32)], replace=False)
    return known(settings)[0]


def write(settings: Settings, kept: Sequence[str], *, replace: bool) -> None:
    """Write the file, one secret in each line; raises SecretMissing."""
    try:
        write_file(settings.secret_file, "".join(f"{each}\n" for each in kept), replace=replace)
    except OSError as error:
        raise SecretMissing(
            f"The secret cannot be written to {settings.secret_file}: {error.strerror}."
            " Set DOCYARD_SECRET to a text of 32 characters or more that nobody can guess."
        ) from None
