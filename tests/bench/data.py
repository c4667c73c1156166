"""Databases to measure on: made through the product, multiplied by SQL, kept in the scratch folder."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeVar

import orjson

from app import migrations
from app.access.context import Actor, Context
from app.domain.accounts import tokens as account_tokens
from app.domain.organizations import organizations, users
from app.domain.spaces import spaces
from app.kit.clock import utc_now
from app.kit.database.engines import open_database
from app.kit.database.statements import table
from app.kit.settings import Settings
from app.kit.signing import Signer
from app.models.organizations import OrganizationCreate
from app.models.spaces import Space, SpaceCreate
from tests.cli.command import AUDIT_KEY, SECRET

T = TypeVar("T")
ICON = "https://files.example.org/icons/" + "handbook-cover-" * 14 + ".png"  # makes an answer about 1 KB


@dataclass(slots=True, frozen=True)
class Data:
    """A database with organizations, each with one administrator's token; the traveller is in all of them."""

    path: Path
    organizations: list[str]
    tokens: list[str]
    traveller: str

    def header(self, organization: int) -> dict[str, str]:
        """The administrator's header."""
        return {"Authorization": f"Bearer {self.tokens[organization]}"}

    @property
    def travelling(self) -> dict[str, str]:
        """The header of whoever belongs to every organization."""
        return {"Authorization": f"Bearer {self.traveller}"}


def settings_of(database: Path | str, **more: Any) -> Settings:
    """The settings of a program on this database; its keys are those of `servers`."""
    return Settings(database=str(database), audit_key=AUDIT_KEY, secret=SECRET, **more)


def create(database: Path) -> None:
    """Make an empty database in place of what was there."""
    for suffix in ("", "-wal", "-shm"):
        Path(f"{database}{suffix}").unlink(missing_ok=True)
    migrations.upgrade(str(database), settings_of(database))


def inside(database: Path | str, call: Callable[[Context], Awaitable[T]]) -> T:
    """Run `call` in a transaction of its own, as the command line would."""

    async def run() -> T:
        db = open_database(str(database))
        try:
            async with db.transaction() as tx:
                return await call(Context(tx, Actor(""), utc_now(), Signer(b""), settings_of(database)))
        finally:
            await db.close()

    return asyncio.run(run())


def with_spaces(scratch: Path, *, organizations_: int, each: int, icon: str | None) -> Data:
    """A database in which every organization has `each` spaces, interleaved as if made over the years."""
    path = scratch / f"spaces-{tables()}-{organizations_}x{each}.db"
    note = path.with_suffix(".json")
    if note.exists():
        kept = orjson.loads(note.read_bytes())
        return Data(**{**kept, "path": path})
    create(path)
    data = inside(path, lambda cx: found(cx, path, organizations_, icon))
    multiply_spaces(path, each)
    note.write_bytes(orjson.dumps(asdict(data), default=str))
    return data


def tables() -> str:
    """A short hash of the migrations, so that a kept file has the tables of this version."""
    folder = Path(migrations.__file__).parent / "versions"
    return blake2b(b"".join(p.read_bytes() for p in sorted(folder.glob("*.py"))), digest_size=4).hexdigest()


async def found(cx: Context, path: Path, count: int, icon: str | None) -> Data:
    """Found organizations with an administrator, a token and a space each; `path` is where the data is."""
    traveller = await users.create(cx, "traveller@example.org", "Traveller")
    ids, tokens = [], []
    for n in range(count):
        user = await users.create(cx, f"admin{n}@example.org", f"Admin {n}")
        cx.actor = Actor(user.id)
        made = await organizations.create(cx, OrganizationCreate(title=f"Organization {n}"))
        await organizations.add_member(cx, made.id, traveller.id, "admin")
        await spaces.create(cx, made.id, SpaceCreate(title="Template", icon=icon))
        ids.append(made.id)
        tokens.append(await account_tokens.create(cx, user))
    return Data(path, ids, tokens, await account_tokens.create(cx, traveller))


def multiply_spaces(path: Path, each: int) -> None:
    """Copy every space until each organization has `each`; ids are digits, in turn by organization."""
    columns = [column.name for column in table(Space).columns]
    made = {"id": "printf('%016d%04d', n, place)", "title": "'Space number ' || n"}
    values = ", ".join(made.get(name, f'"{name}"') for name in columns)
    names = ", ".join(f'"{name}"' for name in columns)
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA synchronous=OFF")
        db.execute("CREATE TEMP TABLE template AS SELECT rowid AS place, * FROM space")
        db.execute("DELETE FROM space")
        db.execute(
            "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)"
            f" INSERT INTO space ({names}) SELECT {values} FROM numbers CROSS JOIN template",
            (each,),
        )
        db.commit()
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def space_ids(data: Data, organization: int, most: int) -> list[str]:
    """Ids of an organization's spaces, spread evenly over all of them."""
    with closing(sqlite3.connect(data.path)) as db:
        found = db.execute(
            "SELECT id FROM space WHERE organization_id = ? ORDER BY id", (data.organizations[organization],)
        )
        ids = [row[0] for row in found]
    return ids[:: max(1, len(ids) // most)][:most]


def copy_of(data: Data, name: str) -> Path:
    """A fresh copy of the database file for a contestant that writes."""
    path = data.path.with_name(name)
    for suffix in ("", "-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)
    shutil.copyfile(data.path, path)
    return path
