"""Finds what looks like the tag of a condition, or like an expression.

This is a quick look that finds too much rather than too little, so that most bodies need not be parsed;
`conditions` tells what is really there. It knows every spelling that the parser takes, and those that come
near.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

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


def may_be(text: str) -> bool:
    """Tell whether there is anything in a body that might be a condition or an expression."""
    return ("%" in text and TAG.search(text) is not None) or EXPRESSION.search(text) is not None


def marks(text: str) -> list[re.Match[str]]:
    """Return what looks like a tag of a condition or an expression, in order; not behind a backslash."""
    found = [*_bare(TAG, text), *_bare(EXPRESSION, text)]
    found.sort(key=lambda match: match.start())
    return found


def _bare(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    for match in pattern.finditer(text):
        before = text[max(0, match.start() - 20) : match.start()]
        if (len(before) - len(before.rstrip("\\"))) % 2 == 0:
            yield match
