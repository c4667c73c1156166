"""Tells whether a body says the same to everybody, or has conditions, expressions or what looks like them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from app.formats.dialect.condition_marks import may_be

if TYPE_CHECKING:
    from app.formats.dialect.conditions import Conditions


class Text(NamedTuple):
    """A body; where it is `conditional`, nobody is shown it before it was evaluated for them."""

    body: str
    conditional: bool


NO_TEXT = Text("", conditional=False)


def conditions_of(body: str) -> Conditions | None:
    """Return the conditions and expressions of a body; None where what it says is the same for everybody."""
    if not may_be(body):
        return None
    from app.formats.dialect.conditions import read

    found = read(body)
    return found if found.are_there else None
