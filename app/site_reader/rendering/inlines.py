"""What stands inside a line: text under its marks, links, pictures, formulas, notes."""

from __future__ import annotations

import colorsys
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from app.formats.markdown import emoji, nodes
from app.formats.markdown.nodes import Node
from app.formats.markdown.tags import ENDED, ENDED_OR_NOT, SINGLE
from app.site_reader.rendering import raw_html
from app.site_reader.rendering.formulas import formula
from app.site_reader.rendering.images import icon, picture
from app.site_reader.rendering.markup import Html, el, followed, is_elsewhere, joined, lines, text, words
from app.site_reader.rendering.render_context import RenderContext
from app.site_reader.rendering.view_models import LinkTarget

_MARKS = {
    "bold": "strong",
    "italic": "em",
    "strikethrough": "s",
    "superscript": "sup",
    "subscript": "sub",
    "keyboard": "kbd",
    "code": "code",
}


def inlines(inside: Sequence[Node], ctx: RenderContext) -> Html:
    """Render the nodes of a line."""
    made: list[Html] = []
    tags = raw_html.InlineTags(ctx.page)
    for node in inside:
        if not ctx.take():
            break
        if node["object"] == "text":
            made += [_leaf(leaf, tags) for leaf in node["leaves"]]
        else:
            made.append(_inline(node, ctx))
    return joined([*made, tags.end()])


def _leaf(leaf: Node, tags: raw_html.InlineTags) -> Html:
    if leaf.get("html"):
        return tags.take(leaf["text"])
    content, is_code = leaf["text"], any(mark["type"] == "code" for mark in leaf["marks"])
    shown = without_unknown_tags(content) if "{%" in content and not is_code else lines(content)
    for mark in reversed(leaf["marks"]):
        kind = mark["type"]
        if kind == "color":
            shown = el("mark", {"class": color_classes(mark.get("data") or {})}, shown)
        elif kind in _MARKS:
            shown = el(_MARKS[kind], None, shown)
    return shown


def _inline(node: Node, ctx: RenderContext) -> Html:
    data = node["data"]
    match node["type"]:
        case "link":
            return link(node, ctx)
        case "button":
            return _button(node, ctx)
        case "mention":
            name = nodes.plain_text(node["nodes"]) or str((data.get("ref") or {}).get("user", ""))
            return el("span", {"class": "mention"}, text(f"@{words(name.lstrip('@'), 100)}"))
        case "inline-image":
            return picture(data, ctx, size="line" if data.get("size") == "line" else "")
        case "inline-math":
            return formula(str(data.get("formula", "")), block=False)
        case "emoji":
            return el("span", {"class": "emoji"}, text(emoji.characters(str(data.get("code", "")))))
        case "icon":
            return icon(str(data.get("icon", "")))
        case "annotation":
            return _note(node, ctx)
        case "expression":
            return el("code", None, text(data.get("expression", "")))
    return inlines(node["nodes"], ctx)


def address(data: Node, name: str = "ref") -> str:
    """Return the href of a reference as it was written, or ""."""
    reference = data.get(name)
    return str(reference.get("url", "")) if isinstance(reference, dict) else ""


def link(node: Node, ctx: RenderContext) -> Html:
    """Render a link with its words, or only the words where it leads nowhere."""
    href = address(node["data"])
    target = ctx.target(href)
    inside = inlines(node["nodes"], replace(ctx, in_link=True))
    inside = inside or text(words(target.title or href))
    if ctx.in_link:
        return inside  # a link has none inside it
    if target.href is None or followed(target.href) is None:
        return el("span", {"class": "broken"}, inside)
    return el("a", {**followable(target), "title": node["data"].get("title")}, inside)


def followable(target: LinkTarget) -> dict[str, Any]:
    """Return the attributes of a link to somewhere."""
    href = followed(target.href)
    away = href is not None and is_elsewhere(href)
    return {
        "href": href,
        "rel": "noopener noreferrer" if away else None,
        "download": target.kind == "file" and not away,
    }


def _button(node: Node, ctx: RenderContext) -> Html:
    data = node["data"]
    target = ctx.target(address(data))
    inside = [icon(str(data.get("icon", ""))), inlines(node["nodes"], replace(ctx, in_link=True))]
    if target.href is None or ctx.in_link:
        return el("span", {"class": "button"}, *inside)
    style = "button" if "secondary" in str(data.get("style", "")) else "button primary"
    return el("a", {"class": style, **followable(target)}, *inside)


def _note(node: Node, ctx: RenderContext) -> Html:
    """Render a number that leads to the note at the end of the page."""
    page, label = ctx.page, str(node["data"].get("label", ""))
    number = page.numbers.get(label)
    is_first = number is None
    if number is None:
        number = page.numbers[label] = len(page.numbers) + 1
    body = node["data"].get("body")
    if isinstance(body, list):
        page.notes.append((number, body, ctx.links))
    shown = inlines(node["nodes"], ctx)
    if ctx.in_link:
        return joined([shown, el("sup", None, text(number))])
    anchor = {"href": f"#~note-{number}", "id": f"~ref-{number}" if is_first else None}
    return joined(
        [
            shown,
            el("sup", {"class": "note"}, el("a", {**anchor, "aria-label": f"Note {number}"}, text(number))),
        ]
    )


COLORS = ("gray", "red", "orange", "yellow", "green", "teal", "blue", "purple", "pink")
_HUES = (
    (15, "red"), (40, "orange"), (65, "yellow"), (160, "green"), (190, "teal"), (255, "blue"),
    (290, "purple"), (340, "pink"), (361, "red"),
)  # fmt: skip
_COLOR_NAMES = {
    "grey": "gray", "silver": "gray", "black": "gray", "lime": "green", "olive": "yellow", "cyan": "teal",
    "aqua": "teal", "navy": "blue", "violet": "purple", "magenta": "pink", "fuchsia": "pink",
    "maroon": "red", "brown": "orange", "gold": "yellow", "indigo": "purple", "primary": "primary",
    "info": "blue", "success": "green", "warning": "orange", "danger": "red",
}  # fmt: skip
_HEX = re.compile(r"#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})(?:[0-9a-fA-F]{2})?\Z")


def color_classes(given: dict[str, str]) -> str | None:
    """Return the classes for the colours of a mark; None where it has none that is known."""
    found = [
        f"{kind}-{name}"
        for kind, key in (("c", "text"), ("b", "background"))
        if (name := color_named(given.get(key)))
    ]
    return " ".join(found) or None


def color_named(color: object) -> str | None:
    """Return the name among ours that is nearest to a colour as CSS writes it."""
    written = str(color or "").strip().lower().removeprefix("$").removeprefix("light").removeprefix("dark")
    word = written.split("-")[0]
    if word in COLORS:
        return word
    if word in _COLOR_NAMES:
        return _COLOR_NAMES[word]
    match = _HEX.match(written)
    if match is None:
        return None
    digits = match[1] if len(match[1]) == 6 else "".join(digit * 2 for digit in match[1])
    red, green, blue = (int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4))
    hue, _, saturation = colorsys.rgb_to_hls(red, green, blue)
    if saturation < 0.12:
        return "gray"
    return next(name for limit, name in _HUES if hue * 360 < limit)


_TAG_PAIR = re.compile(r"\{%-?\s*([A-Za-z][\w-]{0,60})\b[^%{}]{0,500}%\}([^{}]{0,2000})\{%-?\s*end\1\s*-?%\}")
_OURS = ENDED | ENDED_OR_NOT | SINGLE | {"raw"}


def without_unknown_tags(content: str) -> Html:
    """Return the text of a line, escaped, without tags that mean nothing here."""
    made: list[Html] = []
    at = 0
    for match in _TAG_PAIR.finditer(content):
        if match[1].lower() not in _OURS:
            made += [lines(content[at : match.start()]), _tagged(match[2])]
            at = match.end()
    return joined([*made, lines(content[at:])])


def _tagged(inside: str) -> Html:
    """Render what stood between two tags; an address becomes a link."""
    words = inside.strip()
    href = followed(words) if words.lower().startswith(("http://", "https://")) else None
    if href is None or any(sign.isspace() for sign in href):
        return lines(inside)
    return el("a", {"href": href, "rel": "noopener noreferrer"}, text(words))
