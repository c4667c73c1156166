"""Discussions: a page of fifty comments beside the raw driver, in a space of a hundred and of 100,000."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path

import orjson

from app.access.context import Actor, Context, Membership
from app.access.rights import Level
from app.domain.accounts import tokens
from app.domain.content.views import Where
from app.domain.organizations import organizations, users
from app.domain.revisions import edits
from app.domain.spaces import spaces
from app.kit.clock import wire_time
from app.models.content_changes import ContentChange, ContentChanges, ContentChangesQuery
from app.models.documents import Body
from app.models.organizations import OrganizationCreate
from app.models.spaces import SpaceCreate
from tests.bench.alike import must_agree
from tests.bench.data import create, inside, tables
from tests.bench.load import Request, Target, compared, race
from tests.bench.options import Options
from tests.bench.report import Goal, Row, ratio
from tests.bench.servers import ceiling, docyard

SIZES = {"small": 100, "large": 100_000}
PAGE, PEOPLE, PAGES, REACTIONS = 50, 20, 10, 3
EMOJI = ("1f44d", "2764", "1f389")
CEILING = "raw aiosqlite + orjson"
TEXT = "Is the lamp *always* lit, or **only** at night? See [the rounds](/rounds) before you answer. " * 3


@dataclass(slots=True, frozen=True)
class Discussions:
    """A database with two spaces, and its administrator's token."""

    path: Path
    token: str
    spaces: dict[str, str]


def run(options: Options) -> list[Row]:
    """Measure it all; raises AssertionError where ours and the ceiling answer differently."""
    data = _discussions(options.scratch)
    with docyard(data.path) as server, ceiling("bare_comments:app", data.path) as bare:
        header = {"Authorization": f"Bearer {data.token}"}
        targets: dict[str, Target] = {}
        for name, space in data.spaces.items():
            path = f"/spaces/{space}/comments?limit={PAGE}"
            targets[name] = Target(server, [Request(f"/v1{path}", headers=header)])
            targets[f"{name} raw"] = Target(bare, [Request(path)])
            targets[f"{name} open"] = Target(server, [Request(f"/v1{path}&status=open", headers=header)])
            must_agree(targets[name], targets[f"{name} raw"])
        series = race(targets, options.rounds_or(5), options.seconds_or(2))
    rows = [
        compared(f"{PAGE} of {SIZES[name]:,} comments", series[name], CEILING, series[f"{name} raw"], goal)
        for name, goal in (("small", Goal(least=0.4)), ("large", Goal(least=0.4)))
    ]
    for what, suffix in (("comments", ""), ("open comments", " open")):
        large, small = series[f"large{suffix}"], series[f"small{suffix}"]
        took = {"cpu": ratio(large.of("cpu"), small.of("cpu"))}
        rows.append(Row(f"{PAGE} of {SIZES['large']:,} {what}", f"of {SIZES['small']}", took, Goal(most=1.2)))
    return rows


def _discussions(scratch: Path) -> Discussions:
    path = scratch / f"comments-{tables()}.db"
    note = path.with_suffix(".json")
    if note.exists():
        return Discussions(**{**orjson.loads(note.read_bytes()), "path": path})
    create(path)
    data, writers = inside(path, lambda cx: _furnish(cx, path))
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA synchronous=OFF")
        for name, space in data.spaces.items():
            _fill(db, space, writers, SIZES[name])
        db.commit()
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    note.write_bytes(orjson.dumps(asdict(data), default=str))
    return data


async def _furnish(cx: Context, path: Path) -> tuple[Discussions, list[str]]:
    writers = [await users.create(cx, f"writer{n}@example.org", f"Writer {n}") for n in range(PEOPLE)]
    owner = await users.create(cx, "owner@example.org", "Owner")
    cx.actor = Actor(owner.id)
    made = await organizations.create(cx, OrganizationCreate(title="Bench"))
    cx.actor = Actor(owner.id, memberships={made.id: Membership(made.id, Level.ADMIN, Level.ADMIN)})
    ids = {name: (await spaces.create(cx, made.id, SpaceCreate(title=name))).id for name in SIZES}
    for space in ids.values():
        changes = [
            ContentChange(operation="insert_page", title=f"Page {n}", document=Body(markdown=TEXT))
            for n in range(PAGES)
        ]
        batch = ContentChanges(changes=changes)
        await edits.change_content(cx, Where(space), ContentChangesQuery(), batch, {})
    return Discussions(path, await tokens.create(cx, owner), ids), [each.id for each in writers]


def _fill(db: sqlite3.Connection, space: str, writers: list[str], size: int) -> None:
    """Comments as the product would have stored them, each a second after the one before."""
    pages = db.execute(
        "SELECT page_id, line_id, valid_from, document_id FROM page_version WHERE line_id = ?", (space,)
    ).fetchall()
    (revision,) = db.execute("SELECT revision_id FROM space WHERE id = ?", (space,)).fetchone()
    (begun,) = db.execute("SELECT created_at FROM space WHERE id = ?", (space,)).fetchone()
    times = _times(begun, size)
    ids = [f"{n:012d}{space[-8:]}" for n in range(size)]
    db.executemany(
        "INSERT INTO comment (id, space_id, revision_id, page_id, page_line, page_from, document_id,"
        " posted_by, posted_at, body, status, replies) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'open', 0)",
        (
            (ids[n], space, revision, *pages[n % len(pages)], writers[n % PEOPLE], times[n], f"{n} {TEXT}")
            for n in range(size)
        ),
    )
    db.executemany(
        "INSERT INTO comment_reaction (subject_id, emoji, user_id, comment_id, reacted_at)"
        " VALUES (?, ?, ?, ?, ?)",
        (
            (ids[n], EMOJI[m], writers[(n + m) % PEOPLE], ids[n], times[n])
            for n in range(size)
            for m in range(REACTIONS)
        ),
    )
    db.execute("UPDATE space SET comments = ? WHERE id = ?", (size, space))


def _times(begun: str, size: int) -> list[str]:
    first = datetime.fromisoformat(begun)
    return [wire_time(first + timedelta(seconds=n)) for n in range(size)]
