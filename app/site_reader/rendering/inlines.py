"""Rendering of inline content (text with marks, links, pictures, formulas, notes) and of HTML in Markdown.

Blocks of HTML pass the sanitizer (`formats.markdown.safe_html`), whose output is sent unchanged: it keeps
what shows something and removes what does something. Inline tags come one at a time; a few plain ones are
kept in pairs.
"""

from __future__ import annotations

import html as entities
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.formats.markdown import escapes, html_syntax, nodes, safe_html
from app.formats.markdown.dialects import told
from app.formats.markdown.nodes import Node
from app.formats.markdown.safe_html import color_named, followed, without_unknown_tags
from app.present.html_links import LinkTarget
from app.site_reader.rendering.formulas import formula
from app.site_reader.rendering.images import icon, picture
from app.site_reader.rendering.markup import (
    NOTHING,
    Html,
    closing,
    el,
    is_elsewhere,
    joined,
    lines,
    opening,
    text,
    void,
    words,
)
from app.site_reader.rendering.render_context import PageContext, PageState
from app.site_reader.texts import say

_IN_LINE = {"u", "small", "ins", "var", "samp", "cite", "q", "dfn", "abbr", "span", "big", "tt", "bdi"}


@dataclass(slots=True, frozen=True)
class _FrameAddresses:
    """Reads the addresses in a piece of HTML as those of its page."""

    ctx: PageContext

    def link(self, href: str) -> str | None:
        return followed(self.ctx.target(href).href)

    def picture(self, href: str) -> str | None:
        target = self.ctx.target(href)
        return None if target.kind == "page" else followed(target.href)

    def take(self, anchor: str) -> bool:
        return self.ctx.page.is_free(anchor)


def html_block(source: str, ctx: PageContext) -> Html:
    """Return what is safe of a block of HTML; frames and films become links."""
    made = _sanitized(source, ctx)
    if made is None:
        return el("pre", None, text(source[: safe_html.MOST]))
    if not made.strip():
        made = NOTHING
    elif made.lstrip().startswith("<") or "<p" in made:
        made = el("div", {"class": "html"}, made)
    else:
        made = el("p", None, made)
    return joined([made, *(html_embed(href, title, ctx) for href, title in safe_html.frames(source))])


def _sanitized(source: str, ctx: PageContext) -> Html | None:
    """Return the sanitizer's output. Nothing may change it afterwards: it is safe only as it is."""
    made = safe_html.clean(source, _FrameAddresses(ctx))
    return None if made is None else Html(made)


def html_embed(href: str, title: str, ctx: PageContext, caption: Html = NOTHING) -> Html:
    """Render something from elsewhere: not loaded, but a link away."""
    target = ctx.target(href)
    followable = followed(target.href)
    if followable is None:
        return NOTHING
    bare = followable.partition("//")[2] or followable
    host = bare.partition("/")[0] if is_elsewhere(followable) else ""
    shown = [
        el("strong", None, text(words(title or target.title or host or bare))),
        el("span", {"class": "address"}, text(words(bare, 120))),
    ]
    rel = "noopener noreferrer" if host else None
    card = el("a", {"class": "card-link embed", "href": followable, "rel": rel}, *shown)
    return el("figure", None, card, el("figcaption", None, caption)) if caption else card


class InlineTags:
    """Tags inside a line: the plain ones, each closed where the line ends if nowhere else."""

    __slots__ = ("_open", "_page")

    def __init__(self, page: PageState) -> None:
        self._open: list[str] = []
        self._page = page

    def take(self, source: str) -> Html:
        """Return a tag as it may stand here; nothing for any other."""
        made = []
        for piece in html_syntax.pieces(source):
            if not piece.name:
                made.append(text(entities.unescape(piece.raw)))
            elif piece.name == "br" or (piece.name == "wbr" and not piece.closing):
                made.append(void(piece.name))
            elif piece.name in _IN_LINE:
                made.append(self._pair(piece))
            elif piece.name == "a" and not piece.closing:
                made.append(self._place(piece))
        return joined(made)

    def _place(self, piece: html_syntax.Piece) -> Html:
        anchor = piece.attributes.get("id") or piece.attributes.get("name") or ""
        return el("span", {"id": anchor}) if anchor and self._page.is_free(anchor) else NOTHING

    def _pair(self, piece: html_syntax.Piece) -> Html:
        name = {"big": "span", "tt": "code"}.get(piece.name, piece.name)
        if not piece.closing:
            if len(self._open) > 20:
                return NOTHING
            self._open.append(name)
            anchor = piece.attributes.get("id") or ""
            title = piece.attributes.get("title") if name == "abbr" else None
            given = {"id": anchor if anchor and self._page.is_free(anchor) else None, "title": title or None}
            return opening(name, given)
        if name not in self._open:
            return NOTHING
        made: list[Html] = []
        while not made or made[-1] != closing(name):
            made.append(closing(self._open.pop()))
        return joined(made)

    def end(self) -> Html:
        """Return the ends of what is still open."""
        made = joined(closing(name) for name in reversed(self._open))
        self._open.clear()
        return made


_MARKS = {
    "bold": "strong",
    "italic": "em",
    "strikethrough": "s",
    "superscript": "sup",
    "subscript": "sub",
    "keyboard": "kbd",
    "code": "code",
}


def inlines(inside: Sequence[Node], ctx: PageContext) -> Html:
    """Render the nodes of a line."""
    made: list[Html] = []
    tags = InlineTags(ctx.page)
    for node in inside:
        if not ctx.take():
            break
        if node["object"] == "text":
            made += [_leaf(leaf, tags, ctx) for leaf in node["leaves"]]
        else:
            made.append(_inline(node, ctx))
    return joined([*made, tags.end()])


def _leaf(leaf: Node, tags: InlineTags, ctx: PageContext) -> Html:
    if leaf.get("html"):
        return tags.take(leaf["text"])
    content, is_code = leaf["text"], any(mark["type"] == "code" for mark in leaf["marks"])
    if is_code:
        shown = lines(content)
    elif "{%" in content:
        shown = _readable(content)
    else:
        shown = _told(content, ctx)
    for mark in reversed(leaf["marks"]):
        kind = mark["type"]
        if kind == "color":
            shown = el("mark", {"class": color_classes(mark.get("data") or {})}, shown)
        elif kind in _MARKS:
            shown = el(_MARKS[kind], None, shown)
    return shown


def _inline(node: Node, ctx: PageContext) -> Html:
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
            return el("span", {"class": "emoji"}, text(escapes.emoji_characters(str(data.get("code", "")))))
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


def link(node: Node, ctx: PageContext) -> Html:
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


def _button(node: Node, ctx: PageContext) -> Html:
    data = node["data"]
    target = ctx.target(address(data))
    inside = [icon(str(data.get("icon", ""))), inlines(node["nodes"], replace(ctx, in_link=True))]
    if target.href is None or ctx.in_link:
        return el("span", {"class": "button"}, *inside)
    style = "button" if "secondary" in str(data.get("style", "")) else "button primary"
    return el("a", {"class": style, **followable(target)}, *inside)


def _note(node: Node, ctx: PageContext) -> Html:
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
            el(
                "sup",
                {"class": "note"},
                el("a", {**anchor, "aria-label": say("note", number=number)}, text(number)),
            ),
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


def _told(content: str, ctx: PageContext) -> Html:
    """Render text in which bare addresses are links and what is between `==` is marked."""
    made = []
    for kind, piece in told(content):
        target = followed(piece) if kind == "address" and not ctx.in_link else None
        if kind == "marked":
            made.append(el("mark", None, lines(piece)))
        else:
            made.append(_piece(piece, target))
    return joined(made)


def _readable(content: str) -> Html:
    """Render text without tags that mean nothing here; an address between two of them becomes a link."""
    return joined(_piece(words, href) for words, href in without_unknown_tags(content))


def _piece(words: str, href: str | None) -> Html:
    if href is None:
        return lines(words)
    return el("a", {"href": href, "rel": "noopener noreferrer"}, text(words))
