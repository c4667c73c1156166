"""Tags that other products know, and that stand inside a line: what is between them is kept, they are not.

Tags of the dialect itself are left where they stand in a line: there somebody writes about them.
"""

from __future__ import annotations

import re

from app.formats.dialect import tags
from app.site_reader.rendering.markup import Html, el, followed, joined, lines, text

_PAIR = re.compile(r"\{%-?\s*([A-Za-z][\w-]{0,60})\b[^%{}]{0,500}%\}([^{}]{0,2000})\{%-?\s*end\1\s*-?%\}")
_OURS = tags.ENDED | tags.ENDED_OR_NOT | tags.SINGLE | {"raw"}


def without(content: str) -> Html:
    """The text of a line, escaped, without tags that mean nothing here."""
    made: list[Html] = []
    at = 0
    for match in _PAIR.finditer(content):
        if match[1].lower() not in _OURS:
            made += [lines(content[at : match.start()]), _held(match[2])]
            at = match.end()
    return joined([*made, lines(content[at:])])


def _held(inside: str) -> Html:
    """What stood between two tags: an address is followed."""
    words = inside.strip()
    href = followed(words) if words.lower().startswith(("http://", "https://")) else None
    if href is None or any(sign.isspace() for sign in href):
        return lines(inside)
    return el("a", {"href": href, "rel": "noopener noreferrer"}, text(words))
