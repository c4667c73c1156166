"""Ties a present function to the shape it answers in: the API's document and GraphQL's types read it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import BaseModel

from app.kit import workers

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., dict[str, Any] | list[dict[str, Any]]])
SHAPES: dict[Callable[..., Any], type[BaseModel]] = {}


def shows(shape: type[BaseModel]) -> Callable[[F], F]:
    """Declare that a function returns what has this shape (a contract test holds it to that)."""

    def declare(function: F) -> F:
        SHAPES[function] = shape
        return function

    return declare


async def showing(result: Any, show: Callable[..., T], *arguments: Any) -> T:
    """Call what shows a result, apart from the event loop where the `shown_size` of the result is large."""
    size: int = getattr(result, "shown_size", 0)
    return show(*arguments) if size <= workers.LARGE else await workers.run(size, show, *arguments)
