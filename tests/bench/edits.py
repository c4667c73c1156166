"""Writing content: does an edit, a change request or a merge cost what it changes, or what the space holds?

In one process, through the domain, each in a transaction of its own that is committed; beside it the same
edit as bare SQL on an interval table of the driver's own.
"""

from __future__ import annotations

import asyncio
import random
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from itertools import count
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from app import migrations
from app.access.context import Actor, Context, Membership
from app.access.rights import Level
from app.content.repository.plan import read_plan
from app.content.repository.tree import Memory
from app.domain import change_requests, content, importing, merging, organizations, people, spaces, writing
from app.domain.line import Line
from app.domain.views import Where
from app.kit.clock import utc_now
from app.kit.db import Database, open_database
from app.kit.settings import Settings
from app.kit.signing import Signer
from app.models.bodies import Body
from app.models.change_requests import ChangeRequestCreate, Merge
from app.models.content_changes import ContentChange, ContentChanges, ContentChangesQuery
from app.models.organizations import OrganizationCreate
from app.models.queries import ContentQuery
from app.models.spaces import SpaceCreate
from tests.bench.options import Options
from tests.bench.report import Goal, Row, ratio

SMALL, LARGE, FOLDERS, BODY = 100, 10_000, 100, 1_500
EDITS, MERGED, AGING = 100, 10, 30_000
SLACK = 4_096  # bytes beside the body that an edit may take


@dataclass(slots=True)
class Desk:
    """A space of so many pages in a database of its own, and who edits it."""

    path: Path
    db: Database
    actor: Actor
    space: str
    pages: list[str]

    async def write(self, call: Callable[[Context], Awaitable[Any]]) -> Any:
        """Run a call in a transaction and commit it."""
        return await self.db.write(lambda tx: call(self.context(tx)))

    def context(self, db: Any) -> Context:
        """The surroundings of one call."""
        return Context(db, self.actor, utc_now(), _SIGNER, _SETTINGS)

    async def edit(self, where: Where, *pages: str) -> None:
        """Give pages new bodies, in one revision."""
        changes = [
            ContentChange(operation="update_page", page=page, document=Body(markdown=_text(page)))
            for page in pages
        ]
        body = ContentChanges(changes=changes)
        await self.write(lambda cx: writing.change_content(cx, where, ContentChangesQuery(), body, {}))


def run(options: Options) -> list[Row]:
    """Measure every kind of writing at both sizes."""
    return asyncio.run(_run(options))


async def _run(options: Options) -> list[Row]:
    small, large = [await _desk(options.scratch, size) for size in (SMALL, LARGE)]
    raw = _Raw(options.scratch)
    rounds = options.rounds_or(5)
    found: dict[str, list[float]] = {}
    for _ in range(rounds):
        for name, measured in (
            ("raw", raw.edits),
            ("edit small", lambda: _edits(small)),
            ("edit large", lambda: _edits(large)),
            ("open small", lambda: _opens(small)),
            ("open large", lambda: _opens(large)),
            ("merge small", lambda: _merges(small)),
            ("merge large", lambda: _merges(large)),
        ):
            found.setdefault(name, []).append(await measured())
    grown = await _bytes_of_an_edit(large)
    trees = await _trees(large, rounds)
    for desk in (small, large):
        await desk.db.close()
    return _rows(found, grown, trees)


def _rows(found: dict[str, list[float]], grown: float, trees: tuple[list[float], list[float]]) -> list[Row]:
    young, old = trees

    def row(what: str, ours: str, against: str, theirs: str, most: float) -> Row:
        figures = ({"us": median(found[side]) * 1e6} for side in (ours, theirs))
        return Row(what, against, {"time": ratio(found[ours], found[theirs])}, Goal(most=most), *figures)

    return [
        row("an edit in 10,000 pages", "edit large", "bare SQL", "raw", 2.0),
        row("an edit in 10,000 pages", "edit large", "in 100 pages", "edit small", 1.2),
        Row(
            "bytes of an edit",
            f"its body and {SLACK:,}",
            {"bytes": grown / (BODY + SLACK)},
            Goal(most=1.0),
            {"bytes": grown},
        ),
        row("opening a change request in 10,000", "open large", "in 100", "open small", 1.2),
        row("merging 10 pages in 10,000", "merge large", "in 100", "merge small", 2.0),
        Row(
            f"the tree of 10,000 after {AGING:,} edits",
            "before them",
            {"time": ratio(old, young)},
            Goal(most=1.2),
            {"ms": median(old) * 1e3},
            {"ms": median(young) * 1e3},
        ),
    ]


async def _desk(scratch: Path, size: int) -> Desk:
    path = scratch / f"edits-{size}.db"
    for suffix in ("", "-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)
    await asyncio.to_thread(migrations.upgrade, str(path))
    db = open_database(str(path), synchronous="NORMAL")
    desk = Desk(path, db, Actor(""), "", [])
    await desk.write(lambda cx: _furnish(cx, desk, size))
    return desk


async def _furnish(cx: Context, desk: Desk, size: int) -> None:
    user = await people.create(cx, "editor@example.org", "Editor")
    cx.actor = Actor(user.id)
    made = await organizations.create(cx, OrganizationCreate(title="Bench"))
    member = Membership(made.id, Level.ADMIN, Level.ADMIN)
    desk.actor = cx.actor = Actor(user.id, memberships={made.id: member})
    space = await spaces.create(cx, made.id, SpaceCreate(title="Bench"))
    tree = {
        f"folder-{n % FOLDERS}/page-{n}.md": f"# Page {n}\n\n{_text(str(n))}\n".encode() for n in range(size)
    }
    await importing.into_line(cx, Line(space), read_plan(Memory(tree)))
    desk.space = space.id
    held = await content.list_pages(cx, Where(space.id), ContentQuery())
    desk.pages = [page.page_id for page in held.pages if page.kind == "document"]


_SIGNER, _SETTINGS = Signer(b""), Settings()
_LETTERS = "".join(random.Random(5).choices("abcdefghij klmnop", k=BODY))
_texts = count()


def _text(name: str) -> str:
    """A text that was never there before, made in no time."""
    turned = next(_texts)
    at = turned * 7 % BODY
    return f"{name} {turned} {_LETTERS[at:]}{_LETTERS[:at]}"


async def _edits(desk: Desk) -> float:
    times = []
    for _ in range(EDITS):
        page = random.choice(desk.pages)
        begun = perf_counter()
        await desk.edit(Where(desk.space), page)
        times.append(perf_counter() - begun)
    return median(times)


async def _opens(desk: Desk) -> float:
    times = []
    for _ in range(EDITS):
        begun = perf_counter()
        await desk.write(lambda cx: change_requests.create(cx, desk.space, ChangeRequestCreate()))
        times.append(perf_counter() - begun)
    return median(times)


async def _merges(desk: Desk) -> float:
    times = []
    for _ in range(5):
        asked = await desk.write(lambda cx: change_requests.create(cx, desk.space, ChangeRequestCreate()))
        where = Where(desk.space, asked.request.id)
        await desk.edit(where, *random.sample(desk.pages, MERGED))
        begun = perf_counter()
        await desk.write(partial(_merge, where))
        times.append(perf_counter() - begun)
    return median(times)


async def _merge(where: Where, cx: Context) -> None:
    await merging.merge(cx, where, Merge())


async def _bytes_of_an_edit(desk: Desk) -> float:
    def size() -> int:
        with closing(sqlite3.connect(desk.path)) as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return desk.path.stat().st_size

    before = size()
    for _ in range(5 * EDITS):
        await desk.edit(Where(desk.space), random.choice(desk.pages))
    return (size() - before) / (5 * EDITS)


async def _trees(desk: Desk, rounds: int) -> tuple[list[float], list[float]]:
    """Times of reading the page tree of a young space, and of one that was edited a lot."""

    async def read() -> float:
        begun = perf_counter()
        await content.list_pages(desk.context(desk.db), Where(desk.space), ContentQuery())
        return perf_counter() - begun

    async def several() -> list[float]:
        return [median([await read() for _ in range(9)]) for _ in range(rounds)]

    young = await several()
    for start in range(0, AGING, 50):
        pages = [desk.pages[(start * 7 + n) % len(desk.pages)] for n in range(50)]
        await desk.edit(Where(desk.space), *pages)
    return young, await several()


class _Raw:
    """The same edit as bare SQL: a body, a version closed, another opened, a revision; committed."""

    def __init__(self, scratch: Path) -> None:
        path = scratch / "edits-raw.db"
        for suffix in ("", "-wal", "-shm"):
            Path(f"{path}{suffix}").unlink(missing_ok=True)
        self._db = sqlite3.connect(path, isolation_level=None)
        self._db.executescript(
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
            "CREATE TABLE body (hash BLOB PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;"
            "CREATE TABLE revision (id INTEGER PRIMARY KEY, at TEXT);"
            "CREATE TABLE version (page INTEGER, valid_from INTEGER, valid_to INTEGER, parent INTEGER,"
            " title TEXT, slug TEXT, kind TEXT, body BLOB, PRIMARY KEY (page, valid_from)) WITHOUT ROWID;"
            "CREATE UNIQUE INDEX current ON version (page) WHERE valid_to IS NULL;"
        )
        self._db.execute("BEGIN")
        for page in range(LARGE):
            row = (page, 0, page % FOLDERS, f"Page {page}", f"page-{page}", "document", self._keep(page))
            self._db.execute("INSERT INTO version VALUES (?, ?, NULL, ?, ?, ?, ?, ?)", row)
        self._db.execute("COMMIT")
        self._number = 0

    def _keep(self, page: int) -> bytes:
        text = _text(str(page))
        key = sha256(text.encode()).digest()
        self._db.execute("INSERT OR IGNORE INTO body VALUES (?, ?)", (key, text))
        return key

    async def edits(self) -> float:
        """The median time of an edit."""
        return median([self._edit(random.randrange(LARGE)) for _ in range(EDITS)])

    def _edit(self, page: int) -> float:
        self._number += 1
        begun = perf_counter()
        self._db.execute("BEGIN IMMEDIATE")
        key = self._keep(page)
        self._db.execute("INSERT INTO revision VALUES (?, '2026-01-01')", (self._number,))
        found = self._db.execute(
            "SELECT parent, title, slug, kind FROM version WHERE page = ? AND valid_to IS NULL", (page,)
        )
        row = found.fetchone()
        self._db.execute(
            "UPDATE version SET valid_to = ? WHERE page = ? AND valid_to IS NULL", (self._number, page)
        )
        self._db.execute(
            "INSERT INTO version VALUES (?, ?, NULL, ?, ?, ?, ?, ?)", (page, self._number, *row, key)
        )
        self._db.execute("COMMIT")
        return perf_counter() - begun
