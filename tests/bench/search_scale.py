"""Searches of a space of 100,000 sections and more, on both engines: words and titles as they are written,
beginnings of words, common words, one slip of the pen, and Chinese; in milliseconds of one request after
another, beside the limit.
"""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random
from statistics import median, quantiles
from urllib.parse import urlencode

import asyncpg
import httpx

from app import migrations
from tests import postgres
from tests.bench import markdown
from tests.bench.data import create, settings_of, tables
from tests.bench.import_once import TOKEN, measure
from tests.bench.markdown import word
from tests.bench.options import Options
from tests.bench.report import Goal, Row
from tests.bench.servers import docyard

PAGES, CHINESE = 10_000, 1_000
LIMIT = 50.0  # milliseconds, of the median
EACH = 20  # searches of a kind
CHARACTERS = "".join(chr(0x4E00 + 7 * n) for n in range(800))


def run(options: Options) -> list[Row]:
    """Search on SQLite, then on PostgreSQL."""
    repository = _repository(options.scratch)
    database = options.scratch / f"searched-{tables()}.db"
    if not database.exists():
        create(database)
        asyncio.run(measure(repository, database, settings_of(database)))
    rows = _searched("SQLite", database, _space_in_sqlite(database), options)
    with postgres.server(durable=True) as address, _filled(address, repository) as (there, space):
        return [*rows, *_searched("PostgreSQL", there, space, options)]


def _repository(scratch: Path) -> Path:
    """Return the folder of Markdown of other benches with Chinese pages beside it."""
    root = scratch / "searched"
    if not root.exists():
        shutil.copytree(markdown.write(scratch, PAGES), root)
        dice = Random(markdown.SEED)
        for number in range(CHINESE):
            sections = (f"## {_chinese(dice, 6)}\n\n{_chinese(dice, 150)}。\n" for _ in range(10))
            text = "\n".join([f"# {_chinese(dice, 5)}\n", *sections])
            (root / f"chinese-{number}.md").write_text(text, encoding="utf-8")
    return root


def _chinese(dice: Random, size: int) -> str:
    return "".join(CHARACTERS[int(len(CHARACTERS) * dice.random() ** 3)] for _ in range(size))


def _queries() -> dict[str, list[str]]:
    dice = Random(19)
    middling, common = ([word(first + n) for n in range(EACH)] for first in (300, 20))
    chinese = [_chinese(dice, 2) for _ in range(EACH)]
    return {
        "a word": middling,
        "two words": [f"{a} {b}" for a, b in zip(middling, common, strict=True)],
        "the beginning of a word": [each[:4] for each in middling],
        "a common word": [word(n) for n in range(EACH)],
        "three common words": [" ".join(word(n + k) for k in range(3)) for n in range(EACH)],
        "a word with a slip": [_slipped(each) for each in middling],
        "a common word with a slip": [_slipped(each) for each in common],
        "a word and one with a slip": [f"{a} {_slipped(b)}" for a, b in zip(common, middling, strict=True)],
        "a word that is nowhere": [f"qx{each}xq" for each in middling],
        "two Chinese characters": chinese,
        "a common Chinese character": list(CHARACTERS[:EACH]),
        "Chinese with a slip": [
            f"{CHARACTERS[n]}{CHARACTERS[n + 1]}龘{CHARACTERS[n + 2]}" for n in range(EACH)
        ],
    }


def _slipped(written: str) -> str:
    """Return a word whose second and third characters are swapped, which no word of these pages has."""
    return f"{written[0]}{written[2]}{written[1]}{written[3:]}"


def _space_in_sqlite(database: Path) -> tuple[str, int]:
    with closing(sqlite3.connect(database)) as db:
        sections = db.execute("SELECT count(*) FROM search_section").fetchone()[0]
        return db.execute("SELECT id FROM space").fetchone()[0], sections


@contextmanager
def _filled(address: str, repository: Path) -> Iterator[tuple[str, tuple[str, int]]]:
    database = f"{address}/searched"

    async def make() -> None:
        connection = await asyncpg.connect(f"{address}/postgres")
        await connection.execute("CREATE DATABASE searched")
        await connection.close()

    async def count() -> tuple[str, int]:
        connection = await asyncpg.connect(database)
        await connection.execute("VACUUM ANALYZE")
        space = await connection.fetchval("SELECT id FROM space")
        sections = await connection.fetchval("SELECT count(*) FROM search_section")
        await connection.close()
        return space, sections

    asyncio.run(make())
    migrations.upgrade(database, settings_of(database))
    asyncio.run(measure(repository, database, settings_of(database)))
    yield database, asyncio.run(count())


def _searched(engine: str, database: Path | str, space: tuple[str, int], options: Options) -> list[Row]:
    rows = []
    headers = {"Authorization": f"Bearer {TOKEN}"}
    with (
        docyard(database) as server,
        httpx.Client(base_url=server.base, headers=headers, timeout=60) as client,
    ):
        for name, queries in _queries().items():
            took, found, cpu = [], 0, server.cpu()
            for turn in range(options.rounds_or(3) + 1):
                for query in queries:
                    began = time.perf_counter()
                    answer = client.get(f"/v1/spaces/{space[0]}/search?{urlencode({'query': query})}")
                    took += [(time.perf_counter() - began) * 1000] * bool(turn)  # the first turn warms
                    found += answer.raise_for_status().json()["count"] * (not turn)
            cpu = (server.cpu() - cpu) * 1000 / (len(took) + len(queries))
            middle, last = median(took), quantiles(took, n=100)[98]
            ours = {
                "ms p50": middle,
                "ms p99": last,
                "ms of server": cpu,
                "pages found": found / len(queries),
            }
            what = f"{engine}, {space[1]:,} sections: {name}"
            rows.append(
                Row(what, "the limit", {"p50": middle / LIMIT}, Goal(most=1), ours, {"ms p50": LIMIT})
            )
    return rows
