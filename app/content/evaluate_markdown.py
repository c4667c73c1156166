"""Where conditions and inline expressions stand in a Markdown source, and the source with them replaced.

The dialect's own parser finds them, so that what stands in code or behind a backslash is left alone. Only the
characters of tags, of hidden branches and of expressions change.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from markdown_it.token import Token

from app.content.dialect import blocks, escapes
from app.content.dialect.markup import markdown
from app.content.dialect.pairs import WRITTEN_END
from app.content.dialect.parse import block_tokens, plain_lines, split_front_matter
from app.content.dialect.tags import Tag

Shown = Callable[[str], "bool | None"]
Text = Callable[[str], "str | None"]
Edit = tuple[int, int, str]
_EXPRESSION = re.compile(r"<code\s+class=(?:\"expression\"|'expression')\s*>", re.IGNORECASE)
_EXPRESSION_END = re.compile("</code>", re.IGNORECASE)


def replaced(original: str, shown: Shown, text: Text) -> str:
    """The source with conditions settled by `shown` and expressions by `text`; None leaves one as it is."""
    if "{%" not in original and "<code" not in original.lower():
        return original
    _front, body = split_front_matter(plain_lines(original))
    offset = len(plain_lines(original)) - len(body)
    edits = [(start + offset, end + offset, new) for start, end, new in _Finder(body, shown, text).edits()]
    return _apply(original, edits)


@dataclass(slots=True)
class _Branch:
    """One branch of an `if`: its condition alone, and where its tag and its inside stand."""

    expression: str
    tag: Tag


@dataclass(slots=True)
class _Open:
    """A tag being read; only `if` has branches."""

    branches: list[_Branch] = field(default_factory=list)
    conditions: list[str] = field(default_factory=list)


class _Expression(NamedTuple):
    """An expression as it is written: where it stands, and what is between its tags."""

    start: int
    end: int
    inside: str


class _Finder:
    def __init__(self, source: str, shown: Shown, text: Text) -> None:
        self.source = source
        self.shown = shown
        self.text = text
        self.lines = [0]
        self.found: list[Edit] = []
        for match in re.finditer("\n", source):
            self.lines.append(match.end())

    def edits(self) -> list[Edit]:
        """What to put where, in order, without overlaps."""
        tokens, env = block_tokens(self.source)
        waiting: list[_Open] = []
        for token in tokens:
            if token.type == "tag_open":
                waiting.append(_opened(token.meta["tag"]))
            elif token.type == "tag_middle":
                _branch(waiting[-1], token.meta["tag"])
            elif token.type == "tag_close":
                self._conditions(waiting.pop(), token)
        self._expressions(tokens, env)
        return _outermost(self.found)

    def _place(self, token: Token) -> tuple[int, int]:
        """Where an end stands; one that nobody wrote stands, empty, where its container ends."""
        if "before" in token.meta:
            start, _ = self._place(token.meta["before"])
            return start, start
        tag = token.meta["tag"]
        if tag is not None and tag.start >= 0:
            return tag.start, tag.end
        if tag is not None and token.map:
            first, last = map(self._line_start, token.map)
            ends: list[re.Match[str]] = list(WRITTEN_END.finditer(self.source, first, last))
            number: int = token.meta["ends_from_here"]
            return ends[-number].span() if number <= len(ends) else (last, last)
        limit = self._line_start(token.meta.get("line"))
        return limit, limit

    def _line_start(self, line: int | None) -> int:
        return self.lines[line] if line is not None and line < len(self.lines) else len(self.source)

    def _conditions(self, opened: _Open, end_tag: Token) -> None:
        """Only the tags go, and what is hidden; the lines the tags stood on stay and keep blocks apart."""
        verdicts = [self.shown(branch.expression) for branch in opened.branches]
        if not verdicts or None in verdicts:
            return
        end, after = self._place(end_tag)
        bounds = [*((branch.tag.start, branch.tag.end) for branch in opened.branches), (end, after)]
        for shown, (start, inside), (following, _) in zip(verdicts, bounds, bounds[1:], strict=False):
            self.found.append((start, inside if shown else following, ""))
        self.found.append((end, after, ""))

    def _expressions(self, tokens: list[Token], env: dict[str, object]) -> None:
        """Expressions stand in the source in the same order as in the tokens of the same lines."""
        for group in _by_lines(tokens):
            first, last = group[0].map or [0, 0]
            places = list(_expressions_written(self.source, self.lines[first], self._line_start(last)))
            if not places:
                continue
            found = [expression for token in group for expression in _expressions_in(token, env)]
            if len(found) != len(places):
                continue
            for place, expression in zip(places, found, strict=True):
                new = self.text(blocks.one_line(expression)) if expression is not None else None
                if new is not None:
                    self.found.append((place.start, place.end, escapes.text(new)))


def _opened(tag: Tag) -> _Open:
    if tag.name != "if":
        return _Open()
    condition = blocks.one_line(tag.arguments)
    return _Open([_Branch(condition, tag)], [condition])


def _branch(opened: _Open, tag: Tag) -> None:
    expression = blocks.branch_expression(tag, opened.conditions)
    if len(expression) > blocks.MAX_EXPRESSION:
        expression = "false"
    opened.branches.append(_Branch(expression, tag))
    opened.conditions.append(blocks.one_line(tag.arguments) if tag.name != "else" else "true")


def _by_lines(tokens: list[Token]) -> Iterator[list[Token]]:
    """Tokens that hold text, those of the same lines (the cells of a row) together."""
    group: list[Token] = []
    for token in tokens:
        if token.type not in ("inline", "html_block", "summary") or not token.map:
            continue
        if group and group[0].map != token.map:
            yield group
            group = []
        group.append(token)
    if group:
        yield group


def _expressions_in(token: Token, env: dict[str, object]) -> Iterator[str | None]:
    """What each expression tag in a token says, or None for one that stands in code."""
    places = list(_expressions_written(token.content, 0, len(token.content)))
    if token.type != "inline":
        yield from (html.unescape(place.inside) for place in places)
        return
    read: list[Token] = []
    if places:
        markdown().inline.parse(token.content, markdown(), env, read)
    real = {piece.meta["start"]: piece.content for piece in read if piece.type == "expression"}
    yield from (real.get(place.start) for place in places)


def _expressions_written(source: str, start: int, limit: int) -> Iterator[_Expression]:
    """The expressions in a part of a source; an end that is not there is looked for once."""
    while (opening := _EXPRESSION.search(source, start, limit)) is not None:
        closing = _EXPRESSION_END.search(source, opening.end(), limit)
        if closing is None:
            return
        yield _Expression(opening.start(), closing.end(), source[opening.end() : closing.start()])
        start = closing.end()


def _outermost(edits: list[Edit]) -> list[Edit]:
    kept: list[Edit] = []
    for edit in sorted(edits, key=lambda edit: (edit[0], -edit[1])):
        if not kept or edit[0] >= kept[-1][1]:
            kept.append(edit)
        elif edit[1] > kept[-1][1]:
            kept[-1] = (kept[-1][0], edit[1], kept[-1][2])
    return kept


def _apply(original: str, edits: list[Edit]) -> str:
    """Make the edits, whose positions count every line end as one character."""
    pairs = [match.start() - index for index, match in enumerate(re.finditer("\r\n", original))]
    parts: list[str] = []
    done = 0
    for start, end, new in edits:
        begin = start + bisect_left(pairs, start)
        parts += (original[done:begin], new)
        done = end + bisect_left(pairs, end)
    return "".join([*parts, original[done:]])
