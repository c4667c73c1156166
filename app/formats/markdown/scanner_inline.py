"""The text of a leaf of a page and its links: the inline rules of CommonMark, HTML and `{% tags %}`.

One walk from mark to mark gives the plain text and the spans of all hrefs. Every search that failed is
remembered for the leaf, so that no text makes the walk start over.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import dataclass

from app.formats.markdown.scanner_syntax import (
    JOINING,
    LOOSE_TAG,
    STRICT_TAG,
    LinkKind,
    Run,
    comparable,
    hrefs_of_html,
    hrefs_of_tag,
    identity,
    label_at,
    link_tail,
    pair_emphasis,
    run_at,
)

MOST_BRACKETS = 1000
"""More that are open at once are read as text: they would only cost memory."""

_PLAIN = r"[^`\[\]<{&\\*_~]*+"
# Emphasis that can pair with nothing else: outside of a word, around a word or more without any other mark.
# Scripts without spaces let a run close what is before it, too, unless it stands after a space.
_WIDE = r"[\u1100-\U0003ffff]"
_STRONG = (
    rf"\*\*(?<![^\W_]\*\*)(?<!\*\*\*)(?:(?<!\S\*\*)|(?<!{_WIDE}\*\*)(?!{_WIDE}))"
    rf"(?=[^\W_])({_PLAIN})(?<=[^\W_])\*\*(?![\w*])"
)
_EM = (
    rf"\*(?<![^\W_]\*)(?<!\*\*)(?:(?<!\S\*)|(?<!{_WIDE}\*)(?!{_WIDE}))"
    rf"(?=[^\W_])({_PLAIN})(?<=[^\W_])\*(?![\w*])"
)
_MARK = re.compile(
    rf"`([^`]++)`(?!`)|\[({_PLAIN})\]\(([^\s()<>\\\x00-\x1f\x7f]++)\)|{_STRONG}|{_EM}"
    # Underscores inside of words are no marks.
    rf"|\*\**+|__*+(?![^\W_])|_(?<![^\W_]_)(?<!__)_*+|~~*+|``*+|\[|\]|!\[|<|\{{%"
    r"|\\(?:[!-/:-@\[-`{-~]| ?\n)?+"
    r"|&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});"
)
_HTML_MARK = re.compile(r"<|\{%|&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_AUTOLINK = re.compile(r"<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>\x00-\x1f]*+)>|<([^\s<>@\\]++@[^\s<>@\\]++)>")
_CODE_TAGS = re.compile(r"</(?:script|style)", re.IGNORECASE)
_BACKTICKS = re.compile(r"``*+")
_RAW = re.compile(r"\{%-?\s*+(raw|endraw)\s*+-?%\}")
_OTHER_MARKUP = re.compile(r"<(?:(!--)|(\?)|(!\[CDATA\[)|(![A-Za-z]))")
_OTHER_ENDS = ("-->", "?>", "]]>", ">")


@dataclass(slots=True)
class _Bracket:
    """An opening `[` or `![` that may become a link."""

    at: int
    """Offset of what follows it."""
    piece: int
    """The number of its piece of text."""
    runs: int
    """The number of runs of emphasis marks before it."""
    image: bool
    filled: bool = False
    """True if another bracket came after it."""


class Inline:
    """Reads the leaves of one page; collects the spans of the hrefs as it goes."""

    __slots__ = (
        "anchor", "base", "brackets", "html", "ids", "last_endraw", "links", "missing", "pieces",
        "plain_below", "raw", "raw_from", "references", "runs", "source", "ticks",
    )  # fmt: skip

    def __init__(self, page: str, references: set[str]) -> None:
        self.last_endraw = page.rfind("endraw")
        self.references = references
        self.raw: list[tuple[int, int]] = []
        self.raw_from = -1
        self.links: list[tuple[int, int, LinkKind]] = []
        self.anchor: str | None = None
        self.ids: list[str] = []
        self._start("", 0)

    def is_plain(self, source: str) -> bool:
        """Return whether there is no mark in Markdown, so that it is its own text."""
        return _MARK.search(source) is None

    def text(self, source: str, base: int) -> str:
        """Return the plain text of Markdown that stands at `base`; `anchor` is the first one given in it."""
        self.anchor = None
        first = _MARK.search(source)
        if first is None:
            return source
        self._start(source, base)
        self._walk(_MARK.search, first)
        if self.runs:
            pair_emphasis(self.runs, self.pieces)
        return "".join(self.pieces)

    def html_text(self, source: str, base: int) -> str:
        """Return the plain text of HTML that stands at `base`: Markdown marks mean nothing in it."""
        self._start(source, base, html=True)
        self._walk(_HTML_MARK.search, _HTML_MARK.search(source))
        return "".join(self.pieces)

    def _start(self, source: str, base: int, *, html: bool = False) -> None:
        self.source, self.base, self.html = source, base, html
        self.pieces: list[str] = []
        self.brackets: list[_Bracket] = []
        self.runs: list[Run] = []
        self.plain_below = 0
        self.ticks: dict[int, list[int]] | None = None
        self.missing: set[str] = set()

    def _walk(self, search: Callable[[str, int], re.Match[str] | None], mark: re.Match[str] | None) -> None:
        source, pieces = self.source, self.pieces
        at = 0
        while mark:
            start = mark.start()
            if start > at:
                pieces.append(source[at:start])
            group = mark.lastindex
            if group is None:
                at = _READ[source[start]](self, mark)
            else:
                if group == 3:
                    self._simple_link(mark)
                    pieces.append(mark[2])
                else:
                    pieces.append(_trimmed(mark[1]) if group == 1 else mark[group])
                at = mark.end()
            mark = search(source, at)
        pieces.append(source[at:])

    def _code(self, mark: re.Match[str]) -> int:
        size = mark.end() - mark.start()
        closing = self._closing_ticks(size, mark.end())
        if closing < 0:
            self.pieces.append(mark[0])
            return mark.end()
        self.pieces.append(_trimmed(self.source[mark.end() : closing]))
        return closing + size

    def _closing_ticks(self, size: int, after: int) -> int:
        if self.ticks is None:
            self.ticks = {}
            for run in _BACKTICKS.finditer(self.source):
                self.ticks.setdefault(run.end() - run.start(), []).append(run.start())
            for places in self.ticks.values():
                places.reverse()
        places = self.ticks.get(size, [])
        while places and places[-1] < after:
            places.pop()
        return places[-1] if places else -1

    def _simple_link(self, mark: re.Match[str]) -> None:
        start, end = mark.span(3)
        self.links.append((self.base + start, self.base + end, "link"))
        if self.brackets:
            self._bar_outer_links()

    def _open(self, mark: re.Match[str]) -> int:
        return self._bracket(mark, image=False)

    def _picture(self, mark: re.Match[str]) -> int:
        return self._bracket(mark, image=True)

    def _bracket(self, mark: re.Match[str], image: bool) -> int:
        if len(self.brackets) >= MOST_BRACKETS:
            self.pieces.append(mark[0])
            return mark.end()
        if self.brackets:
            self.brackets[-1].filled = True
        self.brackets.append(_Bracket(mark.end(), len(self.pieces), len(self.runs), image))
        self.pieces.append(mark[0])
        return mark.end()

    def _close(self, mark: re.Match[str]) -> int:
        after = mark.end()
        if not self.brackets:
            self.pieces.append("]")
            return after
        bracket = self.brackets.pop()
        barred = not bracket.image and len(self.brackets) < self.plain_below
        self.plain_below = min(self.plain_below, len(self.brackets))
        tail = -1 if barred else self._tail(bracket, after)
        if tail < 0:
            self.pieces.append("]")
            return after
        self._enclose(bracket)
        return tail

    def _tail(self, bracket: _Bracket, after: int) -> int:
        """Return the offset after what makes a closing bracket a link; -1 when it is none."""
        if inline := link_tail(self.source, after):
            start, end, tail = inline
            self._link(start, end, "image" if bracket.image else "link")
            return tail
        if not self.references:
            return -1
        if label := label_at(self.source, after):
            return label[1] if label[0] in self.references else -1
        if bracket.filled or after - bracket.at > 1000:
            return -1
        if comparable(self.source[bracket.at : after - 1]) not in self.references:
            return -1
        return after + 2 if self.source.startswith("[]", after) else after

    def _enclose(self, bracket: _Bracket) -> None:
        pair_emphasis(self.runs[bracket.runs :], self.pieces)
        del self.runs[bracket.runs :]
        self.pieces[bracket.piece] = ""
        if not bracket.image:
            self._bar_outer_links()

    def _bar_outer_links(self) -> None:
        """Make the brackets that are still open plain text, since a link holds no other link."""
        self.plain_below = len(self.brackets)
        if self.brackets:
            self.brackets[-1].filled = True

    def _angle(self, mark: re.Match[str]) -> int:
        start, source = mark.start(), self.source
        if not self.html and (auto := _AUTOLINK.match(source, start)):
            if auto[1]:
                self._link(auto.start(1), auto.end(1), "link")
            self.pieces.append(auto[1] or auto[2])
            return auto.end()
        if tag := (LOOSE_TAG if self.html else STRICT_TAG).match(source, start):
            return self._html_tag(tag)
        if other := _OTHER_MARKUP.match(source, start):
            closing = _OTHER_ENDS[(other.lastindex or 1) - 1]
            end = self._find(closing, start + 2)
            if end >= 0:
                return end + len(closing)
            if self.html:
                return len(source)
        self.pieces.append("<")
        return start + 1

    def _html_tag(self, tag: re.Match[str]) -> int:
        name = tag[1].lower()
        if tag[2] and self.source[tag.start() + 1] != "/":
            self._links(hrefs_of_html(name, self.source, tag.start(2), tag.end(2)))
            if ("id" in tag[2].lower() or name == "a") and (given := identity(tag[2], name)):
                self.ids.append(given)
                if name == "a" and self.anchor is None:
                    self.anchor = given
        if name == "br" or (self.html and not JOINING.match(name)):
            self.pieces.append(" ")
        if self.html and name in ("script", "style") and self.source[tag.start() + 1] != "/":
            end = _CODE_TAGS.search(self.source, tag.end())
            return end.start() if end else len(self.source)
        return tag.end()

    def _tag(self, mark: re.Match[str]) -> int:
        start, source = mark.start(), self.source
        end = self._find("%}", mark.end())
        if end < 0:
            self.pieces.append("{%")
            return mark.end()
        raw = _RAW.match(source, start)
        if self.raw_from >= 0 and (raw is None or raw[1] == "raw"):
            self.pieces.append(source[start : end + 2])
            return end + 2
        if raw:
            self._turn_raw(raw[1] == "raw", self.base + end + 2)
        self._links(hrefs_of_tag(source, mark.end(), end))
        self.pieces.append(" ")
        return end + 2

    def _turn_raw(self, on: bool, at: int) -> None:
        if on and at < self.last_endraw:
            self.raw_from = at
        elif not on and self.raw_from >= 0:
            self.raw.append((self.raw_from, at))
            self.raw_from = -1

    def _escape(self, mark: re.Match[str]) -> int:
        self.pieces.append(mark[0][1:] or "\\")
        return mark.end()

    def _entity(self, mark: re.Match[str]) -> int:
        self.pieces.append(html.unescape(mark[0]))
        return mark.end()

    def _emphasis(self, mark: re.Match[str]) -> int:
        run = run_at(self.source, mark.start(), mark.end(), len(self.pieces))
        if run:
            self.runs.append(run)
        self.pieces.append(mark[0])
        return mark.end()

    def _find(self, what: str, at: int) -> int:
        if what in self.missing:
            return -1
        found = self.source.find(what, at)
        if found < 0:
            self.missing.add(what)
        return found

    def _link(self, start: int, end: int, kind: LinkKind) -> None:
        self.links.append((self.base + start, self.base + end, kind))

    def _links(self, found: list[tuple[int, int, LinkKind]]) -> None:
        for start, end, kind in found:
            self._link(start, end, kind)


def _trimmed(code: str) -> str:
    """Strip the one space on each side of code that only separates it from its backticks."""
    return code[1:-1] if code[0] in " \n" and code[-1] in " \n" and not code.isspace() else code


_READ: dict[str, Callable[[Inline, re.Match[str]], int]] = {
    "`": Inline._code,
    "[": Inline._open,
    "]": Inline._close,
    "!": Inline._picture,
    "<": Inline._angle,
    "{": Inline._tag,
    "\\": Inline._escape,
    "&": Inline._entity,
    "*": Inline._emphasis,
    "_": Inline._emphasis,
    "~": Inline._emphasis,
}
