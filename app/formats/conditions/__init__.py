"""Who is shown what: conditions over what is known of a visitor (decisions, Condition language).

A condition is an expression (see `content.expressions`) over `visitor.claims`. It is checked against the
site's schema of claims when it is written, and decides when a page is read; a mistake hides.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from app.formats.conditions.claims import Claims
from app.formats.conditions.kinds import BOOLEAN, OPEN, UNKNOWN, kinds_of
from app.formats.expressions import Expression, parse
from app.kit.errors import Invalid, Problem

__all__ = ["Claims", "check", "holds"]


def check(source: str, claims: Claims | None, *, path: str | None = None) -> None:
    """Refuse a condition that is no expression, asks for what is not there, or gives no boolean.

    Without `claims` nothing is known of them: what could be a boolean passes. Raises Invalid, naming `path`.
    """
    try:
        found = kinds_of(parse(source, path=path).tree, claims or OPEN)
    except ValueError as mistake:
        raise Invalid(f"The condition {mistake}", path=path) from None
    if wrong := found - BOOLEAN - {UNKNOWN}:
        named = " or ".join(sorted(wrong))
        raise Invalid(f"The condition must give true or false; this may give {named}.", path=path)


def holds(source: str, claims: dict[str, Any]) -> bool:
    """Whether a condition is true for a visitor with these claims; anything else than true is not."""
    try:
        return _parsed(source).evaluate({"visitor": {"claims": claims}}) is True
    except (Problem, RecursionError, ArithmeticError, ValueError, TypeError):
        return False


@lru_cache(maxsize=1024)
def _parsed(source: str) -> Expression:
    return parse(source)
