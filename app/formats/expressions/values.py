"""Values of the expression language: truth, equality, order, members and text as JavaScript has them."""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import Enum
from typing import Any, Final, Literal


class _Undefined(Enum):
    UNDEFINED = "undefined"

    def __bool__(self) -> Literal[False]:
        return False

    def __repr__(self) -> str:
        return "undefined"


UNDEFINED: Final = _Undefined.UNDEFINED
MAX_TEXT: Final = 100_000


def truth(value: Any) -> bool:
    """Return whether a value counts as true: lists and objects always do."""
    if isinstance(value, list | dict):
        return True
    if isinstance(value, float) and math.isnan(value):
        return False
    return bool(value)


def number(value: Any) -> float:
    """Return a value as a number, NaN if it is none."""
    try:
        if isinstance(value, bool | int | float):
            return float(value)
        if isinstance(value, str):
            return float(value.replace("_", "?")) if value.strip() else 0.0
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except ValueError:
        return math.nan
    return 0.0 if value is None else math.nan


def text(value: Any) -> str:
    """Return a value as text; nothing, and objects, are empty."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return _digits(value)
    if isinstance(value, list):
        return ",".join(text(item) for item in value if not isinstance(item, list))[:MAX_TEXT]
    return ""


def _digits(value: float) -> str:
    whole = number(value)
    if math.isinf(whole):
        return "Infinity" if whole > 0 else "-Infinity"
    if math.isnan(whole):
        return "NaN"
    return str(int(value)) if whole == int(whole) and abs(whole) < 1e21 else repr(whole)


def member(value: Any, key: Any) -> Any:
    """Return an own member of an object, an element of a list, or the length of a list or text."""
    if isinstance(value, dict) and isinstance(key, str):
        return value.get(key, UNDEFINED)
    if isinstance(value, list | str) and key == "length":
        return len(value)
    if isinstance(value, list | str) and isinstance(key, int | float) and not isinstance(key, bool):
        return value[int(key)] if 0 <= key < len(value) and int(key) == key else UNDEFINED
    return UNDEFINED


def same(left: Any, right: Any) -> bool:
    """Compare as `===` does: without conversion; lists and objects equal only themselves."""
    if isinstance(left, list | dict) or isinstance(right, list | dict):
        return left is right
    return _kind(left) == _kind(right) and bool(left == right)


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, int | float) else type(value).__name__


def alike(left: Any, right: Any) -> bool:
    """Compare as `==` does: null equals undefined; numbers and booleans are compared with text as numbers."""
    nothing = (None, UNDEFINED)
    if left is None or left is UNDEFINED or right is None or right is UNDEFINED:
        return any(left is value for value in nothing) and any(right is value for value in nothing)
    if isinstance(left, list | dict) or isinstance(right, list | dict) or _kind(left) == _kind(right):
        return same(left, right)
    return number(left) == number(right)


def includes(value: Any, wanted: Any) -> bool:
    """Return whether a list has this element, or a text this part."""
    if isinstance(value, str):
        return isinstance(wanted, str) and wanted in value
    return isinstance(value, list) and any(same(item, wanted) for item in value)


def within(wanted: Any, value: Any) -> bool:
    """Tell what `in` tells: whether this is a key of an object, or an element of a list."""
    if isinstance(value, dict):
        return isinstance(wanted, str) and wanted in value
    return isinstance(value, list) and includes(value, wanted)


def _plus(left: Any, right: Any) -> Any:
    if isinstance(left, str) or isinstance(right, str):
        return (_shown(left) + _shown(right))[:MAX_TEXT]
    return number(left) + number(right)


def _shown(value: Any) -> str:
    if value is None:
        return "null"
    return "undefined" if value is UNDEFINED else text(value)


def _ordered(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    def decide(left: Any, right: Any) -> bool:
        if isinstance(left, str) and isinstance(right, str):
            return compare(left, right)
        return compare(number(left), number(right))

    return decide


OPERATORS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "===": same,
    "!==": lambda left, right: not same(left, right),
    "==": alike,
    "!=": lambda left, right: not alike(left, right),
    "<": _ordered(lambda left, right: bool(left < right)),
    "<=": _ordered(lambda left, right: bool(left <= right)),
    ">": _ordered(lambda left, right: bool(left > right)),
    ">=": _ordered(lambda left, right: bool(left >= right)),
    "in": within,
    "+": _plus,
}
