"""The syntax of HTML tags, and the attributes of them and of `{% tags %}` that link to something.

It holds also how CommonMark writes where a link goes (destinations, titles, labels, definitions) and its
pairing of `*`, `_` and `~~`.

`may_be` and `marks` find what looks like the tag of a condition, or like an expression. They find too much
rather than too little, so that most bodies need not be parsed; `conditions` tells what is really there. They
know every spelling that the parser takes, and those that come near.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from app.formats.markdown.flanking import flanking, is_sign

LinkKind = Literal["link", "image", "content-ref", "file", "embed", "include", "openapi", "button", "html"]
"""The syntax that an href belongs to: Markdown's links and images (HTML's images too), a tag, other HTML."""

Found = list[tuple[int, int, LinkKind]]

# Among Markdown only what is well-formed is a tag; among HTML whatever looks like one.
STRICT_TAG = re.compile(
    r"</?+([A-Za-z][A-Za-z0-9-]*+)((?:\s++[A-Za-z_:][\w:.-]*+"
    r"""(?:\s*+=\s*+(?:[^\s"'=<>`]++|'[^']*+'|"[^"]*+"))?+)*+)\s*+/?>"""
)
LOOSE_TAG = re.compile(r"""</?+([A-Za-z][A-Za-z0-9-]*+)((?:[^<>"']++|"[^"]*+"|'[^']*+')*+)>""")
# In HTML, words on both sides of these tags are one word; every other tag parts them.
JOINING = re.compile(
    r"(?:a|abbr|b|bdi|bdo|cite|code|del|dfn|em|font|i|ins|kbd|mark|q|s|samp|small|span|strong|sub|sup|u|var|wbr)\Z"
)

_ATTRIBUTE = re.compile(
    r"""(?<![\w:.-])([A-Za-z_:][\w:.-]*+)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'=<>`]++))"""
)
_TAG_NAME = re.compile(r"-?\s*+([A-Za-z][\w-]*+)")
_QUOTED = re.compile(r""""([^"]*+)"|'([^']*+)'""")
_SOURCE_SET_ITEM = re.compile(r"[\s,]*+([^\s,](?:\S*[^\s,])?)[^,]*+")

_HTML: dict[str, dict[str, LinkKind]] = {
    "a": {"href": "html"},
    "img": {"src": "image", "srcset": "image"},
    "source": {"src": "html", "srcset": "image"},
    "video": {"src": "html", "poster": "image"},
    "audio": {"src": "html"},
    "iframe": {"src": "html"},
    "embed": {"src": "html"},
    "object": {"data": "html"},
    "area": {"href": "html"},
}
_TAGS: dict[str, tuple[str, LinkKind]] = {
    "content-ref": ("url", "content-ref"),
    "page-ref": ("page", "content-ref"),
    "file": ("src", "file"),
    "embed": ("url", "embed"),
    "openapi": ("src", "openapi"),
    "swagger": ("src", "openapi"),
}


def hrefs_of_html(name: str, source: str, start: int, end: int) -> Found:
    """Return the hrefs among the attributes of an HTML tag, which stand from `start` to `end`."""
    wanted = _HTML.get(name)
    if wanted is None:
        return []
    found: Found = []
    button = False
    for attribute in _ATTRIBUTE.finditer(source, start, end):
        key = attribute[1].lower()
        at, to = _value(attribute)
        if key == "srcset" and key in wanted:
            found += [(*item.span(1), wanted[key]) for item in _SOURCE_SET_ITEM.finditer(source, at, to)]
        elif key in wanted:
            found.append((at, to, wanted[key]))
        elif key == "class":
            button = "button" in source[at:to].split()
    if button and name == "a":
        return [(at, to, "button") for at, to, _ in found]
    return found


def hrefs_of_tag(source: str, start: int, end: int) -> Found:
    """Return the href of a `{% tag %}` whose inside stands from `start` to `end`: none or one."""
    name = _TAG_NAME.match(source, start, end)
    if name is None:
        return []
    if name[1] == "include":
        quoted = _QUOTED.search(source, name.end(), end)
        return [(*quoted.span(1 if quoted[1] is not None else 2), "include")] if quoted else []
    wanted = _TAGS.get(name[1])
    if wanted is None:
        return []
    for attribute in _ATTRIBUTE.finditer(source, name.end(), end):
        if attribute[1] == wanted[0]:
            return [(*_value(attribute), wanted[1])]
    return []


def identity(attributes: str, tag: str) -> str | None:
    """Return the `id` among the HTML attributes of a tag, of `a` else the `name`;
    None when there is neither.
    """
    found = _ATTRIBUTE.finditer(attributes)
    values = {each[1].lower(): each[each.lastindex or 0] for each in found}
    return values.get("id") or (values.get("name") if tag == "a" else None) or None


def _value(attribute: re.Match[str]) -> tuple[int, int]:
    return attribute.span(attribute.lastindex or 0)


MOST_PARENTHESES = 32
LONGEST_LABEL = 999

_BRACED = re.compile(r"<((?:[^<>\\\n]++|\\[^\n]|\\(?=\n))*+)>")
_BARE = re.compile(r"[^\s()\\\x00-\x1f\x7f]++|\\[^\s\x00-\x1f\x7f]|\\|\(|\)")
_TITLE = re.compile(
    r'"(?:[^"\\]++|\\.)*+"' r"|'(?:[^'\\]++|\\.)*+'" r"|\((?:[^()\\]++|\\.)*+\)",
    re.DOTALL,
)
_LABEL = re.compile(r"\[((?:[^\[\]\\]++|\\.)*+)\]", re.DOTALL)
_GAP = re.compile(r"[ \t\n]*+")
_COLON = re.compile(r":[ \t]*+\n?+[ \t]*+")
_LINE_GAP = re.compile(r"[ \t]*+\n?+[ \t]*+")
_LINE_END = re.compile(r"[ \t]*+(?:\n|\Z)")


class Definition(NamedTuple):
    """`[label]: href "title"`, with the offsets of the href in the page and of what follows."""

    label: str
    start: int
    end: int
    after: int


def definition(source: str, at: int, base: int) -> Definition | None:
    """Return the link definition at `at` of a paragraph that stands at `base` of the page;
    None when it is none.
    """
    label = label_at(source, at)
    if label is None or label[0].startswith("^"):
        return None
    colon = _COLON.match(source, label[1])
    if colon is None or (found := destination(source, colon.end())) is None:
        return None
    start, end, after = found
    if after == colon.end():
        return None
    line_end = _LINE_END.match(source, after)
    gap = _LINE_GAP.match(source, after)
    if gap and gap.end() > after and (title := _TITLE.match(source, gap.end())):
        line_end = _LINE_END.match(source, title.end()) or line_end
    if line_end is None:
        return None
    return Definition(label[0], base + start, base + end, base + line_end.end())


def label_at(source: str, at: int) -> tuple[str, int] | None:
    """Return the label in brackets at `at`, made comparable, and the offset after it;
    None when it is none.
    """
    found = _LABEL.match(source, at)
    if found is None or len(found[1]) > LONGEST_LABEL:
        return None
    label = comparable(found[1])
    return (label, found.end()) if label else None


def comparable(label: str) -> str:
    """Return a label as labels are compared: without regard to case and to how much space there is."""
    return " ".join(label.split()).casefold()


def link_tail(source: str, at: int) -> tuple[int, int, int] | None:
    """Find `(href "title")` at `at`: return start and end of the href, and the end of it all, or None."""
    if not source.startswith("(", at):
        return None
    found = destination(source, _skip(source, at + 1))
    if found is None:
        return None
    start, end, after = found
    gap = _skip(source, after)
    if gap > after and (title := _TITLE.match(source, gap)):
        gap = _skip(source, title.end())
    return (start, end, gap + 1) if source.startswith(")", gap) else None


def destination(source: str, at: int) -> tuple[int, int, int] | None:
    """Return a destination at `at`, maybe empty: start, end and the offset after it;
    None when it is malformed.
    """
    if source.startswith("<", at):
        braced = _BRACED.match(source, at)
        return (*braced.span(1), braced.end()) if braced else None
    end, depth = at, 0
    while piece := _BARE.match(source, end):
        if piece[0] == "(":
            depth += 1
            if depth > MOST_PARENTHESES:
                return None
        elif piece[0] == ")":
            if depth == 0:
                break
            depth -= 1
        end = piece.end()
    return (at, end, end) if depth == 0 else None


def _skip(source: str, at: int) -> int:
    gap = _GAP.match(source, at)
    return gap.end() if gap else at


@dataclass(slots=True)
class Run:
    """A run of one emphasis mark that may open or close."""

    mark: str
    length: int
    opens: bool
    closes: bool
    piece: int
    """The number of its piece of text."""
    left: int
    """The number of its marks that are not paired yet."""
    order: int = 0


def run_at(source: str, start: int, end: int, piece: int) -> Run | None:
    """Return the run from `start` to `end`; None when its surroundings or its length keep it plain."""
    mark = source[start]
    if mark == "~" and end - start != 2:
        return None
    before = source[start - 1] if start else " "
    after = source[end] if end < len(source) else " "
    if before.isalnum() and after.isalnum():
        return None if mark == "_" else Run(mark, end - start, True, True, piece, end - start)
    opens, closes = flanking(before, after)
    if mark == "_":
        opens, closes = opens and (not closes or is_sign(before)), closes and (not opens or is_sign(after))
    return Run(mark, end - start, opens, closes, piece, end - start) if opens or closes else None


def pair_emphasis(runs: list[Run], pieces: list[str]) -> None:
    """Pair the runs; the pieces of text that they are keep only the marks left over."""
    openers: list[Run] = []
    # Below this order no opener suits this kind of closer: what was searched in vain is not searched again.
    floors: dict[tuple[str, bool, int], int] = {}
    for order, run in enumerate(runs, 1):
        run.order = order
        while run.closes and run.left:
            found = _opener(openers, run, floors)
            if found < 0:
                break
            opener = openers[found]
            used = 2 if opener.left > 1 and run.left > 1 else 1
            opener.left -= used
            run.left -= used
            del openers[found + (opener.left > 0) :]
        if run.opens and run.left:
            openers.append(run)
    for run in runs:
        pieces[run.piece] = run.mark * run.left


def _opener(openers: list[Run], run: Run, floors: dict[tuple[str, bool, int], int]) -> int:
    kind = (run.mark, run.opens, run.length % 3)
    floor = floors.get(kind, 0)
    for found in range(len(openers) - 1, -1, -1):
        opener = openers[found]
        if opener.order < floor:
            break
        if opener.mark == run.mark and _suits(opener, run):
            return found
    floors[kind] = run.order
    return -1


def _suits(opener: Run, closer: Run) -> bool:
    if not opener.closes and not closer.opens:
        return True
    return (opener.length + closer.length) % 3 > 0 or (opener.length % 3 == 0 and closer.length % 3 == 0)


# Between `{%` and the name: what the parser passes over, and what an author might believe that it does.
_TAG_GAP = r"[^\w@{}\"'`()\[\]<,;]*+"
TAG = re.compile(
    rf"\{{[ \t]*+%{_TAG_GAP}"
    r"(?:(?P<end>end[\s_-]*+)?(?:if(?!rame)\w*+|unless\w*+)|(?P<middle>else\w*+|els?e?if\w*+))",
    re.IGNORECASE,
)
EXPRESSION = re.compile(
    r"<\s*+code\b\s*+[^<>]{0,500}?\bclass\s*+=\s*+[\"']?[^\"'<>]{0,200}?\bexpression\b", re.IGNORECASE
)


def may_be(text: str) -> bool:
    """Tell whether there is anything in a body that might be a condition or an expression."""
    return ("%" in text and TAG.search(text) is not None) or EXPRESSION.search(text) is not None


def marks(text: str) -> list[re.Match[str]]:
    """Return what looks like a tag of a condition or an expression, in order; not behind a backslash."""
    found = [*_bare(TAG, text), *_bare(EXPRESSION, text)]
    found.sort(key=lambda match: match.start())
    return found


def _bare(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    for match in pattern.finditer(text):
        before = text[max(0, match.start() - 20) : match.start()]
        if (len(before) - len(before.rstrip("\\"))) % 2 == 0:
            yield match
