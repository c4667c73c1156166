"""Compares the data of two contestants: equal JSON, in which times may be written differently."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

from tests.bench.load import Target

ENVELOPE = ("count", "next")  # the ceiling neither counts nor makes tokens


def must_agree(ours: Target, theirs: Target, *, besides: Collection[str] = ()) -> None:
    """Compare the answers to a few of their requests; raises AssertionError where they differ."""
    assert len(ours.requests) == len(theirs.requests)
    for index in {0, len(ours.requests) // 2, len(ours.requests) - 1}:
        left = _plain(ours.ask(index).json(), (*besides, *ENVELOPE))
        right = _plain(theirs.ask(index).json(), (*besides, *ENVELOPE))
        assert left == right, f"{ours.requests[index].path}: {str(left)[:2000]} is not {str(right)[:2000]}"


def _plain(value: Any, besides: Collection[str]) -> Any:
    if isinstance(value, list):
        return [_plain(item, besides) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        name: datetime.fromisoformat(item) if name.endswith("At") and item else _plain(item, besides)
        for name, item in value.items()
        if name not in besides
    }
