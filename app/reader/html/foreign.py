"""HTML that people wrote into their Markdown: what shows something is kept, what does something is not.

A block of it goes through a sanitizer that parses as browsers do, and comes out closed. Tags inside a line
come one at a time; a few plain ones are kept in pairs.
"""

from __future__ import annotations

import html as entities
import re
from functools import partial
from typing import Any

from app.content.dialect import html
from app.reader.html.markup import NOTHING, Html, el, followed, is_elsewhere, joined, sendable, text, words
from app.reader.html.setting import Here, Page

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
_UNPAIRED = {*html.VOID, "p", "li", "tr", "td", "th", "dt", "dd", "thead", "tbody", "option"}
_IMAGE = re.compile(r'<img((?:\s+[\w-]+="[^"]*")*)\s*>')
_GIVEN = re.compile(r'([\w-]+)="([^"]*)"')
_NUMBER = re.compile(r"[0-9]{1,5}%?(?:px)?\Z")
_HEADING = re.compile(r"(</?)h1(?=[\s>/])", re.IGNORECASE)


def block(source: str, here: Here) -> Html:
    """A block of HTML with what is safe in it; frames and films become links."""
    import nh3

    if len(source) > MOST or _depth(source) > DEEPEST:
        return el("pre", None, text(source[:MOST]))
    clean = nh3.clean(
        _HEADING.sub(r"\1h2", sendable(source)),
        tags=_TAGS,
        clean_content_tags=_GONE,
        attributes=_ATTRIBUTES,
        attribute_filter=partial(_attribute, here),
        url_schemes={"http", "https", "mailto", "tel"},
        link_rel="noopener noreferrer",
    )
    # What is put in here has no quotation marks, unless in place of a tag that had some: `<` may stand in the
    # value of an attribute, but not those.
    made = Html(_IMAGE.sub(_picture, clean))
    if not made.strip():
        made = NOTHING
    elif made.lstrip().startswith("<") or "<p" in made:
        made = el("div", {"class": "html"}, made)
    else:
        made = el("p", None, made)
    return joined([made, *_frames(source, here)])


def _picture(found: re.Match[str]) -> str:
    """A picture with its words; only they where it leads to none."""
    given = dict(_GIVEN.findall(found[1]))
    if "src" in given:
        return found[0] if "alt" in given else f'{found[0][:-1]} alt="">'
    shown = given.get("alt", "").replace("<", "&lt;")
    return f'<span class="no-picture">{shown}</span>' if shown else ""


def _depth(source: str) -> int:
    """How deep tags are open at most; the time that the sanitizer takes grows with the square of it."""
    deepest = depth = 0
    for closing, name in _TAG.findall(source):
        if name.lower() not in _UNPAIRED:
            depth = max(depth - 1, 0) if closing else depth + 1
            deepest = max(deepest, depth)
    return deepest


def _attribute(here: Here, tag: str, name: str, value: str) -> str | None:
    if name in ("href", "src"):
        target = here.target(value)
        if tag == "img" and target.kind == "page":
            return None
        return followed(target.href)
    if name in ("id", "name"):
        return value if value.strip() and here.page.is_free(value) else None
    if name in ("width", "height", "colspan", "rowspan", "start", "value", "span"):
        return value.removesuffix("px") if _NUMBER.match(value) else None
    return value


def _frames(source: str, here: Here) -> list[Html]:
    if "src" not in source and "data" not in source:
        return []
    found: dict[str, Any] = {}
    for piece in html.pieces(source):
        href = piece.attributes.get("src") or piece.attributes.get("data") if piece.name in _FRAMES else None
        if href and not piece.closing:
            found.setdefault(href, piece.attributes.get("title", ""))
    return [embed(href, title, here) for href, title in list(found.items())[:100]]


def embed(href: str, title: str, here: Here, caption: Html = NOTHING) -> Html:
    """Something from elsewhere: not loaded, but a link away."""
    target = here.target(href)
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


class Tags:
    """Tags inside a line: the plain ones, each closed where the line ends if nowhere else."""

    __slots__ = ("_open", "_page")

    def __init__(self, page: Page) -> None:
        self._open: list[str] = []
        self._page = page

    def take(self, source: str) -> Html:
        """A tag as it may stand here; nothing for any other."""
        made = []
        for piece in html.pieces(source):
            if not piece.name:
                made.append(text(entities.unescape(piece.raw)))
            elif piece.name == "br" or (piece.name == "wbr" and not piece.closing):
                made.append(Html(f"<{piece.name}>"))
            elif piece.name in _IN_LINE:
                made.append(self._pair(piece))
            elif piece.name == "a" and not piece.closing:
                made.append(self._place(piece))
        return joined(made)

    def _place(self, piece: html.Piece) -> Html:
        anchor = piece.attributes.get("id") or piece.attributes.get("name") or ""
        return el("span", {"id": anchor}) if anchor and self._page.is_free(anchor) else NOTHING

    def _pair(self, piece: html.Piece) -> Html:
        name = {"big": "span", "tt": "code"}.get(piece.name, piece.name)
        if not piece.closing:
            if len(self._open) > 20:
                return NOTHING
            self._open.append(name)
            anchor = piece.attributes.get("id") or ""
            title = piece.attributes.get("title") if name == "abbr" else None
            given = {"id": anchor if anchor and self._page.is_free(anchor) else None, "title": title or None}
            return Html(el(name, given).removesuffix(f"</{name}>"))
        if name not in self._open:
            return NOTHING
        made = ""
        while self._open:
            last = self._open.pop()
            made += f"</{last}>"
            if last == name:
                break
        return Html(made)

    def end(self) -> Html:
        """The ends of what is still open."""
        made = "".join(f"</{name}>" for name in reversed(self._open))
        self._open.clear()
        return Html(made)
