"""Inline expressions of a body, and what only looks like a tag because it stands in a code span.

Texts of blocks are read without their places in the body, but in its order: what is found in those of some
lines is told apart by counting.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from markdown_it.token import Token

from app.formats.markdown import blocks, scanner_syntax
from app.formats.markdown.grammar import markdown
from app.formats.markdown.html_syntax import begins_block
from app.kit.deadlines import check

Span = tuple[int, int]
Mark = re.Match[str]
_EXPRESSION = re.compile(r"<code\s+class=(?:\"expression\"|'expression')\s*>", re.IGNORECASE)
_EXPRESSION_END = re.compile("</code>", re.IGNORECASE)
_TEXTS = ("inline", "html_block", "summary")


class Found(NamedTuple):
    """An expression as it stands; `in_html` where a document keeps what is around it as it was written."""

    source: str
    start: int
    end: int
    in_html: bool


Verdict = Found | Literal["code"] | None
"""The kind of a mark: an expression, a part of code or of an expression, or neither."""


def in_texts(
    body: str, lines: Sequence[int], tokens: Sequence[Token], env: dict[str, object], marks: Sequence[Mark]
) -> Iterator[tuple[Mark, Verdict]]:
    """Tell by the texts of blocks what each mark of a body is; `lines` are where the body's lines begin."""
    places = [mark.start() for mark in marks]
    done = 0
    for first_line, last_line, texts in _by_lines(tokens) if marks else ():
        end = lines[last_line] if last_line < len(lines) else len(body)
        first, last = bisect_left(places, lines[first_line]), bisect_left(places, end)
        if first == last:
            continue
        said = [verdict for token in texts for verdict in _verdicts(token, env)]
        if len(said) != last - first:
            said = [None] * (last - first)
        yield from ((mark, None) for mark in marks[done:first])
        yield from (
            (mark, _placed(body, mark, each, end)) for mark, each in zip(marks[first:last], said, strict=True)
        )
        done = last
    yield from ((mark, None) for mark in marks[done:])


def _by_lines(tokens: Sequence[Token]) -> list[tuple[int, int, list[Token]]]:
    """Group tokens of text by their lines, as the cells of a row; return the groups with these lines."""
    groups: list[tuple[int, int, list[Token]]] = []
    for token in tokens:
        if token.type not in _TEXTS or not token.map:
            continue
        first, last = token.map
        if groups and first < groups[-1][1]:
            before, until, texts = groups[-1]
            texts.append(token)
            groups[-1] = (before, max(until, last), texts)
        else:
            groups.append((first, last, [token]))
    return groups


class _MarkedPart(NamedTuple):
    """A part of a text: code, or an expression with what it says."""

    start: int
    end: int
    source: str | None = None


def _verdicts(token: Token, env: dict[str, object]) -> list[Verdict]:
    """Return what each mark in a text is; where in the body an expression stands is not known yet."""
    marks = scanner_syntax.marks(token.content)
    if not marks or token.meta.get("literal"):
        return [None] * len(marks)
    in_html = token.type != "inline" or begins_block(token.content.partition("\n")[0])
    parts = list(_html_parts(token.content)) if in_html else _inline_parts(token.content, env)
    found: list[Verdict] = []
    place = 0
    for mark in marks:
        check()
        at = mark.start()
        while place < len(parts) and parts[place].end <= at:
            place += 1
        part = parts[place] if place < len(parts) and parts[place].start <= at else None
        if part is None or part.source is None or part.start < at:
            found.append("code" if part else None)
        else:
            found.append(Found(blocks.one_line(part.source), part.start, part.end, in_html))
    return found


def _html_parts(content: str) -> Iterator[_MarkedPart]:
    """Yield the expressions in HTML; an end that is not there is looked for once."""
    start = 0
    while (opening := _EXPRESSION.search(content, start)) is not None:
        closing = _EXPRESSION_END.search(content, opening.end())
        if closing is None:
            return
        inside = html.unescape(content[opening.end() : closing.start()])
        yield _MarkedPart(opening.start(), closing.end(), inside)
        start = closing.end()


def _inline_parts(content: str, env: dict[str, object]) -> list[_MarkedPart]:
    """Return the code spans and expressions of a line of Markdown."""
    read: list[Token] = []
    markdown().inline.parse(content, markdown(), env, read)
    return [
        _MarkedPart(
            piece.meta["start"], piece.meta["end"], piece.content if piece.type == "expression" else None
        )
        for piece in read
        if piece.type in ("code_inline", "expression")
    ]


def _placed(body: str, mark: Mark, verdict: Verdict, limit: int) -> Verdict:
    """Return a verdict with the place in the body; an expression must stand there as it does in its text."""
    if not isinstance(verdict, Found):
        return verdict
    opening = _EXPRESSION.match(body, mark.start(), limit)
    closing = _EXPRESSION_END.search(body, opening.end(), limit) if opening else None
    return verdict._replace(start=mark.start(), end=closing.end()) if closing else None
