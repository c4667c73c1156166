"""Hostile HTML to a tree of bounded size and depth, in one pass over the text.

The usual parsers are no match for hostile input: those that follow the HTML standard to the letter rebuild
unclosed formatting elements again and again (33 kB became 62 MB), the standard library's is quadratic in
unclosed comments, and both grow as deep as the page wishes. Here every step moves forward, elements are
counted, and what lies too deep or is too much keeps its text and loses its tags. Unknown elements are
transparent.

Which elements are callouts, as the common documentation tools mark them, and how serious they are.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from bs4.element import NavigableString, Tag

from app.kit.deadlines import check

MAX_DEPTH = 60
MAX_ELEMENTS = 30_000
MAX_INDENTED = 10
MAX_TAGS = 200_000  # after so many, tags are not looked at any more

VOID = frozenset({"br", "hr", "img", "input", "meta", "link", "base", "source", "wbr"})
RAW = frozenset({
    "script", "style", "iframe", "noembed", "noframes", "noscript", "xmp", "template", "textarea",
})  # fmt: skip
SKIPPED = frozenset({"svg", "canvas", "object", "select", "button", "audio", "map"})
KNOWN = VOID | frozenset({
    "a", "abbr", "address", "annotation", "article", "aside", "b", "blockquote", "caption", "cite",
    "code", "dd", "del", "details", "dfn", "div", "dl", "dt", "em", "figcaption", "figure", "footer",
    "h1", "h2", "h3", "h4", "h5", "h6", "header", "i", "ins", "kbd", "li", "main", "mark", "math", "nav",
    "ol", "p", "picture", "pre", "q", "s", "samp", "section", "small", "span", "strong", "sub", "summary",
    "sup", "table", "tbody", "td", "tfoot", "th", "thead", "title", "tr", "tt", "u", "ul", "var", "video",
})  # fmt: skip
KEPT = frozenset({
    "alt", "aria-hidden", "checked", "class", "colspan", "content", "data-lang", "data-language",
    "data-src", "hidden", "href", "id", "name", "property", "rel", "role", "src", "start", "title", "type",
})  # fmt: skip

CELLS = frozenset({"td", "th"})
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_TABLE = CELLS | {"tr", "thead", "tbody", "tfoot", "table"}
_ENDS_PARAGRAPH = HEADINGS | frozenset({
    "address", "article", "aside", "blockquote", "details", "div", "dl", "figure", "footer", "header",
    "hr", "main", "nav", "ol", "p", "pre", "section", "table", "ul",
})  # fmt: skip

BLOCKS = _ENDS_PARAGRAPH | _TABLE | {"li", "dt", "dd", "summary", "figcaption", "caption", "br"}
# Each of these indents the lines within it, so that many of them multiply a page's size.
_INDENTING = frozenset({"li", "dd", "blockquote"})

# An opening tag closes the innermost open element of the first names, unless one of the second lies between.
_P = (frozenset({"p"}), CELLS | {"table", "li", "dd", "blockquote", "figure"})
_ROW_GROUP = (frozenset({"thead", "tbody", "tfoot"}), frozenset({"table"}))
_CLOSES = {name: [_P] for name in _ENDS_PARAGRAPH} | {
    "li": [(frozenset({"li"}), CELLS | {"ul", "ol"})],
    "dt": [(frozenset({"dt", "dd"}), CELLS | {"dl"})],
    "dd": [(frozenset({"dt", "dd"}), CELLS | {"dl"})],
    "td": [(CELLS, frozenset({"table", "tr"}))],
    "th": [(CELLS, frozenset({"table", "tr"}))],
    "tr": [(frozenset({"tr"}), frozenset({"table"}))],
    "thead": [_ROW_GROUP],
    "tbody": [_ROW_GROUP],
    "tfoot": [_ROW_GROUP],
    "a": [(frozenset({"a"}), CELLS)],
}

_NAME = re.compile(r"</?([a-zA-Z][^\s/>]*)")
_ATTRIBUTE = re.compile(r"""[\s/]*([^\s/>=][^\s/>=]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>][^\s>]*)))?""")
_END_OF_RAW = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in RAW | {"title"}}
_LONG_REFERENCE = re.compile(r"&#[xX]?[0-9a-fA-F]{8,};?")
_UNSEEN = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f\ufdd0-\ufdef]")


@dataclass(frozen=True, slots=True)
class Opening:
    """A start tag with the attributes that matter here."""

    name: str
    attributes: dict[str, str]


@dataclass(frozen=True, slots=True)
class Closing:
    """An end tag."""

    name: str


def parse(text: str) -> Tag:
    """Return the page as a tree under one `div`, with at most MAX_ELEMENTS elements and MAX_DEPTH levels."""
    tree = _TreeBuilder()
    for token in _tokens(_UNSEEN.sub("", text)):
        check()
        match token:
            case str():
                tree.text(token)
            case Opening():
                tree.open(token)
            case Closing():
                tree.close(token.name)
    tree.flush()
    return tree.root


def _tokens(text: str) -> Iterator[str | Opening | Closing]:
    position = 0
    while (start := text.find("<", position)) >= 0:
        if start > position:
            yield _decode(text[position:start])
        if text.startswith("<!--", start):
            position = _after(text, "-->", start + 4)
        elif text.startswith(("<!", "<?"), start):
            position = _after(text, ">", start)
        elif (name := _NAME.match(text, start)) is None:
            yield "<"
            position = start + 1
        elif text[start + 1] == "/":
            yield Closing(name.group(1).lower())
            position = _after(text, ">", name.end())
        else:
            opening, position = _opening(text, name.group(1).lower(), name.end())
            yield opening
            if opening.name in _END_OF_RAW:
                end = _END_OF_RAW[opening.name].search(text, position)
                if opening.name == "title" and end:
                    yield _decode(text[position : end.start()])
                position = end.start() if end else len(text)
    if position < len(text):
        yield _decode(text[position:])


def _opening(text: str, name: str, position: int) -> tuple[Opening, int]:
    attributes: dict[str, str] = {}
    while (found := _ATTRIBUTE.match(text, position)) is not None:
        key, position = found.group(1).lower(), found.end()
        if key in KEPT and key not in attributes:
            attributes[key] = _decode(found.group(2) or found.group(3) or found.group(4) or "")
    return Opening(name, attributes), _after(text, ">", position)


def _after(text: str, mark: str, position: int) -> int:
    found = text.find(mark, position)
    return len(text) if found < 0 else found + len(mark)


def _decode(text: str) -> str:
    """Return character references as characters. Python refuses to read numbers of thousands of digits."""
    return _UNSEEN.sub("", html.unescape(_LONG_REFERENCE.sub("\ufffd", text))) if "&" in text else text


class _TreeBuilder:
    """The tree while it grows: the open elements, the text not yet put in, and what is being left out."""

    def __init__(self) -> None:
        self.root = Tag(name="div")
        self.open_elements = [self.root]
        self.pending: list[str] = []
        self.elements = self.seen = 0
        self.left_out: Counter[str] = Counter()
        self.skipping: Counter[str] = Counter()

    def text(self, text: str) -> None:
        if not self.skipping:
            self.pending.append(text)

    def open(self, opening: Opening) -> None:
        name = opening.name
        if name in SKIPPED:
            self.skipping[name] += 1
        if self.skipping or name not in KNOWN:
            return
        self.seen += 1
        if self.seen > MAX_TAGS:
            return
        for closed, boundary in _CLOSES.get(name, ()):
            self._close_innermost(closed, boundary)
        if self._is_too_much(name):
            self._leave_out(name)
            return
        self.flush()
        self.elements += 1
        element = Tag(name=name, attrs=dict(opening.attributes))
        self.open_elements[-1].append(element)
        if name not in VOID:
            self.open_elements.append(element)

    def close(self, name: str) -> None:
        if self.skipping:
            self.skipping -= Counter([name])
        elif self.left_out[name] > 0:
            self.left_out[name] -= 1
            self._space(name)
        elif name in KNOWN and self.seen <= MAX_TAGS:
            self._close_innermost(frozenset({name}), frozenset() if name in _TABLE else CELLS)

    def flush(self) -> None:
        """Put the waiting text in, as one node."""
        if self.pending:
            self.open_elements[-1].append(NavigableString("".join(self.pending)))
            self.pending.clear()

    def _is_too_much(self, name: str) -> bool:
        if self.elements >= MAX_ELEMENTS or len(self.open_elements) > MAX_DEPTH:
            return True
        return (
            name in _INDENTING
            and sum(element.name in _INDENTING for element in self.open_elements) >= MAX_INDENTED
        )

    def _leave_out(self, name: str) -> None:
        if name not in VOID:
            self.left_out[name] += 1
        self._space(name)

    def _space(self, name: str) -> None:
        """Keep words apart where a block of the page began or ended."""
        if name in BLOCKS:
            self.pending.append(" ")

    def _close_innermost(self, names: frozenset[str], boundary: frozenset[str]) -> None:
        """Close the innermost open element of these names, and all within, unless a boundary comes first."""
        for index in range(len(self.open_elements) - 1, 0, -1):
            name = self.open_elements[index].name
            if name in names:
                self.flush()
                del self.open_elements[index:]
                return
            if name in boundary:
                return


MARKS = frozenset({
    "admonition", "admonitionblock", "alert", "callout", "hint", "theme-admonition", "custom-block",
    "markdown-alert", "notice", "aside", "starlight-aside", "infobox",
})  # fmt: skip

STYLES = {
    "info": "info", "note": "info", "information": "info", "important": "info", "seealso": "info",
    "primary": "info", "secondary": "info", "example": "info", "question": "info", "abstract": "info",
    "tip": "success", "hint": "success", "success": "success", "check": "success",
    "warning": "warning", "caution": "warning", "attention": "warning", "warn": "warning",
    "danger": "danger", "error": "danger", "critical": "danger", "failure": "danger", "bug": "danger",
}  # fmt: skip


def callout_style(el: Tag) -> str | None:
    """Return the style of hint this element is, or None if it is no callout."""
    classes = str(el.get("class") or "").lower().split()
    marked = el.name == "aside" and any(name in STYLES for name in classes)
    if not marked and not any(name in MARKS for name in classes):
        return None
    words = [word for name in classes for word in (name, name.rpartition("-")[2])]
    kinds = [STYLES[word] for word in words if word in STYLES and word not in MARKS]
    return kinds[0] if kinds else "info"


def callout_title(el: Tag) -> Tag | None:
    """Return the element that names a callout, if it has one near its start."""
    for child in el.find_all(True, limit=6):
        classes = str(child.get("class") or "").lower().split()
        if any(name == "title" or name.endswith(("-title", "-heading")) for name in classes):
            return child
    return None


def says_only_its_kind(title: str) -> bool:
    """Return whether a callout's title adds nothing to its colour, as "Note" or "WARNING:" do."""
    words = title.strip().rstrip(":!").strip().lower().replace(" ", "")
    return not words or words in STYLES


_NAMED = re.compile(r"(?:language|lang|highlight-source|highlight|brush:?)-([\w+#.-]{1,30})\Z")
_LANGUAGE = re.compile(r"[\w+#.-]{1,30}")
_NONE = frozenset({"default", "none", "plaintext", "text", "nohighlight", "source", "highlight"})


def language_of(block: Tag) -> str:
    """Return the language, from the code in the block, the block itself, or the two elements around it;
    or "".
    """
    around = [block.parent, block.parent.parent if block.parent else None]
    for el in (block.find("code"), block, *around):
        if isinstance(el, Tag) and (name := _named_by(el)):
            return name
    return ""


def _named_by(el: Tag) -> str:
    given = el.get("data-lang") or el.get("data-language")
    if isinstance(given, str) and _LANGUAGE.fullmatch(given):
        return given
    for word in str(el.get("class") or "").split():
        match = _NAMED.match(word)
        if match and match.group(1) not in _NONE:
            return match.group(1)
    return ""
