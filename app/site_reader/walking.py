"""All that a page shows, node by node: at any depth, and in what it includes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.formats.dialect.nodes import Node
from app.formats.inclusions import DEEPEST_INCLUDED
from app.kit.deadlines import check
from app.site_reader.rendering.inlines import address
from app.site_reader.rendering.view_models import Links


def blocks_of(inside: Sequence[Node], links: Links, included: int = 0) -> Iterator[Node]:
    """The blocks in their order, each before what is in it; those of a reusable content in its place."""
    waiting = list(reversed(inside))
    while waiting:
        check()
        node = waiting.pop()
        if node.get("object") != "block":
            continue
        if node.get("type") == "reusable-content" and included < DEEPEST_INCLUDED:
            found = links.included(address(node["data"]))
            if found is not None:
                yield from blocks_of(found.nodes, found.links, included + 1)
            continue
        yield node
        waiting += reversed(node.get("nodes") or [])
