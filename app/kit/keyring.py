"""Keys for message authentication codes that are kept outside the database: in a setting or in a file.

The first key of a keyring signs; the others are older and still verify what they signed.
"""

from __future__ import annotations

import hmac
import os
import secrets
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

from app.kit.errors import Problem

LEAST_LENGTH = 32
"""Characters of a key: a shorter one could be guessed."""
SEALS = 1_000  # signatures that are remembered


class KeyMissing(Problem):
    """There is no key where one is needed."""


class Keyring:
    """Signs texts with HMAC-SHA256 under its first key and verifies them under any of its keys.

    A signature is the id of its key (8 hexadecimal digits), a colon and 64 hexadecimal digits.
    """

    def __init__(self, keys: Sequence[str]) -> None:
        self._secrets = {_key_id(key): key.encode() for key in keys}
        self.current = _key_id(keys[0])
        self._sealed = lru_cache(SEALS)(self._sign)

    def __contains__(self, key_id: str) -> bool:
        """Tell whether the key of this id is here."""
        return key_id in self._secrets

    def sign(self, text: str) -> str:
        """Return the signature of a text under the first key."""
        return self._sign(self.current, text)

    def verifies(self, text: str, signature: str) -> bool:
        """Tell whether one of the keys made this signature of the text; compares in constant time."""
        key_id = signer(signature)
        return key_id in self._secrets and hmac.compare_digest(self._sign(key_id, text), signature)

    def seal(self, text: str) -> str:
        """Do as `sign`, for a text that will be verified soon: its signature is remembered."""
        return self._sealed(self.current, text)

    def is_seal(self, text: str, signature: str) -> bool:
        """Do as `verifies`, for texts of which few are verified again and again."""
        key_id = signer(signature)
        return key_id in self._secrets and hmac.compare_digest(self._sealed(key_id, text), signature)

    def _sign(self, key_id: str, text: str) -> str:
        return f"{key_id}:{hmac.digest(self._secrets[key_id], text.encode(), 'sha256').hex()}"


def signer(signature: str) -> str:
    """Return the id of the key that a signature claims; empty where it names none."""
    key_id, colon, _ = signature.partition(":")
    return key_id if colon else ""


def _key_id(key: str) -> str:
    return blake2b(key.encode(), digest_size=4, person=b"key id").hexdigest()


@lru_cache(8)
def read(setting: str, file: Path) -> Keyring:
    """Return the keys of a setting, or of a file where the setting is empty or names another file.

    A setting without a slash holds the keys themselves, separated by commas; a file has one in each line.
    Raises KeyMissing where there is no key or one is too short.
    """
    if setting and "/" not in setting:
        return Keyring(_checked(setting.split(","), "DOCYARD_AUDIT_KEY"))
    path = Path(setting) if setting else file
    try:
        lines = path.read_text().splitlines()
    except OSError as error:
        raise KeyMissing(
            f"The key of the audit log cannot be read from {path}: {error.strerror}."
            " Restore it, or run `docyard audit rekey --lost`."
        ) from None
    return Keyring(_checked(lines, str(path)))


def _checked(keys: Iterable[str], place: str) -> list[str]:
    found = [key.strip() for key in keys if key.strip()]
    if not found or min(map(len, found)) < LEAST_LENGTH:
        raise KeyMissing(f"{place} must hold keys of at least {LEAST_LENGTH} characters each.")
    return found


def create(setting: str, file: Path) -> Keyring:
    """Return the keys of `read`, after making a key where the file does not exist yet.

    Of several processes one makes the file, readable by its owner only. Raises KeyMissing where that fails.
    """
    path = Path(setting) if "/" in setting else file
    if not (setting and "/" not in setting) and not path.exists():
        _store(path, secrets.token_urlsafe(32) + "\n", replace=False)
    return read(setting, file)


def add(setting: str, file: Path) -> Keyring:
    """Put a new key before those of the file, if any, and return them all; raises KeyMissing.

    Keys of the setting itself are for whoever set them to change.
    """
    if setting and "/" not in setting:
        raise KeyMissing("The key of the audit log is in DOCYARD_AUDIT_KEY: put a new one before it there.")
    path = Path(setting) if setting else file
    kept = path.read_text() if path.exists() else ""
    _store(path, f"{secrets.token_urlsafe(32)}\n{kept}", replace=True)
    read.cache_clear()
    return read(setting, file)


def _store(path: Path, text: str, *, replace: bool) -> None:
    try:
        write_file(path, text, replace=replace)
    except OSError as error:
        raise KeyMissing(
            f"The key of the audit log cannot be written to {path}: {error.strerror}."
            " Set DOCYARD_AUDIT_KEY to a secret of 32 characters or more, or to a file that can be written."
        ) from None


def write_file(path: Path, text: str, *, replace: bool) -> None:
    """Write a file of secrets for its owner alone, whole: whoever reads meanwhile finds all of it or none.

    A file that exists stays as it is, unless it is to be replaced. Raises OSError.
    """
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        if replace:
            os.replace(draft, path)
        else:
            with suppress(FileExistsError):  # another process was first
                os.link(draft, path)
    finally:
        draft.unlink(missing_ok=True)
