"""The ceilings of an edit: bare SQL on interval tables of the driver's own, with the product's durability."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from app.kit.clock import utc_now


class Raw:
    """An edit and no more: a body, a version closed, another opened, a revision, the space; committed.

    One that is `searched` also replaces the page's row of a search, and what the row is found by.
    """

    def __init__(
        self, scratch: Path, size: int, folders: int, text_of: Callable[[str], str], *, searched: bool = False
    ) -> None:
        path = scratch / f"edits-raw-{size}{'-searched' if searched else ''}.db"
        for suffix in ("", "-wal", "-shm"):
            Path(f"{path}{suffix}").unlink(missing_ok=True)
        self._size, self._number, self._text_of, self._searched = size, 0, text_of, searched
        self._db = sqlite3.connect(path, isolation_level=None)
        self._db.executescript(
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-32768;"
            "PRAGMA mmap_size=268435456;"
            "CREATE TABLE document (id TEXT PRIMARY KEY, markdown TEXT NOT NULL);"
            "CREATE TABLE revision (id TEXT PRIMARY KEY, space TEXT, number INTEGER, at TEXT);"
            "CREATE TABLE space (id TEXT PRIMARY KEY, revision TEXT, number INTEGER, at TEXT);"
            "CREATE TABLE version (page TEXT, valid_from INTEGER, valid_to INTEGER, parent TEXT, title TEXT,"
            " slug TEXT, path TEXT, kind TEXT, document TEXT, at TEXT, PRIMARY KEY (page, valid_from));"
            "CREATE UNIQUE INDEX current ON version (page) WHERE valid_to IS NULL;"
            "CREATE UNIQUE INDEX paths ON version (path) WHERE valid_to IS NULL;"
            "CREATE INDEX children ON version (parent) WHERE valid_to IS NULL;"
            "CREATE TABLE section (page TEXT PRIMARY KEY, title TEXT, body TEXT);"
            "CREATE VIRTUAL TABLE search USING fts5(title, body, content='');"
            "INSERT INTO space VALUES ('space', '', 0, '');"
        )
        self._db.execute("BEGIN")
        for page in range(size):
            place = (f"folder-{page % folders}", f"Page {page}", f"page-{page}")
            path_of = f"folder-{page % folders}/page-{page}"
            text = self._text_of(str(page))
            row = (f"page-{page:09}", 0, *place, path_of, "document", self._keep(text), "")
            self._db.execute("INSERT INTO version VALUES (?, ?, NULL, ?, ?, ?, ?, ?, ?, ?)", row)
            if searched:
                self._find(page, f"Page {page}", text)
        self._db.execute("COMMIT")

    def _keep(self, text: str) -> str:
        key = sha256(text.encode()).hexdigest()
        self._db.execute("INSERT OR IGNORE INTO document VALUES (?, ?)", (key, text))
        return key

    def _find(self, page: int, title: str, text: str) -> None:
        run, name = self._db.execute, f"page-{page:09}"
        if held := run("SELECT title, body FROM section WHERE page = ?", (name,)).fetchone():
            forget = "INSERT INTO search (search, rowid, title, body) VALUES ('delete', ?, ?, ?)"
            run(forget, (page, *held))
        run("INSERT OR REPLACE INTO section VALUES (?, ?, ?)", (name, title, text))
        run("INSERT INTO search (rowid, title, body) VALUES (?, ?, ?)", (page, title, text))

    async def edit(self) -> None:
        """Give a page a new body."""
        self._number += 1
        number, at = self._number, utc_now().isoformat()
        chosen, text = random.randrange(self._size), self._text_of(str(number))
        page, revision = f"page-{chosen:09}", f"revision-{number:09}"
        run = self._db.execute
        run("BEGIN IMMEDIATE")
        key = self._keep(text)
        found = run(
            "SELECT parent, title, slug, path, kind FROM version WHERE page = ? AND valid_to IS NULL", (page,)
        )
        row = found.fetchone()
        run("UPDATE version SET valid_to = ? WHERE page = ? AND valid_to IS NULL", (number, page))
        run("INSERT INTO version VALUES (?, ?, NULL, ?, ?, ?, ?, ?, ?, ?)", (page, number, *row, key, at))
        if self._searched:
            self._find(chosen, row[1], text)
        run("INSERT INTO revision VALUES (?, 'space', ?, ?)", (revision, number, at))
        run("UPDATE space SET revision = ?, number = ?, at = ? WHERE id = 'space'", (revision, number, at))
        run("COMMIT")
