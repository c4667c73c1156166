"""HTML that people wrote into their Markdown: what shows something is kept, what does something is not.

A block of it goes through the sanitizer (`formats.markdown.safe_html`), whose output is sent as it is. Tags
inside a line come one at a time; a few plain ones are kept in pairs.
"""

from __future__ import annotations

import html as entities
from dataclasses import dataclass

from app.formats.markdown import html_syntax, safe_html
from app.formats.markdown.safe_html import followed
from app.site_reader.rendering.markup import (
    NOTHING,
    Html,
    closing,
    el,
    is_elsewhere,
    joined,
    opening,
    text,
    void,
    words,
)
from app.site_reader.rendering.render_context import PageState, RenderContext

_IN_LINE = {"u", "small", "ins", "var", "samp", "cite", "q", "dfn", "abbr", "span", "big", "tt", "bdi"}


@dataclass(slots=True, frozen=True)
class _Addresses:
    """Reads the addresses in a piece of HTML as those of its page."""

    ctx: RenderContext

    def link(self, href: str) -> str | None:
        return followed(self.ctx.target(href).href)

    def picture(self, href: str) -> str | None:
        target = self.ctx.target(href)
        return None if target.kind == "page" else followed(target.href)

    def take(self, anchor: str) -> bool:
        return self.ctx.page.is_free(anchor)


def block(source: str, ctx: RenderContext) -> Html:
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
    return joined([made, *(embed(href, title, ctx) for href, title in safe_html.frames(source))])


def _sanitized(source: str, ctx: RenderContext) -> Html | None:
    """Return the sanitizer's output. Nothing may change it afterwards: it is safe only as it is."""
    made = safe_html.clean(source, _Addresses(ctx))
    return None if made is None else Html(made)


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
