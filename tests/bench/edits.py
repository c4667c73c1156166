"""Writing content: does an edit, a change request or a merge cost what it changes, or what the space holds?

In one process, through the domain, each in a transaction of its own that is committed durably, as a server
does it; beside it the same edit as bare SQL on interval tables of the driver's own, with a row of a full-text
search and without one. Contestants take turns within a round, so that a machine's moods meet all of them.
"""

from __future__ import annotations

import asyncio
import random
import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

from app.access.context import Actor, Context, Membership
from app.access.rights import Level
from app.domain.change_requests import change_requests
from app.domain.content import content
from app.domain.content.views import Where
from app.domain.imports import tree_import
from app.domain.organizations import organizations, users
from app.domain.revisions import edits as changing
from app.domain.revisions import merge
from app.domain.revisions.branch import Branch
from app.domain.spaces import spaces
from app.formats.repository.file_tree import Memory
from app.formats.repository.import_plan import read_plan
from app.kit.clock import utc_now
from app.kit.database.engines import open_database
from app.kit.database.interface import Database
from app.kit.signing import Signer
from app.models.change_requests import ChangeRequestCreate
from app.models.content_changes import ContentChange, ContentChanges, ContentChangesQuery
from app.models.documents import Body
from app.models.merges import Merge
from app.models.organizations import OrganizationCreate
from app.models.queries import ContentQuery
from app.models.spaces import SpaceCreate
from tests.bench.data import create, settings_of
from tests.bench.options import Options
from tests.bench.raw_edits import Raw
from tests.bench.report import Goal, Row, ratio

SMALL, LARGE, FOLDERS, BODY = 100, 10_000, 100, 1_500
TURNS, MERGES, MERGED, AGING = 100, 5, 10, 30_000
WARM, TOGETHER = 50, 10  # turns before any is measured, and turns that one contestant has in a row
WEIGHED = 500  # edits whose bytes are counted
SLACK = 4_096  # bytes beside the body that an edit may take
Turn = Callable[[], Awaitable[None]]


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
        await self.write(lambda cx: changing.change_content(cx, where, ContentChangesQuery(), body, {}))


def run(options: Options) -> list[Row]:
    """Measure every kind of writing at both sizes."""
    return asyncio.run(_run(options))


async def _run(options: Options) -> list[Row]:
    small, large = [await _desk(options.scratch, size) for size in (SMALL, LARGE)]
    raw, raw_small = [Raw(options.scratch, size, FOLDERS, _text) for size in (LARGE, SMALL)]
    searched = Raw(options.scratch, LARGE, FOLDERS, _text, searched=True)
    rounds = options.rounds_or(5)
    edits: dict[str, Turn] = {
        "raw": raw.edit,
        "raw searched": searched.edit,
        "raw small": raw_small.edit,
        "small": partial(_edit, small),
        "large": partial(_edit, large),
    }
    found = await _race(edits, rounds)
    opened = await _race({"small": partial(_open, small), "large": partial(_open, large)}, rounds)
    merged: dict[str, list[_Cost]] = {"small": [], "large": []}
    for _ in range(rounds):
        merged["small"].append(await _merges(small))
        merged["large"].append(await _merges(large))
    grown = await _bytes_of_an_edit(large)
    trees = await _trees(large, rounds)
    for desk in (small, large):
        await desk.db.close()
    return [
        _row("an edit in 10,000 pages", found["large"], "bare SQL", found["raw searched"], 3.0),
        _row("an edit in 10,000 pages", found["large"], "bare SQL without search", found["raw"]),
        _row("an edit in 10,000 pages", found["large"], "in 100 pages", found["small"], 1.2),
        _row("bare SQL in 10,000 pages", found["raw"], "in 100 pages", found["raw small"]),
        Row(
            "bytes of an edit",
            f"its body and {SLACK:,}",
            {"bytes": grown / (BODY + SLACK)},
            Goal(most=1.0),
            {"bytes": grown},
        ),
        _row("opening a change request in 10,000", opened["large"], "in 100", opened["small"], 1.2),
        _row("merging 10 pages in 10,000", merged["large"], "in 100", merged["small"], 2.0),
        _tree_row(*trees),
    ]


@dataclass(slots=True, frozen=True)
class _Cost:
    """What a turn took in one round: the median time, and the processor's time shared by all turns."""

    time: float
    cpu: float


async def _race(contestants: dict[str, Turn], rounds: int) -> dict[str, list[_Cost]]:
    """Let all have their turns, a few in a row, round by round."""
    found: dict[str, list[_Cost]] = {name: [] for name in contestants}
    for turn in contestants.values():
        await _timed(turn, WARM)
    for _ in range(rounds):
        times: dict[str, list[float]] = {name: [] for name in contestants}
        spent = dict.fromkeys(contestants, 0.0)
        for _ in range(TURNS // TOGETHER):
            for name, turn in contestants.items():
                begun = process_time()
                times[name] += await _timed(turn, TOGETHER)
                spent[name] += process_time() - begun
        for name in contestants:
            found[name].append(_Cost(median(times[name]), spent[name] / TURNS))
    return found


async def _timed(turn: Turn, count: int) -> list[float]:
    times = []
    for _ in range(count):
        begun = perf_counter()
        await turn()
        times.append(perf_counter() - begun)
    return times


def _row(
    what: str, ours: Sequence[_Cost], against: str, theirs: Sequence[_Cost], most: float | None = None
) -> Row:
    ratios = {
        "time": ratio([cost.time for cost in ours], [cost.time for cost in theirs]),
        "cpu": ratio([cost.cpu for cost in ours], [cost.cpu for cost in theirs]),
    }
    goal = Goal(most=most) if most else None
    return Row(what, against, ratios, goal, _figures(ours), _figures(theirs))


def _figures(costs: Sequence[_Cost]) -> dict[str, float]:
    times, spent = [cost.time for cost in costs], [cost.cpu for cost in costs]
    return {"µs": median(times) * 1e6, "µs of cpu": median(spent) * 1e6}


def _tree_row(young: list[float], old: list[float]) -> Row:
    return Row(
        f"the tree of 10,000 after {AGING:,} edits",
        "before them",
        {"time": ratio(old, young)},
        Goal(most=1.2),
        {"ms": median(old) * 1e3},
        {"ms": median(young) * 1e3},
    )


async def _desk(scratch: Path, size: int) -> Desk:
    path = scratch / f"edits-{size}.db"
    await asyncio.to_thread(create, path)
    db = open_database(str(path))
    desk = Desk(path, db, Actor(""), "", [])
    await desk.write(lambda cx: _furnish(cx, desk, size))
    return desk


async def _furnish(cx: Context, desk: Desk, size: int) -> None:
    user = await users.create(cx, "editor@example.org", "Editor")
    cx.actor = Actor(user.id)
    made = await organizations.create(cx, OrganizationCreate(title="Bench"))
    member = Membership(made.id, Level.ADMIN, Level.ADMIN)
    desk.actor = cx.actor = Actor(user.id, memberships={made.id: member})
    space = await spaces.create(cx, made.id, SpaceCreate(title="Bench"))
    tree = {
        f"folder-{n % FOLDERS}/page-{n}.md": f"# Page {n}\n\n{_text(str(n))}\n".encode() for n in range(size)
    }
    await tree_import.import_tree(cx, Branch(space), read_plan(Memory(tree)))
    desk.space = space.id
    held = await content.list_pages(cx, Where(space.id), ContentQuery())
    desk.pages = [page.page_id for page in held.pages if page.kind == "document"]


_SIGNER, _SETTINGS = Signer(b""), settings_of(Path("edits.db"))
_LETTERS = "".join(random.Random(5).choices("abcdefghij klmnop", k=BODY))
_texts = count()


def _text(name: str) -> str:
    """A text that was never there before, made in no time."""
    turned = next(_texts)
    at = turned * 7 % BODY
    return f"{name} {turned} {_LETTERS[at:]}{_LETTERS[:at]}"


async def _edit(desk: Desk) -> None:
    await desk.edit(Where(desk.space), random.choice(desk.pages))


async def _open(desk: Desk) -> None:
    await desk.write(lambda cx: change_requests.create(cx, desk.space, ChangeRequestCreate()))


async def _merges(desk: Desk) -> _Cost:
    times, spent = [], 0.0
    for _ in range(MERGES):
        asked = await desk.write(lambda cx: change_requests.create(cx, desk.space, ChangeRequestCreate()))
        where = Where(desk.space, asked.request.id)
        await desk.edit(where, *random.sample(desk.pages, MERGED))
        begun, spent_before = perf_counter(), process_time()
        await desk.write(partial(_merge, where))
        times.append(perf_counter() - begun)
        spent += process_time() - spent_before
    return _Cost(median(times), spent / MERGES)


async def _merge(where: Where, cx: Context) -> None:
    await merge.merge(cx, where, Merge())


async def _bytes_of_an_edit(desk: Desk) -> float:
    """Return what the file holds more after an edit: its pages, but those that are free for the next."""
    before = _held(desk.path)
    for _ in range(WEIGHED):
        await _edit(desk)
    return (_held(desk.path) - before) / WEIGHED


def _held(path: Path) -> int:
    with closing(sqlite3.connect(path)) as db:
        busy = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        assert not busy, "somebody reads what must be written to the file first"
        pages, free, size = (
            db.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("page_count", "freelist_count", "page_size")
        )
    return int((pages - free) * size)


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
