"""The body as one reader gets it: its conditions decided, its expressions given their values.

A condition that does not hold, or that cannot be read, hides; so do the lines of what only looks like a
condition (`markdown.conditions`). What is hidden is taken out of the source before anything else is made of
it: no footnote, no definition of a link and no heading of it can show up elsewhere. With
`deterministic_only`, what depends on the visitor or the time stays as it is.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from app.formats.expressions import expression as expressions
from app.formats.expressions import values as expression_values
from app.formats.expressions.expression import Expression
from app.formats.markdown import conditions, escapes, nodes
from app.formats.markdown.conditions import Conditions
from app.formats.markdown.nodes import Node
from app.formats.markdown.parser import to_document
from app.formats.markdown.passages import BodyText
from app.kit.deadlines import check
from app.kit.errors import Invalid

UNSETTLED = frozenset({"visitor", "now", "today", "time", "date", "Date"})
Scope = dict[str, Any]
Edit = tuple[int, int, str]


def markdown_of(text: BodyText, scope: Scope) -> str:
    """Return a text as its reader gets it."""
    return evaluate_markdown(text.body, scope) if text.conditional else text.body


def evaluate_document(source: str, scope: Scope, *, deterministic_only: bool = False) -> Node:
    """Return the document of a body, evaluated;
    its nodes have the keys that they have in the whole document.
    """
    values = _Values(scope, deterministic_only)
    found = conditions.read(source)
    if found.hidden:
        return to_document(_apply(source, [*_settled(found, values), *_computed(found, values)]))
    inner = [expression for expression in found.expressions if expression.in_html]
    document = to_document(
        _apply(source, [*_emptied(found, values), *_computed(found._replace(expressions=inner), values)])
    )
    return {**document, "nodes": _evaluated(document["nodes"], values)}


def evaluate_markdown(source: str, scope: Scope, *, deterministic_only: bool = False) -> str:
    """Return the body evaluated, everything else to the byte as it was."""
    values = _Values(scope, deterministic_only)
    found = conditions.read(source)
    return _apply(source, [*_settled(found, values), *_computed(found, values)])


def holds(condition: str, scope: Scope) -> bool:
    """Return whether all the expressions of a condition, one to a line, hold."""
    values = _Values(scope, deterministic_only=False)
    return all(values.shown(expression) for expression in condition.split("\n"))


class _Values:
    """The values of expressions in one scope; None means that they are left alone."""

    def __init__(self, scope: Scope, deterministic_only: bool) -> None:
        self.scope = scope
        self.deterministic_only = deterministic_only

    def shown(self, condition: str) -> bool | None:
        """Return whether what stands under a condition is shown."""
        expression = _read(condition)
        if expression is not None and self._unsettled(expression):
            return None
        return expression is not None and expression.holds(self.scope)

    def text(self, source: str) -> str | None:
        """Return the text an inline expression comes to; nothing for one that cannot be read."""
        expression = _read(source)
        if expression is not None and self._unsettled(expression):
            return None
        return expression_values.text(expression.evaluate(self.scope)) if expression else ""

    def _unsettled(self, expression: Expression) -> bool:
        return self.deterministic_only and not UNSETTLED.isdisjoint(expression.names())


@lru_cache(maxsize=1000)
def _read(source: str) -> Expression | None:
    try:
        return expressions.parse(source)
    except Invalid:
        return None


def _settled(found: Conditions, values: _Values) -> Iterator[Edit]:
    """Take out what is hidden, and the tags of conditions; the lines the tags stood on keep blocks apart."""
    for condition in found.conditions:
        verdicts = [values.shown(branch.expression) for branch in condition.branches]
        if None in verdicts:
            continue
        for branch, is_shown in zip(condition.branches, verdicts, strict=True):
            yield branch.start, branch.inside if is_shown else branch.end, ""
        yield condition.branches[-1].end, condition.end, ""
    yield from ((start, end, "") for start, end in found.hidden)


def _emptied(found: Conditions, values: _Values) -> Iterator[Edit]:
    """Take out what stands under conditions that do not hold."""
    for condition in found.conditions:
        for branch in condition.branches:
            if values.shown(branch.expression) is False:
                yield branch.inside, branch.end, ""


def _computed(found: Conditions, values: _Values) -> Iterator[Edit]:
    """Put the values of expressions in their places."""
    for expression in found.expressions:
        value = values.text(expression.source)
        if value is not None:
            yield expression.start, expression.end, escapes.text(value)


def _apply(source: str, edits: list[Edit]) -> str:
    """Make the edits, whose positions count every line end as one character; overlapping ones are one."""
    pairs = (
        [match.start() - index for index, match in enumerate(re.finditer("\r\n", source))] if edits else []
    )
    parts: list[str] = []
    done = 0
    for start, end, new in _outermost(edits):
        begin = start + bisect_left(pairs, start)
        parts += (source[done:begin], new)
        done = end + bisect_left(pairs, end)
    return "".join([*parts, source[done:]])


def _outermost(edits: list[Edit]) -> list[Edit]:
    kept: list[Edit] = []
    for edit in sorted(edits, key=lambda edit: (edit[0], -edit[1])):
        if not kept or edit[0] >= kept[-1][1]:
            kept.append(edit)
        elif edit[1] > kept[-1][1]:
            kept[-1] = (kept[-1][0], edit[1], kept[-1][2])
    return kept


def _evaluated(siblings: list[Node], values: _Values) -> list[Node]:
    made: list[Node] = []
    for node in siblings:
        check()
        match node.get("type"):
            case "if":
                made.extend(_condition(node, values))
            case "expression":
                made.append(_expression(node, values))
            case _:
                made.append(_inside(node, values))
    return made


def _condition(node: Node, values: _Values) -> list[Node]:
    shown = values.shown(str(node["data"].get("expression", "")))
    if shown is None:
        return [_inside(node, values)]
    return _evaluated(node["nodes"], values) if shown else []


def _expression(node: Node, values: _Values) -> Node:
    text = values.text(str(node["data"].get("expression", "")))
    return node if text is None else {**nodes.plain(text), "key": node.get("key", "")}


def _inside(node: Node, values: _Values) -> Node:
    return nodes.with_lists(node, lambda inside: _evaluated(inside, values))
