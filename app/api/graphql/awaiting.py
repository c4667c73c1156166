"""Awaits the fields of an answer that are not there yet; what is at hand is never awaited."""

from __future__ import annotations

from collections.abc import Awaitable
from types import CoroutineType
from typing import Any, TypeGuard

from graphql.pyutils import gather_with_cancel

_AT_HAND = frozenset({type(None), bool, int, float, str, list, dict})


def is_awaitable(value: Any) -> TypeGuard[Awaitable[Any]]:
    """Tell whether a value is to be awaited; the library asks this of most values, several times."""
    kind = type(value)
    return kind is CoroutineType or (kind not in _AT_HAND and hasattr(value, "__await__"))


async def all_of(answer: dict[str, Any], waiting: list[str]) -> dict[str, Any]:
    """Return an object once the fields are there that it waits for, all at the same time."""
    if len(waiting) == 1:
        answer[waiting[0]] = await answer[waiting[0]]
    else:
        found = await gather_with_cancel(*(answer[name] for name in waiting))
        answer.update(zip(waiting, found, strict=True))
    return answer
