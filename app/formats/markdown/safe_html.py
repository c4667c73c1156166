"""Makes HTML that people wrote safe: what shows something is kept, what does something is not.

The sanitizer parses as browsers do, and what comes out is closed. Whatever has to be changed is changed
before that or by the sanitizer's own filters: nothing may change its output afterwards (threats, 70).
"""

from __future__ import annotations

import html
import re
from functools import partial
from typing import Protocol

from app.formats.markdown import html_syntax

MOST = 300_000
DEEPEST = 500
NO_PICTURE = "no-picture"
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
_MOST_FRAMES = 100
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]*)")
_UNPAIRED = {*html_syntax.VOID, "p", "li", "tr", "td", "th", "dt", "dd", "thead", "tbody", "option"}
_NUMBER = re.compile(r"[0-9]{1,5}%?(?:px)?\Z")
# What no HTML may hold: control characters, and halves of surrogate pairs that could not be sent.
_UNSENDABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
_FOLLOWED = re.compile(r"(?:https?://[^\s\\/?#@]|mailto:[^\s\\]|tel:[+0-9]|/(?![/\\])|#|\Z)", re.IGNORECASE)


class Addresses(Protocol):
    """How the addresses and names in a piece of HTML are read."""

    def link(self, href: str) -> str | None:
        """Return where a link leads; None where a browser may not go there."""

    def picture(self, href: str) -> str | None:
        """Return the address of a picture; None where there is none that a browser may load."""

    def take(self, anchor: str) -> bool:
        """Take an anchor of the page; returns whether nothing before has it."""


def clean(source: str, addresses: Addresses) -> str | None:
    """Return what is safe of a piece of HTML; None where it is too large or nested too deep to be read."""
    if len(source) > MOST or _depth(source) > DEEPEST:
        return None
    import nh3

    return nh3.clean(
        html_syntax.rewritten(sendable(source), partial(_replaced, addresses)),
        tags=_TAGS,
        clean_content_tags=_GONE,
        attributes=_ATTRIBUTES,
        allowed_classes={"span": {NO_PICTURE}},
        attribute_filter=partial(_attribute, addresses),
        url_schemes={"http", "https", "mailto", "tel"},
        link_rel="noopener noreferrer",
    )


def frames(source: str) -> list[tuple[str, str]]:
    """Return the addresses and titles of frames, films and sounds, each once; the sanitizer removes them."""
    if "src" not in source and "data" not in source:
        return []
    found: dict[str, str] = {}
    for piece in html_syntax.pieces(source):
        href = piece.attributes.get("src") or piece.attributes.get("data") if piece.name in _FRAMES else None
        if href and not piece.closing:
            found.setdefault(href, piece.attributes.get("title", ""))
    return list(found.items())[:_MOST_FRAMES]


def sendable(content: str) -> str:
    """Return the text without what no HTML may hold."""
    return content if content.isprintable() else _UNSENDABLE.sub("\ufffd", content)


def followed(href: str | None) -> str | None:
    """Return the address if a browser may follow it: the web, a mailbox, a telephone, or this host."""
    if href is None:
        return None
    found = _UNSENDABLE.sub("", href).strip()
    return found if _FOLLOWED.match(found) and "\n" not in found and "\t" not in found else None


def _replaced(addresses: Addresses, tag: html_syntax.Piece) -> str:
    """Return what the sanitizer is given for a tag: a page has one `h1`, and every picture an `alt`."""
    if tag.name == "h1":
        at = 3 if tag.closing else 2
        return f"{tag.raw[: at - 1]}h2{tag.raw[at + 1 :]}"
    if tag.name != "img" or tag.closing:
        return tag.raw
    said, source = tag.attributes.get("alt"), tag.attributes.get("src")
    if source is None or addresses.picture(source) is None:
        return f'<span class="{NO_PICTURE}">{html.escape(sendable(said))}</span>' if said else ""
    return tag.raw if said is not None else f'<img alt=""{tag.raw[len("<img") :]}'


def _depth(source: str) -> int:
    """Return how deep tags nest at most; the sanitizer's time grows with the square of it."""
    deepest = depth = 0
    for slash, name in _TAG.findall(source):
        if name.lower() not in _UNPAIRED:
            depth = max(depth - 1, 0) if slash else depth + 1
            deepest = max(deepest, depth)
    return deepest


def _attribute(addresses: Addresses, _tag: str, name: str, value: str) -> str | None:
    if name == "src":
        return addresses.picture(value)
    if name == "href":
        return addresses.link(value)
    if name in ("id", "name"):
        return value if value.strip() and addresses.take(value) else None
    if name in ("width", "height", "colspan", "rowspan", "start", "value", "span"):
        return value.removesuffix("px") if _NUMBER.match(value) else None
    return value
