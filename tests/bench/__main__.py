"""`python -m tests.bench [name…]`: measure Docyard against ceilings that run beside it.

Only ratios of one run mean anything: contestants take turns, round by round, and medians are compared.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from tests.bench.options import Options
from tests.bench.report import Row, keep, tell

BENCHES = {
    "routing": "the last operation of the table beside the first",
    "coldstart": "the first answer of a Lambda function beside its imports",
    "rest": "one space, a list, a durable change beside the raw driver",
    "peers": "one space and a list beside the FastAPI + SQLModel tutorial and Datasette",
    "postgres": "the same on PostgreSQL beside raw asyncpg",
    "writers": "many writers on PostgreSQL beside one, at one server and at two",
    "graphql": "one, a list, a nested list beside plain Strawberry and compiled queries",
    "sessions": "a request in a session beside one with a token, among 100 and among 100,000 sessions",
    "http_servers": "the product under other HTTP servers and versions of Python",
    "paging": "the first page beside the last of a million rows",
    "imports": "10,000 pages of Markdown",
    "edits": "edits, change requests and merges in 100 and in 10,000 pages",
    "comments": "a page of comments beside the raw driver, among 100 and among 100,000",
    "openapi": "a specification of 500 operations beside its validation",
    "reader": "pages of a published site beside a constant answer and beside the parse of their Markdown",
    "console": "the console in Chromium: bytes, time until it can be used, clicks, Lighthouse",
    "integrations": "a rendered block, stopped scripts, and a thousand events beside people's requests",
    "backups": "a backup of a gigabyte beside a copy of the file, and requests meanwhile",
    "changes": "a change told to 500 subscribers, and the memory of each",
    "search": "a space of 100,000 sections beside the bare full-text query",
    "site_pages": "what Lighthouse says of five kinds of page of a site, and of a very long one",
    "search_scale": "searches of 100,000 sections on both engines beside 50 ms: slips and Chinese, too",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benches that are named, or all of them."""
    parser = _parser()
    given = parser.parse_args(arguments)
    unknown = [name for name in given.names if name not in BENCHES]
    if unknown:
        parser.error(f"there is no bench {', '.join(unknown)}; choose from {', '.join(BENCHES)}")
    with tempfile.TemporaryDirectory(prefix="docyard-bench-") as folder:
        scratch: Path = given.scratch or Path(folder)
        scratch.mkdir(parents=True, exist_ok=True)
        options = Options(scratch.resolve(), given.rounds, given.seconds)
        found: dict[str, Sequence[Row]] = {}
        for name in given.names or BENCHES:
            found[name] = import_module(f"tests.bench.{name}").run(options)
            tell(f"{name}: {BENCHES[name]}", found[name])
            if given.json:
                keep(given.json, found)
    return 0


def _parser() -> argparse.ArgumentParser:
    listed = "\n".join(f"  {name:<13}{meaning}" for name, meaning in BENCHES.items())
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench",
        description=f"Measure Docyard against ceilings that run beside it.\n\n{listed}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="name", help="benches; all if none")
    parser.add_argument("--rounds", type=int, help="rounds in which all contestants take turns")
    parser.add_argument("--seconds", type=float, help="seconds per contestant and round under load")
    parser.add_argument("--scratch", type=Path, help="folder that keeps the data between runs")
    parser.add_argument("--json", type=Path, help="file for all results")
    return parser


if __name__ == "__main__":
    sys.exit(main())
