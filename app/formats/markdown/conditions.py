"""Conditions and expressions of a body: where they stand, and what looks like one and cannot be read.

This one reading decides what is shown to whom. Whatever looks like the tag of a condition, or like an
expression, is one that the parser has read, or stands in code, behind a backslash or in `raw`. Anything else
is a mistake: it is refused where somebody writes it, and hides the lines that it may have been meant for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from markdown_it.token import Token

from app.formats.expressions import expression as expressions
from app.formats.markdown import blocks, scanner_syntax
from app.formats.markdown.expression_marks import Found, Span, in_texts
from app.formats.markdown.parser import block_tokens, plain_lines, split_front_matter
from app.formats.markdown.tag_pairing import WRITTEN_END
from app.formats.markdown.tags import Tag
from app.kit.deadlines import check
from app.kit.errors import Invalid

MOST_MISTAKES = 100
_NOT_READ = (
    "This looks like a condition and cannot be read as one: its tag has to begin a line. "
    "To show it, write it as code or put a backslash before it."
)
_NO_END = "This condition has no `{% endif %}` in the same list, quote or block."
_NO_BEGINNING = "This belongs to no condition that begins in the same list, quote or block."
_NOT_AN_EXPRESSION = "This looks like an expression and cannot be read as one here."


class ConditionBranch(NamedTuple):
    """One branch of a condition: what it means by itself, and where its tag and its inside stand."""

    expression: str
    start: int
    inside: int
    end: int


class Condition(NamedTuple):
    """A whole condition; its end tag goes from the end of the last branch to `end`."""

    branches: Sequence[ConditionBranch]
    end: int


class Mistake(NamedTuple):
    """A text that looks like a condition and is none, by its line from 1."""

    line: int
    message: str


class Conditions(NamedTuple):
    """The conditions of a body, by offsets in `text`, whose lines end with `\\n`; each list is in order."""

    text: str
    conditions: Sequence[Condition] = ()
    expressions: Sequence[Found] = ()
    hidden: Sequence[Span] = ()
    mistakes: Sequence[Mistake] = ()

    @property
    def are_there(self) -> bool:
        """Return whether what the body says depends on anything."""
        return bool(self.conditions or self.expressions or self.mistakes)


@lru_cache(maxsize=16)
def read(source: str) -> Conditions:
    """Return the conditions and expressions of a body; the last ones are kept."""
    text = plain_lines(source)
    return _ConditionReader(text).read() if scanner_syntax.may_be(text) else Conditions(text)


@dataclass(slots=True)
class _Open:
    """A tag whose end has not come yet; an `if` has branches, each with its tag and what it means."""

    tag: Tag
    branching: blocks.Branching | None = None
    branches: list[tuple[Tag, str]] = field(default_factory=list)


class _ConditionReader:
    """Reads the part of a text behind its front matter; offsets are those of that part."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.body = split_front_matter(text)[1]
        self.lines = [0, *(match.end() for match in re.finditer("\n", self.body))]
        self.conditions: list[Condition] = []
        self.tags: dict[int, int] = {}  # those that were read as tags of conditions: where they begin and end
        self.plain: list[Span] = []  # code, and what is `raw`
        self.wrong: dict[int, str] = {}

    def read(self) -> Conditions:
        """Read all there is."""
        tokens, env = block_tokens(self.body)
        self._read_tags(tokens)
        marks = list(_outside(scanner_syntax.marks(self.body), self.plain))
        unread = [mark for mark in marks if mark.start() not in self.tags]
        expressions: list[Found] = []
        for mark, found in in_texts(self.body, self.lines, tokens, env, unread):
            if isinstance(found, Found):
                expressions.append(found)
            elif found is None:
                self.wrong.setdefault(mark.start(), _said_of(mark))
        by = len(self.text) - len(self.body)
        return Conditions(
            self.text,
            [_moved(each, by) for each in sorted(self.conditions, key=lambda each: each.branches[0].start)],
            [each._replace(start=each.start + by, end=each.end + by) for each in expressions],
            [(start + by, end + by) for start, end in self._hidden(marks)],
            [Mistake(self.text.count("\n", 0, at + by) + 1, said) for at, said in self._told()],
        )

    def _told(self) -> list[tuple[int, str]]:
        return sorted(self.wrong.items())[:MOST_MISTAKES]

    def _read_tags(self, tokens: list[Token]) -> None:
        waiting: list[_Open] = []
        for token in tokens:
            check()
            if token.type == "tag_open":
                waiting.append(self._opened(token.meta["tag"]))
            elif token.type == "tag_middle":
                self._branch(waiting[-1], token.meta["tag"])
            elif token.type == "tag_close":
                self._closed(waiting.pop(), token)
            elif token.type in ("fence", "code_block") and token.map:
                self.plain.append((self._line_start(token.map[0]), self._line_start(token.map[1])))

    def _opened(self, tag: Tag) -> _Open:
        if tag.name != "if":
            return _Open(tag)
        branching = blocks.Branching(tag)
        self.tags[tag.start] = tag.end
        self._check(tag)
        return _Open(tag, branching, [(tag, branching.expression)])

    def _branch(self, opened: _Open, tag: Tag) -> None:
        assert opened.branching is not None  # what belongs to no `if` is text by now
        self.tags[tag.start] = tag.end
        meant = opened.branching.follow(tag)
        if opened.branches[-1][0].name == "else":
            self.wrong[tag.start] = "Only the end can follow the `else` of a condition."
        elif tag.name == "else" and tag.arguments:
            self.wrong[tag.start] = "An `else` has no expression; `elif` has one."
        elif tag.name != "else":
            self._check(tag)
        if meant == "false":
            self.wrong.setdefault(tag.start, "The expressions of this condition are too long together.")
        opened.branches.append((tag, meant))

    def _check(self, tag: Tag) -> None:
        try:
            expressions.parse(blocks.one_line(tag.arguments))
        except Invalid as refused:
            self.wrong[tag.start] = refused.message

    def _closed(self, opened: _Open, token: Token) -> None:
        place = self._place(token)
        if opened.tag.name == "raw" and place:
            self.plain.append((opened.tag.end, place[0]))
        if opened.branching is None:
            return
        if place is None:
            self.wrong[opened.tag.start] = _NO_END
            return
        self.tags[place[0]] = place[1]
        ends = [*(tag.start for tag, _ in opened.branches[1:]), place[0]]
        branches = [
            ConditionBranch(meant, tag.start, tag.end, end)
            for (tag, meant), end in zip(opened.branches, ends, strict=True)
        ]
        self.conditions.append(Condition(branches, place[1]))

    def _place(self, token: Token) -> Span | None:
        """Return where an end stands; None for one that nobody wrote."""
        tag = token.meta["tag"]
        if tag is None or tag.start >= 0:
            return (tag.start, tag.end) if tag else None
        first, last = map(self._line_start, token.map or [0, 0])
        written: list[re.Match[str]] = list(WRITTEN_END.finditer(self.body, first, last))
        number: int = token.meta["ends_from_here"]
        return written[-number].span() if 0 < number <= len(written) else None

    def _line_start(self, line: int) -> int:
        return self.lines[line] if line < len(self.lines) else len(self.body)

    def _hidden(self, marks: Sequence[re.Match[str]]) -> list[Span]:
        """Return the lines that mistakes may have been meant for: from a beginning to its end, as the tags
        are written; without an end up to that of the body, without a beginning from that of the body.
        """
        if not self.wrong:
            return []
        spans: list[Span] = []
        waiting: list[tuple[int, bool]] = []
        for mark in marks:
            at, end, is_wrong = (
                mark.start(),
                self.tags.get(mark.start(), mark.end()),
                mark.start() in self.wrong,
            )
            if mark.re is scanner_syntax.EXPRESSION:
                closing = self.body.find("</", end)
                spans += [(at, closing if closing >= 0 else len(self.body))] if is_wrong else []
            elif not mark["end"] and not mark["middle"]:
                waiting.append((at, is_wrong))
            elif not waiting:
                spans.append((0, end))
            else:
                begun, was_wrong = waiting.pop()
                if mark["middle"]:
                    waiting.append((begun, was_wrong or is_wrong))
                elif was_wrong or is_wrong:
                    spans.append((begun, end))
        return self._whole_lines([*spans, *((at, len(self.body)) for at, _ in waiting)])

    def _whole_lines(self, spans: list[Span]) -> list[Span]:
        """Return the spans up to the ends of their lines, without those inside of others."""
        made: list[Span] = []
        for start, end in sorted(spans):
            begin = self.body.rfind("\n", 0, start) + 1
            after = self.body.find("\n", end)
            after = after if after >= 0 else len(self.body)
            if made and begin <= made[-1][1]:
                made[-1] = (made[-1][0], max(made[-1][1], after))
            else:
                made.append((begin, after))
        return made


def _outside(marks: Sequence[re.Match[str]], spans: list[Span]) -> Iterator[re.Match[str]]:
    """Yield the marks that begin in none of the spans."""
    spans = sorted(spans)
    place, until = 0, 0
    for mark in marks:
        while place < len(spans) and spans[place][0] <= mark.start():
            until = max(until, spans[place][1])
            place += 1
        if mark.start() >= until:
            yield mark


def _said_of(mark: re.Match[str]) -> str:
    if mark.re is scanner_syntax.EXPRESSION:
        return _NOT_AN_EXPRESSION
    return _NO_BEGINNING if mark["end"] or mark["middle"] else _NOT_READ


def _moved(condition: Condition, by: int) -> Condition:
    branches = [
        ConditionBranch(meant, *(place + by for place in places)) for meant, *places in condition.branches
    ]
    return Condition(branches, condition.end + by)
