"""HTML as far as the dialect needs it: a flat list of tags and texts, attributes, and simple styles."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import dataclass, field

_NAME = re.compile(r"</?([A-Za-z][A-Za-z0-9-]*)")
_PIECE = re.compile(r"</?[A-Za-z][^<>\"']*(?:\"[^\"]*\"[^<>\"']*|'[^']*'[^<>\"']*)*>")
_ATTRIBUTE = re.compile(r"([A-Za-z_:][\w:.-]*)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'=<>`]+)))?")
_BLANK = " \t\n\r\f"
VOID = {"img", "br", "hr", "source", "col", "input", "wbr", "meta", "link"}


@dataclass(slots=True)
class Piece:
    """A tag, or the text between two tags (then `name` is empty); `raw` is how it was written."""

    raw: str
    name: str = ""
    closing: bool = False
    attributes: dict[str, str] = field(default_factory=dict)
    start: int = 0
    end: int = 0


def read_tag(raw: str) -> Piece | None:
    """One tag, or None for comments and the like."""
    match = _NAME.match(raw)
    if match is None:
        return None
    attributes: dict[str, str] = {}
    for name, *values in _ATTRIBUTE.findall(raw[match.end() : -1].rstrip("/")):
        attributes.setdefault(name.lower(), html.unescape("".join(values)))
    return Piece(raw, match.group(1).lower(), raw.startswith("</"), attributes)


def pieces(source: str) -> list[Piece]:
    """The tags and non-blank texts of a source, in order, without comments."""
    found: list[Piece] = []
    position = 0
    source = without_comments(source)
    for match in _PIECE.finditer(source):
        _add_text(found, source, position, match.start())
        tag = read_tag(match.group())
        if tag is not None:
            tag.start, tag.end = match.span()
            found.append(tag)
        position = match.end()
    _add_text(found, source, position, len(source))
    return found


def _add_text(found: list[Piece], source: str, start: int, end: int) -> None:
    if source[start:end].strip(_BLANK):
        found.append(Piece(source[start:end], start=start, end=end))


def rewritten(source: str, change: Callable[[Piece], str]) -> str:
    """Return the source with every tag replaced by what `change` returns for it."""

    def replaced(match: re.Match[str]) -> str:
        tag = read_tag(match.group())
        return match.group() if tag is None else change(tag)

    return _PIECE.sub(replaced, source)


def without_comments(source: str) -> str:
    """The source without its `<!-- -->`; one left open hides the rest."""
    parts = source.split("<!--")
    return parts[0] + "".join(part.partition("-->")[2] for part in parts[1:])


def styles(attributes: dict[str, str]) -> dict[str, str]:
    """The declarations of a `style` attribute."""
    pairs = (part.partition(":") for part in attributes.get("style", "").split(";"))
    return {name.strip().lower(): value.strip() for name, _, value in pairs if name.strip()}


def write_tag(name: str, attributes: dict[str, str]) -> str:
    """An opening tag; an attribute without a value is written by its name alone."""
    return f"<{name}{''.join(_written(*attribute) for attribute in attributes.items())}>"


def _written(name: str, value: str) -> str:
    if not value and name not in ("alt", "src", "href"):
        return f" {name}"
    escaped = html.escape(value, quote=False).replace('"', "&quot;").replace("\n", "&#10;")
    escaped = escaped.replace("{%", "&#123;%")
    return f' {name}="{escaped}"'


def collapse(content: str) -> str:
    """White space as a browser shows it: runs become one space (non-breaking spaces are kept)."""
    return re.sub(rf"[{_BLANK}]+", " ", content)


def strip(content: str) -> str:
    """The content without white space around it."""
    return content.strip(_BLANK)
