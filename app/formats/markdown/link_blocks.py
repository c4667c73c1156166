"""The blocks of a document by the links that stand in them."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from app.formats.markdown.hrefs import meant
from app.formats.markdown.nodes import Node, child_lists
from app.formats.markdown.parser import block_lines, to_document
from app.formats.markdown.scanner import scan


def keys_of_links(body: str) -> Sequence[str]:
    """The key of the innermost block in which each link of a body stands, in the order of `scan`.

    A link that the document does not show as one stands in the outermost block of its line.
    """
    links = scan(body).links
    if not links:
        return ()
    hrefs = [meant(link.href) for link in links]
    shown: defaultdict[str, list[str]] = defaultdict(list)
    for href, key in _shown(to_document(body)):
        shown[meant(href)].append(key)
    numbers = Counter(hrefs)
    agreed = {href: iter(shown[href]) for href in numbers if len(shown[href]) == numbers[href]}
    starts = [] if len(agreed) == len(numbers) else [lines.start + 1 for lines in block_lines(body)]
    return [
        next(agreed[href]) if href in agreed else str(max(bisect_right(starts, link.line) - 1, 0))
        for href, link in zip(hrefs, links, strict=True)
    ]


def _shown(document: Node) -> Iterator[tuple[str, str]]:
    """The addresses that the nodes of a document lead to, each with the key of the block around it."""
    waiting: list[tuple[Node, str]] = [(document, "")]
    while waiting:
        node, around = waiting.pop()
        here = node["key"] if node.get("object") == "block" else around
        yield from ((url, here) for url in _addresses(node.get("data") or {}))
        children = [(child, here) for _, inside in child_lists(node) for child in inside]
        waiting += reversed(children)


def _addresses(data: dict[str, Any]) -> Iterator[str]:
    for value in data.values():
        if isinstance(value, dict) and value.get("kind") == "url" and isinstance(value.get("url"), str):
            yield value["url"]
