"""Anchors of a document's headings: the author's own, or a slug of the text made unique."""

from __future__ import annotations

from collections.abc import Iterator

from markdown_it.token import Token

from app.formats.markdown import emoji, html_syntax, nodes
from app.formats.markdown.nodes import Node
from app.formats.markdown.scanner import Anchors, slug


def give_anchors(document: Node) -> None:
    """Give every heading its anchor, in reading order."""
    anchors = Anchors()
    for heading in headings(document):
        heading["data"]["id"] = anchors.take(heading_text(heading["nodes"]), heading["data"].get("id"))


def needs_anchor(document: Node) -> set[int]:
    """The headings (by `id()`) whose anchor is not the one they would get by themselves."""
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
    """The headings of a document in reading order."""
    return (node for node in nodes.walk(document) if str(node.get("type")).startswith("heading-"))


def heading_text(inside: list[Node]) -> str:
    """The text of a heading as its anchor is made from."""
    parts: list[str] = []
    for node in nodes.walk({"nodes": inside}):
        data = node.get("data", {})
        if node["object"] == "text":
            parts.extend(leaf["text"] for leaf in node["leaves"] if not leaf.get("html"))
        elif node["type"] == "emoji":
            parts.append(emoji.names().get(data.get("code", ""), ""))
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
