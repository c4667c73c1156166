"""Identification of blocks: anchors of headings, and fingerprints of blocks.

An anchor is the author's own, or a slug of the heading's text made unique. Keys name blocks by their place,
which changes with everything above. A fingerprint is made of what a block holds and of nothing else: equal
blocks have equal fingerprints wherever they stand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b

import orjson
from markdown_it.token import Token

from app.formats.markdown import escapes, html_syntax, nodes
from app.formats.markdown.nodes import Node, child_lists, walk, with_lists
from app.formats.markdown.scanner import Anchors, slug
from app.kit.deadlines import check


def give_anchors(document: Node) -> None:
    """Give every heading its anchor, in reading order."""
    anchors = Anchors()
    for heading in headings(document):
        heading["data"]["id"] = anchors.take(heading_text(heading["nodes"]), heading["data"].get("id"))


def needs_anchor(document: Node) -> set[int]:
    """Return the headings (by `id()`) whose anchor is not the one they would get by themselves."""
    needing: set[int] = set()
    taken: set[str] = set()
    following: dict[str, int] = {}
    for heading in headings(document):
        wanted = slug(heading_text(heading["nodes"]))
        expected, number = wanted, following.get(wanted, 1)
        while expected in taken:
            expected, number = f"{wanted}-{number}", number + 1
        given = heading["data"].get("id") or expected
        if given == expected:
            following[wanted] = number
        else:
            needing.add(id(heading))
        taken.add(given)
    return needing


def headings(document: Node) -> Iterator[Node]:
    """Return the headings of a document in reading order."""
    return (node for node in nodes.walk(document) if str(node.get("type")).startswith("heading-"))


def heading_text(inside: list[Node]) -> str:
    """Return the text of a heading as its anchor is made from."""
    parts: list[str] = []
    for node in nodes.walk({"nodes": inside}):
        data = node.get("data", {})
        if node["object"] == "text":
            parts.extend(leaf["text"] for leaf in node["leaves"] if not leaf.get("html"))
        elif node["type"] == "emoji":
            parts.append(escapes.emoji_names().get(data.get("code", ""), ""))
        else:
            parts.append(str(data.get("formula") or data.get("expression") or data.get("alt") or ""))
    return " ".join("".join(parts).split())


def take_anchor(tokens: list[Token]) -> str | None:
    """Take all ids of `<a id="…">` out of a heading and give the first; one that is a link too stays one."""
    found: str | None = None
    ends = [n for n, each in enumerate(tokens) if each.type == "html_inline" and each.content == "</a>"][::-1]
    for index, token in enumerate(tokens):
        tag = html_syntax.read_tag(token.content) if token.type == "html_inline" else None
        if tag is None or tag.name != "a" or tag.closing:
            continue
        anchors = [tag.attributes.pop(name) for name in ("id", "name") if name in tag.attributes]
        anchor = next(filter(None, anchors), "")
        if anchors and tag.attributes.get("href", f"#{anchor}") == f"#{anchor}":
            while ends and ends[-1] < index:
                ends.pop()
            token.content = ""
            if ends:
                tokens[ends.pop()].content = ""
        elif anchors:
            token.content = html_syntax.write_tag("a", tag.attributes)
        found = found or anchor or None
    return found


def trim(read: list[Node]) -> None:
    """Drop the white space an anchor left at the ends of a heading."""
    for index, strip in ((0, str.lstrip), (-1, str.rstrip)):
        if read and read[index]["object"] == "text":
            leaves = read[index]["leaves"]
            leaves[index]["text"] = strip(leaves[index]["text"], " \t")
            if not leaves[index]["text"]:
                del leaves[index]
            if not leaves:
                del read[index]


PREVIEW = 200  # characters
Fingerprints = dict[str, list[str]]  # mark -> keys, in reading order


def fingerprints(document: Node) -> Fingerprints:
    """Return the marks of all blocks with the keys of those that have them."""
    found: Fingerprints = {}
    _fingerprint({"object": "document", "nodes": document["nodes"]}, found)
    for keys in found.values():
        keys.sort(key=place)
    return found


def _fingerprint(node: Node, found: Fingerprints) -> str:
    check()
    own = {
        name: value
        for name, value in with_lists(node, lambda _: []).items()
        if name not in ("key", "nodes") and not (name == "data" and _is_heading(node))
    }
    inside = [_fingerprint(child, found) for _, children in child_lists(node) for child in children]
    text = orjson.dumps([own, inside], option=orjson.OPT_SORT_KEYS, default=str)
    mark = blake2b(text, digest_size=12).hexdigest()
    if node["object"] == "block":
        found.setdefault(mark, []).append(node["key"])
    return mark


def _is_heading(node: Node) -> bool:
    """Tell whether a block is a heading, whose anchor depends on the other headings of the page."""
    return str(node.get("type")).startswith("heading-")


def block_of_key(document: Node, key: str) -> Node | None:
    """Return the block of this key."""
    return next((node for node in walk(document) if node["object"] == "block" and node["key"] == key), None)


def fingerprint_of(found: Fingerprints, key: str) -> str:
    """Return the mark of the block of this key."""
    return next(mark for mark, keys in found.items() if key in keys)


def nearest(keys: Sequence[str], key: str, before: Sequence[str] = ()) -> str:
    """Return the key, among those of equal blocks, that a block with this key most likely has now.

    That is the same one in their order where there are as many as `before`, else the nearest.
    """
    if len(before) == len(keys) and key in before:
        return keys[before.index(key)]
    was = place(key)
    return min(keys, key=lambda each: [abs(a - b) for a, b in zip(place(each), was, strict=False)])


def place(key: str) -> list[int]:
    """Return a key as numbers that sort in reading order; what is no number counts as none."""
    return [int(part) if part.isdecimal() else 0 for part in key.split(".")]


def preview(node: Node) -> str:
    """Return the first words of a block."""
    parts: list[str] = []
    for each in walk({"nodes": [node]}):
        if each["object"] == "text":
            parts.extend(leaf["text"] for leaf in each["leaves"] if not leaf.get("html"))
        elif each["object"] == "block":
            data = each.get("data") or {}
            parts += [" ", str(data.get("alt") or data.get("formula") or "")]
    words = " ".join("".join(parts).split())
    return words if len(words) <= PREVIEW else words[: PREVIEW - 1].rstrip() + "…"
