"""What an operation is called, for who has only the function that does it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cache
from inspect import unwrap
from typing import Any

from app.rest.operation import Operation

Named = tuple[str, tuple[tuple[str, str], ...]]


def named(call: Callable[..., Any], arguments: Sequence[Any]) -> Named:
    """The operationId of the write that `call` does with these arguments, and the parts of its path."""
    rows = _writes()[unwrap(call)]
    row = next(row for row in rows if row.is_at(arguments))
    return row.id, row.path_of(arguments)


def ids_of(call: Callable[..., Any]) -> frozenset[str]:
    """The operationIds of all rows that this function does."""
    return _all()[unwrap(call)]


@cache
def _all() -> dict[Callable[..., Any], frozenset[str]]:
    from app.rest.every import OPERATIONS

    found: dict[Callable[..., Any], frozenset[str]] = defaultdict(frozenset)
    for row in OPERATIONS:
        found[row.call] |= {row.id}
    return found


@cache
def _writes() -> dict[Callable[..., Any], list[Operation]]:
    from app.rest.every import OPERATIONS  # with every face's rows, which only who writes needs

    found: dict[Callable[..., Any], list[Operation]] = defaultdict(list)
    for row in OPERATIONS:
        if row.writes:
            found[row.call].append(row)
    return found
