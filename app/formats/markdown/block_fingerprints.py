"""What marks a block of a document, so that it is found again in a later text of the same page.

Keys name blocks by their place, which changes with everything above. A mark is made of what a block holds and
of nothing else: equal blocks have equal marks wherever they stand.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import orjson

from app.formats.markdown.nodes import Node, child_lists, walk, with_lists
from app.kit.deadlines import check

PREVIEW = 200  # characters
Marks = dict[str, list[str]]  # mark -> keys, in reading order


def marks(document: Node) -> Marks:
    """The marks of all blocks with the keys of those that have them."""
    found: Marks = {}
    _mark({"object": "document", "nodes": document["nodes"]}, found)
    for keys in found.values():
        keys.sort(key=place)
    return found


def _mark(node: Node, found: Marks) -> str:
    check()
    own = {
        name: value
        for name, value in with_lists(node, lambda _: []).items()
        if name not in ("key", "nodes") and not (name == "data" and _is_heading(node))
    }
    inside = [_mark(child, found) for _, children in child_lists(node) for child in children]
    text = orjson.dumps([own, inside], option=orjson.OPT_SORT_KEYS, default=str)
    mark = blake2b(text, digest_size=12).hexdigest()
    if node["object"] == "block":
        found.setdefault(mark, []).append(node["key"])
    return mark


def _is_heading(node: Node) -> bool:
    """Its anchor depends on the other headings of the page."""
    return str(node.get("type")).startswith("heading-")


def block(document: Node, key: str) -> Node | None:
    """The block of this key."""
    return next((node for node in walk(document) if node["object"] == "block" and node["key"] == key), None)


def mark_of(found: Marks, key: str) -> str:
    """The mark of the block of this key."""
    return next(mark for mark, keys in found.items() if key in keys)


def nearest(keys: Sequence[str], key: str, before: Sequence[str] = ()) -> str:
    """Of the places of equal blocks the one that is most likely where a block of this key is now.

    That is the same one in their order where there are as many as `before`, else the nearest.
    """
    if len(before) == len(keys) and key in before:
        return keys[before.index(key)]
    was = place(key)
    return min(keys, key=lambda each: [abs(a - b) for a, b in zip(place(each), was, strict=False)])


def place(key: str) -> list[int]:
    """A key as numbers that sort in reading order; what is no number counts as none."""
    return [int(part) if part.isdecimal() else 0 for part in key.split(".")]


def preview(node: Node) -> str:
    """The first words of a block."""
    parts: list[str] = []
    for each in walk({"nodes": [node]}):
        if each["object"] == "text":
            parts.extend(leaf["text"] for leaf in each["leaves"] if not leaf.get("html"))
        elif each["object"] == "block":
            data = each.get("data") or {}
            parts += [" ", str(data.get("alt") or data.get("formula") or "")]
    words = " ".join("".join(parts).split())
    return words if len(words) <= PREVIEW else words[: PREVIEW - 1].rstrip() + "…"
