"""The worst that callers can put into each operation: hostile texts, stored and sent."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import cycle, islice
from typing import Any

from app.api.operation import Operation
from tests.contract.faces import Call
from tests.hostile_texts import PATTERNS

STORED = 195_000  # characters of a body that is stored
SHORT = 3_900  # characters of one that is short enough to be read on the event loop
SENT = 500_000  # characters of a body that is sent
LONG = 8_000  # characters of any other text that is sent
MANY = 5_000  # items of a list that is sent in a body
NODES = 20_000  # of a document that is sent
FILE = 900_000  # bytes of a file that is uploaded
ID = re.compile(r"[0-9A-Za-z]{20}")
MOST = {"format": "document", "evaluated": True, "limit": 1000, "context": 100}  # that queries ask for
# Columns of texts that people write.
TEXTS = (
    ("document", "markdown"),
    ("comment", "body"),
    ("comment_reply", "body"),
    ("change_request", "description"),
    ("review", "comment"),
)


# Files whose names or headers cost whoever reads them more than others.
FILES = {
    "a" * 240 + ".png": b"\x89PNG\r\n\x1a\n" + bytes(FILE),
    "\u202e" * 200 + ".jpg": b"\xff\xd8" + b"\xff" * FILE,
    "e\u0301" * 100 + ".avif": b"\0\0\0\x08ftyp" + b"\0\0\0\x08free" * (FILE // 8),
    "." * 200 + ".ico": b"\0\0\1\0\xff\xff" + b"\1" * FILE,
    "%2e%2e%2f" * 25 + ".svg": b"<svg>" + b"<g>" * (FILE // 3),
    "../" * 80 + ".html": b"<script>" * (FILE // 8),
    "type": b"\0" * FILE,
}
CONTENT_TYPES = ("image/png", "/" * 100, "text/html; charset=utf-8")
RANGES = ("bytes=0-0", "bytes=" + "0-," * 2_000 + "1-2", f"bytes={'9' * 4_000}-")


def store(database: str) -> int:
    """Make all texts that are stored hostile, by turns; how many there were."""
    count = 0
    with closing(sqlite3.connect(database, timeout=60)) as connection, connection:
        for table, column in TEXTS:
            texts = cycle([make(size) for make in PATTERNS.values() for size in (STORED, SHORT)])
            rows = connection.execute(f"SELECT rowid FROM {table} WHERE {column} IS NOT NULL").fetchall()
            values = [(f"{row}\n\n{text}", row) for (row,), text in zip(rows, texts, strict=False)]
            connection.executemany(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", values)
            count += len(rows)
        connection.execute("UPDATE document SET conditional = 1")
    return count


def calls(operation: Operation, call: Call) -> Iterator[Call]:
    """The call in its worst forms, the one that does what it says last."""
    asked = call.query
    if operation.query is not None:
        known = {field.alias or name for name, field in operation.query.model_fields.items()}
        asked = {**call.query, **{name: value for name, value in MOST.items() if name in known}}
    for query in _loud(call.query, many=200):
        yield Call(call.path, query, call.body)
    for body in _loud(call.body):
        yield Call(call.path, asked, body)
    yield Call(call.path, asked, call.body)


_patterns = cycle(PATTERNS.values())


def _loud(value: Any, many: int = MANY) -> Iterator[Any]:
    """The value with one of its texts a long one, or one of its lists; bodies in both of their forms."""
    if isinstance(value, dict) and value.keys() == {"markdown"}:
        for make in islice(_patterns, 2):
            yield {"markdown": make(SENT)}
        yield {"document": _document()}
    elif isinstance(value, dict):
        for name in value:
            for inner in _loud(value[name], many):
                yield {**value, name: inner}
    elif isinstance(value, list) and value:
        yield (value * many)[:many]
        for n, item in enumerate(value):
            for inner in _loud(item, many):
                yield [*value[:n], inner, *value[n + 1 :]]
    elif isinstance(value, str) and not ID.fullmatch(value):
        yield next(_patterns)(LONG)


def _document() -> dict[str, Any]:
    leaf = {"object": "leaf", "text": "![", "marks": [{"object": "mark", "type": "bold", "data": {}}]}
    text = {"object": "text", "leaves": [leaf]}
    block = {"object": "block", "type": "paragraph", "isVoid": False, "data": {}, "nodes": [text]}
    return {"object": "document", "data": {}, "nodes": [block] * (NODES // 2)}
