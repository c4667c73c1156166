"""Matches the people of an archive with those of the installation that it is imported into.

A person who is here already, by their id or by their e-mail address, stays as they are. Where they have
another id here, it takes the place of the old one everywhere in the archive. Ids have twenty random
characters, so they are recognised in any text: no column and no field of a JSON value is forgotten.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Boolean, Float, Integer, Table, select

from app.domain.organization_archives import ownership
from app.domain.organization_archives.archive_manifests import ArchiveRefused
from app.domain.revisions.documents import document_id
from app.kit.database.columns import Bytes, Instant
from app.kit.database.file_threads import FileThread
from app.kit.database.interface import Reader
from app.kit.database.sql import among
from app.kit.database.statements import rows, table
from app.kit.ids import LENGTH
from app.models.users import User

USERS = table(User)
AT_ONCE = 500
_BY_ID = rows(lambda: select(USERS.c.id).where(among(USERS.c.id, "ids")))
_BY_EMAIL = rows(lambda: select(USERS.c.id, USERS.c.email).where(among(USERS.c.email, "emails")))
_WORD = re.compile(r"[0-9A-Za-z]+")
_NO_TEXT = (Boolean, Integer, Float, Bytes, Instant)
_INDEX = frozenset({"search_section", "search_spelling", "search_title", "search_word"})
"""Tables that are only right together, and name nobody."""


@dataclass(frozen=True)
class People:
    """The number of people of an archive who are here already, and of those who are new."""

    matched: int
    created: int


async def match(db: Reader, file: FileThread) -> People:
    """Have an archive name people by their ids here, and hold those alone who are new.

    Raises ArchiveRefused where two of them are one person here.
    """
    known: dict[str, str] = {}
    total = 0
    async for batch in file.batches(f'SELECT "id", "email" FROM "{ownership.PEOPLE}"', AT_ONCE):
        known |= await _known(db, dict(batch))
        total += len(batch)
    if len(set(known.values())) < len(known):
        both = next(here for here in known.values() if list(known.values()).count(here) > 1)
        raise ArchiveRefused(f"Two people of the archive are the one who has the id {both} here.")
    await file.run(lambda raw: _forget(raw, list(known)))
    if renamed := {there: here for there, here in known.items() if there != here}:
        await file.run(lambda raw: _rename(raw, renamed))
    return People(len(known), total - len(known))


async def _known(db: Reader, emails: Mapping[str, str]) -> dict[str, str]:
    """Return the ids here of those of these people who are here, by their ids in the archive."""
    found = {row.id: row.id for row in await db.all(_BY_ID, ids=list(emails))}
    by_email = {row.email: row.id for row in await db.all(_BY_EMAIL, emails=list(emails.values()))}
    return {id_: by_email[email] for id_, email in emails.items() if email in by_email} | found


def _forget(raw: sqlite3.Connection, ids: Sequence[str]) -> None:
    named = [(each,) for each in ids]
    raw.execute("BEGIN").close()
    raw.executemany('DELETE FROM "notification_preferences" WHERE "user_id" = ?', named).close()
    raw.executemany(f'DELETE FROM "{ownership.PEOPLE}" WHERE "id" = ?', named).close()
    raw.execute("COMMIT").close()


def _rename(raw: sqlite3.Connection, renamed: Mapping[str, str]) -> None:
    """Put the ids of people here in the place of those that the archive names them by."""

    def with_ids_here(text: str | None) -> str | None:
        if text is None or len(text) < LENGTH:
            return text
        return _WORD.sub(lambda word: renamed.get(word[0], word[0]), text)

    raw.create_function("with_ids_here", 1, with_ids_here, deterministic=True)
    raw.execute("BEGIN").close()
    _rename_in_texts(raw, with_ids_here)
    for selection in ownership.selections():
        if selection.table.name not in _INDEX and selection.table.name != ownership.TEXTS:
            _rename_in(raw, selection.table)
    raw.execute("COMMIT").close()


def _rename_in(raw: sqlite3.Connection, t: Table) -> None:
    columns = [c.name for c in t.columns if not isinstance(c.type, _NO_TEXT)]
    if columns:
        changed = ", ".join(f'"{name}" = with_ids_here("{name}")' for name in columns)
        differs = " OR ".join(f'"{name}" IS NOT with_ids_here("{name}")' for name in columns)
        raw.execute(f'UPDATE "{t.name}" SET {changed} WHERE {differs}').close()


def _rename_in_texts(raw: sqlite3.Connection, with_ids_here: Callable[[str], str | None]) -> None:
    """Texts that mention people get other ids, since a text is named after what it says."""
    mentioning = raw.execute(
        'SELECT "id" FROM "document" WHERE "raw" IS NULL AND "markdown" IS NOT with_ids_here("markdown")'
    ).fetchall()
    holders = [t.name for t, _ in ownership.selections() if "document_id" in t.columns]
    for (id_,) in mentioning:
        read = 'SELECT "markdown", "conditional" FROM "document" WHERE "id" = ?'
        markdown, conditional = raw.execute(read, (id_,)).fetchone()
        text = str(with_ids_here(markdown))
        added = 'INSERT OR IGNORE INTO "document" ("id", "markdown", "conditional") VALUES (?, ?, ?)'
        raw.execute(added, (document_id(text), text, conditional)).close()
        for name in holders:
            moved = f'UPDATE "{name}" SET "document_id" = ? WHERE "document_id" = ?'
            raw.execute(moved, (document_id(text), id_)).close()
        raw.execute('DELETE FROM "document" WHERE "id" = ?', (id_,)).close()
