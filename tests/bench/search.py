"""Search: the pages of one large space, beside the bare full-text query on the same file.

The space is the one that the import bench leaves behind. Words are common, middling and rare, alone and
together; the bare query is the same MATCH, sorted, fifty rows, and knows nothing of pages or rights.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import urlencode

from app.formats.text import search_queries, search_text
from tests.bench import imports
from tests.bench.import_once import TOKEN
from tests.bench.load import Request, Target, figures, race
from tests.bench.markdown import word
from tests.bench.options import Options
from tests.bench.report import Goal, Row, ratio
from tests.bench.servers import ceiling, docyard

COMMON, MIDDLING, RARE = 0, 300, 5_000  # ranks of words
QUERIES = {
    "a rare word": [word(RARE + n) for n in range(20)],
    "a middling word": [word(MIDDLING + n) for n in range(20)],
    "a common word": [word(COMMON + n) for n in range(20)],
    "a common and a rare word": [f"{word(COMMON + n)} {word(RARE + n)}" for n in range(20)],
}
GOAL = Goal(most=2)


def run(options: Options) -> list[Row]:
    """Search one by one, so that the median is of the work and not of the queue."""
    database = imports.database(options)
    if not database.exists():
        imports.run(Options(options.scratch, rounds=1))
    space_id, sections = _space(database)
    with docyard(database) as server, ceiling("ceiling:app", database) as bare:
        targets: dict[str, Target] = {}
        for name, words in QUERIES.items():
            asked = [_ours(space_id, query) for query in words]
            targets[name] = Target(server, asked, connections=1)
            targets[f"{name} bare"] = Target(bare, [_bare(space_id, query) for query in words], connections=1)
            _must_agree(targets[name], targets[f"{name} bare"])
        series = race(targets, options.rounds_or(5), options.seconds_or(2))
    rows = []
    for name in QUERIES:
        ours, theirs = series[name], series[f"{name} bare"]
        ratios = {
            "p50": ratio(ours.of("p50"), theirs.of("p50")),
            "cpu": ratio(ours.of("cpu"), theirs.of("cpu")),
        }
        against = f"bare FTS5, {sections:,} sections"
        rows.append(Row(name, against, ratios, GOAL, figures(ours), figures(theirs)))
    return rows


def _space(database: Path) -> tuple[str, int]:
    with closing(sqlite3.connect(database)) as db:
        space_id: str = db.execute("SELECT id FROM space").fetchone()[0]
        sections: int = db.execute("SELECT count(*) FROM search_section").fetchone()[0]
    return space_id, sections


def _ours(space_id: str, query: str) -> Request:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    return Request(f"/v1/spaces/{space_id}/search?{urlencode({'query': query})}", headers=headers)


def _bare(space_id: str, query: str) -> Request:
    words = search_queries.fts5(search_queries.plain(search_text.terms(query)))
    match = f'scope : "s{space_id}" AND {{title heading body}} : ({words})'
    return Request(f"/search?{urlencode({'match': match})}")


def _must_agree(ours: Target, bare: Target) -> None:
    """Both find something or nothing."""
    for index in (0, len(ours.requests) - 1):
        assert bool(ours.ask(index).json()["items"]) == bool(bare.ask(index).json()["items"])
