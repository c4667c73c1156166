"""What stands inside a line: text under its marks, links, pictures, formulas, notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from app.formats.dialect import emoji, nodes
from app.formats.dialect.nodes import Node
from app.site_reader.rendering import colors, raw_html, strays
from app.site_reader.rendering.formulas import formula
from app.site_reader.rendering.icons import icon
from app.site_reader.rendering.images import picture
from app.site_reader.rendering.markup import Html, el, followed, is_elsewhere, joined, lines, text, words
from app.site_reader.rendering.render_context import Here
from app.site_reader.rendering.view_models import Target

_MARKS = {
    "bold": "strong",
    "italic": "em",
    "strikethrough": "s",
    "superscript": "sup",
    "subscript": "sub",
    "keyboard": "kbd",
    "code": "code",
}


def inlines(inside: Sequence[Node], here: Here) -> Html:
    """The nodes of a line."""
    made: list[Html] = []
    tags = raw_html.Tags(here.page)
    for node in inside:
        if not here.take():
            break
        if node["object"] == "text":
            made += [_leaf(leaf, tags) for leaf in node["leaves"]]
        else:
            made.append(_inline(node, here))
    return joined([*made, tags.end()])


def _leaf(leaf: Node, tags: raw_html.Tags) -> Html:
    if leaf.get("html"):
        return tags.take(leaf["text"])
    content, is_code = leaf["text"], any(mark["type"] == "code" for mark in leaf["marks"])
    shown = strays.without(content) if "{%" in content and not is_code else lines(content)
    for mark in reversed(leaf["marks"]):
        kind = mark["type"]
        if kind == "color":
            shown = el("mark", {"class": colors.classes(mark.get("data") or {})}, shown)
        elif kind in _MARKS:
            shown = el(_MARKS[kind], None, shown)
    return shown


def _inline(node: Node, here: Here) -> Html:
    data = node["data"]
    match node["type"]:
        case "link":
            return link(node, here)
        case "button":
            return _button(node, here)
        case "mention":
            name = nodes.plain_text(node["nodes"]) or str((data.get("ref") or {}).get("user", ""))
            return el("span", {"class": "mention"}, text(f"@{words(name.lstrip('@'), 100)}"))
        case "inline-image":
            return picture(data, here, size="line" if data.get("size") == "line" else "")
        case "inline-math":
            return formula(str(data.get("formula", "")), block=False)
        case "emoji":
            return el("span", {"class": "emoji"}, text(emoji.characters(str(data.get("code", "")))))
        case "icon":
            return icon(str(data.get("icon", "")))
        case "annotation":
            return _note(node, here)
        case "expression":
            return el("code", None, text(data.get("expression", "")))
    return inlines(node["nodes"], here)


def address(data: Node, name: str = "ref") -> str:
    """The href of a reference as it was written, or nothing."""
    reference = data.get(name)
    return str(reference.get("url", "")) if isinstance(reference, dict) else ""


def link(node: Node, here: Here) -> Html:
    """A link with its words, or only the words where it leads nowhere."""
    href = address(node["data"])
    target = here.target(href)
    inside = inlines(node["nodes"], replace(here, in_link=True))
    inside = inside or text(words(target.title or href))
    if here.in_link:
        return inside  # a link has none inside it
    if target.href is None or followed(target.href) is None:
        return el("span", {"class": "broken"}, inside)
    return el("a", {**followable(target), "title": node["data"].get("title")}, inside)


def followable(target: Target) -> dict[str, Any]:
    """The attributes of a link to somewhere."""
    href = followed(target.href)
    away = href is not None and is_elsewhere(href)
    return {
        "href": href,
        "rel": "noopener noreferrer" if away else None,
        "download": target.kind == "file" and not away,
    }


def _button(node: Node, here: Here) -> Html:
    data = node["data"]
    target = here.target(address(data))
    inside = [icon(str(data.get("icon", ""))), inlines(node["nodes"], replace(here, in_link=True))]
    if target.href is None or here.in_link:
        return el("span", {"class": "button"}, *inside)
    style = "button" if "secondary" in str(data.get("style", "")) else "button primary"
    return el("a", {"class": style, **followable(target)}, *inside)


def _note(node: Node, here: Here) -> Html:
    """A number that leads to the note at the end of the page."""
    page, label = here.page, str(node["data"].get("label", ""))
    number = page.numbers.get(label)
    is_first = number is None
    if number is None:
        number = page.numbers[label] = len(page.numbers) + 1
    body = node["data"].get("body")
    if isinstance(body, list):
        page.notes.append((number, body, here.links))
    shown = inlines(node["nodes"], here)
    if here.in_link:
        return joined([shown, el("sup", None, text(number))])
    anchor = {"href": f"#~note-{number}", "id": f"~ref-{number}" if is_first else None}
    return joined(
        [
            shown,
            el("sup", {"class": "note"}, el("a", {**anchor, "aria-label": f"Note {number}"}, text(number))),
        ]
    )
