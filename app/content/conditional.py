"""Whether what a body says depends on who reads it: on conditions, expressions, or what looks like them.

This is a quick look that finds too much rather than too little, so that most bodies need not be parsed;
`dialect.conditions` tells what is really there. It knows every spelling that the parser takes, and those that
come near.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from app.content.dialect.conditions import Conditions

# Between `{%` and the name: what the parser passes over, and what an author might believe that it does.
_GAP = r"[^\w@{}\"'`()\[\]<,;]*+"
TAG = re.compile(
    rf"\{{[ \t]*+%{_GAP}"
    r"(?:(?P<end>end[\s_-]*+)?(?:if(?!rame)\w*+|unless\w*+)|(?P<middle>else\w*+|els?e?if\w*+))",
    re.IGNORECASE,
)
EXPRESSION = re.compile(
    r"<\s*+code\b\s*+[^<>]{0,500}?\bclass\s*+=\s*+[\"']?[^\"'<>]{0,200}?\bexpression\b", re.IGNORECASE
)


class Text(NamedTuple):
    """A body; where it is `conditional`, nobody is shown it before it was evaluated for them."""

    body: str
    conditional: bool


NO_TEXT = Text("", conditional=False)


def may_be(text: str) -> bool:
    """Whether there is anything in a body that might be a condition or an expression."""
    return ("%" in text and TAG.search(text) is not None) or EXPRESSION.search(text) is not None


def conditions_of(body: str) -> Conditions | None:
    """The conditions and expressions of a body; None where what it says is the same for everybody."""
    if not may_be(body):
        return None
    from app.content.dialect.conditions import read

    found = read(body)
    return found if found.are_there else None


def marks(text: str) -> list[re.Match[str]]:
    """Everything that looks like a tag of a condition or an expression, in order; not behind a backslash."""
    found = [*_bare(TAG, text), *_bare(EXPRESSION, text)]
    found.sort(key=lambda match: match.start())
    return found


def _bare(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    for match in pattern.finditer(text):
        before = text[max(0, match.start() - 20) : match.start()]
        if (len(before) - len(before.rstrip("\\"))) % 2 == 0:
            yield match
