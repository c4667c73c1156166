"""Migrations that have run somewhere are never changed: the checksums of those that landed."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from app import migrations

FOLDER = Path(migrations.__file__).parent / "versions"
LIST = Path(__file__).with_name("migrations.sha256")


def checksums() -> dict[str, str]:
    """Return the SHA-256 of each migration, by its file."""
    return {path.name: sha256(path.read_bytes()).hexdigest() for path in sorted(FOLDER.glob("[0-9]*.py"))}


def frozen() -> dict[str, str]:
    """Return the checksums that were recorded."""
    lines = LIST.read_text().splitlines() if LIST.exists() else []
    return {name: checksum for checksum, name in (line.split() for line in lines)}


def record() -> None:
    """Record the checksums of new migrations; those that are recorded stay as they are."""
    before = frozen()
    found = {name: before.get(name, checksum) for name, checksum in checksums().items()}
    LIST.write_text("".join(f"{found[name]}  {name}\n" for name in sorted(found)))
