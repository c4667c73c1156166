"""What stands inside a line: text under its marks, links, pictures, formulas, notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from app.formats.markdown import emoji, nodes
from app.formats.markdown.foreign import color_named, without_unknown_tags
from app.formats.markdown.nodes import Node
from app.formats.markdown.safe_html import followed
from app.site_reader.rendering import raw_html
from app.site_reader.rendering.formulas import formula
from app.site_reader.rendering.images import icon, picture
from app.site_reader.rendering.markup import Html, el, is_elsewhere, joined, lines, text, words
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
    shown = lines(content) if is_code or "{%" not in content else _readable(content)
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


def color_classes(given: dict[str, str]) -> str | None:
    """Return the classes for the colours of a mark; None where it has none that is known."""
    found = [
        f"{kind}-{name}"
        for kind, key in (("c", "text"), ("b", "background"))
        if (name := color_named(given.get(key)))
    ]
    return " ".join(found) or None


def _readable(content: str) -> Html:
    """Render text without tags that mean nothing here; an address between two of them becomes a link."""
    return joined(_piece(words, href) for words, href in without_unknown_tags(content))


def _piece(words: str, href: str | None) -> Html:
    if href is None:
        return lines(words)
    return el("a", {"href": href, "rel": "noopener noreferrer"}, text(words))
