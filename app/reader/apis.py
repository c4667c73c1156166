"""What a page shows of APIs: its blocks are gathered, and all that they name is read at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from app.domain.openapi import openapi_blocks
from app.domain.openapi.openapi_blocks import Asked, Shown, asked_by
from app.reader.html.inlines import address
from app.reader.html.setting import DEEPEST_INCLUDED
from app.reader.reading import Links
from app.reader.visiting import Visit

MOST_BLOCKS = 100


async def of_page(visit: Visit, document: Any, links: Links) -> Mapping[Asked, Shown]:
    """What each block about an API on a page shows, in one statement at most."""
    if document is None or not visit.site.specs:
        return {}
    asked = list(dict.fromkeys(_asked(document["nodes"], links, 0)))[:MOST_BLOCKS]
    if not asked:
        return {}
    found = await openapi_blocks.shown(visit.cx, visit.site.organization_id, asked)
    return {each: shown for each, shown in zip(asked, found, strict=True) if shown is not None}


def _asked(inside: Sequence[Any], links: Links, depth: int) -> Iterator[Asked]:
    """What the blocks ask for, at any depth and in what is included."""
    waiting = list(reversed(inside))
    while waiting:
        node = waiting.pop()
        if node.get("type") == "reusable-content" and depth < DEEPEST_INCLUDED:
            found = links.included(address(node["data"]))
            if found is not None:
                yield from _asked(found.nodes, found.links, depth + 1)
        elif (asked := asked_by(node)) is not None:
            yield asked
        elif node.get("object") == "block":
            waiting += reversed(node.get("nodes") or [])
