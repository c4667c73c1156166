"""This service: its version, the secret that signs and encrypts, and the keys of the audit log."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import select

from app.access.context import Context
from app.kit import installation_secret, keyring
from app.kit.build import VERSION, build
from app.kit.database.interface import Database, Transaction
from app.kit.database.statements import given, query, table
from app.kit.keyring import KeyMissing, Keyring
from app.kit.settings import Settings
from app.kit.signing import Signer
from app.models.service import Fact


class ServiceInformation(NamedTuple):
    """This Docyard."""

    version: str
    build: str


async def get(cx: Context) -> ServiceInformation:
    """Get the version and build of this service."""
    return ServiceInformation(VERSION, build())


AUDIT_KEY = "audit_key"
"""The fact that names the key in use, so that no process signs the audit log with another."""
SECRET_MARK = "secret_mark"
"""The fact that tells which secret of the installation signs and encrypts (see `kit.installation_secret`)."""
FACTS = table(Fact)
_FIND = query(Fact, lambda: select(*FACTS.c).where(FACTS.c.name == given("name")))


async def signer(db: Database, settings: Settings) -> Signer:
    """Return what signs and encrypts with the secret that this database knows; raises SecretMissing."""
    found = await db.get_by_key(_FIND, name=SECRET_MARK)
    return Signer(installation_secret.find(settings, found[0].value).encode())


async def note_secret(cx: Context, mark: str) -> None:
    """Store which secret signs and encrypts from now on."""
    await cx.tx.put(Fact, {"value": mark}, name=SECRET_MARK)


def audit_keys(settings: Settings) -> Keyring:
    """Return the keys of the audit log; raises KeyMissing."""
    return keyring.read(settings.audit_key, settings.audit_key_file)


async def note_audit_key(db: Database, key_id: str) -> None:
    """Store which key signs the audit log from now on."""

    async def note(tx: Transaction) -> None:
        await tx.add_many(Fact, [{"name": AUDIT_KEY, "value": key_id}], missing=True)
        await tx.put(Fact, {"value": key_id}, name=AUDIT_KEY)

    await db.write(note)


async def audit_key_of(db: Database) -> str | None:
    """Return the key that signed the audit log last."""
    known = await db.get_by_key(_FIND, name=AUDIT_KEY)
    return known[0].value if known else None


async def check_audit_key(db: Database, settings: Settings) -> None:
    """Raise KeyMissing unless the key that signed the audit log last is here; note a newer one."""
    here = audit_keys(settings)
    signed_with = await audit_key_of(db)
    if signed_with is not None and signed_with not in here:
        raise KeyMissing(
            f"The audit log is signed with the key {signed_with}, which is neither in DOCYARD_AUDIT_KEY"
            f" nor in {settings.audit_key_file}. Restore it, or run `docyard audit rekey --lost`."
        )
    if signed_with != here.current:
        await note_audit_key(db, here.current)
