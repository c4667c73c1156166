"""Text made safe: what must be escaped so that it is read back as the same text."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

from markdown_it.common.utils import MD_TRIM_CHARS

from app.formats.markdown import emoji
from app.formats.markdown.html_syntax import begins_block

_ALWAYS = re.compile(r"[\\`*\[\]~]")
_UNDERSCORE = re.compile(r"(?<![^\W_])_|_(?![^\W_])")
_TAG_START = re.compile(r"<(?=[A-Za-z/!?]|$)")
_ENTITY = re.compile(r"&(?=#?\w{1,32};)")
_DOLLAR = re.compile(r"\$(?![\s\d])|\$(?=$)")
_LAST_BANG = re.compile(r"!$")
_BLOCK_TAG = re.compile(r"\{(?=[ \t]*%)")
_ANCHOR = re.compile(r"\{(?=#[^\s{}#]{1,300}\}\s*$)")
_SHORTCODE = re.compile(r":(?=([a-z0-9_+-]{1,40})(?::|$))")
_LINE_START = re.compile(r"(?P<number>\d{1,9}(?=[.)](?:\s|$)))|#{1,6}(?=\s|$)|>|[-+](?=[\s-]|$)")
_NOTE = re.compile(r"\[\^[^\s\]]+\]:")
_TRIMMED = MD_TRIM_CHARS


def text(content: str) -> str:
    """Text between other inlines of a Markdown line."""
    made = _ALWAYS.sub(r"\\\g<0>", content)
    for pattern in (_UNDERSCORE, _TAG_START, _DOLLAR, _LAST_BANG, _BLOCK_TAG):
        made = pattern.sub(r"\\\g<0>", made)
    made = _ENTITY.sub("&amp;", made)
    made = _ANCHOR.sub("&#123;", made)
    made = _SHORTCODE.sub(_shortcode(r"\:"), made)
    return made.replace("\r", "&#13;").replace("\n", "<br>")


def html_text(content: str) -> str:
    """Text between HTML tags."""
    made = html.escape(content, quote=False).replace("$", "&#36;").replace("[^", "&#91;^")
    made = _BLOCK_TAG.sub("&#123;", made)
    made = _SHORTCODE.sub(_shortcode("&#58;"), made)
    made = re.sub(r"[\t\r\f]|(?<= ) ", lambda match: f"&#{ord(match.group())};", made)
    return made.replace("\n", "<br>")


def _shortcode(colon: str) -> Callable[[re.Match[str]], str]:
    def escape(match: re.Match[str]) -> str:
        return colon if match.group(1) in emoji.codes() else ":"

    return escape


def edges(line: str) -> str:
    """White space at the ends of a line of inlines as entities, so that it is not trimmed away."""
    left = line.lstrip(_TRIMMED)
    middle = left.rstrip(_TRIMMED)
    before, after = line[: len(line) - len(left)], left[len(middle) :]
    if middle.startswith("<br>"):
        middle = "&#10;" + middle[4:]
    return _entities(before) + middle + _entities(after)


def _entities(spaces: str) -> str:
    return "".join(f"&#{ord(sign)};" for sign in spaces)


def line_start(line: str) -> str:
    """A paragraph's line that would otherwise begin a block."""
    match = _LINE_START.match(line)
    if match is not None:
        place = match.end() if match.group("number") else 0
        return line[:place] + "\\" + line[place:]
    if begins_block(line) or _NOTE.match(line):
        return "<b></b>" + line  # says nothing, but keeps the line a paragraph
    return line


def destination(url: str) -> str:
    """A link's address inside the parentheses."""
    made = _ENTITY.sub("&amp;", url.replace("\n", "%0A").replace("\r", "%0D"))
    if re.fullmatch(r"[^\s<>()\\\x00-\x1f]+", made):
        return made
    return "<" + re.sub(r"[\\<>]", r"\\\g<0>", made) + ">"


def title(content: str) -> str:
    """A link's title between quotes."""
    made = _ENTITY.sub("&amp;", _BLOCK_TAG.sub(r"\\\g<0>", re.sub(r'[\\"]', r"\\\g<0>", content)))
    return '"' + made.replace("\n", "&#10;") + '"'


def code(content: str) -> str:
    """A code span, with as many backticks as it needs."""
    flat = content.replace("\n", " ")
    runs = {len(run) for run in re.findall(r"`+", flat)}
    fence = "`" * next(count for count in range(1, len(runs) + 2) if count not in runs)
    padded = "`" in (flat[:1], flat[-1:]) or (flat[:1] == flat[-1:] == " " and bool(flat.strip(" ")))
    space = " " if padded else ""
    return f"{fence}{space}{flat}{space}{fence}"
