"""Makes HTML that people wrote safe: what shows something is kept, what does something is not.

The sanitizer parses as browsers do, and what comes out is closed. Whatever has to be changed is changed
before that or by the sanitizer's own filters: nothing may change its output afterwards (threats, 70).

What other products write into Markdown: colours of their themes, and tags that only they know.
"""

from __future__ import annotations

import colorsys
import html
import re
from collections.abc import Iterator
from functools import partial
from typing import Protocol

from app.formats.markdown import html_syntax
from app.formats.markdown.tags import ENDED, ENDED_OR_NOT, SINGLE

MOST = 300_000
DEEPEST = 500
NO_PICTURE = "no-picture"
_TAGS = {
    "p", "div", "span", "br", "hr", "a", "img", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "dl", "dt",
    "dd", "table", "thead", "tbody", "tfoot", "tr", "td", "th", "caption", "colgroup", "col", "strong", "em",
    "b", "i", "u", "s", "del", "ins", "sub", "sup", "kbd", "code", "pre", "samp", "var", "blockquote", "q",
    "cite", "abbr", "small", "mark", "figure", "figcaption", "details", "summary", "center", "wbr", "bdi",
    "video", "audio", "source", "track",
}  # fmt: skip
_ATTRIBUTES = {
    "*": {"id", "lang", "dir", "align"},
    "a": {"href", "title", "name"},
    "img": {"src", "alt", "title", "width", "height"},
    "td": {"colspan", "rowspan", "width"},
    "th": {"colspan", "rowspan", "scope", "width"},
    "video": {"src", "poster", "width", "height", "controls", "loop", "muted", "preload", "playsinline"},
    "audio": {"src", "controls", "loop", "muted", "preload"},
    "source": {"src", "type"},
    "track": {"src", "kind", "srclang", "label", "default"},
    "ol": {"start"},
    "li": {"value"},
    "col": {"span", "width"},
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
_FRAMES = {"iframe", "embed", "object"}
_FILMS = ("video", "audio")
_SIZED = ("col", "td", "th")
_WIDTH = re.compile(r"(?:^|;)\s*width\s*:\s*([0-9]{1,4}(?:\.[0-9]{1,3})?)(px|%)", re.IGNORECASE)
_MOST_FRAMES = 100
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]*)")
_UNPAIRED = {*html_syntax.VOID, "p", "li", "tr", "td", "th", "dt", "dd", "thead", "tbody", "option"}
_NUMBER = re.compile(r"[0-9]{1,5}%?(?:px)?\Z")
# What no HTML may hold: control characters, and halves of surrogate pairs that could not be sent.
_UNSENDABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
_FOLLOWED = re.compile(r"(?:https?://[^\s\\/?#@]|mailto:[^\s\\]|tel:[+0-9]|/(?![/\\])|#|\Z)", re.IGNORECASE)


class Addresses(Protocol):
    """Reads the addresses and names in a piece of HTML."""

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
    """Return the addresses and titles of frames, each once; the sanitizer removes them."""
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
    if tag.name in _FILMS and not tag.closing:
        return _with_controls(tag)
    if tag.name in _SIZED and not tag.closing and (found := _WIDTH.search(tag.attributes.get("style", ""))):
        width = f"{round(float(found[1]))}{'%' if found[2] == '%' else ''}"
        return f'<{tag.name} width="{width}"{tag.raw[1 + len(tag.name) :]}'
    if tag.name != "img" or tag.closing:
        return tag.raw
    said, source = tag.attributes.get("alt"), tag.attributes.get("src")
    if source is None or addresses.picture(source) is None:
        return f'<span class="{NO_PICTURE}">{html.escape(sendable(said))}</span>' if said else ""
    return tag.raw if said is not None else f'<img alt=""{tag.raw[len("<img") :]}'


def _with_controls(tag: html_syntax.Piece) -> str:
    """Return a film or sound that begins when somebody wants it to, and can be stopped."""
    added = "".join(f" {name}" for name in ("controls",) if name not in tag.attributes)
    loaded = "" if "preload" in tag.attributes else ' preload="metadata"'
    return f"<{tag.name}{added}{loaded}{tag.raw[1 + len(tag.name) :]}"


def _depth(source: str) -> int:
    """Return how deep tags nest at most; the sanitizer's time grows with the square of it."""
    deepest = depth = 0
    for slash, name in _TAG.findall(source):
        if name.lower() not in _UNPAIRED:
            depth = max(depth - 1, 0) if slash else depth + 1
            deepest = max(deepest, depth)
    return deepest


def _attribute(addresses: Addresses, _tag: str, name: str, value: str) -> str | None:
    if name in ("src", "poster"):
        return addresses.picture(value)
    if name == "href":
        return addresses.link(value)
    if name in ("id", "name"):
        return value if value.strip() and addresses.take(value) else None
    if name in ("width", "height", "colspan", "rowspan", "start", "value", "span"):
        return value.removesuffix("px") if _NUMBER.match(value) else None
    return value


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
_ADDRESS = re.compile(r"https?://[^\s\"'<>`{}|\\]{3,500}")
_MOST_ADDRESSES = 20
_TAG_PAIR = re.compile(r"\{%-?\s*([A-Za-z][\w-]{0,60})\b[^%{}]{0,500}%\}([^{}]{0,2000})\{%-?\s*end\1\s*-?%\}")
_OURS = ENDED | ENDED_OR_NOT | SINGLE | {"raw"}


def color_named(color: object) -> str | None:
    """Return the name among ours that is nearest to a colour as CSS writes it; None for what is none."""
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


def without_unknown_tags(content: str) -> Iterator[tuple[str, str | None]]:
    """Yield the pieces of a line of text without tags that mean nothing here.

    With each comes the address that it is and that a browser may follow; None for plain text.
    """
    at = 0
    for match in _TAG_PAIR.finditer(content):
        if match[1].lower() not in _OURS:
            yield content[at : match.start()], None
            yield _tagged(match[2])
            at = match.end()
    yield content[at:], None


def _tagged(inside: str) -> tuple[str, str | None]:
    """Return what stood between two tags; an address comes without the blanks around it."""
    words = inside.strip()
    href = followed(words) if words.lower().startswith(("http://", "https://")) else None
    if href is None or any(sign.isspace() for sign in href):
        return inside, None
    return words, href


def addresses_in(source: str) -> list[str]:
    """Return the addresses in a tag that is not known, each once."""
    return list(dict.fromkeys(_ADDRESS.findall(source)))[:_MOST_ADDRESSES]
