"""HTML that people wrote into their Markdown: what shows something is kept, what does something is not.

A block of it goes through a sanitizer that parses as browsers do, and comes out closed. Whatever has to be
changed is changed before that or by the sanitizer's own filters: its output is sent as it is (threats, 70).
Tags inside a line come one at a time; a few plain ones are kept in pairs.
"""

from __future__ import annotations

import html as entities
import re
from functools import partial
from typing import Any

from app.formats.markdown import html_syntax
from app.site_reader.rendering.markup import (
    NOTHING,
    Html,
    closing,
    el,
    followed,
    is_elsewhere,
    joined,
    opening,
    sendable,
    text,
    void,
    words,
)
from app.site_reader.rendering.render_context import PageState, RenderContext

MOST = 300_000
DEEPEST = 500
_IN_LINE = {"u", "small", "ins", "var", "samp", "cite", "q", "dfn", "abbr", "span", "big", "tt", "bdi"}
_TAGS = {
    "p", "div", "span", "br", "hr", "a", "img", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "dl", "dt",
    "dd", "table", "thead", "tbody", "tfoot", "tr", "td", "th", "caption", "colgroup", "col", "strong", "em",
    "b", "i", "u", "s", "del", "ins", "sub", "sup", "kbd", "code", "pre", "samp", "var", "blockquote", "q",
    "cite", "abbr", "small", "mark", "figure", "figcaption", "details", "summary", "center", "wbr", "bdi",
}  # fmt: skip
_ATTRIBUTES = {
    "*": {"id", "lang", "dir", "align"},
    "a": {"href", "title", "name"},
    "img": {"src", "alt", "title", "width", "height"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan", "scope"},
    "ol": {"start"},
    "li": {"value"},
    "col": {"span"},
    "details": {"open"},
    "abbr": {"title"},
}
_GONE = {
    "script",
    "style",
    "template",
    "noscript",
    "svg",
    "math",
    "title",
    "textarea",
    "select",
    "iframe",
    "object",
}
_FRAMES = {"iframe", "video", "audio", "source", "embed", "object"}
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]*)")
_UNPAIRED = {*html_syntax.VOID, "p", "li", "tr", "td", "th", "dt", "dd", "thead", "tbody", "option"}
_NO_PICTURE = "no-picture"
_NUMBER = re.compile(r"[0-9]{1,5}%?(?:px)?\Z")


def block(source: str, ctx: RenderContext) -> Html:
    """Return what is safe of a block of HTML; frames and films become links."""
    if len(source) > MOST or _depth(source) > DEEPEST:
        return el("pre", None, text(source[:MOST]))
    made = _sanitized(html_syntax.rewritten(sendable(source), partial(_replaced, ctx)), ctx)
    if not made.strip():
        made = NOTHING
    elif made.lstrip().startswith("<") or "<p" in made:
        made = el("div", {"class": "html"}, made)
    else:
        made = el("p", None, made)
    return joined([made, *_frames(source, ctx)])


def _sanitized(source: str, ctx: RenderContext) -> Html:
    """Return the sanitizer's output. Nothing may change it afterwards: it is safe only as it is."""
    import nh3

    return Html(
        nh3.clean(
            source,
            tags=_TAGS,
            clean_content_tags=_GONE,
            attributes=_ATTRIBUTES,
            allowed_classes={"span": {_NO_PICTURE}},
            attribute_filter=partial(_attribute, ctx),
            url_schemes={"http", "https", "mailto", "tel"},
            link_rel="noopener noreferrer",
        )
    )


def _replaced(ctx: RenderContext, tag: html_syntax.Piece) -> str:
    """Return what the sanitizer is given for a tag: a page has one `h1`, and every picture an `alt`."""
    if tag.name == "h1":
        at = 3 if tag.closing else 2
        return f"{tag.raw[: at - 1]}h2{tag.raw[at + 1 :]}"
    if tag.name != "img" or tag.closing:
        return tag.raw
    said, source = tag.attributes.get("alt"), tag.attributes.get("src")
    if source is None or _source(ctx, source) is None:
        return el("span", {"class": _NO_PICTURE}, text(said)) if said else NOTHING
    return tag.raw if said is not None else f'<img alt=""{tag.raw[len("<img") :]}'


def _source(ctx: RenderContext, href: str) -> str | None:
    """Return the address of a picture; None where there is none that a browser may load."""
    target = ctx.target(href)
    return None if target.kind == "page" else followed(target.href)


def _depth(source: str) -> int:
    """Return how deep tags nest at most; the sanitizer's time grows with the square of it."""
    deepest = depth = 0
    for slash, name in _TAG.findall(source):
        if name.lower() not in _UNPAIRED:
            depth = max(depth - 1, 0) if slash else depth + 1
            deepest = max(deepest, depth)
    return deepest


def _attribute(ctx: RenderContext, tag: str, name: str, value: str) -> str | None:
    if name == "src":
        return _source(ctx, value)
    if name == "href":
        return followed(ctx.target(value).href)
    if name in ("id", "name"):
        return value if value.strip() and ctx.page.is_free(value) else None
    if name in ("width", "height", "colspan", "rowspan", "start", "value", "span"):
        return value.removesuffix("px") if _NUMBER.match(value) else None
    return value


def _frames(source: str, ctx: RenderContext) -> list[Html]:
    if "src" not in source and "data" not in source:
        return []
    found: dict[str, Any] = {}
    for piece in html_syntax.pieces(source):
        href = piece.attributes.get("src") or piece.attributes.get("data") if piece.name in _FRAMES else None
        if href and not piece.closing:
            found.setdefault(href, piece.attributes.get("title", ""))
    return [embed(href, title, ctx) for href, title in list(found.items())[:100]]


def embed(href: str, title: str, ctx: RenderContext, caption: Html = NOTHING) -> Html:
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
